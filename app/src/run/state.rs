//! Everything that a run's page draws, as of one point of its log.

use std::collections::{BTreeMap, BTreeSet};

use protocol::messages::Tokens;
use protocol::timeline::{BannerKind, Density, NoteKind, RowOptions, RowQuery, Rows, Tick, Timeline, minimap, verdict};
use protocol::{RunStatus, spec};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::draw::{self, Links, May};
use super::loop_lens::loop_lenses;
use super::retries::Retries;
use super::row::RowContext;
use super::schema_fit::{SchemaFit, schema_fit};
use super::truncation::truncation;
use super::{CallAge, Row, RunView, Tab, awaited};
use crate::model::{RawEvents, RunSpecPage};
use domain::{AnswerRecord, ToolAnswerers};

/// Rows in one page of a timeline.
const WINDOW: usize = 200;
/// Rows shown before the one that is scrolled to.
const LEAD: usize = 20;
/// Marks on the strip.
const MAX_TICKS: usize = 400;
/// Bytes of the answer sent to the page.
const ANSWER_BYTES: usize = 200_000;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    pub status: RunStatus,
    /// The whole log has its end: nothing more will come.
    pub ended: bool,
    /// Drawn, as are all parts that only say something: what a reader must know first.
    pub verdict: String,
    pub banners: String,
    /// For who does not see them appear.
    pub banner_titles: Vec<String>,
    pub window: Window,
    pub strip: Vec<Tick>,
    /// Events applied, and the last of them.
    pub events: u64,
    pub last_seq: u64,
    pub turns: u64,
    pub calls: u64,
    pub tokens: Option<Tokens>,
    /// The newest that a turn tells of, or the one that was asked for.
    pub model: Option<String>,
    pub plan: String,
    pub answer: String,
    /// Drawn, unless it is JSON.
    pub answer_prose: String,
    /// Bytes of the answer that are left out here.
    pub answer_cut: usize,
    /// The answer is a fragment or was left behind by a failure.
    pub salvaged: bool,
    /// The answer was cut off: a card that tells where, what of, and what is left of it.
    pub truncation: String,
    /// Whether the answer fits its schema, and the JSON pointers of what does not.
    pub fit: String,
    pub faults: Vec<String>,
    /// Calls were repeated: there is something to see on the tab for that.
    pub loops: bool,
    pub side: Side,
}

/// What a tab shows beyond the state itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    #[default]
    None,
    /// Drawn.
    Html(String),
    Spec(RunSpecPage),
    Raw(RawEvents),
}

/// A part of the rows, and where it stands among all of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Window {
    pub rows: Vec<Row>,
    pub start: usize,
    pub total: usize,
    /// How many rows match what is looked for, and the event of the one that is stepped to.
    pub hits: usize,
    pub hit_seq: Option<u64>,
    /// Where none does: which density has some, drawn.
    pub hits_elsewhere: String,
    /// The key of the row that a replay is at.
    pub current: Option<String>,
}

/// How much of a tool's budget is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runway {
    pub tool: String,
    pub calls: u64,
    pub failed: u64,
    pub stopped: u64,
    pub budget: Budget,
}

/// How often a tool may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    Calls(u64),
    Unlimited,
    /// The spec is not known, and the log has not told.
    Unknown,
}

/// What a state is composed from.
pub struct Source<'a> {
    pub run_id: &'a str,
    pub session_id: Option<&'a str>,
    pub spec: Option<&'a Value>,
    /// Who answered local calls from here.
    pub answers: &'a [AnswerRecord],
    /// Who was chosen to answer them, where the run was launched here.
    pub chosen: Option<&'a ToolAnswerers>,
    /// How long calls have been waiting that wait now.
    pub ages: &'a [CallAge],
    /// The sign-in may start runs.
    pub can_write: bool,
}

