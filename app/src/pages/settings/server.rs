//! The operator's configuration of the server. Nothing of it can be changed on the page.

use leptos::prelude::*;

use crate::model::settings::{Fact, FactGroup};

#[component]
pub fn ServerFacts(groups: Vec<FactGroup>) -> impl IntoView {
    let groups = groups.into_iter().map(|FactGroup { title, facts }| {
        view! { <h3>{title}</h3><dl>{facts.into_iter().map(fact).collect_view()}</dl> }
    });
    view! { <p class="hint">"Read-only. Your operator sets these with environment variables."</p>{groups.collect_view()} }
}

fn fact(Fact { name, value, variable }: Fact) -> impl IntoView {
    let variable = variable.map(|variable| view! { <code class="hint">{variable}</code> });
    view! { <dt>{name}</dt><dd>{value}" "{variable}</dd> }
}
