//! Example responses for the OpenAPI document, built from the types that handlers return: with every optional field, and
//! with none.

use domain::{AffectedValue, FailureCounts, FailureGroup, FailureGroups, FailureNote, Trend};
use domain::{
    AuditEntry, AuditPage, Breakdown, Bucket, ErrorFigures, ExcludingClause, Facet, FacetValue, Facets, FiguresBucket,
    FiguresOverTime, Histogram, ImportReport, Incomplete, Insights, Marks, ModelPrice, ModelPriceChange, ModelPrices,
    Percentiles, Redaction, RedactionChange, RedactionMode, RedactionPattern, RunFigures, RunSummary, RunsPage,
    SessionSummary, SessionTotals, SessionsPage, SyncProgress, ToolFigures, ValueFigures, View, ViewList, ViewScope,
    WaitingCall, WaitingCalls,
};
use domain::{SessionDetail, SessionMessages};
use protocol::messages::Tokens;
use protocol::timeline::verdict;
use protocol::{Event, RunStatus, Timeline};
use serde_json::{Value, json};

use super::endpoints::{ResponseExample, value};
use super::runs::{RunsResponse, run_body};
use super::timeline_body::TimelineBody;
use crate::masking::Patterns;

pub fn run_list() -> (Value, Value) {
    let page = RunsPage {
        runs: vec![summary(true), summary(false)],
        next_cursor: Some(String::new()),
        stale: Some(String::new()),
        excluding: vec![excluding()],
        scanned: Some(0),
        query_hints: vec![String::new()],
        ..RunsPage::default()
    };
    let incomplete = Some(Incomplete { runs_missing: Some(0), logs_missing: 0 });
    let minimal = RunsResponse { page: RunsPage::default(), incomplete: None };
    (value(&RunsResponse { page, incomplete }), value(&minimal))
}

pub fn run() -> (Value, Value) {
    let (log, empty) = (log(), Timeline::default());
    let of = |full: bool, timeline: &Timeline, prompt: Option<&str>| {
        run_body(&summary(full), timeline, prompt, &verdict(timeline, None), &timeline.banners())
    };
    (of(true, &log, Some("…")), of(false, &empty, None))
}

pub fn timeline() -> (Value, Value) {
    let of = |timeline: &Timeline| {
        value(&TimelineBody::new(timeline, None, &verdict(timeline, None), &timeline.banners(), &Patterns::default()))
    };
    let mut full = of(&log());
    let mut turn = full["turns"][0].clone();
    // Their values depend on the run.
    let mut minimal = turn.clone();
    set_to_any(&mut minimal, |name| {
        name == "entries" || name == "model" || name == "finish_reason" || name.ends_with("_seq")
    });
    for (name, example) in [("startedAtMs", json!(0)), ("durationMs", json!(0)), ("observed", json!(true))] {
        turn[name] = example;
    }
    full["turns"] = json!([turn, minimal]);
    full["turns"][0]["entries"] = entries();
    full["turns"][0]["tokens"] = value(&Tokens::default());
    full["turns"][1]["entries"] = entries();
    full["totals"]["tools"] = json!({});
    set_to_any(&mut full["outcome"], |name| name != "ending" && name != "seq");
    (full, of(&Timeline::default()))
}

/// A call, with times where these are known, and a note, which depends on its kind.
fn entries() -> Value {
    let kind =
        json!({ "resolved_by": "…", "agent": "…", "url": null, "server": "…", "tool": null, "server_info": null });
    let call = json!({
        "seq": 0, "announced_seq": null, "id": null, "name": "…", "kind": kind, "input": null, "made": true,
        "answer": null, "intercepted": true, "files": null, "startedAtMs": 0, "durationMs": 0, "observed": true,
    });
    json!([{ "call": call }, { "note": null }])
}

/// Sets fields to null, which means any value.
fn set_to_any(object: &mut Value, which: impl Fn(&str) -> bool) {
    let fields = object.as_object_mut().into_iter().flatten();
    fields.filter(|(name, _)| which(name.as_str())).for_each(|(_, value)| *value = Value::Null);
}

pub fn event() -> ResponseExample {
    let event = value(&Event::new(1, "assistant_delta", json!({ "text": "…" })));
    let mut full = event;
    // The data of an event depends on its type.
    full["data"] = Value::Null;
    ResponseExample { content_type: "application/x-ndjson", minimal: full.clone(), full }
}

pub fn imported() -> ResponseExample {
    let response = imported_run();
    ResponseExample { content_type: "application/json", minimal: response.clone(), full: response }
}

