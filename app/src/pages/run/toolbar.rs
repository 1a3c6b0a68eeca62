//! The timeline's toolbar: density, Markdown or raw text, and search.

use leptos::prelude::*;
use protocol::timeline::Density;

use super::view_fields::ViewFields;
use crate::browser::RunContext;
use crate::components::get_form::GetForm;
use crate::components::icon::{Icon, IconView};
use crate::format::grouped;
use crate::model::run::{Find, RunView, density_name};

#[component]
pub fn Toolbar() -> impl IntoView {
    let run = expect_context::<RunContext>();
    let density = move |density: Density| {
        let label = density_name(density);
        let href = move || run.href(|view| view.in_density(density));
        let current = move || (run.view.with(|view| view.density) == density).then_some("true");
        view! { <a href=href aria-current=current data-noscroll="">{label}</a> }
    };
    let raw_href = move || run.href(|view| RunView { raw: !view.raw, focus: None, ..view.clone() });
    let raw_label = move || if run.view.with(|view| view.raw) { "Show as Markdown" } else { "Show raw text" };
    view! {
        <div class="run-toolbar">
            <nav class="segmented" aria-label="Density">
                {Density::ALL.map(density).collect_view()}
            </nav>
            <a class="hint" href=raw_href data-noscroll="">{raw_label}</a>
            <FindForm />
        </div>
    }
}

#[component]
fn FindForm() -> impl IntoView {
    let run = expect_context::<RunContext>();
    let elsewhere = move || run.state.with(|state| state.window.hits_elsewhere.clone());
    let hits = Memo::new(move |_| run.state.with(|state| state.window.hits));
    let find = Memo::new(move |_| run.view.with(|view| view.find.clone()));
    let step = move |to: usize| {
        run.href(|view| RunView {
            find: Find { hit: to, ..view.find.clone() },
            from: None,
            focus: None,
            ..view.clone()
        })
    };
    // Pressing Enter again with the same text goes to the next match. Without JavaScript the form can't tell that the
    // text is the same.
    let same_words = RwSignal::new(false);
    Effect::new(move |_| {
        find.track();
        same_words.set(true);
    });
    let next = move || (find.get().hit + 1).checked_rem(hits.get()).unwrap_or(0);
    let clear = move || run.href(|view| RunView { find: Find::default(), ..view.clone() });
    view! {
        <GetForm noscroll=true class="find" role="search">
            <ViewFields except=&["find", "hit", "from"] />
            <label>
                <span class="visually-hidden">"Find in this run"</span>
                <input type="search" name="find" value=move || find.get().text placeholder="Find: text, tool:name, is:error" title="Also type:event, for example type:supervisor" maxlength="200" autocomplete="off" on:input=move |_| same_words.set(false) />
            </label>
            <input type="hidden" name="hit" value=next disabled=move || !same_words.get() />
            {move || (!find.get().text.is_empty()).then(|| {
                let (hits, at) = (hits.get(), find.get().hit);
                let label = match hits {
                    0 => "no matches".to_owned(),
                    _ => format!("{} of {}", grouped(at.min(hits - 1) as u64 + 1), grouped(hits as u64)),
                };
                view! {
                    <span class="hits" role="status">{label}</span>
                    <span inner_html=elsewhere></span>
                    {(hits > 1).then(|| view! {
                        <a class="icon-button" href=step((at + hits - 1) % hits) title="Previous match" aria-label="Previous match" data-noscroll=""><IconView icon=Icon::Up /></a>
                        <a class="icon-button" href=step((at + 1) % hits) title="Next match" aria-label="Next match" data-noscroll=""><IconView icon=Icon::Down /></a>
                    })}
                    <a class="icon-button" href=clear() title="Clear" aria-label="Clear the search" data-noscroll=""><IconView icon=Icon::Cross /></a>
                }
            })}
        </GetForm>
    }
}
