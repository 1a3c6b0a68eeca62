//! Builds the state of the run page at one point of the log.

use std::collections::{BTreeMap, BTreeSet};

use crate::masking::{mask_banners, masked, shown};
use app::model::run::{ReplayClock, RowWindow, RunState, RunView, Tab, TabContent};
use domain::{AnswerRecord, ToolAnswerers};
use protocol::timeline::{Density, NoteKind, RowOptions, RowQuery, Rows, Timeline, Timing, minimap};
use protocol::{Event, RunStatus, spec};
use serde_json::Value;

use super::loops::find_loops;
use super::output_schema::{SchemaResult, check_output};
use super::render::{self, Axis, Links, Permissions};
use super::retries::Retries;
use super::rows::{PROMPT_KEY, RowContext, build_row, highlight, prompt_before_log, prompt_row};
use super::truncation::truncation;
use super::waiting::{CallAge, Responder, describe_answerers};
use super::waterfall::Waterfall;

/// Rows in one window of the timeline.
const WINDOW_ROWS: usize = 200;
/// Rows shown above the one that the page scrolls to.
const LEAD: usize = 20;
/// Marks on the event strip.
const MAX_TICKS: usize = 400;
/// Steps of a replay that are sent with each state. The page asks for the next ones while it shows these.
const REPLAY_STEPS: usize = 50;
/// Bytes of the answer sent to the page.
const ANSWER_BYTES: usize = 200_000;

/// The calls of a tool and its budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolUsage {
    pub tool: String,
    pub calls: u64,
    pub failed: u64,
    pub skipped: u64,
    /// The server reported that its budget was used up.
    pub over_budget: bool,
    pub budget: Budget,
}

/// The number of calls that a tool is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    Calls(u64),
    Unlimited,
    /// Neither the spec nor the log says.
    Unknown,
}

/// The data that a state is built from.
pub struct Source<'a> {
    pub run_id: &'a str,
    /// The events up to the point that is shown.
    pub events: &'a [Event],
    pub session_id: Option<&'a str>,
    pub spec: Option<&'a Value>,
    pub prompt: Option<&'a str>,
    /// Answers that this server gave to local calls.
    pub answers: &'a [AnswerRecord],
    /// The answerers chosen at the launch, if the run was launched here.
    pub answerers: Option<&'a ToolAnswerers>,
    pub responder: &'a Responder,
    pub ages: &'a [CallAge],
    /// The sign-in has `runs:write`.
    pub can_write: bool,
    /// When the run was created, if MANTYX created it: see [`domain::RunSummary::asked_at_ms`].
    pub asked_at_ms: Option<i64>,
    pub now_ms: i64,
}

