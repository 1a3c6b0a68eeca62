//! Parses log files of any size incrementally, with memory for one line.
//!
//! ```text
//!  {"runlens":1,"run":{…},"spec":{…}}     an export begins with the run and its spec; NDJSON follows
//!  {"seq":1,"type":"started","data":{}}   NDJSON: one event a line
//!  [{"seq":1,…},{"seq":2,…}]              a JSON array of events, on however many lines
//!  id: 1⏎data: {"seq":1,…}⏎⏎              a raw capture of server-sent events
//! ```
//!
//! The first character decides the format. An unreadable line is reported, and parsing continues after it.

mod array;

use serde_json::{Map, Value};

use crate::event::Event;
use crate::json::parse_deep;
use crate::sse::{Frame, Frames, MAX_FRAME_BYTES};
use array::Elements;

/// An item of a file, in its order.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// The run and the spec of an export.
    Header(Header),
    /// An event, and the line on which it begins.
    Event(u64, Event),
    Unreadable(UnreadableLine),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    pub run: Value,
    pub spec: Value,
}

/// A line that could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableLine {
    /// Counted from 1.
    pub line: u64,
    pub reason: String,
}

/// The parser: takes bytes, returns items.
#[derive(Debug, Default)]
pub struct LogReader {
    format: Option<Format>,
    line: Vec<u8>,
    /// The number of complete lines, and whether the current one is too long.
    number: u64,
    too_long: bool,
    last_seq: u64,
    items: Vec<Item>,
}

#[derive(Debug)]
enum Format {
    Lines,
    Array(Elements),
    Frames(Capture),
}

/// A raw capture of server-sent events.
#[derive(Debug)]
struct Capture {
    frames: Frames,
    /// The first line of the current frame.
    first_line: u64,
    /// The current frame is too long: its rest is skipped.
    skipping: bool,
}

impl Capture {
    fn beginning_at(line: u64) -> Self {
        Self { frames: Frames::default(), first_line: line, skipping: false }
    }
}

