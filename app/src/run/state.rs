//! Everything that a run's page draws, as of one point of its log.

use std::collections::BTreeMap;

use protocol::messages::Tokens;
use protocol::timeline::{
    Banner, BannerKind, NextStep, Plan, RowOptions, RowQuery, Rows, Sentence, Severity, Tick, Timeline, minimap,
    verdict,
};
use protocol::{RunStatus, spec};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::loop_lens::{LoopLens, loop_lenses};
use super::schema_fit::{SchemaFit, schema_fit};
use super::truncation::{Truncation, truncation};
use super::{Row, RunView};
use crate::model::{RawEvents, RunSpecPage};

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
    pub verdict: Vec<Sentence>,
    pub banners: Vec<BannerLine>,
    pub window: Window,
    pub strip: Vec<Tick>,
    /// Events applied, and the last of them.
    pub events: u64,
    pub last_seq: u64,
    pub turns: u64,
    pub calls: u64,
    pub tokens: Option<Tokens>,
    pub plan: Option<Plan>,
    pub runway: Vec<Runway>,
    pub answer: String,
    /// Bytes of the answer that are left out here.
    pub answer_cut: usize,
    /// The answer is a fragment or was left behind by a failure.
    pub salvaged: bool,
    pub truncation: Option<Truncation>,
    pub schema_fit: Option<SchemaFit>,
    pub loops: Vec<LoopLens>,
    pub side: Side,
}

/// What a tab shows beyond the state itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    #[default]
    None,
    Spec(RunSpecPage),
    Raw(RawEvents),
}

/// A banner as it is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BannerLine {
    pub kind: BannerKind,
    pub severity: Severity,
    pub seq: u64,
    pub title: String,
    pub detail: String,
    pub next_step: NextStep,
}

impl BannerLine {
    fn of(banner: Banner) -> Self {
        let Banner { kind, severity, seq, title, detail, next_step, facts: _ } = banner;
        Self { kind, severity, seq, title, detail, next_step }
    }
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
}

/// How much of a tool's budget is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runway {
    pub tool: String,
    pub calls: u64,
    pub failed: u64,
    pub stopped: u64,
    /// `None` where the tool has no budget.
    pub allowed: Option<u64>,
}

impl RunState {
    /// `timeline` is the run as of the point that is looked at; `whole` as of its end, for the strip.
    pub fn of(timeline: &Timeline, whole: &Timeline, spec: Option<&Value>, view: &RunView) -> Self {
        let answer = timeline.answer();
        let kept = &answer[..answer.floor_char_boundary(ANSWER_BYTES)];
        let outcome = timeline.outcome.as_ref();
        Self {
            status: timeline.status(),
            ended: whole.status().is_terminal(),
            verdict: verdict(timeline, spec),
            banners: spec
                .map_or_else(|| timeline.banners(), |spec| timeline.banners_for(spec))
                .into_iter()
                .map(BannerLine::of)
                .collect(),
            window: window(timeline, view),
            strip: minimap(whole, MAX_TICKS),
            events: timeline.integrity.events,
            last_seq: timeline.last_seq(),
            turns: timeline.totals.turns,
            calls: timeline.totals.calls,
            tokens: outcome.and_then(|outcome| outcome.tokens),
            plan: timeline.plan.as_deref().cloned(),
            runway: runway(timeline, spec),
            answer: kept.to_owned(),
            answer_cut: answer.len() - kept.len(),
            salvaged: timeline.status() == RunStatus::Failed,
            truncation: truncation(timeline, spec),
            schema_fit: schema_fit(timeline, spec),
            loops: loop_lenses(timeline),
            side: Side::None,
        }
    }
}

fn window(timeline: &Timeline, view: &RunView) -> Window {
    let options = RowOptions {
        density: view.density,
        open: view.open.iter().cloned().collect(),
        query: RowQuery::parse(&view.find.text),
    };
    let rows = Rows::new(timeline, &options);
    let hits = rows.hits();
    let hit = hits.get(view.find.hit.min(hits.len().saturating_sub(1))).copied();
    let focused = view.focus.and_then(|seq| rows.place_of(seq));
    let last_start = rows.len().saturating_sub(WINDOW);
    let start = view.from.or_else(|| focused.or(hit).map(|place| place.saturating_sub(LEAD))).unwrap_or(0);
    // A short log is always shown whole.
    let start = if rows.len() <= WINDOW { 0 } else { start.min(last_start) };
    let drawn = rows.window(start..start + WINDOW);
    Window {
        hits: hits.len(),
        hit_seq: hit.and_then(|place| rows.window(place..place + 1).first().map(|row| row.seq)),
        start,
        total: rows.len(),
        rows: drawn.into_iter().filter_map(|row| Row::of(timeline, row, |key| options.open.contains(key))).collect(),
    }
}

/// Every tool that was called, and every one with a budget of its own in the spec.
fn runway(timeline: &Timeline, spec: Option<&Value>) -> Vec<Runway> {
    let budgets: BTreeMap<String, u64> = spec.map(spec::tool_budgets).unwrap_or_default();
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
            allowed: budgets.get(tool.as_str()).copied(),
        })
        .collect();
    for tool in asked.into_iter().flatten().map(|(tool, _)| tool) {
        if !tools.iter().any(|used| used.tool == *tool) {
            let allowed = budgets.get(tool).copied();
            tools.push(Runway { tool: tool.clone(), calls: 0, failed: 0, stopped: 0, allowed });
        }
    }
    tools
}