/// `timeline` is the run at the point that the view shows, `whole` the run at the end of its log.
pub fn build_state(timeline: &Timeline, whole: &Timeline, source: &Source<'_>, view: &RunView) -> RunState {
    let links = Links { run_id: source.run_id, view };
    let spec = source.spec;
    let answer = timeline.answer();
    let shown = &answer[..answer.floor_char_boundary(ANSWER_BYTES)];
    let mut banners = spec.map_or_else(|| timeline.banners(), |spec| timeline.banners_for(spec));
    if let Some(chosen) = source.answerers {
        describe_answerers(&mut banners, chosen, source.answers, source.responder, source.ages);
    }
    mask_banners(&mut banners);
    let waiting = waiting_now(whole);
    let may =
        Permissions { answer: source.can_write && !waiting.is_empty(), relaunch: source.can_write && spec.is_some() };
    let mut truncated = truncation(timeline, spec);
    let partial = truncated.as_mut().and_then(|card| card.partial.take());
    let schema_result = check_output(timeline, spec);
    let loops = find_loops(timeline);
    let timing = timing(timeline, source, view);
    // While a replay shows a part of the log, the axis is that of the whole run: bars grow and don't move.
    let whole_timing = view.at.and_then(|_| Timing::of(whole, source.asked_at_ms));
    let timing = timing.or_else(|| whole_timing.as_ref().map(Timing::before_start));
    let axis = whole_timing.as_ref().or(timing.as_ref()).map(|timing| Axis::new(timing, view.zoom));
    let times = Times { timing: timing.as_ref(), axis };
    RunState {
        status: timeline.status(),
        ended: whole.status().is_terminal(),
        // Read aloud, so without the backticks that mark code.
        banner_titles: banners.iter().map(|banner| banner.title.replace('`', "")).collect(),
        findings: render::findings(banners, may, source.ages, timing.as_ref(), links),
        window: window(timeline, view, source, &waiting, times, links),
        strip: minimap(whole, MAX_TICKS),
        clock: replay_clock(timeline, timing.as_ref(), whole_timing.as_ref()),
        events: timeline.integrity.events,
        last_seq: timeline.last_seq(),
        turns: timeline.totals.turns,
        calls: timeline.made_calls(),
        skipped_calls: timeline.skipped_calls().count() as u64,
        tokens: timeline.outcome.as_ref().and_then(|outcome| outcome.tokens),
        model: model(timeline, spec).map(|model| masked(&model).into_owned()),
        plan: timeline.plan.as_deref().map(|plan| render::checklist(plan, links)).unwrap_or_default(),
        answer_html: match partial {
            Some(partial) => render::partial_document(partial),
            None if is_json(shown) => String::new(),
            None if truncated.is_some() => render::text_html(shown, links) + &render::truncated_here(),
            None => render::text_html(shown, links),
        },
        answer: masked(shown).into_owned(),
        answer_cut: answer.len() - shown.len(),
        partial: timeline.status() == RunStatus::Failed,
        truncation: truncated.map(|card| render::truncation_card(&card, source.session_id, links)).unwrap_or_default(),
        violations: match &schema_result {
            Some(SchemaResult::Invalid(violations)) => {
                violations.iter().map(|violation| masked(&violation.0).into_owned()).collect()
            }
            _ => Vec::new(),
        },
        schema_result: schema_result.map(render::schema_result).unwrap_or_default(),
        loops: !loops.is_empty(),
        tab: match view.tab {
            Tab::Loop => TabContent::Html(render::loops(loops, links)),
            Tab::Tools => TabContent::Html(render::tools(tool_usage(timeline, spec), timing.as_ref(), links)),
            Tab::Output | Tab::Spec => TabContent::None,
        },
    }
}

/// The times of the run at the point that is shown, and the axis of the waterfall.
#[derive(Clone, Copy)]
struct Times<'a> {
    timing: Option<&'a Timing>,
    axis: Option<Axis>,
}

/// `whole` is set while an earlier point is shown.
fn replay_clock(timeline: &Timeline, timing: Option<&Timing>, whole: Option<&Timing>) -> Option<ReplayClock> {
    match whole {
        Some(whole) => {
            let at = timeline.last_seq();
            Some(ReplayClock { elapsed_ms: whole.elapsed_at(at), next: whole.steps_after(at, REPLAY_STEPS) })
        }
        None => Some(ReplayClock { elapsed_ms: timing?.total_ms(), next: Vec::new() }),
    }
}

/// The times of the run. A run in progress lasts until now.
fn timing(timeline: &Timeline, source: &Source<'_>, view: &RunView) -> Option<Timing> {
    let mut timing = Timing::of(timeline, source.asked_at_ms)?;
    if !timeline.status().is_terminal() && view.at.is_none() {
        timing.extend_to(source.now_ms);
    }
    Some(timing)
}

/// The model that ran, by the catalogue's name if it is the one that was requested: logs leave out the provider.
fn model(timeline: &Timeline, spec: Option<&Value>) -> Option<String> {
    let newest = timeline.turns.iter().rev().find_map(|turn| turn.model.as_deref());
    let final_model = || timeline.outcome.as_ref().and_then(|outcome| outcome.model.as_deref());
    let requested = spec.and_then(|spec| spec["modelId"].as_str());
    let is_requested = |ran: &str| requested.is_some_and(|id| id.rsplit('/').next() == Some(ran));
    newest.or_else(final_model).filter(|ran| !is_requested(ran)).or(requested).map(str::to_owned)
}

fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<Value>(text).is_ok()
}

/// The calls that can be answered now, also while the page shows an earlier point.
fn waiting_now(whole: &Timeline) -> BTreeSet<u64> {
    if whole.status().is_terminal() {
        return BTreeSet::new();
    }
    whole.waiting_calls().map(|call| call.seq).collect()
}

fn window(
    timeline: &Timeline,
    view: &RunView,
    source: &Source<'_>,
    waiting: &BTreeSet<u64>,
    times: Times<'_>,
    links: Links<'_>,
) -> RowWindow {
    let mut options = RowOptions {
        density: view.density,
        open: view.open.iter().cloned().collect(),
        query: RowQuery::parse(&view.find.text),
    };
    // A link to an event opens the fold that contains it.
    if let Some(fold) = view.focus.and_then(|seq| Rows::new(timeline, &[], &options).fold_over(seq)) {
        options.open.insert(fold);
    }
    let retries = Retries::of(timeline);
    let mut waterfall = Waterfall {
        timeline,
        timing: times.timing,
        axis: times.axis,
        retries: &retries,
        event_href: &|seq| links.step(seq),
        text: &|text| shown(text).into_owned(),
    };
    let is_waterfall = view.density == Density::Waterfall;
    let mut rows = Rows::new(timeline, source.events, &options);
    if is_waterfall && times.axis.is_some_and(|axis| axis.is_zoomed()) {
        rows.retain(|row| waterfall.shows(row));
    }
    let prompt = match view.density {
        Density::Conversation | Density::Normal => prompt_before_log(timeline, source.prompt),
        Density::Waterfall | Density::EveryEvent => None,
    };
    // The prompt is not in the log. If it matches, it is the first match.
    let is_prompt_hit = prompt.is_some_and(|prompt| options.query.is_in_text(prompt));
    let hits = rows.hits();
    let hit_count = hits.len() + usize::from(is_prompt_hit);
    let hit_index = view.find.hit.min(hit_count.saturating_sub(1));
    let is_at_prompt = is_prompt_hit && hit_index == 0;
    let hit = hit_index.checked_sub(usize::from(is_prompt_hit)).and_then(|index| hits.get(index)).copied();
    let focused = view.focus.and_then(|seq| rows.place_of(seq));
    let played = view.at.and_then(|_| rows.place_of(timeline.last_seq()));
    let last_start = rows.len().saturating_sub(WINDOW_ROWS);
    // A replay and a run in progress start at their newest rows.
    let first = if view.at.is_some() || !timeline.status().is_terminal() { last_start } else { 0 };
    let target = focused.or(hit).or(is_at_prompt.then_some(0));
    let start = view.from.or_else(|| target.map(|place| place.saturating_sub(LEAD))).unwrap_or(first);
    // A short log is shown whole.
    let start = if rows.len() <= WINDOW_ROWS { 0 } else { start.min(last_start) };
    // Opening a row must not change the window.
    let here = RunView { from: (rows.len() > WINDOW_ROWS).then_some(start), ..view.clone() };
    let links = Links { view: &here, ..links };
    let (answers, ages, spec) = (source.answers, source.ages, source.spec);
    let events = source.events;
    let context =
        RowContext { timeline, events, answers, ages, waiting, spec, retries: &retries, timing: times.timing, links };
    let window_rows = rows.window(start..start + WINDOW_ROWS);
    // Of a long run a page of rows is a short part: bars on the axis of the whole run would all be at one place.
    if is_waterfall && view.zoom.is_none() && rows.len() > WINDOW_ROWS {
        waterfall.fit_axis(&window_rows);
    }
    let needle = options.query.text.as_deref().unwrap_or_default();
    let mut anchors = BTreeSet::new();
    let mut shown = Vec::new();
    let mut current = None;
    for (place, row) in (start..).zip(window_rows) {
        let built = match view.density {
            Density::Waterfall => waterfall.row(&row),
            _ => build_row(&context, row, |key| options.open.contains(key)),
        };
        let Some(mut row) = built else { continue };
        let focus = view.focus.filter(|seq| Some(place) == focused && !row.shows_answer(*seq));
        let anchor = focus.unwrap_or(row.seq);
        row.anchor = anchors.insert(anchor).then_some(anchor);
        if Some(place) == played {
            current = Some(row.key.clone());
        }
        if hits.binary_search(&place).is_ok() {
            highlight(&mut row, needle);
        }
        shown.push(row);
    }
    if is_waterfall {
        let zoom_href = |zoom| links.to(view.zoomed(zoom));
        shown.insert(0, waterfall.axis_row(&zoom_href, view.zoom.is_some(), source.now_ms));
    }
    if let Some(prompt) = prompt.filter(|_| start == 0) {
        let mut row = prompt_row(prompt, options.open.contains(PROMPT_KEY), links);
        if is_prompt_hit {
            row.hit = true;
            row.anchor = anchors.insert(row.seq).then_some(row.seq);
            highlight(&mut row, needle);
        }
        shown.insert(0, row);
    }
    RowWindow {
        hits: hit_count,
        hits_elsewhere: match hit_count == 0 && !options.query.is_empty() {
            true => hits_elsewhere(timeline, events, &options, links),
            false => String::new(),
        },
        hit_seq: match hit {
            Some(place) => rows.window(place..place + 1).first().map(|row| row.seq),
            None => is_at_prompt.then_some(0),
        },
        start,
        total: rows.len(),
        rows: shown,
        current,
    }
}

