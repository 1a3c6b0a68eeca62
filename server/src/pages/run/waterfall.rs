//! Builds the rows of the waterfall, for the run page and for the report.

use app::model::run::{Row, RowKind, Zoom};
use protocol::timeline::{self, Density, Note, RowOptions, Rows, Timeline, Timing, ToolCall, Turn, TurnTiming};

use super::describe::describe;
use super::render::{self, Axis, AxisRow, Bar, BarKind, WaterfallRow, ZoomLinks};
use super::retries::Retries;

/// Rows in a report.
const MAX_REPORT_ROWS: usize = 1_000;

pub struct Waterfall<'a> {
    pub timeline: &'a Timeline,
    pub timing: Option<&'a Timing>,
    pub axis: Option<Axis>,
    pub retries: &'a Retries<'a>,
    /// The URL of an event in the timeline.
    pub event_href: &'a dyn Fn(u64) -> String,
    /// Makes text of the log fit for the page.
    pub text: &'a dyn Fn(&str) -> String,
}

impl Waterfall<'_> {
    /// The first row: the time axis.
    pub fn axis_row(&self, zoom_href: &dyn Fn(Option<Zoom>) -> String, can_reset: bool, now_ms: i64) -> Row {
        let zoom = ZoomLinks { href: zoom_href, can_reset };
        row("axis".to_owned(), 0, 0, "waterfall-axis", self.axis_html(Some(zoom), now_ms))
    }

    fn axis_html(&self, zoom: Option<ZoomLinks<'_>>, now_ms: i64) -> String {
        let guards = self.timeline.notes().filter(|note| Note::is_intervention(note));
        let guards: Vec<i64> = guards.filter_map(|note| self.timing?.time_of(note.seq)).collect();
        let (timing, axis, text) = (self.timing, self.axis.as_ref(), self.text);
        render::axis(AxisRow { timing, axis, guards: &guards, zoom, now_ms, text })
    }

    /// Builds the row of a turn, a call or a guard's report. Its key differs from that of the same step in other densities,
    /// which is rendered in another way.
    pub fn row(&self, source: &timeline::Row) -> Option<Row> {
        let html = render::waterfall_row(self.content(source)?, self.axis.as_ref());
        Some(row(format!("w{}", source.key), source.seq, source.depth, "waterfall-row", html))
    }

    /// Returns true if some of a row is in the part of the axis that is shown.
    pub fn shows(&self, row: &timeline::Row) -> bool {
        let Some(axis) = &self.axis else { return true };
        let content = self.content(row);
        content.and_then(|content| content.bar).is_some_and(|bar| axis.shows(bar.start_ms, bar.end_ms))
    }

    /// Shows the part of the axis that these rows take.
    pub fn fit_axis(&mut self, rows: &[timeline::Row]) {
        let bars = rows.iter().filter_map(|row| self.content(row)?.bar).filter(|bar| bar.kind != BarKind::Unknown);
        let range =
            bars.map(|bar| (bar.start_ms, bar.end_ms)).reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
        if let Some((axis, (from_ms, to_ms))) = self.axis.zip(range) {
            self.axis = Some(axis.fitted(from_ms, to_ms));
        }
    }

    fn content(&self, source: &timeline::Row) -> Option<WaterfallRow> {
        let turn = self.timeline.turns.get(source.turn)?;
        let is_over = self.timeline.status().is_terminal();
        let mut row = WaterfallRow {
            label: format!("Turn {}", turn.index + 1),
            step: "model",
            bar: None,
            seq: source.seq,
            href: (self.event_href)(source.seq),
            problem: None,
            retry_of: None,
        };
        let timing = self.timing;
        row.bar = match source.kind {
            timeline::RowKind::Turn => timing.and_then(|timing| turn_bar(timing, turn, is_over)),
            timeline::RowKind::Call { entry, .. } => {
                let call = turn.entries.get(entry)?.as_call()?;
                row.label = (self.text)(&call.name);
                row.step = if call.kind.is_local() { "waiting" } else { "tool" };
                row.problem = problem(turn, call, is_over);
                row.retry_of = self.retries.before(call);
                timing.and_then(|timing| call_bar(timing, call, is_over))
            }
            timeline::RowKind::Note { entry } => {
                row.label = (self.text)(&describe(&turn.entries.get(entry)?.as_note()?.kind).1);
                row.step = "guard";
                let at_ms = timing.and_then(|timing| timing.time_of(source.seq));
                at_ms.map(|at_ms| Bar { start_ms: at_ms, end_ms: at_ms, kind: BarKind::Mark, ..Bar::default() })
            }
            _ => return None,
        };
        row.bar = row.bar.or_else(|| {
            let (start_ms, end_ms) = timing?.around(source.seq);
            Some(Bar { start_ms, end_ms, kind: BarKind::Unknown, ..Bar::default() })
        });
        Some(row)
    }
}

