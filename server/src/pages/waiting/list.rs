//! The list of waiting calls as HTML, the nearest deadline first.

use crate::masking::shown;
use app::components::icon::{Icon, IconView};
use app::format;
use app::model::run::RunView;
use app::model::waiting::WaitingAddress;
use leptos::prelude::*;
use protocol::json::preview;

use crate::html;
use crate::waiting::{BoardCall, CallResponder};

/// Characters of the arguments in a row.
const ARGS_CHARS: usize = 160;
/// A call with less time than this stands out.
const SOON_S: u64 = 60;

pub fn render(
    calls: &[&BoardCall],
    shown: Option<&BoardCall>,
    viewer: Option<&str>,
    runs_not_listed: u64,
    notice: Option<String>,
    now_ms: i64,
) -> String {
    let is_shown = |call: &BoardCall| shown.is_some_and(|shown| shown.is(&call.run_id, &call.tool_use_id));
    let rows = calls.iter().map(|call| row(call, is_shown(call), viewer, now_ms)).collect_view();
    let body = match calls.is_empty() {
        true => empty(),
        false => view! { <ol class="conversation">{rows}</ol> }.into_any(),
    };
    let more = (runs_not_listed > 0).then(|| {
        let runs = format!("{} more run{}", format::grouped(runs_not_listed), if runs_not_listed == 1 { "" } else { "s" });
        view! { <p class="hint">{runs}" with waiting calls: "<a href="/runs?q=is:waiting">"see the list of runs"</a>"."</p> }
    });
    let notice = notice.map(|text| view! { <p class="notice" role="status"><IconView icon=Icon::Alert />{text}</p> });
    html::render(view! { {notice}{body}{more} })
}

fn row(call: &BoardCall, is_shown: bool, viewer: Option<&str>, now_ms: i64) -> AnyView {
    let href = WaitingAddress::of(&call.run_id, &call.tool_use_id).href();
    let args = preview(&call.args.to_string(), ARGS_CHARS);
    view! {
        <li class="turn-said">
            <a class="waiting-link" data-call="" href=href data-noscroll="" aria-current=is_shown.then_some("true")>
                <strong>{shown(&call.tool).into_owned()}</strong>
            </a>
            <code>{shown(&args).into_owned()}</code>
            {facts(call, viewer, now_ms)}
            {writers(call, viewer)}
        </li>
    }
    .into_any()
}

/// The run, how long the call has been waiting, how much time is left, and who is to answer.
pub fn facts(call: &BoardCall, viewer: Option<&str>, now_ms: i64) -> AnyView {
    let run = RunView::default().focused(call.seq).href(&call.run_id);
    let age = call.waiting_ms(now_ms) / 1000;
    let at_least = call.is_minimum.then_some("at least ");
    let who = shown(&call.responder.describe(viewer)).into_owned();
    let who = match call.responder {
        CallResponder::Stuck(_) => view! { <strong>{who}</strong> }.into_any(),
        _ => format!("responder: {who}").into_any(),
    };
    view! {
        <p class="hint">
            <a href=run>{shown(&call.run_name).into_owned()}</a>
            " · waiting "{at_least}
            <time class="counted" datetime=format!("PT{age}S") data-age=age.to_string()>{format::age(age)}</time>
            {time_left(call, now_ms)}
            " · "
            {who}
        </p>
    }
    .into_any()
}

fn time_left(call: &BoardCall, now_ms: i64) -> Option<AnyView> {
    let seconds = u64::try_from(call.deadline_at_ms? - now_ms).unwrap_or(0) / 1000;
    let at_most = call.is_minimum.then_some("at most ");
    let class = if seconds < SOON_S { "time-left field-error" } else { "time-left" };
    let left = match seconds {
        0 => "time is up".into_any(),
        _ => view! { {at_most}<time class="counted" datetime=format!("PT{seconds}S") data-left=seconds.to_string()>{format::age(seconds)}</time>" left" }
            .into_any(),
    };
    Some(view! { " · "<span class=class>{left}</span> }.into_any())
}

/// Who is writing an answer, apart from the viewer.
pub fn writers(call: &BoardCall, viewer: Option<&str>) -> AnyView {
    let others = call.writers.iter().filter(|writer| Some(writer.subject.as_str()) != viewer);
    let names: Vec<String> = others.map(|writer| shown(&writer.email).into_owned()).collect();
    if names.is_empty() {
        return ().into_any();
    }
    let verb = if names.len() == 1 { "is" } else { "are" };
    view! { <span class="mark"><IconView icon=Icon::Chat />{format!("{} {verb} writing an answer", names.join(", "))}</span> }
        .into_any()
}

fn empty() -> AnyView {
    view! {
        <section class="empty">
            <IconView icon=Icon::Check />
            <h2>"No waiting calls"</h2>
            <p>"Calls of local tools appear here when they need an answer: at once if Runlens is to answer them, and after 10 seconds if \
                the program that started the run has not answered."</p>
            <p class="empty-actions"><a class="button" href="/runs?q=is:waiting">"Runs that wait"</a></p>
        </section>
    }
    .into_any()
}
