//! The Tools tab: calls, errors and budgets.

use leptos::prelude::*;
use protocol::timeline::Timing;

use super::{Links, html};
use crate::masking::{is_redacted, shown};
use app::format::grouped;
use app::model::run::{Find, RunView};

use crate::pages::run::state::{Budget, ToolUsage};

pub fn tools(tools: Vec<ToolUsage>, timing: Option<&Timing>, links: Links<'_>) -> String {
    let shown = if tools.is_empty() {
        view! { <p class="hint">"No tool was called."</p> }.into_any()
    } else {
        let lines = tools.into_iter().map(|tool| line(tool, links)).collect_view();
        view! {
            <table class="tools">
                <thead><tr><th scope="col">"Tool"</th><th scope="col" class="number">"Calls"</th><th scope="col" class="number">"Errors"</th><th scope="col">"Budget"</th></tr></thead>
                <tbody>{lines}</tbody>
            </table>
        }
        .into_any()
    };
    let time = super::waterfall::shares(timing);
    let time = (!time.is_empty()).then(|| view! { <section class="panel" inner_html=time></section> });
    html(view! { {time}<section class="panel"><h2>"Tools"</h2>{shown}</section> })
}

fn line(tool: ToolUsage, links: Links<'_>) -> AnyView {
    let find = Find { text: format!("tool:{}", tool.tool), hit: 0 };
    let find = links.to(RunView { find, from: None, focus: None, ..links.view.clone() });
    let used_up = tool.over_budget || matches!(tool.budget, Budget::Calls(allowed) if tool.calls > allowed);
    let budget = match tool.budget {
        Budget::Calls(allowed) => {
            let used = tool.calls.min(allowed);
            view! {
                <meter min="0" max=allowed.max(1).to_string() value=used.to_string() aria-label=format!("{used} of {allowed} calls used")></meter>
                <span class="hint">{format!("{used} of {allowed}")}</span>
            }
            .into_any()
        }
        Budget::Unlimited => view! { <span class="hint">"no limit"</span> }.into_any(),
        Budget::Unknown => view! { <span class="hint">"not known"</span> }.into_any(),
    };
    let skipped = (tool.skipped > 0)
        .then(|| view! { " " <span class="mark">{format!("{} skipped", grouped(tool.skipped))}</span> });
    let name = view! { <code>{shown(&tool.tool).into_owned()}</code> };
    let name = match is_redacted(&tool.tool) {
        true => name.into_any(),
        false => view! { <a href=find data-noscroll="">{name}</a> }.into_any(),
    };
    view! {
        <tr class:used-up=used_up>
            <td>{name}</td>
            <td class="number">{grouped(tool.calls)}</td>
            <td class="number">{grouped(tool.failed)}</td>
            <td>{budget}{skipped}</td>
        </tr>
    }
    .into_any()
}
