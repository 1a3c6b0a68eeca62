//! Server-sent events, parsed incrementally from whatever pieces the network delivers.
//!
//! Any split of the same bytes gives the same frames. A line that never ends is cut off with an error instead of
//! growing memory.

/// One dispatched event of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    pub id: Option<String>,
    pub event: Option<String>,
    pub data: String,
}

/// The largest frame read, in bytes: a tool result may have 2 MB, and JSON escapes can double that.
pub const MAX_FRAME_BYTES: usize = 8 * 1024 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameTooLong;

impl std::fmt::Display for FrameTooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a frame of the event stream is longer than {MAX_FRAME_BYTES} bytes")
    }
}

impl std::error::Error for FrameTooLong {}

/// Feed it bytes, take frames out.
#[derive(Debug, Default)]
pub struct Frames {
    line: Vec<u8>,
    after_cr: bool,
    started: bool,
    id: Option<String>,
    event: Option<String>,
    data: String,
    has_data: bool,
}

impl Frames {
    /// Reads `bytes` and returns the frames that they complete.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Frame>, FrameTooLong> {
        let mut frames = Vec::new();
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
        Ok(frames)
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

/// Writes one frame as it goes over the wire. `data` must be one line, as JSON without pretty-printing is.
pub fn write_frame(id: u64, event: &str, data: &str) -> String {
    format!("id: {id}\nevent: {event}\ndata: {data}\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(bytes: &[u8]) -> Vec<Frame> {
        Frames::default().push(bytes).expect("short enough")
    }

    fn frame(id: Option<&str>, event: Option<&str>, data: &str) -> Frame {
        Frame { id: id.map(Into::into), event: event.map(Into::into), data: data.into() }
    }

    #[test]
    fn reads_what_it_writes() {
        assert_eq!(all(write_frame(7, "result", "{}").as_bytes()), [frame(Some("7"), Some("result"), "{}")]);
    }

    #[test]
    fn comments_crlf_multi_line_data_and_a_missing_event_line() {
        let stream = b"\xef\xbb\xbf: ping\r\n\r\nid: 1\r\ndata: a\r\ndata:b\r\n\r\ndata\n\nretry: 5\n\n";
        assert_eq!(all(stream), [frame(Some("1"), None, "a\nb"), frame(None, None, "")]);
    }

    #[test]
    fn a_frame_of_two_megabytes_is_read_and_an_endless_line_is_not() {
        let big = "x".repeat(2 * 1024 * 1024);
        assert_eq!(all(format!("data: {big}\n\n").as_bytes())[0].data.len(), big.len());
        let mut frames = Frames::default();
        let chunk = vec![b'x'; 1024 * 1024];
        assert!((0..9).any(|_| frames.push(&chunk) == Err(FrameTooLong)));
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same_frames(
            lines in prop::collection::vec("(data|id|event|)(: ?)?[a-zé€𝄞:]{0,6}(\n|\r|\r\n)(\n|\r\n)?", 0..30),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            let bytes = lines.concat().into_bytes();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            cuts.sort_unstable();
            let mut frames = Frames::default();
            let mut split = Vec::new();
            let mut from = 0;
            for cut in cuts.into_iter().chain([bytes.len()]) {
                split.extend(frames.push(&bytes[from..cut]).expect("short enough"));
                from = cut;
            }
            prop_assert_eq!(split, all(&bytes));
        }
    }
}
