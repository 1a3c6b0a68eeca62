//! How often each tool was called, of how often it may be.

use leptos::prelude::*;

use super::Run;
use crate::format::grouped;
use crate::run::Runway;

#[component]
pub fn Tools() -> impl IntoView {
    let run = expect_context::<Run>();
    let runway = Memo::new(move |_| run.state.with(|state| state.runway.clone()));
    view! {
        <section class="panel">
            <h2>"Tools"</h2>
            {move || {
                let tools = runway.get();
                if tools.is_empty() {
                    return view! { <p class="hint">"No tool was called."</p> }.into_any();
                }
                let lines = tools.into_iter().map(|tool| view! { <ToolLine tool /> }).collect_view();
                view! {
                    <table class="tools">
                        <thead><tr><th scope="col">"Tool"</th><th scope="col" class="number">"Calls"</th><th scope="col" class="number">"Errors"</th><th scope="col">"Budget"</th></tr></thead>
                        <tbody>{lines}</tbody>
                    </table>
                }
                .into_any()
            }}
        </section>
    }
}

#[component]
fn ToolLine(tool: Runway) -> impl IntoView {
    let run = expect_context::<Run>();
    let name = tool.tool.clone();
    let find = move || {
        run.href(|view| crate::run::RunView {
            find: crate::run::Find { text: format!("tool:{name}"), hit: 0 },
            from: None,
            focus: None,
            ..view.clone()
        })
    };
    let used_up = tool.stopped > 0 || tool.allowed.is_some_and(|allowed| tool.calls > allowed);
    let budget = tool.allowed.map(|allowed| {
        let used = tool.calls.min(allowed);
        view! {
            <meter min="0" max=allowed.max(1).to_string() value=used.to_string() aria-label=format!("{used} of {allowed} calls used")></meter>
            <span class="hint">{format!("{used} of {allowed}")}</span>
        }
    });
    let stopped =
        (tool.stopped > 0).then(|| view! { <span class="mark">{format!("{} stopped", grouped(tool.stopped))}</span> });
    view! {
        <tr class:used-up=used_up>
            <td><a href=find data-noscroll=""><code>{tool.tool}</code></a></td>
            <td class="number">{grouped(tool.calls)}</td>
            <td class="number">{grouped(tool.failed)}</td>
            <td>{budget.map_or_else(|| view! { <span class="hint">"no limit"</span> }.into_any(), |budget| budget.into_any())} {stopped}</td>
        </tr>
    }
}
