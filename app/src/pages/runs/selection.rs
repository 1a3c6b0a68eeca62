//! Selected rows, and what can be done with them. The buttons are a plain form; the checkboxes of the rows belong to it.

use leptos::prelude::*;

use crate::browser::download;
use crate::components::icon::{Icon, IconView};
use domain::url::encode_segment;

/// The id of the form.
const FORM: &str = "selection";

/// The ids of the selected runs.
#[derive(Clone, Copy, Default)]
pub struct Selection(RwSignal<Vec<String>>);

impl Selection {
    fn includes(&self, id: &str) -> bool {
        self.0.with(|ids| ids.iter().any(|known| known == id))
    }

    fn toggle(&self, id: &str) {
        self.0.update(|ids| match ids.iter().position(|known| known == id) {
            Some(at) => drop(ids.remove(at)),
            None => ids.push(id.to_owned()),
        });
    }
}

#[component]
pub fn SelectBox(selection: Selection, id: String, title: String) -> impl IntoView {
    let (own_id, value) = (id.clone(), id.clone());
    view! {
        <input
            type="checkbox"
            name="run"
            form=FORM
            value=value
            autocomplete="off"
            aria-label=format!("Select {title}, {id}")
            prop:checked=move || selection.includes(&own_id)
            on:change=move |_| selection.toggle(&id)
        />
    }
}

/// The style sheet shows it while a row is selected, also without JavaScript.
#[component]
pub fn SelectionBar(selection: Selection) -> impl IntoView {
    let ids = selection.0;
    let count = Memo::new(move |_| ids.with(Vec::len));
    // Without JavaScript the number is unknown, and the server checks it.
    let scripted = RwSignal::new(false);
    Effect::new(move |_| scripted.set(true));
    let unless = move |allowed: fn(usize) -> bool| move || scripted.get() && !allowed(count.get());
    let export = move |event: leptos::ev::MouseEvent| {
        let ids = ids.get_untracked();
        if ids.len() > 1 {
            event.prevent_default();
            ids.iter().for_each(|id| download(&format!("/runs/{}/export", encode_segment(id))));
        }
    };
    view! {
        <form class="selection" id=FORM method="get" action="/selection" aria-label="Selected runs">
            <span class="selection-count" role="status">{move || (count.get() > 0).then(|| format!("{} selected", count.get()))}</span>
            <button class="button quiet" name="action" value="compare" title="Compare two runs" disabled=unless(|count| count == 2)>"Compare"</button>
            <button class="button quiet" name="action" value="export" title="Download the logs" disabled=unless(|count| count > 0) on:click=export>"Export"</button>
            <button class="button quiet" name="action" value="relaunch" title="Relaunch one run" disabled=unless(|count| count == 1)>"Relaunch"</button>
            <button class="icon-button" type="reset" title="Clear the selection" aria-label="Clear the selection" on:click=move |_| ids.set(Vec::new())><IconView icon=Icon::Cross /></button>
        </form>
    }
}