impl RunState {
    /// `timeline` is the run as of the point that is looked at; `whole` as of its end, for the strip.
    pub fn of(timeline: &Timeline, whole: &Timeline, source: &Source<'_>, view: &RunView) -> Self {
        let links = Links { run_id: source.run_id, view };
        let spec = source.spec;
        let answer = timeline.answer();
        let kept = &answer[..answer.floor_char_boundary(ANSWER_BYTES)];
        let mut banners = spec.map_or_else(|| timeline.banners(), |spec| timeline.banners_for(spec));
        if let Some(chosen) = source.chosen {
            awaited::tell(&mut banners, chosen, source.answers, source.ages);
        }
        let waiting = waiting_now(whole);
        let may = May { answer: source.can_write && !waiting.is_empty(), relaunch: source.can_write && spec.is_some() };
        let cut_off = banners.iter().find(|banner| banner.kind == BannerKind::Truncated);
        let more_room = cut_off.and_then(|banner| draw::next_step(banner, may, links));
        let fit = schema_fit(timeline, spec);
        let loops = loop_lenses(timeline);
        Self {
            status: timeline.status(),
            ended: whole.status().is_terminal(),
            verdict: draw::verdict_part(verdict(timeline, spec), links),
            // They are spoken: names in backticks are drawn as code only where they are seen.
            banner_titles: banners.iter().map(|banner| banner.title.replace('`', "")).collect(),
            banners: draw::banners(banners, may, source.ages, links),
            window: window(timeline, view, source, &waiting, links),
            strip: minimap(whole, MAX_TICKS),
            events: timeline.integrity.events,
            last_seq: timeline.last_seq(),
            turns: timeline.totals.turns,
            calls: timeline.totals.calls,
            tokens: timeline.outcome.as_ref().and_then(|outcome| outcome.tokens),
            model: model(timeline, spec),
            plan: timeline.plan.as_deref().map(|plan| draw::checklist(plan, links)).unwrap_or_default(),
            answer_prose: if is_json(kept) { String::new() } else { draw::prose(kept, links) },
            answer: kept.to_owned(),
            answer_cut: answer.len() - kept.len(),
            salvaged: timeline.status() == RunStatus::Failed,
            truncation: truncation(timeline, spec)
                .map(|card| draw::truncation_card(card, more_room, source.session_id, links))
                .unwrap_or_default(),
            faults: match &fit {
                Some(SchemaFit::Breaks(faults)) => faults.iter().map(|fault| fault.0.clone()).collect(),
                _ => Vec::new(),
            },
            fit: fit.map(draw::fit).unwrap_or_default(),
            loops: !loops.is_empty(),
            side: match view.tab {
                Tab::Loop => Side::Html(draw::loops(loops, links)),
                Tab::Tools => Side::Html(draw::tools(runway(timeline, spec), links)),
                Tab::Output | Tab::Spec | Tab::Raw => Side::None,
            },
        }
    }
}

fn model(timeline: &Timeline, spec: Option<&Value>) -> Option<String> {
    let told = timeline.turns.iter().rev().find_map(|turn| turn.model.clone());
    let ended_with = || timeline.outcome.as_ref().and_then(|outcome| outcome.model.clone());
    told.or_else(ended_with).or_else(|| spec?["modelId"].as_str().map(str::to_owned))
}

/// An answer that is JSON is shown as a tree.
fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<Value>(text).is_ok()
}

/// Calls that can still be answered, whatever point of the run is looked at.
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
    links: Links<'_>,
) -> Window {
    let mut options = RowOptions {
        density: view.density,
        open: view.open.iter().cloned().collect(),
        query: RowQuery::parse(&view.find.text),
    };
    // Whoever follows a link to an event wants to see it.
    if let Some(fold) = view.focus.and_then(|seq| Rows::new(timeline, &options).fold_over(seq)) {
        options.open.insert(fold);
    }
    let rows = Rows::new(timeline, &options);
    let hits = rows.hits();
    let hit = hits.get(view.find.hit.min(hits.len().saturating_sub(1))).copied();
    let focused = view.focus.and_then(|seq| rows.place_of(seq));
    let played = view.at.and_then(|_| rows.place_of(timeline.last_seq()));
    let last_start = rows.len().saturating_sub(WINDOW);
    // What happened last is what a replay and a run in progress are watched for.
    let first = if view.at.is_some() || !timeline.status().is_terminal() { last_start } else { 0 };
    let start = view.from.or_else(|| focused.or(hit).map(|place| place.saturating_sub(LEAD))).unwrap_or(first);
    // A short log is always shown whole.
    let start = if rows.len() <= WINDOW { 0 } else { start.min(last_start) };
    // Whoever opens a row stays where they are.
    let here = RunView { from: (rows.len() > WINDOW).then_some(start), ..view.clone() };
    let links = Links { view: &here, ..links };
    let (answers, ages) = (source.answers, source.ages);
    let context = RowContext { timeline, answers, ages, waiting, retries: Retries::of(timeline), links };
    let needle = options.query.text.as_deref().unwrap_or_default();
    let mut anchors = BTreeSet::new();
    let mut drawn = Vec::new();
    let mut current = None;
    for (place, row) in (start..).zip(rows.window(start..start + WINDOW)) {
        let Some(mut row) = Row::of(&context, row, |key| options.open.contains(key)) else { continue };
        let focus = view.focus.filter(|seq| Some(place) == focused && !row.shows_answer(*seq));
        let anchor = focus.unwrap_or(row.seq);
        row.anchor = anchors.insert(anchor).then_some(anchor);
        if Some(place) == played {
            current = Some(row.key.clone());
        }
        if hits.binary_search(&place).is_ok() {
            row.highlight(needle);
        }
        drawn.push(row);
    }
    Window {
        hits: hits.len(),
        hits_elsewhere: match hits.is_empty() && !options.query.is_empty() {
            true => hits_elsewhere(timeline, &options, links),
            false => String::new(),
        },
        hit_seq: hit.and_then(|place| rows.window(place..place + 1).first().map(|row| row.seq)),
        start,
        total: rows.len(),
        rows: drawn,
        current,
    }
}