/// A log becomes a run, or has an error.
pub fn imported_batch() -> ResponseExample {
    let mut imported = imported_run();
    imported["name"] = json!("…");
    let failed = json!({ "name": null, "error": "…", "message": "…", "field": "…" });
    let response = json!({ "imported": 1, "failed": 1, "results": [imported, failed, { "name": null }] });
    ResponseExample { content_type: "application/json", minimal: response.clone(), full: response }
}

fn imported_run() -> Value {
    json!({ "runId": "…", "url": "/runs/…", "report": value(&ImportReport::default()) })
}

pub fn facets() -> (Value, Value) {
    let of = |counted_newest| {
        let facet = |counted_newest| Facet { key: String::new(), values: facet_values(), more: false, counted_newest };
        value(&Facets { facets: vec![facet(Some(0)), facet(None)], counted_newest })
    };
    (of(Some(0)), of(None))
}

/// Only ids have a label.
pub fn facet_values() -> Vec<FacetValue> {
    vec![FacetValue { label: Some(String::new()), ..FacetValue::default() }, FacetValue::default()]
}

pub fn failures() -> (Value, Value) {
    let of = |full: bool| FailureGroups {
        groups: vec![failure_group(true), failure_group(false)],
        next_cursor: full.then(String::new),
        counts: FailureCounts::default(),
        counted_newest: full.then_some(0),
    };
    (value(&of(true)), value(&of(false)))
}

pub fn failure() -> (Value, Value) {
    (value(&failure_group(true)), value(&failure_group(false)))
}

fn failure_group(full: bool) -> FailureGroup {
    let (text, number) = (|| full.then(String::new), || full.then_some(0));
    FailureGroup {
        first_seen_at_ms: number(),
        last_seen_at_ms: number(),
        trend: Trend { runs: vec![0, 0], ..Trend::default() },
        affected: vec![AffectedValue::default(), AffectedValue::default()],
        counted_newest: full.then_some(0),
        changed_by: text(),
        changed_at_ms: number(),
        reopened_by_run_id: text(),
        note: full.then(FailureNote::default),
        ..FailureGroup::default()
    }
}

pub fn waiting() -> (Value, Value) {
    let call = |full: bool| WaitingCall {
        deadline_at_ms: full.then_some(0),
        writers: vec![String::new()],
        ..WaitingCall::default()
    };
    let of = |full: bool| WaitingCalls {
        calls: vec![call(true), call(false)],
        stale: full.then(String::new),
        ..WaitingCalls::default()
    };
    (value(&of(true)), value(&of(false)))
}

pub fn histogram() -> (Value, Value) {
    let bucket = Bucket { start_ms: 0, runs: Default::default() };
    let buckets = vec![bucket.clone(), bucket];
    let full =
        Histogram { buckets, from_ms: Some(0), before_ms: Some(0), counted_newest: Some(0), ..Histogram::default() };
    let minimal = Histogram { from_ms: None, before_ms: None, counted_newest: None, ..full.clone() };
    (value(&full), value(&minimal))
}

pub fn insights() -> (Value, Value) {
    (value(&insights_example(true)), value(&insights_example(false)))
}

fn insights_example(full: bool) -> Insights {
    let number = |full: bool| full.then_some(0);
    let tool = |full: bool| ToolFigures { p50_ms: number(full), p95_ms: number(full), ..ToolFigures::default() };
    let bucket = |full: bool| FiguresBucket { start_ms: 0, figures: figures(full) };
    let of_value = |full: bool| ValueFigures { value: String::new(), figures: figures(full) };
    Insights {
        since_at_ms: full.then_some(0),
        before_at_ms: full.then_some(0),
        figures: figures(full),
        previous: full.then(|| figures(false)),
        over_time: FiguresOverTime {
            buckets: vec![bucket(true), bucket(false)],
            from_ms: full.then_some(0),
            before_ms: full.then_some(0),
            counted_newest: number(full),
            ..FiguresOverTime::default()
        },
        by: Breakdown {
            key: String::new(),
            keys: vec![String::new()],
            values: vec![of_value(true), of_value(false)],
            others: full.then(|| figures(false)),
        },
        errors: vec![ErrorFigures::default()],
        tools: vec![tool(true), tool(false)],
        counted_newest: number(full),
        details_counted_newest: number(full),
        runs_missing: 0,
    }
}

fn figures(full: bool) -> RunFigures {
    let percentiles = Percentiles { p50: full.then_some(0), p95: full.then_some(0), sum: 0 };
    RunFigures {
        duration_ms: percentiles,
        tokens_per_run: percentiles,
        cost_micros_per_run: percentiles,
        ..RunFigures::default()
    }
}