/// For a search without matches: a link to the next density that has some.
fn hits_elsewhere(timeline: &Timeline, events: &[Event], options: &RowOptions, links: Links<'_>) -> String {
    let denser = Density::ALL.into_iter().skip_while(|density| *density != options.density).skip(1);
    let found = denser
        .map(|density| (density, Rows::new(timeline, events, &RowOptions { density, ..options.clone() }).hits().len()))
        .find(|(_, hits)| *hits > 0);
    found.map(|(density, hits)| render::hits_in(density, hits, links)).unwrap_or_default()
}

/// Every tool that was called or has a budget in the spec.
fn tool_usage(timeline: &Timeline, spec: Option<&Value>) -> Vec<ToolUsage> {
    let mut budgets: BTreeMap<String, u64> = spec.map(spec::tool_budgets).unwrap_or_default();
    // The guard reports the budget, also for runs whose spec is unknown.
    for note in timeline.notes() {
        if let NoteKind::BudgetExceeded { tool, max_calls, .. } = &note.kind {
            budgets.insert(tool.clone(), *max_calls);
        }
    }
    let otherwise = if spec.is_some() { Budget::Unlimited } else { Budget::Unknown };
    let budget = |tool: &str| budgets.get(tool).map_or(otherwise, |calls| Budget::Calls(*calls));
    let asked = spec.and_then(|spec| spec["toolBudgets"].as_object());
    let mut tools: Vec<ToolUsage> = timeline
        .made_totals()
        .tools
        .into_iter()
        .map(|(tool, totals)| ToolUsage {
            budget: budget(&tool),
            tool,
            calls: totals.calls,
            failed: totals.failed,
            skipped: totals.skipped,
            over_budget: totals.over_budget > 0,
        })
        .collect();
    for tool in asked.into_iter().flatten().map(|(tool, _)| tool) {
        if !tools.iter().any(|used| used.tool == *tool) {
            tools.push(ToolUsage {
                tool: tool.clone(),
                calls: 0,
                failed: 0,
                skipped: 0,
                over_budget: false,
                budget: budget(tool),
            });
        }
    }
    tools
}

#[cfg(test)]
mod tests {
    use app::model::run::Find;
    use protocol::Event;
    use serde_json::json;

    use super::*;

    fn called(guarded: bool) -> Timeline {
        let call = json!({ "id": "c", "name": "recall", "input": {} });
        let mut events = vec![
            Event::new(1, "assistant_message", json!({ "text": "", "model": "m-1", "toolCalls": [call] })),
            Event::new(2, "tool_result", json!({ "toolUseId": "c", "name": "recall", "result": "found" })),
        ];
        if guarded {
            let report = json!({ "tool": "recall", "maxCalls": 1, "callIndex": 2 });
            events.push(Event::new(3, "tool_budget_exceeded", report));
        }
        Timeline::from_events(&events)
    }