/// What is looked for is not in the rows of this density: the next one that has it, with how often.
fn hits_elsewhere(timeline: &Timeline, options: &RowOptions, links: Links<'_>) -> String {
    let denser = Density::ALL.into_iter().skip_while(|density| *density != options.density).skip(1);
    let found = denser
        .map(|density| (density, Rows::new(timeline, &RowOptions { density, ..options.clone() }).hits().len()))
        .find(|(_, hits)| *hits > 0);
    found.map(|(density, hits)| draw::hits_in(density, hits, links)).unwrap_or_default()
}

/// Every tool that was called, and every one with a budget of its own in the spec.
fn runway(timeline: &Timeline, spec: Option<&Value>) -> Vec<Runway> {
    let mut budgets: BTreeMap<String, u64> = spec.map(spec::tool_budgets).unwrap_or_default();
    // A guard that stepped in named the budget: that holds for runs whose spec is not known, too.
    for note in timeline.notes() {
        if let NoteKind::BudgetExceeded { tool, max_calls, .. } = &note.kind {
            budgets.insert(tool.clone(), *max_calls);
        }
    }
    let otherwise = if spec.is_some() { Budget::Unlimited } else { Budget::Unknown };
    let budget = |tool: &str| budgets.get(tool).map_or(otherwise, |calls| Budget::Calls(*calls));
    let asked = spec.and_then(|spec| spec["toolBudgets"].as_object());
    let mut tools: Vec<Runway> = timeline
        .totals
        .tools
        .iter()
        .map(|(tool, totals)| Runway {
            tool: tool.to_string(),
            calls: totals.calls,
            failed: totals.failed,
            stopped: totals.over_budget,
            budget: budget(tool),
        })
        .collect();
    for tool in asked.into_iter().flatten().map(|(tool, _)| tool) {
        if !tools.iter().any(|used| used.tool == *tool) {
            tools.push(Runway { tool: tool.clone(), calls: 0, failed: 0, stopped: 0, budget: budget(tool) });
        }
    }
    tools
}

#[cfg(test)]
mod tests {
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
    fn a_budget_is_told_by_the_spec_or_by_the_guard_and_is_not_known_otherwise() {
        let budget = |guarded: bool, spec: Option<Value>| {
            runway(&called(guarded), spec.as_ref()).into_iter().map(|tool| tool.budget).collect::<Vec<_>>()
        };
        assert_eq!(budget(false, None), [Budget::Unknown]);
        assert_eq!(budget(true, None), [Budget::Calls(1)]);
        assert_eq!(budget(false, Some(json!({ "toolBudgets": {} }))), [Budget::Unlimited]);
        assert_eq!(budget(false, Some(json!({ "toolBudgets": { "recall": { "maxCalls": 3 } } }))), [Budget::Calls(3)]);
    }

    #[test]
    fn the_model_is_that_of_the_newest_turn_or_the_one_asked_for() {
        let spec = json!({ "modelId": "asked/for" });
        assert_eq!(model(&called(false), Some(&spec)).as_deref(), Some("m-1"));
        assert_eq!(model(&Timeline::default(), Some(&spec)).as_deref(), Some("asked/for"));
        assert_eq!(model(&Timeline::default(), None), None);
    }

    const SOURCE: Source<'static> =
        Source { run_id: "r", session_id: None, spec: None, answers: &[], chosen: None, ages: &[], can_write: true };

    #[test]
    fn what_is_spoken_of_banners_has_no_backticks() {
        let call = Event::new(1, "local_tool_call", json!({ "toolUseId": "c", "name": "ask_human", "args": {} }));
        let timeline = Timeline::from_events(&[call]);
        let state = RunState::of(&timeline, &timeline, &SOURCE, &RunView::default());
        assert_eq!(state.banner_titles, ["Waiting for ask_human"]);
    }

    #[test]
    fn a_replay_knows_the_row_that_it_is_at() {
        let timeline = called(false);
        let at = |at| RunState::of(&timeline, &timeline, &SOURCE, &RunView { at, ..Default::default() }).window.current;
        // The answer is shown by the row of its call.
        assert_eq!((at(Some(2)).as_deref(), at(None)), (Some("t0-0"), None));
    }
}
