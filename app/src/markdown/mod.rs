//! Markdown as models write it, read into plain data that cannot carry HTML.
//!
//! ```text
//!  text ──lines──▶ blocks (headings, paragraphs, code, lists, quotes, tables) ──▶ inlines (emphasis, code, links)
//! ```
//!
//! The subset is the one that language models use. Everything else stays the text that it is: there is no raw HTML, no
//! image is loaded, and a link is one only with a scheme that is safe to open. Any text is read in linear time, and
//! nesting ends at a fixed depth. A full CommonMark reader would be loaded by every first visitor, for little more.

mod inline;

pub use inline::{Inline, is_safe as is_safe_address};

/// Nesting deeper than this is shown as text.
const MAX_DEPTH: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    Heading { level: u8, text: Vec<Inline> },
    Paragraph(Vec<Inline>),
    Code { language: String, text: String },
    Quote(Vec<Block>),
    List { start: Option<u64>, items: Vec<Vec<Block>> },
    Table { head: Vec<Vec<Inline>>, rows: Vec<Vec<Vec<Inline>>> },
    Rule,
}

pub fn parse(text: &str) -> Vec<Block> {
    let lines: Vec<&str> = text.lines().collect();
    blocks(&lines, 0)
}

fn blocks(lines: &[&str], depth: usize) -> Vec<Block> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        at += block(&lines[at..], depth, &mut out);
    }
    out
}

/// Reads the block that `lines` begin with and tells how many lines it took, at least one.
fn block(lines: &[&str], depth: usize, out: &mut Vec<Block>) -> usize {
    let line = lines[0];
    let trimmed = line.trim_start();
    if trimmed.is_empty() {
        return 1;
    }
    if let Some(fence) = Fence::open(trimmed) {
        return code(lines, &fence, out);
    }
    if let Some((level, text)) = heading(trimmed) {
        out.push(Block::Heading { level, text: inline::parse(text) });
        return 1;
    }
    if is_rule(trimmed) {
        out.push(Block::Rule);
        return 1;
    }
    if depth < MAX_DEPTH {
        if trimmed.starts_with('>') {
            return quote(lines, depth, out);
        }
        if Marker::of(line).is_some() {
            return list(lines, depth, out);
        }
    }
    if let Some(taken) = table(lines, out) {
        return taken;
    }
    paragraph(lines, depth, out)
}

struct Fence<'a> {
    mark: char,
    width: usize,
    language: &'a str,
}

impl<'a> Fence<'a> {
    fn open(trimmed: &'a str) -> Option<Self> {
        let mark = trimmed.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let width = trimmed.chars().take_while(|&c| c == mark).count();
        let language = trimmed[width..].trim();
        (width >= 3 && !language.contains('`')).then_some(Self { mark, width, language })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let line = line.trim();
        line.len() >= self.width && line.chars().all(|c| c == self.mark)
    }
}

/// A fence that is never closed holds the rest: a model that was cut off, or is still writing.
fn code(lines: &[&str], fence: &Fence<'_>, out: &mut Vec<Block>) -> usize {
    let body = lines[1..].iter().take_while(|line| !fence.is_closed_by(line)).count();
    out.push(Block::Code { language: fence.language.to_owned(), text: lines[1..=body].join("\n") });
    (body + 2).min(lines.len())
}

fn heading(trimmed: &str) -> Option<(u8, &str)> {
    let level = trimmed.bytes().take_while(|&byte| byte == b'#').count();
    let text = trimmed[level..].strip_prefix(' ')?;
    (1..=6).contains(&level).then(|| (u8::try_from(level).unwrap_or(6), text.trim().trim_end_matches('#').trim_end()))
}

fn is_rule(trimmed: &str) -> bool {
    let mut marks = trimmed.chars().filter(|c| !c.is_whitespace());
    let Some(first) = marks.next().filter(|mark| matches!(mark, '-' | '*' | '_')) else { return false };
    let rest = marks.try_fold(0, |count, mark| (mark == first).then_some(count + 1));
    rest.is_some_and(|count| count >= 2)
}

fn quote(lines: &[&str], depth: usize, out: &mut Vec<Block>) -> usize {
    let inner: Vec<&str> = lines
        .iter()
        .map_while(|line| line.trim_start().strip_prefix('>'))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    out.push(Block::Quote(blocks(&inner, depth + 1)));
    inner.len()
}