    #[test]
    fn a_budget_comes_from_the_spec_or_from_the_guard() {
        let budget = |guarded: bool, spec: Option<Value>| {
            tool_usage(&called(guarded), spec.as_ref()).into_iter().map(|tool| tool.budget).collect::<Vec<_>>()
        };
        assert_eq!(budget(false, None), [Budget::Unknown]);
        assert_eq!(budget(true, None), [Budget::Calls(1)]);
        assert_eq!(budget(false, Some(json!({ "toolBudgets": {} }))), [Budget::Unlimited]);
        assert_eq!(budget(false, Some(json!({ "toolBudgets": { "recall": { "maxCalls": 3 } } }))), [Budget::Calls(3)]);
    }

    #[test]
    fn skipped_calls_count_neither_as_calls_nor_as_failed() {
        let mut events = Vec::new();
        let mut push = |kind: &str, data: Value| events.push(Event::new(events.len() as u64 + 1, kind, data));
        for id in ["a", "b", "c"] {
            let call = json!({ "id": id, "name": "recall", "input": {} });
            push("assistant_message", json!({ "text": "", "toolCalls": [call] }));
            push("tool_result", json!({ "toolUseId": id, "name": "recall", "result": { "error": "no" } }));
        }
        push("loop_detected", json!({ "consecutiveCount": 3, "hardCutoff": false, "tools": ["recall"] }));
        let used = tool_usage(&Timeline::from_events(&events), None);
        assert_eq!((used[0].calls, used[0].failed), (2, 2));
    }

    #[test]
    fn the_model_comes_from_the_newest_turn_or_the_request() {
        let spec = json!({ "modelId": "asked/for" });
        assert_eq!(model(&called(false), Some(&spec)).as_deref(), Some("m-1"));
        assert_eq!(model(&Timeline::default(), Some(&spec)).as_deref(), Some("asked/for"));
        assert_eq!(model(&Timeline::default(), None), None);
    }

    const SOURCE: Source<'static> = Source {
        run_id: "r",
        events: &[],
        session_id: None,
        spec: None,
        prompt: None,
        answers: &[],
        answerers: None,
        responder: &Responder { email: String::new(), is_viewer: false, obstacle: None },
        ages: &[],
        can_write: true,
        asked_at_ms: None,
        now_ms: 0,
    };

    #[test]
    fn announced_banner_titles_have_no_backticks() {
        let call = Event::new(1, "local_tool_call", json!({ "toolUseId": "c", "name": "ask_human", "args": {} }));
        let timeline = Timeline::from_events(&[call]);
        let state = build_state(&timeline, &timeline, &SOURCE, &RunView::default());
        assert_eq!(state.banner_titles, ["Waiting for ask_human"]);
    }

    #[test]
    fn the_prompt_is_searched_and_is_the_first_match() {
        let source = Source { prompt: Some("What is our refund policy?"), ..SOURCE };
        let window = |text: &str, hit| {
            let view = RunView { find: Find { text: text.to_owned(), hit }, ..Default::default() };
            let timeline = called(false);
            build_state(&timeline, &timeline, &source, &view).window
        };
        let found = window("REFUND", 0);
        assert_eq!((found.hits, found.hit_seq, found.rows[0].hit, found.rows[0].anchor), (1, Some(0), true, Some(0)));
        // The call's answer matches too.
        assert_eq!((window("ou", 0).hit_seq, window("ou", 1).hits), (Some(0), 2));
        assert_eq!(window("ou", 1).hit_seq, Some(1));
        assert_eq!(window("tool:refund", 0).hits, 0);
    }

    #[test]
    fn a_replay_has_a_current_row() {
        let timeline = called(false);
        let at = |at| build_state(&timeline, &timeline, &SOURCE, &RunView { at, ..Default::default() }).window.current;
        // The answer is part of its call's row.
        assert_eq!((at(Some(2)).as_deref(), at(None)), (Some("t0-0"), None));
    }
}
