//! One run as its page asks for it: opened, looked at from any point, as its spec, as its raw log.

use app::model::{RawEvents, RunPage, RunSpecPage};
use app::run::{CallAge, RunState, RunView, Side, Source, Tab, imported};
use domain::{AnswerRecord, ToolAnswerers};
use domain::{Origin, RunSummary};
use protocol::redact::redact;
use protocol::snippet::{Language, snippet};
use protocol::timeline::Replay;
use serde_json::Value;

use crate::answers;
use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::state::AppState;
use crate::store::Seen;
use crate::workspace::find_run;

/// Events on one page of the raw log, how many are read at a time, and how much of them is shown.
const RAW_PAGE: usize = 100;
const RAW_CHUNK: u32 = 1_000;
const RAW_EVENT_BYTES: usize = 64_000;
const RAW_PAGE_BYTES: usize = 512_000;
/// Waiting calls whose age is told.
const MAX_AGES: usize = 100;

/// One run, brought up to date first.
///
/// `can_write`: the sign-in may start, cancel and answer.
pub async fn open_run(
    state: &AppState,
    caller: &Caller,
    id: &str,
    view: &RunView,
    can_write: bool,
) -> Result<RunPage, Error> {
    let (run, freshness) = find_run(state, caller, id).await?;
    let replay = state.timelines.replay(state, caller, id).await?;
    let spec = spec(state, caller, id).await?;
    let prompt = spec.as_ref().map(protocol::spec::prompt_text).filter(|prompt| !prompt.is_empty());
    let system_prompt = spec.as_ref().and_then(|spec| spec["systemPrompt"].as_str());
    let answers = state.store.answer_records(caller.workspace_id, id).await?;
    let ages = ages(state, caller, id, &replay).await?;
    let chosen = chosen(state, caller, id, &replay).await?;
    let source = Source { chosen: chosen.as_ref(), ..source(&run, spec.as_ref(), &answers, &ages, can_write) };
    let mut shown = compose(&replay, &source, view);
    add_side(&mut shown, state, caller, id, view, spec.as_ref()).await?;
    let latest = replay.latest();
    Ok(RunPage {
        prompt: prompt.map(str::to_owned).or_else(|| run.input_preview.clone()),
        system_prompt: system_prompt.map(str::to_owned),
        state: shown,
        end_seq: latest.last_seq(),
        can_write,
        has_spec: spec.is_some(),
        feedback: state.store.feedback(caller.workspace_id, id).await?,
        imported: match run.origin {
            Origin::Imported => state.store.import_report(caller.workspace_id, id).await?,
            _ => None,
        }
        .map(|report| imported(report, now_ms()))
        .unwrap_or_default(),
        run,
        stale: freshness.stale(),
        now_ms: now_ms(),
    })
}

/// Another view of a run that was opened before.
pub async fn view_run(
    state: &AppState,
    caller: &Caller,
    id: &str,
    view: &RunView,
    can_write: bool,
) -> Result<RunState, Error> {
    let run = stored_run(state, caller, id).await?;
    let replay = state.timelines.replay(state, caller, id).await?;
    let spec = spec(state, caller, id).await?;
    let answers = state.store.answer_records(caller.workspace_id, id).await?;
    let ages = ages(state, caller, id, &replay).await?;
    let chosen = chosen(state, caller, id, &replay).await?;
    let source = Source { chosen: chosen.as_ref(), ..source(&run, spec.as_ref(), &answers, &ages, can_write) };
    let mut shown = compose(&replay, &source, view);
    add_side(&mut shown, state, caller, id, view, spec.as_ref()).await?;
    Ok(shown)
}

fn source<'a>(
    run: &'a RunSummary,
    spec: Option<&'a Value>,
    answers: &'a [AnswerRecord],
    ages: &'a [CallAge],
    can_write: bool,
) -> Source<'a> {
    Source { run_id: &run.id, session_id: run.session_id.as_deref(), spec, answers, chosen: None, ages, can_write }
}

/// Who was chosen to answer the calls that wait now.
async fn chosen(state: &AppState, caller: &Caller, id: &str, replay: &Replay) -> Result<Option<ToolAnswerers>, Error> {
    let latest = replay.latest();
    if latest.status().is_terminal() || latest.waiting_calls().next().is_none() {
        return Ok(None);
    }
    let sealed = state.store.sealed_answers(caller.workspace_id, id).await?;
    Ok(sealed.and_then(|sealed| answers::open(&state.vault, &sealed).ok()))
}