pub fn sync(full: bool) -> SyncProgress {
    let mut sync = SyncProgress::default();
    if full {
        (sync.total, sync.synced_at_ms, sync.last_error) = (Some(0), Some(0), Some(String::new()));
    }
    sync
}

pub fn redaction() -> Value {
    value(&Redaction { patterns: redaction_change().patterns, version: 0 })
}

pub fn redaction_change() -> RedactionChange {
    let pattern = RedactionPattern { pattern: String::new(), mode: RedactionMode::Hide };
    RedactionChange { patterns: vec![pattern], replaces_version: Some(0) }
}

pub fn prices() -> (Value, Value) {
    let prices = |full: bool| {
        let price = |cached: bool| ModelPrice {
            cached_input_per_1m_usd: cached.then_some(0.5),
            ..price_change().own[0].clone()
        };
        ModelPrices { catalogue: vec![price(full)], own: vec![price(full)] }
    };
    (value(&prices(true)), value(&prices(false)))
}

pub fn price_change() -> ModelPriceChange {
    let cached_input_per_1m_usd = Some(0.5);
    let price =
        ModelPrice { model: String::new(), input_per_1m_usd: 0.5, output_per_1m_usd: 0.5, cached_input_per_1m_usd };
    ModelPriceChange { own: vec![price] }
}

pub fn session_list() -> (Value, Value) {
    let page = |full: bool| SessionsPage {
        sessions: vec![session(true), session(false)],
        next_cursor: full.then(String::new),
        stale: full.then(String::new),
        excluding: if full { vec![excluding()] } else { Vec::new() },
        now_ms: 0,
    };
    (value(&page(true)), value(&page(false)))
}

fn excluding() -> ExcludingClause {
    ExcludingClause { index: 0, text: "env:staging".to_owned() }
}

pub fn session_page() -> (Value, Value) {
    let page = |full: bool| SessionDetail {
        session: session(full),
        totals: SessionTotals::default(),
        spec: Value::Null,
        ended_at_ms: full.then_some(0),
        stale: full.then(String::new),
        now_ms: 0,
    };
    (value(&page(true)), value(&page(false)))
}

pub fn messages() -> (Value, Value) {
    let of = |next_before_seq| value(&SessionMessages { events: vec![json!({})], next_before_seq });
    (of(Some(0)), of(None))
}

pub fn audit() -> (Value, Value) {
    let entry = |full: bool| {
        let text = || full.then(String::new);
        AuditEntry { address: text(), target: text(), detail: text(), ..AuditEntry::default() }
    };
    let page = |next_cursor| value(&AuditPage { entries: vec![entry(true), entry(false)], next_cursor });
    (page(Some(String::new())), page(None))
}

pub fn view() -> View {
    View {
        id: String::new(),
        name: String::new(),
        query: String::new(),
        list: ViewList::Runs,
        scope: ViewScope::Private,
        is_mine: true,
        default: false,
    }
}

/// A log with most kinds of events.
fn log() -> Timeline {
    let call = json!({ "text": "…", "turn": 0, "toolCalls": [{ "id": "a", "name": "search", "input": {} }] });
    let answer = json!({ "toolUseId": "a", "name": "search", "output": "…" });
    let usage = json!({ "inputTokens": 1, "outputTokens": 1 });
    Timeline::from_events(&[
        Event::new(1, "thinking_delta", json!({ "text": "…" })),
        Event::new(2, "assistant_message", call),
        Event::new(3, "tool_result", answer),
        Event::new(4, "loop_detected", json!({ "kind": "nudge", "message": "…" })),
        Event::new(5, "error", json!({ "error": "…", "errorClass": "rate_limit", "tokens": usage, "turns": 1 })),
    ])
}

fn summary(full: bool) -> RunSummary {
    let text = || full.then(String::new);
    let number = || full.then_some(0);
    RunSummary {
        id: String::new(),
        session_id: text(),
        status: RunStatus::Succeeded,
        name: text(),
        agent_id: text(),
        model: text(),
        input_preview: text(),
        output_preview: text(),
        error: text(),
        reason: text(),
        tokens: full.then(Tokens::default),
        turns: number(),
        tool_calls: number(),
        duration_ms: number(),
        waited_ms: number(),
        cost_micros: number(),
        error_class: text(),
        group: text(),
        created_at_ms: 0,
        metadata: Default::default(),
        marks: Marks::default(),
        origin: Default::default(),
    }
}

fn session(full: bool) -> SessionSummary {
    SessionSummary {
        id: String::new(),
        name: full.then(String::new),
        status: "active".to_owned(),
        summary: full.then(String::new),
        metadata: Default::default(),
        created_at_ms: 0,
        last_used_at_ms: 0,
    }
}
