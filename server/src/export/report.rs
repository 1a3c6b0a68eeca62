//! Renders the report of a run: verdict, banners and timeline in one HTML file without scripts or other files.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use app::format;
use app::plain_text::visible;
use domain::RunSummary;
use protocol::redact::{redact, redact_text};
use protocol::timeline::{Entry, Severity, Span, Timeline, Timing, ToolCall, Turn, verdict};
use serde_json::Value;

use crate::clock::now_ms;
use crate::html::escape;
use crate::masking::current;
use crate::pages::waterfall_report;

/// Longer texts are truncated. The NDJSON export has all of them.
const MAX_TEXT_BYTES: usize = 200_000;

const STYLE: &str = "\
:root{color-scheme:light dark;--line:#8884;--soft:#8881}\
body{max-width:60rem;margin:2rem auto;padding:0 1rem;font:14px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}\
b,code,small,span{unicode-bidi:isolate}\
h1{font-size:1.25rem}h2{font-size:1rem;margin-top:2rem}\
pre{white-space:pre-wrap;padding:.5rem .75rem;background:var(--soft);border-radius:4px}\
section,details{margin:.5rem 0;padding:.5rem .75rem;border-left:3px solid var(--line)}\
section[data-tone=error]{border-color:#c33}section[data-tone=warning]{border-color:#c80}\
dl{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem}dt{opacity:.7;font-size:.75rem}dd{margin:0}\
small{opacity:.7}code,pre{font-family:ui-monospace,monospace;font-size:.8125rem}";

/// The style of the waterfall, as on the run page, with the colours that it uses.
const WATERFALL_STYLE: &str = concat!(
    ":root{--accent-fill:#3d5afe;--green:light-dark(#146c3a,#6fd79b);--amber:light-dark(#8a4b00,#f3bd6b);\
     --red:light-dark(#b3202c,#ff9a98);--accent:light-dark(#3046d6,#9db0ff);--accent-soft:#8883;--surface:Canvas;\
     --raised:var(--soft);--line-strong:light-dark(#c9ced8,#3b4250);--ink:CanvasText;--ink-soft:CanvasText;\
     --ink-faint:GrayText;--shadow:none;--radius:4px;--text-small:.8125rem;\
     --space-1:.25rem;--space-2:.5rem;--space-3:.75rem;--space-4:1rem}",
    include_str!("../../../style/waterfall.css")
);

pub fn render(run: &RunSummary, timeline: &Timeline, spec: Option<&Value>, secrets: bool) -> String {
    let timing = Timing::of(timeline, run.asked_at_ms());
    let report = Report { secrets, anchors: anchors(timeline), timing };
    let mut page = String::new();
    // Writing to a string cannot fail.
    let _ = report.write(&mut page, run, timeline, spec);
    page
}

struct Report {
    /// Do not hide what looks like a secret.
    secrets: bool,
    /// Events that can be linked to.
    anchors: BTreeSet<u64>,
    timing: Option<Timing>,
}

/// Returns the seqs of turns, calls and notes.
fn anchors(timeline: &Timeline) -> BTreeSet<u64> {
    let seqs = |turn: &Arc<Turn>| {
        let entries = turn.entries.iter().map(Entry::seq);
        entries.chain([turn.anchor_seq()]).collect::<Vec<_>>()
    };
    timeline.turns.iter().flat_map(seqs).collect()
}