impl LogReader {
    /// Parses `bytes` and returns the items that they complete.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Item> {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.format.is_none() {
                // A byte order mark and blank lines may come first.
                let blank = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, 0xEF | 0xBB | 0xBF);
                let skipped = rest.iter().take_while(|byte| blank(byte)).count();
                self.number += rest[..skipped].iter().filter(|byte| **byte == b'\n').count() as u64;
                rest = &rest[skipped..];
                self.format = rest.first().map(|first| match first {
                    b'[' => Format::Array(Elements::default()),
                    b'{' => Format::Lines,
                    _ => Format::Frames(Capture::beginning_at(self.line())),
                });
                continue;
            }
            if matches!(self.format, Some(Format::Array(_))) {
                self.push_to_array(rest);
                break;
            }
            let end = rest.iter().position(|byte| *byte == b'\n');
            self.extend(&rest[..end.unwrap_or(rest.len())]);
            let Some(end) = end else { break };
            self.end_line();
            rest = &rest[end + 1..];
        }
        std::mem::take(&mut self.items)
    }

    /// Returns the number of the current line.
    pub fn line(&self) -> u64 {
        self.number + 1
    }

    /// Ends the file. Returns the items of its last line, or an error if the file is incomplete.
    pub fn finish(mut self) -> Vec<Item> {
        match self.format.take() {
            Some(Format::Array(elements)) => {
                if let Some(reason) = elements.error_at_end() {
                    self.unreadable(self.line(), reason);
                }
            }
            Some(format) => {
                self.format = Some(format);
                if !self.line.is_empty() || self.too_long {
                    self.end_line();
                }
                // An empty line ends a frame; a capture may lack the last one.
                self.end_line();
            }
            None => {}
        }
        self.items
    }

    fn extend(&mut self, bytes: &[u8]) {
        if self.line.len() + bytes.len() > MAX_FRAME_BYTES {
            self.too_long = true;
            self.line.clear();
        }
        if !self.too_long {
            self.line.extend_from_slice(bytes);
        }
    }

    fn end_line(&mut self) {
        self.number += 1;
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.too_long) {
            self.skip_frame();
            return self.unreadable(self.number, format!("the line is longer than {MAX_FRAME_BYTES} bytes"));
        }
        let text = String::from_utf8_lossy(&line);
        match &mut self.format {
            Some(Format::Frames(capture)) => {
                let (mut line, at) = (text.into_owned(), capture.first_line);
                line.push('\n');
                if line.trim().is_empty() {
                    capture.first_line = self.number + 1;
                    if std::mem::take(&mut capture.skipping) {
                        return;
                    }
                } else if capture.skipping {
                    return;
                }
                match capture.frames.push(line.as_bytes()) {
                    Ok(frames) => frames.into_iter().for_each(|frame| self.frame(at, frame)),
                    Err(too_long) => {
                        self.skip_frame();
                        self.unreadable(at, too_long.to_string());
                    }
                }
            }
            _ => {
                let text = text.trim();
                if !text.is_empty() {
                    self.value(self.number, text);
                }
            }
        }
    }

    /// Skips the rest of the current frame of a capture.
    fn skip_frame(&mut self) {
        if let Some(Format::Frames(capture)) = &mut self.format {
            capture.frames = Frames::default();
            capture.skipping = true;
        }
    }

    fn push_to_array(&mut self, bytes: &[u8]) {
        let Some(Format::Array(mut elements)) = self.format.take() else { return };
        for &byte in bytes {
            if let Some((line, element)) = elements.push(byte, self.line()) {
                match element {
                    Ok(text) => self.value(line, &String::from_utf8_lossy(&text)),
                    Err(reason) => self.unreadable(line, reason),
                }
            }
            self.number += u64::from(byte == b'\n');
        }
        self.format = Some(Format::Array(elements));
    }

    fn frame(&mut self, line: u64, frame: Frame) {
        let seq = frame.id.and_then(|id| id.parse::<u64>().ok());
        match parse_deep(&frame.data) {
            Ok(Value::Object(mut fields)) => {
                if let Some(seq) = seq {
                    fields.entry("seq").or_insert_with(|| seq.into());
                }
                if let Some(kind) = frame.event {
                    fields.entry("type").or_insert_with(|| kind.into());
                }
                self.object(line, fields);
            }
            Ok(_) => self.unreadable(line, "the data is not a JSON object".to_owned()),
            Err(error) => {
                let kept = self.keep_unreadable(line, &frame.data, seq, frame.event.as_deref());
                kept.unwrap_or_else(|| self.unreadable(line, format!("the data is not JSON: {error}")));
            }
        }
    }

    fn value(&mut self, line: u64, text: &str) {
        match parse_deep(text) {
            Ok(Value::Object(fields)) => self.object(line, fields),
            Ok(_) => self.unreadable(line, "not a JSON object".to_owned()),
            Err(error) => {
                let kept = self.keep_unreadable(line, text, None, None);
                kept.unwrap_or_else(|| self.unreadable(line, format!("not JSON: {error}")));
            }
        }
    }

    /// Keeps an event of which only the envelope can be parsed.
    fn keep_unreadable(&mut self, line: u64, text: &str, seq: Option<u64>, kind: Option<&str>) -> Option<()> {
        let event = Event::unreadable(text, seq.or_else(|| self.next_seq()), kind)?;
        self.event(line, event);
        Some(())
    }

    fn object(&mut self, line: u64, mut fields: Map<String, Value>) {
        if fields.contains_key("runlens") && !fields.contains_key("type") {
            let mut take = |name: &str| fields.remove(name).unwrap_or_default();
            return self.items.push(Item::Header(Header { run: take("run"), spec: take("spec") }));
        }
        if !fields.contains_key("seq") {
            let Some(seq) = self.next_seq() else {
                return self.unreadable(line, "there is no number left for an event without one".to_owned());
            };
            fields.insert("seq".to_owned(), seq.into());
        }
        if !fields.get("type").is_some_and(Value::is_string) {
            return self.unreadable(line, "an event needs a \"type\", a string".to_owned());
        }
        match serde_json::from_value::<Event>(Value::Object(fields)) {
            Ok(event) => self.event(line, event),
            Err(error) => self.unreadable(line, format!("not an event: {error}")),
        }
    }

    /// Returns the seq for an event without one: events are numbered in the order of the file.
    fn next_seq(&self) -> Option<u64> {
        self.last_seq.checked_add(1)
    }

    fn event(&mut self, line: u64, event: Event) {
        self.last_seq = self.last_seq.max(event.seq);
        self.items.push(Item::Event(line, event));
    }

    fn unreadable(&mut self, line: u64, reason: String) {
        self.items.push(Item::Unreadable(UnreadableLine { line, reason }));
    }
}

#[cfg(test)]
mod tests;
