//! The parser: one pass without recursion, so that deep documents cannot overflow the stack.

use super::{BegunField, Content, End, Label, Node, PartialJson};

/// Parses a text that is only a string, number or word.
pub(super) fn scalar(text: &str) -> Option<PartialJson> {
    let start = text.len() - text.trim_start().len();
    let first = *text.as_bytes().get(start)?;
    if matches!(first, b'{' | b'[') {
        return None;
    }
    let read = Reader::new(text, start).read();
    let is_all = !read.nodes.is_empty() && text[read.seam..].trim_start().is_empty();
    (is_all && !matches!(read.end, End::Broken { .. })).then_some(read)
}

/// Parses the longest object or list in the text. Each attempt begins where the one before stopped, so the text is read
/// once.
pub(super) fn longest(text: &str) -> Option<PartialJson> {
    let mut longest: Option<PartialJson> = None;
    let mut from = 0;
    while let Some(offset) = text[from..].find(['{', '[']) {
        let read = Reader::new(text, from + offset).read();
        from = read.seam.max(from + offset + 1);
        let is_only_a_bracket =
            read.nodes.len() == 1 && matches!(read.end, End::Broken { .. }) && read.begun_field.is_none();
        let is_longer = longest.as_ref().is_none_or(|best| best.seam - best.start < read.seam - read.start);
        if is_longer && !is_only_a_bracket {
            longest = Some(read);
        }
    }
    longest
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    start: usize,
    nodes: Vec<Node>,
    /// Open containers, each with the number of items or fields it has so far.
    open: Vec<(usize, usize)>,
    begun_field: Option<BegunField>,
}

#[derive(Clone, Copy, PartialEq)]
enum Expect {
    Value,
    FirstItem,
    FirstName,
    Name,
    Colon,
    Comma,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, start: usize) -> Self {
        Self { text, at: start, start, nodes: Vec::new(), open: Vec::new(), begun_field: None }
    }

    fn read(mut self) -> PartialJson {
        let end = self.run();
        PartialJson {
            nodes: self.nodes,
            start: self.start,
            seam: self.at,
            end,
            open: self.open.into_iter().map(|(node, _)| node).collect(),
            begun_field: self.begun_field,
        }
    }

    fn run(&mut self) -> End {
        let mut expect = Expect::Value;
        loop {
            self.skip_space();
            let Some(byte) = self.peek() else { return End::CutOff };
            // A model may close the code fence around an incomplete document.
            if self.text[self.at..].starts_with("```") {
                return End::CutOff;
            }
            let in_object = self.open.last().is_some_and(|(node, _)| self.nodes[*node].content == Content::Object);
            let closed = match (expect, byte) {
                (Expect::Value | Expect::FirstItem, b'{') => {
                    self.open_container(Content::Object);
                    expect = Expect::FirstName;
                    continue;
                }
                (Expect::Value | Expect::FirstItem, b'[') => {
                    self.open_container(Content::Array);
                    expect = Expect::FirstItem;
                    continue;
                }
                (Expect::FirstItem, b']') => self.close_container(),
                (Expect::FirstName, b'}') => self.close_container(),
                (Expect::Comma, b'}') if in_object => self.close_container(),
                (Expect::Comma, b']') if !in_object => self.close_container(),
                (Expect::Value | Expect::FirstItem, b'"') => self.text_value(),
                (Expect::Value | Expect::FirstItem, b'-' | b'0'..=b'9') => self.number(),
                (Expect::Value | Expect::FirstItem, b't' | b'f' | b'n') => self.word(),
                (Expect::FirstName | Expect::Name, b'"') => {
                    let (name, is_closed) = self.string();
                    self.begun_field = Some(BegunField { name, is_closed });
                    expect = Expect::Colon;
                    Ok(is_closed)
                }
                (Expect::Colon, b':') => {
                    self.at += 1;
                    expect = Expect::Value;
                    continue;
                }
                (Expect::Comma, b',') => {
                    self.at += 1;
                    expect = if in_object { Expect::Name } else { Expect::Value };
                    continue;
                }
                (Expect::Value | Expect::FirstItem, _) => Err("a value"),
                (Expect::FirstName | Expect::Name, _) => Err("the name of a field"),
                (Expect::Colon, _) => Err("a colon"),
                (Expect::Comma, _) => Err("a comma or the end"),
            };
            match closed {
                Err(expected) => return End::Broken { expected },
                Ok(false) => return End::CutOff,
                Ok(true) if self.open.is_empty() => return End::Closed,
                Ok(true) if expect == Expect::Colon && self.begun_field.is_some() => {}
                Ok(true) => expect = Expect::Comma,
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Adds a node from `start` to the current position.
    fn add(&mut self, content: Content, start: usize, is_closed: bool) {
        let label = match (self.begun_field.take(), self.open.last()) {
            (Some(field), _) => Label::Field(field.name),
            (None, Some((_, count))) => Label::Item(*count),
            (None, None) => Label::Root,
        };
        let parent = self.open.last_mut().map(|(node, count)| {
            *count += 1;
            *node
        });
        self.nodes.push(Node { parent, depth: self.open.len(), label, content, is_closed, span: start..self.at });
    }

    fn open_container(&mut self, content: Content) {
        let start = self.at;
        self.at += 1;
        self.add(content, start, false);
        self.open.push((self.nodes.len() - 1, 0));
    }

    fn close_container(&mut self) -> Result<bool, &'static str> {
        self.at += 1;
        if let Some((node, _)) = self.open.pop() {
            self.nodes[node].is_closed = true;
            self.nodes[node].span.end = self.at;
        }
        Ok(true)
    }

    fn text_value(&mut self) -> Result<bool, &'static str> {
        let start = self.at;
        let (text, is_closed) = self.string();
        self.add(Content::Text(text), start, is_closed);
        Ok(is_closed)
    }

    fn number(&mut self) -> Result<bool, &'static str> {
        let start = self.at;
        while let Some(b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E') = self.peek() {
            self.at += 1;
        }
        let written = &self.text[start..self.at];
        let is_closed = self.at < self.text.len();
        if is_closed && !is_number(written) {
            self.at = start;
            return Err("a number");
        }
        self.add(Content::Number(written.to_owned()), start, is_closed);
        Ok(is_closed)
    }

    fn word(&mut self) -> Result<bool, &'static str> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_alphabetic()) {
            self.at += 1;
        }
        let written = &self.text[start..self.at];
        let is_closed = matches!(written, "true" | "false" | "null");
        let is_begun =
            self.at == self.text.len() && ["true", "false", "null"].iter().any(|word| word.starts_with(written));
        if !is_closed && !is_begun {
            self.at = start;
            return Err("a value");
        }
        self.add(Content::Word(written.to_owned()), start, is_closed);
        Ok(is_closed)
    }

    /// Parses a string from its opening quote. Line breaks and unknown escapes, which models write, are accepted.
    fn string(&mut self) -> (String, bool) {
        let mut text = String::new();
        self.at += 1;
        loop {
            let rest = &self.text[self.at..];
            let Some(plain) = rest.find(['"', '\\']) else {
                text.push_str(rest);
                self.at = self.text.len();
                return (text, false);
            };
            text.push_str(&rest[..plain]);
            self.at += plain;
            if self.peek() == Some(b'"') {
                self.at += 1;
                return (text, true);
            }
            let Some((c, length)) = escaped(&self.text[self.at..]) else {
                self.at = self.text.len();
                return (text, false);
            };
            text.push(c);
            self.at += length;
        }
    }
}

