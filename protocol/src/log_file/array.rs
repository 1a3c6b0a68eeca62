//! Splits a JSON array into its elements, byte by byte.

use crate::sse::MAX_FRAME_BYTES;

#[derive(Debug, Default)]
pub(super) struct Elements {
    /// The number of open brackets and braces; the array itself is the first.
    depth: usize,
    in_text: bool,
    escaped: bool,
    element: Vec<u8>,
    /// The first line of the element.
    first_line: u64,
    too_long: bool,
    closed: bool,
}

impl Elements {
    /// Adds a byte. Returns the element that it completes, with its first line.
    pub fn push(&mut self, byte: u8, line: u64) -> Option<(u64, Result<Vec<u8>, String>)> {
        if self.closed {
            return None;
        }
        if self.in_text {
            self.keep(byte, line);
            self.in_text = byte != b'"' || self.escaped;
            self.escaped = byte == b'\\' && !self.escaped;
            return None;
        }
        match byte {
            b'[' | b'{' => {
                self.depth += 1;
                if self.depth > 1 {
                    self.keep(byte, line);
                }
                None
            }
            b']' | b'}' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.closed = true;
                    return self.take();
                }
                self.keep(byte, line);
                None
            }
            b',' if self.depth == 1 => self.take(),
            _ => {
                self.in_text = byte == b'"';
                if !self.element.is_empty() || !byte.is_ascii_whitespace() {
                    self.keep(byte, line);
                }
                None
            }
        }
    }

    /// Returns an error if the array is not closed.
    pub fn error_at_end(&self) -> Option<String> {
        (!self.closed).then(|| "the array is not closed: the file ends early".to_owned())
    }

    fn keep(&mut self, byte: u8, line: u64) {
        if self.element.is_empty() && !self.too_long {
            self.first_line = line;
        }
        if self.element.len() == MAX_FRAME_BYTES {
            self.too_long = true;
            self.element = Vec::new();
        }
        if !self.too_long {
            self.element.push(byte);
        }
    }

    fn take(&mut self) -> Option<(u64, Result<Vec<u8>, String>)> {
        let element = std::mem::take(&mut self.element);
        if std::mem::take(&mut self.too_long) {
            return Some((self.first_line, Err(format!("the event is longer than {MAX_FRAME_BYTES} bytes"))));
        }
        (!element.is_empty()).then_some((self.first_line, Ok(element)))
    }
}
