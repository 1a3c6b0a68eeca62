//! Saved views as tabs, and the forms that save, change and delete them.

use leptos::html::Details;
use leptos::prelude::*;

use super::icon::{Icon, IconView};
use super::post_form::PostForm;
use domain::{View, ViewList, ViewScope};

/// `text` is the current filter, `opened` the id of the saved view it started from. Without `opened`, the view with
/// exactly this filter is the current one.
#[component]
pub fn ViewTabs(
    list: ViewList,
    views: Vec<View>,
    text: String,
    opened: Option<String>,
    changed: Callback<()>,
) -> impl IntoView {
    // The page is rendered in place, so an open popover would stay open.
    let holder = NodeRef::<Details>::new();
    let changed = Callback::new(move |()| {
        if let Some(holder) = holder.get_untracked() {
            holder.set_open(false);
        }
        changed.run(());
    });
    let opened = opened.and_then(|id| views.iter().find(|view| view.id == id));
    let current = opened.or_else(|| views.iter().find(|view| view.query == text)).cloned();
    let edited = current.clone().filter(|view| view.query != text);
    let tabs: Vec<_> = views
        .into_iter()
        .map(|view| {
            let is_current = current.as_ref().is_some_and(|current| current.id == view.id);
            let href = view.href();
            let (icon, title) = match (view.scope, view.default) {
                (_, true) => (None, format!("{}, your default view", view.name)),
                (ViewScope::Shared, _) => (Some(Icon::People), format!("{}, shared in the workspace", view.name)),
                _ => (None, view.name.clone()),
            };
            let icon = icon.map(|icon| view! { <IconView icon /> });
            view! { <a href=href aria-current=is_current.then_some("page") title=title><span class="view-name">{view.name}</span>{icon}</a> }
        })
        .collect();
    // A view of others that is the default already has no options.
    let has_options = edited.is_some() || current.as_ref().is_none_or(|view| view.is_mine || !view.default);
    view! {
        <div class="views">
            <nav aria-label="Views">{tabs}</nav>
            {has_options.then(|| view! { <details class="popover-holder" data-popover="" node_ref=holder>
                <summary class="button quiet">{if current.is_some() && edited.is_none() { "View options" } else { "Save view" }}</summary>
                <div class="popover">
                    {match (edited, current) {
                        (None, Some(view)) => view! { <ViewForms list view changed /> }.into_any(),
                        (edited, _) => {
                            let update = edited
                                .filter(|view| view.is_mine)
                                .map(|view| view! { <UpdateForm list view text=text.clone() changed /> });
                            view! { {update}<SaveForm list text changed /> }.into_any()
                        }
                    }}
                </div>
            </details> })}
        </div>
    }
}

/// Saves the current filter in a view of the viewer.
#[component]
fn UpdateForm(list: ViewList, view: View, text: String, changed: Callback<()>) -> impl IntoView {
    let shared = (view.scope == ViewScope::Shared).to_string();
    view! {
        <PostForm action="/rpc/change-view" class="view-form" done="Changed." on_done=changed>
            <input type="hidden" name="list" value=list.as_str() />
            <input type="hidden" name="id" value=view.id />
            <input type="hidden" name="name" value=view.name.clone() />
            <input type="hidden" name="shared" value=shared />
            <input type="hidden" name="query" value=text />
            <p class="hint">"You changed the filter of “"{view.name}"”."</p>
            <button class="button primary" type="submit">"Update view"</button>
        </PostForm>
    }
}

#[component]
fn SaveForm(list: ViewList, text: String, changed: Callback<()>) -> impl IntoView {
    view! {
        <PostForm action="/rpc/create-view" class="view-form" done="Saved." on_done=changed>
            <input type="hidden" name="list" value=list.as_str() />
            <input type="hidden" name="query" value=text />
            {name_and_sharing(String::new(), false)}
            <button class="button primary" type="submit">"Save view"</button>
        </PostForm>
    }
}

#[component]
fn ViewForms(list: ViewList, view: View, changed: Callback<()>) -> impl IntoView {
    let default = if view.default {
        view! { <p class="hint">"This is your default view."</p> }.into_any()
    } else {
        let id = view.id.clone();
        view! {
            <PostForm action="/rpc/set-default-view" class="view-form" done="Done." on_done=changed>
                <input type="hidden" name="list" value=list.as_str() />
                <input type="hidden" name="id" value=id />
                <button class="button" type="submit">"Set as default"</button>
            </PostForm>
        }
        .into_any()
    };
    let own = view.is_mine.then(|| {
        let (id, same_id) = (view.id.clone(), view.id.clone());
        view! {
            <PostForm action="/rpc/change-view" class="view-form" done="Changed." on_done=changed>
                <input type="hidden" name="list" value=list.as_str() />
                <input type="hidden" name="id" value=id />
                {name_and_sharing(view.name.clone(), view.scope == ViewScope::Shared)}
                <button class="button" type="submit">"Save changes"</button>
            </PostForm>
            <details>
                <summary class="button danger">"Delete view"</summary>
                <PostForm action="/rpc/delete-view" class="view-form" done="Deleted." on_done=changed>
                    <input type="hidden" name="id" value=same_id />
                    <p>"This can't be undone."</p>
                    <button class="button danger" type="submit">"Delete this view"</button>
                </PostForm>
            </details>
        }
    });
    let owner_note = match view.scope {
        ViewScope::Shared if !view.is_mine => Some("Shared by a colleague."),
        ViewScope::BuiltIn => Some("Built-in view. Change the filter to save your own."),
        _ => None,
    };
    view! { {own}{default}{owner_note.map(|owner_note| view! { <p class="hint">{owner_note}</p> })} }
}

fn name_and_sharing(name: String, shared: bool) -> impl IntoView {
    view! {
        <label>"Name"<input name="name" value=name.clone() prop:value=name maxlength="80" required=true autocomplete="off" /></label>
        <label class="check"><input type="checkbox" name="shared" value="true" checked=shared prop:checked=shared />"Share with the workspace"</label>
    }
}