impl Report {
    fn write(&self, out: &mut String, run: &RunSummary, timeline: &Timeline, spec: Option<&Value>) -> std::fmt::Result {
        let title = self.text(&run.title());
        write!(
            out,
            "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
             <title>{title} · Runlens</title><style>{STYLE}{WATERFALL_STYLE}</style></head><body><h1>{title}</h1>"
        )?;
        self.facts(out, run, timeline)?;
        out.push_str("<h2>Summary</h2>");
        for sentence in verdict(timeline, spec) {
            write!(out, "<p><span>{}</span>{}</p>", self.sentence(&sentence.text), self.event_links(&sentence.seqs))?;
        }
        let banners = spec.map_or_else(|| timeline.banners(), |spec| timeline.banners_for(spec));
        for banner in banners {
            let tone = match banner.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info => "info",
            };
            let (title, detail) = (self.sentence(&banner.title), self.sentence(&banner.detail));
            let step = self.sentence(&banner.next_step.text);
            let at = self.event_links(&[banner.seq]);
            write!(out, "<section data-tone=\"{tone}\"><b>{title}</b>{at}<p>{detail}</p><p>→ {step}</p></section>")?;
        }
        if let Some(timing) = &self.timing {
            let text = |text: &str| self.plain_text(text);
            let waterfall = waterfall_report(timeline, timing, &text, now_ms());
            write!(out, "<h2>Waterfall</h2><div class=\"waterfall\">{waterfall}</div>")?;
        }
        if let Some(spec) = spec {
            out.push_str("<details><summary>Spec</summary>");
            self.json(out, spec)?;
            out.push_str("</details>");
        }
        out.push_str("<h2>Timeline</h2>");
        for turn in &timeline.turns {
            self.turn(out, turn)?;
        }
        let answer = timeline.answer();
        if !answer.is_empty() {
            write!(out, "<h2>Output</h2><pre>{}</pre>", self.text(answer))?;
        }
        let hidden = if self.secrets { "" } else { " Values that look like secrets are hidden." };
        write!(
            out,
            "<p><small>Made by Runlens from {} events.{hidden}</small></p></body></html>",
            timeline.integrity.events
        )
    }

    fn facts(&self, out: &mut String, run: &RunSummary, timeline: &Timeline) -> std::fmt::Result {
        let tokens = run.tokens.map(|tokens| format::grouped(tokens.total()));
        let facts = [
            ("Status", Some(run.status.as_str().to_owned())),
            ("Run", Some(run.id.clone())),
            ("Model", run.model.clone()),
            ("Turns", Some(format::grouped(timeline.totals.turns))),
            ("Tool calls", Some(format::grouped(timeline.made_calls()))),
            ("Tokens", tokens),
            ("Duration", run.duration_ms.map(format::duration)),
            ("Created", Some(format::timestamp(run.created_at_ms))),
        ];
        out.push_str("<dl>");
        for (name, value) in facts {
            if let Some(value) = value {
                write!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", self.text(&value))?;
            }
        }
        for (key, value) in run.metadata.iter() {
            write!(out, "<div><dt>{}</dt><dd>{}</dd></div>", self.text(key), self.text(&value.to_string()))?;
        }
        out.push_str("</dl>");
        Ok(())
    }

    fn turn(&self, out: &mut String, turn: &Turn) -> std::fmt::Result {
        let seq = turn.anchor_seq();
        // The event may be a call, which has the anchor itself.
        let id = match turn.entries.iter().any(|entry| entry.seq() == seq) {
            true => String::new(),
            false => anchor(seq),
        };
        let took = self.took(self.timing.as_ref().and_then(|timing| timing.turn(turn.index)));
        write!(out, "<section{id}><b>Turn {}</b>{took} <small>#{seq}</small>", turn.index + 1)?;
        if !turn.thinking.is_empty() {
            write!(out, "<details><summary>Thinking</summary><pre>{}</pre></details>", self.text(&turn.thinking))?;
        }
        if !turn.text.is_empty() {
            write!(out, "<pre>{}</pre>", self.text(&turn.text))?;
        }
        for entry in &turn.entries {
            match entry {
                Entry::Call(call) => self.call(out, call, turn.skipped)?,
                Entry::Note(note) => {
                    let (_, text) = crate::pages::describe(&note.kind);
                    write!(
                        out,
                        "<p{}><span>{}</span> <small>#{}</small></p>",
                        anchor(note.seq),
                        self.sentence(&text),
                        note.seq
                    )?;
                }
            }
        }
        out.push_str("</section>");
        Ok(())
    }

    fn call(&self, out: &mut String, call: &ToolCall, skipped: bool) -> std::fmt::Result {
        let outcome = match &call.answer {
            Some(_) if call.intercepted => "stopped by its budget",
            _ if skipped => "skipped",
            None => "no answer",
            Some(answer) if answer.ok => "answered",
            Some(_) => "failed",
        };
        let (id, name) = (anchor(call.seq), self.text(&call.name));
        let took = self.took(self.timing.as_ref().and_then(|timing| timing.call(call)));
        let seq = call.seq;
        write!(out, "<details{id}><summary><code>{name}</code> · {outcome}{took} <small>#{seq}</small></summary>")?;
        self.json(out, &call.input)?;
        if let Some(answer) = &call.answer {
            self.json(out, &answer.body)?;
        }
        out.push_str("</details>");
        Ok(())
    }

    fn json(&self, out: &mut String, value: &Value) -> std::fmt::Result {
        let mut value = value.clone();
        if !self.secrets {
            redact(&mut value);
        }
        current().redact_payload(&mut value);
        let text = match value {
            Value::String(text) => text,
            other => serde_json::to_string_pretty(&other).unwrap_or_default(),
        };
        write!(out, "<pre>{}</pre>", escape(&visible(&truncate(&text))))
    }

    /// Renders links to events.
    fn event_links(&self, seqs: &[u64]) -> String {
        let link = |seq: &u64| match self.anchors.contains(seq) {
            true => format!(" <small><a href=\"#e{seq}\">#{seq}</a></small>"),
            false => format!(" <small>#{seq}</small>"),
        };
        seqs.iter().map(link).collect()
    }

    /// Renders a sentence with names in backticks.
    fn sentence(&self, text: &str) -> String {
        let text = self.text(text);
        let parts: Vec<&str> = text.split('`').collect();
        // Unpaired backticks are text.
        if parts.len().is_multiple_of(2) {
            return text;
        }
        let parts = parts.iter().enumerate();
        parts.map(|(i, part)| if i % 2 == 1 { format!("<code>{part}</code>") } else { (*part).to_owned() }).collect()
    }

    /// Renders a duration, if it is known.
    fn took(&self, span: Option<Span>) -> String {
        let ms = span.and_then(|span| span.duration_ms);
        ms.map(|ms| format!(" · {}", format::duration(ms))).unwrap_or_default()
    }

    fn text(&self, text: &str) -> String {
        escape(&self.plain_text(text))
    }

    /// The text redacted and without secrets, not escaped.
    fn plain_text(&self, text: &str) -> String {
        let hidden = if self.secrets { None } else { redact_text(text) };
        let text = hidden.as_deref().unwrap_or(text);
        let redacted = current().redact_text(text);
        visible(&truncate(redacted.as_deref().unwrap_or(text))).into_owned()
    }
}

fn truncate(text: &str) -> String {
    let end = text.floor_char_boundary(MAX_TEXT_BYTES);
    match text.len() - end {
        0 => text.to_owned(),
        more => format!("{}… ({} more bytes)", &text[..end], format::grouped(more as u64)),
    }
}

fn anchor(seq: u64) -> String {
    format!(" id=\"e{seq}\"")
}
