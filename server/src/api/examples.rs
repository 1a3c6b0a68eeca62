//! Example responses for the OpenAPI document, built from the types that handlers return: with every optional field, and
//! with none.

use domain::{
    AuditEntry, AuditPage, Bucket, ExcludingClause, Facet, FacetValue, Facets, Histogram, ImportReport, Incomplete,
    Marks, RunSummary, RunsPage, SessionSummary, SessionTotals, SessionsPage, SyncProgress, View, ViewList, ViewScope,
};
use domain::{SessionDetail, SessionMessages};
use protocol::messages::Tokens;
use protocol::timeline::verdict;
use protocol::{Event, RunStatus, Timeline};
use serde_json::{Value, json};

use super::endpoints::{ResponseExample, value};
use super::log::timeline_body;
use super::runs::{RunsResponse, run_body};

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
    let of = |timeline: &Timeline| timeline_body(timeline, None, &verdict(timeline, None), &timeline.banners());
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
    full["turns"][0]["entries"] = Value::Null;
    full["totals"]["tools"] = json!({});
    set_to_any(&mut full["outcome"], |name| name != "ending" && name != "seq");
    (full, of(&Timeline::default()))
}

/// Sets fields to null, which stands for any value.
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
    let response = json!({ "runId": "…", "url": "/runs/…", "report": value(&ImportReport::default()) });
    ResponseExample { content_type: "application/json", minimal: response.clone(), full: response }
}

pub fn facets() -> (Value, Value) {
    let of = |counted_newest| {
        let values = vec![FacetValue::default(); 2];
        let facet = |counted_newest| Facet { key: String::new(), values: values.clone(), more: false, counted_newest };
        value(&Facets { facets: vec![facet(Some(0)), facet(None)], counted_newest })
    };
    (of(Some(0)), of(None))
}

pub fn histogram() -> (Value, Value) {
    let bucket = Bucket { start_ms: 0, runs: Default::default() };
    let buckets = vec![bucket.clone(), bucket];
    let full =
        Histogram { buckets, from_ms: Some(0), before_ms: Some(0), counted_newest: Some(0), ..Histogram::default() };
    let minimal = Histogram { from_ms: None, before_ms: None, counted_newest: None, ..full.clone() };
    (value(&full), value(&minimal))
}

pub fn sync(full: bool) -> SyncProgress {
    let mut sync = SyncProgress::default();
    if full {
        (sync.total, sync.synced_at_ms, sync.last_error) = (Some(0), Some(0), Some(String::new()));
    }
    sync
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
        can_write: true,
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
        mine: true,
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
        cost_micros: number(),
        error_class: text(),
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