/// How long the calls have been waiting that wait now.
async fn ages(state: &AppState, caller: &Caller, id: &str, replay: &Replay) -> Result<Vec<CallAge>, Error> {
    let latest = replay.latest();
    if latest.status().is_terminal() {
        return Ok(Vec::new());
    }
    let waiting: Vec<u64> = latest.waiting_calls().map(|call| call.seq).take(MAX_AGES).collect();
    let seen = state.store.seen(caller.workspace_id, id, &waiting).await?;
    let now = now_ms();
    let age = |(seq, seen): (u64, Seen)| CallAge {
        seq,
        seconds: u64::try_from((now - seen.at_ms) / 1000).unwrap_or(0),
        at_least: !seen.live,
    };
    Ok(seen.into_iter().map(age).collect())
}

fn compose(replay: &Replay, source: &Source<'_>, view: &RunView) -> RunState {
    let latest = replay.latest();
    match view.at.filter(|at| *at < latest.last_seq()) {
        // Beyond the end is the end.
        None => RunState::of(latest, latest, source, &RunView { at: None, ..view.clone() }),
        Some(at) => {
            let position = replay.events().partition_point(|event| event.seq <= at);
            RunState::of(&replay.at(position), latest, source, view)
        }
    }
}

/// What the open tab needs beside the log.
async fn add_side(
    shown: &mut RunState,
    state: &AppState,
    caller: &Caller,
    id: &str,
    view: &RunView,
    spec: Option<&Value>,
) -> Result<(), Error> {
    match view.tab {
        Tab::Output | Tab::Tools | Tab::Loop => {}
        Tab::Spec => shown.side = Side::Spec(run_spec(state, caller, spec)),
        Tab::Raw => {
            let events = run_events(state, caller, id, view.after.unwrap_or(0), &view.grep).await?;
            shown.side = Side::Raw(events);
        }
    }
    Ok(())
}

fn run_spec(state: &AppState, caller: &Caller, spec: Option<&Value>) -> RunSpecPage {
    let url = state.mantyx.runs_url(&caller.slug);
    let program = |spec: &Value| {
        Language::ALL.map(|language| (language.name().to_owned(), snippet(language, &url, spec))).to_vec()
    };
    RunSpecPage { spec: spec.cloned(), programs: spec.map(program).unwrap_or_default() }
}

/// Events after a seq, as they came. A text is looked for in the whole envelope, whatever its case.
async fn run_events(state: &AppState, caller: &Caller, id: &str, after: u64, find: &str) -> Result<RawEvents, Error> {
    let needle = find.trim().to_lowercase();
    let (mut found, mut after, mut bytes) = (Vec::new(), after, 0);
    loop {
        let events = state.store.events_after(caller.workspace_id, id, after, RAW_CHUNK).await?;
        let Some(last) = events.last() else { return Ok(RawEvents { events: found, next_after: None }) };
        let last = last.seq;
        for event in events {
            let mut json = serde_json::to_value(&event).unwrap_or_default();
            redact(&mut json);
            let text = serde_json::to_string_pretty(&json).unwrap_or_default();
            if needle.is_empty() || text.to_lowercase().contains(&needle) {
                let text = shortened(text);
                bytes += text.len();
                found.push((event.seq, event.kind, text));
            }
            if found.len() == RAW_PAGE || bytes >= RAW_PAGE_BYTES {
                return Ok(RawEvents { next_after: Some(event.seq), events: found });
            }
        }
        after = last;
    }
}

/// A result of megabytes would freeze the page; all of it is in the download.
fn shortened(mut text: String) -> String {
    let end = text.floor_char_boundary(RAW_EVENT_BYTES);
    let left_out = text.len() - end;
    if left_out > 0 {
        text.truncate(end);
        text.push_str(&format!("\n… {left_out} more bytes are in the download"));
    }
    text
}

/// The spec of a run that was opened, with its secrets hidden: no page needs them.
pub async fn spec(state: &AppState, caller: &Caller, id: &str) -> Result<Option<Value>, Error> {
    let (json, _) = state.store.run_spec_and_log_state(caller.workspace_id, id).await?;
    let mut spec: Option<Value> = json.and_then(|json| serde_json::from_str(&json).ok());
    spec.iter_mut().for_each(redact);
    Ok(spec.filter(Value::is_object))
}

async fn stored_run(state: &AppState, caller: &Caller, id: &str) -> Result<RunSummary, Error> {
    match state.store.run(caller.workspace_id, id).await? {
        Some(run) => Ok(run),
        None => Ok(find_run(state, caller, id).await?.0),
    }
}