/// The waterfall of a whole run as HTML, with links to events on the same page.
pub fn waterfall_report(timeline: &Timeline, timing: &Timing, text: &dyn Fn(&str) -> String, now_ms: i64) -> String {
    let event_href = |seq| format!("#e{seq}");
    let waterfall = Waterfall {
        timeline,
        timing: Some(timing),
        axis: Some(Axis::new(timing, None)),
        retries: &Retries::of(timeline),
        event_href: &event_href,
        text,
    };
    let options = RowOptions { density: Density::Waterfall, ..RowOptions::default() };
    let rows = Rows::new(timeline, &[], &options);
    let mut html = waterfall.axis_html(None, now_ms);
    for row in rows.window(0..MAX_REPORT_ROWS) {
        if let Some(content) = waterfall.content(&row) {
            let content = render::waterfall_row(content, waterfall.axis.as_ref());
            html.push_str(&format!("<div class=\"waterfall-row\" data-depth=\"{}\">{content}</div>", row.depth));
        }
    }
    if rows.len() > MAX_REPORT_ROWS {
        let more = app::format::grouped((rows.len() - MAX_REPORT_ROWS) as u64);
        html.push_str(&format!("<p><small>{more} more rows are in the timeline below.</small></p>"));
    }
    html
}

fn problem(turn: &Turn, call: &ToolCall, is_over: bool) -> Option<&'static str> {
    match call {
        _ if turn.skipped => Some("skipped"),
        _ if call.intercepted => Some("over budget"),
        _ if call.answer.as_ref().is_some_and(|answer| answer.reported_failure) => Some("reported failure"),
        _ if call.failed() => Some("error"),
        _ if call.answer.is_none() => Some(if is_over { "no answer" } else { "waiting" }),
        _ => None,
    }
}

/// The turn with its calls, as long as in the other densities.
fn turn_bar(timing: &Timing, turn: &Turn, is_over: bool) -> Option<Bar> {
    let times = timing.turns.get(turn.index)?;
    let TurnTiming { first_token_ms, message_ms, .. } = *times;
    let is_newest = turn.index + 1 == timing.turns.len();
    let is_open = !is_over && is_newest && (message_ms.is_none() || turn.calls().any(|call| call.answer.is_none()));
    let end_ms = is_open.then_some(timing.end_ms).or(times.end_ms).or(message_ms)?;
    let kind = if is_open { BarKind::Open } else { BarKind::Ended };
    Some(Bar { start_ms: times.start_ms?, end_ms, first_token_ms, message_ms, kind })
}

fn call_bar(timing: &Timing, call: &ToolCall, is_over: bool) -> Option<Bar> {
    let span = timing.call(call)?;
    let is_open = call.answer.is_none() && !is_over;
    let end_ms = match span.duration_ms {
        Some(ms) => span.start_ms.saturating_add_unsigned(ms),
        None if call.answer.is_none() => timing.end_ms,
        None => return None,
    };
    let kind = if is_open { BarKind::Open } else { BarKind::Ended };
    Some(Bar { start_ms: span.start_ms, end_ms, kind, ..Bar::default() })
}

fn row(key: String, seq: u64, depth: u8, class: &str, html: String) -> Row {
    let kind = RowKind::Html { class: class.to_owned(), tone: None, html };
    Row { key, seq, anchor: None, depth, hit: false, kind }
}
