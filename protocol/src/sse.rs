//! Parses server-sent events incrementally, from the pieces that the network delivers.
//!
//! ```text
//!  id: 7                          the event's seq; a client sends it back to continue from there
//!  event: assistant_delta         may be missing: proxies strip it, and the data has the type too
//!  data: {"seq":7,"type":…}       several data lines are one text with line breaks
//!                                 an empty line ends the frame
//!  : ping                         a comment, which keeps the connection alive
//! ```
//!
//! Any split of the same bytes gives the same frames, in time proportional to their size. A frame that is too long is an
//! error, so memory is bounded.

/// One frame of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    pub id: Option<String>,
    pub event: Option<String>,
    pub data: String,
}

/// The largest frame, in bytes: a tool result may have 2 MB, and JSON escapes can double that.
pub(crate) const MAX_FRAME_BYTES: usize = 8 * 1024 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameTooLong;

impl std::fmt::Display for FrameTooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a frame of the event stream is longer than {MAX_FRAME_BYTES} bytes")
    }
}

impl std::error::Error for FrameTooLong {}

/// The parser: takes bytes, returns frames.
#[derive(Debug, Default)]
pub struct Frames {
    line: Vec<u8>,
    after_cr: bool,
    started: bool,
    id: Option<String>,
    event: Option<String>,
    data: String,
    has_data: bool,
    failed: bool,
}

impl Frames {
    /// Parses `bytes` and returns the frames that they complete. Frames before one that is too long are still returned;
    /// the next call returns the error. The stream cannot continue after it.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Frame>, FrameTooLong> {
        let mut frames = Vec::new();
        if !self.failed && self.read(bytes, &mut frames).is_err() {
            self.failed = true;
        }
        if self.failed && frames.is_empty() { Err(FrameTooLong) } else { Ok(frames) }
    }

    fn read(&mut self, bytes: &[u8], frames: &mut Vec<Frame>) -> Result<(), FrameTooLong> {
        let mut rest = bytes;
        while let Some(&first) = rest.first() {
            // The second half of a CRLF whose first half already ended a line.
            if std::mem::take(&mut self.after_cr) && first == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.extend_line(rest)?;
                break;
            };
            self.extend_line(&rest[..end])?;
            self.after_cr = rest[end] == b'\r';
            rest = &rest[end + 1..];
            let line = std::mem::take(&mut self.line);
            frames.extend(self.end_line(&line));
        }
        Ok(())
    }

    fn extend_line(&mut self, bytes: &[u8]) -> Result<(), FrameTooLong> {
        if self.line.len() + self.data.len() + bytes.len() > MAX_FRAME_BYTES {
            return Err(FrameTooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, line: &[u8]) -> Option<Frame> {
        // A byte order mark may open the stream.
        let line = if std::mem::replace(&mut self.started, true) {
            line
        } else {
            line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
        };
        if line.is_empty() {
            return self.dispatch();
        }
        let text = String::from_utf8_lossy(line);
        let (field, value) = text.split_once(':').unwrap_or((&text, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.has_data {
                    self.data.push('\n');
                }
                self.data.push_str(value);
                self.has_data = true;
            }
            "id" if !value.contains('\0') => self.id = Some(value.to_owned()),
            "event" => self.event = Some(value.to_owned()),
            // A comment (an empty field name), `retry` and anything else.
            _ => {}
        }
        None
    }

    fn dispatch(&mut self) -> Option<Frame> {
        let event = self.event.take();
        let data = std::mem::take(&mut self.data);
        std::mem::take(&mut self.has_data).then(|| Frame { id: self.id.take(), event, data })
    }
}

/// Writes one frame. `data` must be one line, such as compact JSON.
pub fn write_frame(out: &mut String, id: u64, event: &str, data: impl std::fmt::Display) {
    use std::fmt::Write;
    // Writing to a String cannot fail.
    let _ = write!(out, "id: {id}\nevent: {event}\ndata: {data}\n\n");
}

#[cfg(test)]
mod tests;