/// What begins a list item.
#[derive(Clone, Copy)]
struct Marker {
    /// The number of an ordered item.
    number: Option<u64>,
    indent: usize,
    /// Where the item's text begins.
    text_at: usize,
}

impl Marker {
    fn of(line: &str) -> Option<Self> {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let rest = &line[indent..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, mark) = match digits {
            0 => (None, rest.starts_with(['-', '*', '+']).then_some(1)?),
            1..=9 => {
                (Some(rest[..digits].parse().ok()?), rest[digits..].starts_with(['.', ')']).then_some(digits + 1)?)
            }
            _ => return None,
        };
        let text = &rest[mark..];
        let gap = text.len() - text.trim_start_matches(' ').len();
        (gap > 0 || text.is_empty()).then_some(Self { number, indent, text_at: indent + mark + gap.min(4) })
    }
}

fn list(lines: &[&str], depth: usize, out: &mut Vec<Block>) -> usize {
    let Some(first) = Marker::of(lines[0]) else { return paragraph(lines, depth, out) };
    let mut items: Vec<Vec<&str>> = Vec::new();
    let mut text_at = first.text_at;
    let mut taken = 0;
    for line in lines {
        let marker = Marker::of(line).filter(|marker| marker.indent < text_at);
        let indent = line.len() - line.trim_start().len();
        match marker {
            Some(marker) if marker.number.is_some() == first.number.is_some() && !is_rule(line.trim_start()) => {
                text_at = marker.text_at;
                items.push(vec![&line[marker.text_at.min(line.len())..]]);
            }
            Some(_) => break,
            None if line.trim().is_empty() => items.last_mut().into_iter().for_each(|item| item.push("")),
            None if indent >= text_at.min(2) => {
                let cut = indent.min(text_at);
                items.last_mut().into_iter().for_each(|item| item.push(line.get(cut..).unwrap_or(line)));
            }
            // A line that follows directly belongs to the item's paragraph; after a gap it does not.
            None if items.last().is_some_and(|item| item.last().is_some_and(|last| !last.is_empty())) => {
                items.last_mut().into_iter().for_each(|item| item.push(line));
            }
            None => break,
        }
        taken += 1;
    }
    let items = items.iter().map(|item| blocks(item, depth + 1)).collect();
    out.push(Block::List { start: first.number, items });
    taken.max(1)
}

/// A row of cells, a line of dashes under it, and more rows.
fn table(lines: &[&str], out: &mut Vec<Block>) -> Option<usize> {
    let [head, rule, ..] = lines else { return None };
    let columns = cells(head).len();
    let is_delimiter = |cell: &&str| cell.contains('-') && cell.chars().all(|c| matches!(c, '-' | ':'));
    let rule = cells(rule);
    if !head.contains('|') || rule.len() != columns || !rule.iter().all(is_delimiter) {
        return None;
    }
    let read = |line: &str| -> Vec<Vec<Inline>> {
        let mut row: Vec<_> = cells(line).into_iter().map(inline::parse).take(columns).collect();
        row.resize(columns, Vec::new());
        row
    };
    let body = lines[2..].iter().take_while(|line| line.contains('|')).count();
    out.push(Block::Table { head: read(head), rows: lines[2..2 + body].iter().map(|line| read(line)).collect() });
    Some(2 + body)
}

fn cells(line: &str) -> Vec<&str> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = line.strip_suffix('|').unwrap_or(line);
    line.split('|').map(str::trim).collect()
}

/// Lines until a blank one, or one that begins something else. Their breaks are kept, as models mean them.
fn paragraph(lines: &[&str], depth: usize, out: &mut Vec<Block>) -> usize {
    let begins_other = |line: &&str| {
        let trimmed = line.trim_start();
        trimmed.is_empty()
            || Fence::open(trimmed).is_some()
            || heading(trimmed).is_some()
            || is_rule(trimmed)
            || (depth < MAX_DEPTH && (trimmed.starts_with('>') || Marker::of(line).is_some()))
    };
    let taken = 1 + lines[1..].iter().take_while(|line| !begins_other(line)).count();
    out.push(Block::Paragraph(inline::parse(&lines[..taken].join("\n"))));
    taken
}

#[cfg(test)]
mod tests;
