//! Updates a part of the page to new HTML in place: elements that stay keep the focus, the cursor and an unfinished word of
//! an input method.

use leptos::prelude::document;
use wasm_bindgen::JsCast;
use web_sys::{Element, Node};

/// The attributes of a fold that say whether the server opened it, and whether it shows another item than before.
const OPEN_ON_SERVER: &str = "data-open";
pub const REPLACED: &str = "data-replaced";

pub fn parse(html: &str) -> Option<Element> {
    let parsed = document().create_element("div").ok()?;
    parsed.set_inner_html(html);
    Some(parsed)
}

/// Makes the content of an element equal to that of another one, from which it may take nodes.
pub fn update_content(shown: &Node, fresh: &Node) {
    let (mut old, mut new) = (shown.first_child(), fresh.first_child());
    while let Some(node) = new {
        new = node.next_sibling();
        old = match old {
            Some(old) => {
                let next = old.next_sibling();
                if old.node_name() == node.node_name() {
                    update_node(&old, &node);
                } else {
                    let _ = shown.replace_child(&node, &old);
                }
                next
            }
            None => {
                let _ = shown.append_child(&node);
                None
            }
        };
    }
    while let Some(node) = old {
        old = node.next_sibling();
        let _ = shown.remove_child(&node);
    }
}

fn update_node(old: &Node, new: &Node) {
    let (Some(old), Some(new)) = (old.dyn_ref::<Element>(), new.dyn_ref::<Element>()) else {
        if old.node_value() != new.node_value() {
            old.set_node_value(new.node_value().as_deref());
        }
        return;
    };
    // The user opened or closed it, unless the server changed its mind.
    let is_same = |name: &str| old.get_attribute(name) == new.get_attribute(name);
    let same_fold = ["id", OPEN_ON_SERVER, REPLACED].into_iter().all(is_same);
    let is_users = |name: &str| match name {
        "open" => same_fold,
        // A filter hides options.
        "hidden" => old.tag_name() == "OPTION",
        _ => false,
    };
    let names = old.get_attribute_names().concat(&new.get_attribute_names());
    for name in names.iter().filter_map(|name| name.as_string()).filter(|name| !is_users(name)) {
        let value = new.get_attribute(&name);
        if old.get_attribute(&name) != value {
            let _ = match value {
                Some(value) => old.set_attribute(&name, &value),
                None => old.remove_attribute(&name),
            };
        }
    }
    update_content(old, new);
}