/// Parses the escape at the beginning of `text` into a character and its length. `None` if it is incomplete.
fn escaped(text: &str) -> Option<(char, usize)> {
    let c = text[1..].chars().next()?;
    Some(match c {
        'n' => ('\n', 2),
        't' => ('\t', 2),
        'r' => ('\r', 2),
        'b' => ('\u{8}', 2),
        'f' => ('\u{c}', 2),
        'u' => return unicode_escape(text),
        other => (other, 1 + other.len_utf8()),
    })
}

fn unicode_escape(text: &str) -> Option<(char, usize)> {
    let bytes = text.as_bytes();
    let Some(first) = hex_unit(&bytes[2..])? else { return Some((char::REPLACEMENT_CHARACTER, 2)) };
    if !(0xd800..0xdc00).contains(&first) {
        return Some((char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER), 6));
    }
    // The first half of a surrogate pair: the second must follow.
    let rest = &bytes[6..];
    if rest.is_empty() || rest == b"\\" {
        return None;
    }
    match rest.strip_prefix(b"\\u").map_or(Some(None), hex_unit)? {
        Some(second) if (0xdc00..0xe000).contains(&second) => {
            let pair = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            Some((char::from_u32(pair).unwrap_or(char::REPLACEMENT_CHARACTER), 12))
        }
        _ => Some((char::REPLACEMENT_CHARACTER, 6)),
    }
}

/// Parses four hexadecimal digits. `Some(None)` if they are something else, `None` if the text ends before.
fn hex_unit(bytes: &[u8]) -> Option<Option<u32>> {
    let mut unit = 0;
    for i in 0..4 {
        match char::from(*bytes.get(i)?).to_digit(16) {
            Some(digit) => unit = unit * 16 + digit,
            None => return Some(None),
        }
    }
    Some(Some(unit))
}

/// `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`
fn is_number(written: &str) -> bool {
    let (mantissa, exponent) = match written.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (written, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let whole = whole.strip_prefix('-').unwrap_or(whole);
    let exponent = exponent.map(|exponent| exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    is_digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(is_digits)
        && exponent.is_none_or(is_digits)
}
