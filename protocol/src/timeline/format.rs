//! Formats numbers, names and quotes for the sentences of banners and verdicts.

use crate::json::preview;

/// «1 call», «1,204 calls».
pub(super) fn count(n: u64, singular: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{} {singular}{s}", grouped(n))
}

/// «once», «twice», «6 times».
pub(super) fn times(n: u64) -> String {
    match n {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{} times", grouped(n)),
    }
}

pub(super) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// «`a`», «`a` and `b`», «`a`, `b` and 3 others». Each name once.
pub(super) fn tools<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const MAX_NAMED: usize = 3;
    let mut named: Vec<&str> = Vec::new();
    let mut others = std::collections::BTreeSet::new();
    for name in names {
        if named.contains(&name) {
            continue;
        }
        if named.len() < MAX_NAMED {
            named.push(name);
        } else {
            others.insert(name);
        }
    }
    let mut parts: Vec<String> = named.iter().map(|name| tool(name)).collect();
    match others.len() {
        0 => {}
        1 => parts.push("1 other".to_owned()),
        n => parts.push(format!("{n} others")),
    }
    match parts.pop() {
        None => "a tool".to_owned(),
        Some(only) if parts.is_empty() => only,
        Some(last) => format!("{} and {last}", parts.join(", ")),
    }
}

/// Formats a name from a log as code. Hostile names can neither leave their quotes nor fill the page.
pub(super) fn tool(name: &str) -> String {
    format!("`{}`", plain(name, 64).replace('`', "'"))
}

/// Formats a text from a log as a short quote: “…”.
pub(super) fn quoted(text: &str, max_chars: usize) -> String {
    format!("“{}”", plain(text, max_chars))
}

/// Returns a text from a log on one line, without invisible characters and those that change the direction of text.
pub(super) fn plain(text: &str, max_chars: usize) -> String {
    let is_hidden = |c: char| {
        (c.is_control() && !c.is_whitespace())
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    let shortened = preview(text, max_chars);
    if shortened.contains(is_hidden) { shortened.replace(is_hidden, "") } else { shortened }
}

/// «5 minutes», «30 seconds», «1,500 ms».
pub(super) fn duration(ms: u64) -> String {
    match ms {
        ms if ms >= 60_000 && ms.is_multiple_of(60_000) => count(ms / 60_000, "minute"),
        ms if ms >= 1_000 && ms.is_multiple_of(1_000) => count(ms / 1_000, "second"),
        ms => format!("{} ms", grouped(ms)),
    }
}

/// Returns a text from a log that ends with exactly one punctuation mark.
pub(super) fn sentence(text: &str) -> String {
    let text = plain(text, 300);
    if text.ends_with(['.', '!', '?', '…', '”']) { text } else { format!("{text}.") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_plural_and_their_groups() {
        assert_eq!((count(1, "call"), count(0, "call")), ("1 call".to_owned(), "0 calls".to_owned()));
        assert_eq!((grouped(999), grouped(1_204_500)), ("999".to_owned(), "1,204,500".to_owned()));
        assert_eq!(
            (duration(300_000), duration(1_000), duration(1_500)),
            ("5 minutes".to_owned(), "1 second".to_owned(), "1,500 ms".to_owned())
        );
    }

    #[test]
    fn tools_are_named_once_and_at_most_three() {
        assert_eq!(tools(["a", "b", "a"]), "`a` and `b`");
        assert_eq!(tools(["a", "b", "c", "d", "e", "d"]), "`a`, `b`, `c` and 2 others");
        assert_eq!(tools(["x`<b>"]), "`x'<b>`");
        assert_eq!(quoted("a\u{202e}b\u{0}\nc", 9), "“ab c”");
    }
}
