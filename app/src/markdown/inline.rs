//! Emphasis, code and links inside a line of Markdown.
//!
//! One pass finds the pieces; a stack pairs the marks of emphasis. A mark that finds no partner stays text.

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inline {
    Text(String),
    Code(String),
    Strong(Vec<Inline>),
    Emphasis(Vec<Inline>),
    Strike(Vec<Inline>),
    /// `href` has a scheme that is safe to open.
    Link {
        href: String,
        text: Vec<Inline>,
    },
    Break,
}

/// Emphasis inside emphasis deeper than this is shown as text.
const MAX_DEPTH: usize = 8;
/// A link's text and address are looked for this far, in bytes.
const MAX_LINK_BYTES: usize = 4_096;

pub fn parse(text: &str) -> Vec<Inline> {
    let mut reader = Reader {
        text,
        at: 0,
        ticks: TickRuns::of(text),
        label_ends: NextOf::new("]("),
        breaks: NextOf::new("\n"),
        link_ends: NextOf::new(")"),
        open: Vec::new(),
        out: Vec::new(),
        plain: 0,
    };
    reader.read();
    reader.finish()
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    ticks: TickRuns,
    label_ends: NextOf,
    breaks: NextOf,
    link_ends: NextOf,
    /// Marks that wait for their partner: the mark, and where in `out` what it marks begins.
    open: Vec<(&'static str, usize)>,
    out: Vec<Inline>,
    /// Where text begins that is not in `out` yet.
    plain: usize,
}

impl<'a> Reader<'a> {
    fn read(&mut self) {
        while let Some(byte) = self.text.as_bytes().get(self.at).copied() {
            match byte {
                b'\\' if self.text[self.at + 1..].starts_with(|c: char| c.is_ascii_punctuation()) => {
                    self.flush();
                    self.plain = self.at + 1;
                    self.at += 2;
                }
                b'`' => self.code(),
                b'*' | b'_' | b'~' => self.mark(),
                b'[' => self.link(),
                b'h' => self.bare_link(),
                b'\n' => self.take(1, Inline::Break),
                _ => self.at += 1,
            }
        }
    }

    fn finish(mut self) -> Vec<Inline> {
        self.flush();
        while let Some((mark, begin)) = self.open.pop() {
            self.out.insert(begin, Inline::Text(mark.to_owned()));
        }
        self.out
    }

    fn flush(&mut self) {
        if self.plain < self.at {
            self.out.push(Inline::Text(self.text[self.plain..self.at].to_owned()));
        }
        self.plain = self.at;
    }

    /// Puts `inline` out for the next `length` bytes.
    fn take(&mut self, length: usize, inline: Inline) {
        self.flush();
        self.out.push(inline);
        self.at += length;
        self.plain = self.at;
    }

    fn code(&mut self) {
        let width = self.text[self.at..].bytes().take_while(|&byte| byte == b'`').count();
        let Some(close) = self.ticks.next(width, self.at + width) else {
            self.at += width;
            return;
        };
        let inner = &self.text[self.at + width..close];
        let stripped = inner.strip_prefix(' ').and_then(|inner| inner.strip_suffix(' '));
        let code = stripped.filter(|inner| !inner.trim().is_empty()).unwrap_or(inner).replace('\n', " ");
        self.take(close + width - self.at, Inline::Code(code));
    }

    fn mark(&mut self) {
        let rest = &self.text[self.at..];
        let Some(mark) = ["**", "__", "~~", "*", "_"].into_iter().find(|mark| rest.starts_with(mark)) else {
            self.at += 1;
            return;
        };
        let before = self.text[..self.at].chars().next_back();
        let after = rest[mark.len()..].chars().next();
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
        // snake_case is a word.
        let inside_word = mark.starts_with('_') && is_word(before) && is_word(after);
        let partner = self.open.iter().rposition(|(open, _)| *open == mark);
        match partner {
            Some(partner) if !is_space(before) && !inside_word => self.close(partner, mark),
            _ if !is_space(after) && !inside_word && self.open.len() < MAX_DEPTH => {
                self.flush();
                self.open.push((mark, self.out.len()));
                self.at += mark.len();
                self.plain = self.at;
            }
            _ => self.at += mark.len(),
        }
    }

    fn close(&mut self, partner: usize, mark: &'static str) {
        self.flush();
        // Marks inside that found no partner are text.
        while self.open.len() > partner + 1 {
            if let Some((lone, begin)) = self.open.pop() {
                self.out.insert(begin, Inline::Text(lone.to_owned()));
            }
        }
        let Some((_, begin)) = self.open.pop() else { return };
        let inner = self.out.split_off(begin);
        self.out.push(match mark {
            "**" | "__" => Inline::Strong(inner),
            "~~" => Inline::Strike(inner),
            _ => Inline::Emphasis(inner),
        });
        self.at += mark.len();
        self.plain = self.at;
    }

    /// `[text](address)`. Without a safe address both stay text, so that a reader sees where it would have led.
    fn link(&mut self) {
        match self.link_parts() {
            Some((label, target, end)) if is_safe(target) => {
                let link = Inline::Link { href: target.to_owned(), text: vec![Inline::Text(label.to_owned())] };
                self.take(end - self.at, link);
            }
            _ => self.at += 1,
        }
    }

    /// Label, address, and where the link ends. All of it is on one line, and short.
    fn link_parts(&mut self) -> Option<(&'a str, &'a str, usize)> {
        let text = self.text;
        let line_end = self.breaks.from(text, self.at).unwrap_or(text.len());
        let middle = self.label_ends.from(text, self.at)?;
        let end = self.link_ends.from(text, middle + 2)?;
        if end > line_end || end - self.at > MAX_LINK_BYTES {
            return None;
        }
        let label = &text[self.at + 1..middle];
        let target = text[middle + 2..end].split_whitespace().next()?;
        (!label.contains('[')).then_some((label, target, end + 1))
    }

    /// An address that stands in the text as it is.
    fn bare_link(&mut self) {
        let rest = &self.text[self.at..];
        let follows_word = self.text[..self.at].chars().next_back().is_some_and(char::is_alphanumeric);
        if follows_word || !(rest.starts_with("https://") || rest.starts_with("http://")) {
            self.at += 1;
            return;
        }
        let end =
            rest.find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`' | '|')).unwrap_or(rest.len());
        let address = rest[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '*', '_', '\'']);
        if address.ends_with("//") {
            self.at += end;
            return;
        }
        let link = Inline::Link { href: address.to_owned(), text: vec![Inline::Text(address.to_owned())] };
        self.take(address.len(), link);
    }
}

/// Addresses that open a page or a letter, and nothing that runs.
pub fn is_safe(address: &str) -> bool {
    let lower = address.get(..8).unwrap_or(address).to_ascii_lowercase();
    let safe = ["https://", "http://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme));
    safe && !address.chars().any(|c| c.is_control() || c.is_whitespace())
}

/// Where runs of backticks of each width begin, so that a code span's end is found without looking twice.
struct TickRuns(Vec<(usize, usize)>);

impl TickRuns {
    fn of(text: &str) -> Self {
        let mut runs = Vec::new();
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let width = bytes[at..].iter().take_while(|&&byte| byte == b'`').count();
            if width > 0 {
                runs.push((width, at));
            }
            at += width.max(1);
        }
        // In order of width, then place.
        runs.sort_unstable();
        Self(runs)
    }

    fn next(&self, width: usize, from: usize) -> Option<usize> {
        let at = self.0.partition_point(|&run| run < (width, from));
        self.0.get(at).filter(|run| run.0 == width).map(|run| run.1)
    }
}

/// Finds the next place of a needle for positions that only grow, looking at each byte once.
struct NextOf {
    needle: &'static str,
    looked_to: usize,
    found: Option<usize>,
}

impl NextOf {
    fn new(needle: &'static str) -> Self {
        Self { needle, looked_to: 0, found: None }
    }

    fn from(&mut self, text: &str, at: usize) -> Option<usize> {
        if self.found.is_some_and(|found| found >= at) {
            return self.found;
        }
        let start = at.max(self.looked_to);
        self.found = text.get(start..)?.find(self.needle).map(|offset| start + offset);
        self.looked_to = self.found.unwrap_or(text.len());
        self.found
    }
}
