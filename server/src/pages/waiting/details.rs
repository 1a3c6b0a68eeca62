//! The call that is answered, as HTML: its tool, arguments and the conversation so far.

use crate::masking::shown;
use app::model::run::RunView;
use app::model::waiting::WaitingAddress;
use domain::url::encode_segment;
use leptos::prelude::*;
use protocol::Timeline;
use protocol::json::preview;
use protocol::spec::prompt_text;
use serde_json::Value;

use super::list::facts;
use crate::html;
use crate::waiting::BoardCall;

/// Characters of the arguments. The run's page has all of them.
const ARGS_CHARS: usize = 20_000;
/// Texts of the conversation, the last ones.
const MAX_TEXTS: usize = 4;
const TEXT_CHARS: usize = 800;

pub fn header(call: &BoardCall, viewer: Option<&str>, now_ms: i64) -> String {
    html::render(view! {
        <h2 id="waiting-tool">{shown(&call.tool).into_owned()}</h2>
        {facts(call, viewer, now_ms)}
    })
}

/// Arguments and conversation.
pub fn render(call: &BoardCall, timeline: &Timeline, spec: &Value, can_write: bool) -> String {
    let run = RunView::default().focused(call.seq).href(&call.run_id);
    let args = serde_json::to_string_pretty(&call.args).unwrap_or_default();
    let is_cut = args.chars().count() > ARGS_CHARS;
    let args: String = args.chars().take(ARGS_CHARS).collect();
    let cut = is_cut.then(|| view! { <p class="hint">"The arguments are longer. "<a href=run.clone()>"See all of them in the run"</a>"."</p> });
    let cannot =
        (!can_write).then(|| view! { <p class="notice">"Your sign-in can't answer it: it lacks runs:write."</p> });
    html::render(view! {
        <h3>"Arguments"</h3>
        <pre class="code" tabindex="0" aria-label="Arguments">{shown(&args).into_owned()}</pre>
        {cut}
        <details>
            <summary>"Conversation so far"</summary>
            {conversation(timeline, spec)}
        </details>
        {cannot}
    })
}

/// The prompt and the last texts of the model.
fn conversation(timeline: &Timeline, spec: &Value) -> AnyView {
    let said = |who: &'static str, text: &str| {
        let text = preview(text, TEXT_CHARS);
        let role = who.to_lowercase();
        view! { <li class="turn-said" data-role=role><h4>{who}</h4><p>{shown(&text).into_owned()}</p></li> }
    };
    let prompt = Some(prompt_text(spec)).filter(|prompt| !prompt.is_empty()).map(|prompt| said("User", prompt));
    let texts: Vec<&str> =
        timeline.turns.iter().map(|turn| turn.text.as_str()).filter(|text| !text.trim().is_empty()).collect();
    let first = texts.len().saturating_sub(MAX_TEXTS);
    let earlier = (first > 0).then(|| view! { <li class="hint">{format!("{first} earlier texts")}</li> });
    let texts = texts[first..].iter().map(|text| said("Assistant", text)).collect_view();
    view! { <ol class="conversation">{prompt}{earlier}{texts}</ol> }.into_any()
}

/// Why a call is not waiting. `run_id` is `None` if the workspace has no such run.
pub fn gone(run_id: Option<&str>, by: Option<String>, viewer_email: &str, next: Option<&BoardCall>) -> String {
    let next = next.map(|call| {
        let href = WaitingAddress::of(&call.run_id, &call.tool_use_id).href();
        view! { <a class="button" href=href data-noscroll="">"Next call"</a> }
    });
    let Some(run_id) = run_id else {
        return html::render(view! { <p>"This call is not waiting in this workspace. "{next}</p> });
    };
    let is_own = by.as_deref() == Some(viewer_email);
    let text = match by {
        Some(_) if is_own => "You have answered this call.".to_owned(),
        Some(by) => format!("Already answered by {}.", shown(&by)),
        None => {
            "This call is no longer waiting: it was answered elsewhere, or the run continued without it.".to_owned()
        }
    };
    let run = format!("/runs/{}", encode_segment(run_id));
    let unsent =
        (!is_own).then(|| view! { <span class="unsent-hint">"Your answer was not sent; you can copy it. "</span> });
    html::render(view! { <p>{text}" "{unsent}<a class="button" href=run>"View run"</a>" "{next}</p> })
}
