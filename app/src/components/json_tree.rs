//! A JSON value as a tree that can be folded and searched. Any value or path can be copied.

use std::sync::Arc;

use leptos::prelude::*;
use serde_json::Value;

use super::copy::CopyButton;
use crate::browser::copy_text;
use crate::format::grouped;
use crate::plain_text::visible;

/// Values rendered per tree. The tree says how many were left out.
const MAX_NODES: usize = 400;
/// Levels rendered as a tree. Deeper values are one line of text.
const MAX_DEPTH: usize = 24;
/// Characters rendered per string.
const MAX_STRING_CHARS: usize = 20_000;
/// Levels that start open.
const OPEN_DEPTH: usize = 2;
/// Trees with fewer values have no search field.
const SEARCH_FROM: usize = 9;

#[component]
pub fn JsonTree(
    value: Value,
    label: &'static str,
    /// JSON Pointers of values to mark as invalid.
    #[prop(optional)]
    invalid_paths: Vec<String>,
) -> impl IntoView {
    let total = count(&value);
    let query = RwSignal::new(String::new());
    let value = Arc::new(value);
    let whole = serde_json::to_string_pretty(&*value).unwrap_or_default();
    view! {
        <div class="json" role="group" aria-label=label>
            <div class="json-tools">
                {(total >= SEARCH_FROM).then(|| view! {
                    <input
                        type="search"
                        class="json-search js-only"
                        placeholder="Find in this value"
                        aria-label=format!("Find in {label}")
                        on:input=move |event| query.set(event_target_value(&event).to_ascii_lowercase())
                    />
                })}
                <CopyButton text=whole label="Copy the whole value" />
            </div>
            {move || {
                let mut tree = Tree { root: value.clone(), remaining_nodes: MAX_NODES, query: query.get(), invalid_paths: &invalid_paths };
                tree.node(None, &value, &mut String::new(), 0)
            }}
            {(total > MAX_NODES).then(|| view! {
                <p class="hint">{format!("Showing {} of {} values. A copy includes all of them.", grouped(MAX_NODES as u64), grouped(total as u64))}</p>
            })}
        </div>
    }
}

struct Tree<'a> {
    root: Arc<Value>,
    remaining_nodes: usize,
    query: String,
    invalid_paths: &'a [String],
}

impl Tree<'_> {
    /// `path` is the value's JSON Pointer. It is unchanged on return.
    fn node(&mut self, key: Option<&str>, value: &Value, path: &mut String, depth: usize) -> AnyView {
        if self.remaining_nodes == 0 {
            return ().into_any();
        }
        self.remaining_nodes -= 1;
        let hit = !self.query.is_empty() && matches(key, value, &self.query);
        let fault = self.invalid_paths.contains(path);
        let key = key.map(|key| key_view(key, path.clone(), self.root.clone()));
        let size = match value {
            Value::Object(fields) if !fields.is_empty() => counted(fields.len(), "field"),
            Value::Array(items) if !items.is_empty() => counted(items.len(), "item"),
            _ => {
                return view! { <div class="json-leaf" class:hit=hit class:fault=fault>{key}{scalar(value)}</div> }
                    .into_any();
            }
        };
        if depth >= MAX_DEPTH {
            let text = protocol::json::preview(&value.to_string(), 200);
            return view! { <div class="json-leaf" class:hit=hit class:fault=fault>{key}<code class="json-deep">{visible(&text).into_owned()}</code></div> }
                .into_any();
        }
        let found = !self.query.is_empty() && contains(value, &self.query, depth);
        let length = path.len();
        let mut children = Vec::new();
        let mut child = |tree: &mut Self, name: &str, value: &Value| {
            path.push('/');
            path.push_str(&protocol::json_pointer::escape(name));
            children.push(tree.node(Some(name), value, path, depth + 1));
            path.truncate(length);
        };
        match value {
            Value::Object(fields) => fields.iter().for_each(|(name, value)| child(self, name, value)),
            Value::Array(items) => {
                for (i, value) in items.iter().enumerate().take(self.remaining_nodes + 1) {
                    child(self, &i.to_string(), value);
                }
            }
            _ => {}
        }
        view! {
            <div class="json-branch" class:fault=fault>
                {key}
                <details open=depth < OPEN_DEPTH || found>
                    <summary class:hit=hit><span class="json-size">{size}</span></summary>
                    <div class="json-children">{children}</div>
                </details>
            </div>
        }
        .into_any()
    }
}

/// A key that copies its path on click, or its value on Shift+click.
fn key_view(key: &str, path: String, root: Arc<Value>) -> impl IntoView + use<> {
    let title = format!("Copy the path {path}; with Shift, the value");
    let copied = RwSignal::new(false);
    let copy = move |event: leptos::ev::MouseEvent| match root.pointer(&path).filter(|_| event.shift_key()) {
        None => copy_text(&path, copied),
        Some(Value::String(text)) => copy_text(text, copied),
        Some(value) => copy_text(&format!("{value:#}"), copied),
    };
    view! { <span class="json-name"><button type="button" class="json-key" class:copied=copied title=title on:click=copy>{visible(key).into_owned()}</button>": "</span> }
}

fn scalar(value: &Value) -> AnyView {
    let (kind, text) = match value {
        Value::String(text) => ("string", shortened(text)),
        Value::Number(number) => ("number", number.to_string()),
        Value::Bool(truth) => ("constant", truth.to_string()),
        Value::Null => ("constant", "null".to_owned()),
        Value::Object(_) => ("empty", "{}".to_owned()),
        Value::Array(_) => ("empty", "[]".to_owned()),
    };
    view! { <span class="json-value" data-kind=kind>{text}</span> }.into_any()
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_STRING_CHARS) {
        Some((end, _)) => format!("{}… ({} more bytes)", visible(&text[..end]), grouped((text.len() - end) as u64)),
        None => visible(text).into_owned(),
    }
}

fn counted(count: usize, noun: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{} {noun}{s}", grouped(count as u64))
}

fn matches(key: Option<&str>, value: &Value, query: &str) -> bool {
    let text = match value {
        Value::String(text) => text.to_ascii_lowercase(),
        Value::Object(_) | Value::Array(_) => String::new(),
        other => other.to_string(),
    };
    text.contains(query) || key.is_some_and(|key| key.to_ascii_lowercase().contains(query))
}

fn contains(value: &Value, query: &str, depth: usize) -> bool {
    let inside = |key: Option<&str>, value: &Value| matches(key, value, query) || contains(value, query, depth + 1);
    match value {
        _ if depth >= MAX_DEPTH => false,
        Value::Object(fields) => fields.iter().any(|(key, value)| inside(Some(key), value)),
        Value::Array(items) => items.iter().any(|value| inside(None, value)),
        _ => false,
    }
}

/// Counts all values, including objects and arrays.
fn count(value: &Value) -> usize {
    match value {
        Value::Object(fields) => 1 + fields.values().map(count).sum::<usize>(),
        Value::Array(items) => 1 + items.iter().map(count).sum::<usize>(),
        _ => 1,
    }
}
