//! Error messages without ids and numbers, so that the same failure has the same message in all runs.

use crate::timeline::failure::{describe, is_documented, sentence};
use crate::timeline::format::plain;

/// Stands for an id or a number.
const BLANK: char = '#';
/// The blank in a title.
const SHOWN_BLANK: &str = "…";
/// A word that becomes a blank.
const NUMBER: &str = "0";
const QUOTES: [char; 3] = ['"', '\'', '`'];
/// What is quoted after these words is the name of someone, which differs per run.
const NAMED: [&str; 14] = [
    "account",
    "company",
    "contact",
    "customer",
    "customers",
    "employee",
    "member",
    "organisation",
    "organization",
    "patient",
    "person",
    "supplier",
    "tenant",
    "user",
];
/// Longer messages are cut, after ids and numbers are removed, whose length would move the end.
const MAX_WORDS: usize = 40;
/// More of a line is not looked at.
const MAX_CHARS: usize = 4_000;
const MAX_TITLE_CHARS: usize = 160;
/// Longer words are encoded data.
const MAX_WORD_CHARS: usize = 32;
/// A shorter word says little.
const MIN_WORD_CHARS: usize = 4;
/// A shorter word in hexadecimal letters may be one of English.
const MIN_HEX_CHARS: usize = 8;
/// The groups in the middle of a UUID.
const UUID_GROUP_CHARS: usize = 4;
/// A shorter word in mixed case after `_` or `-` may be a name.
const MIN_MIXED_CHARS: usize = 6;

/// Returns the title of a failure and its normalized message. A class that is not documented says nothing itself.
pub fn titled(class: &str, error: Option<&str>) -> (String, String) {
    let message = normalized(error.unwrap_or_default());
    let title = match (message.is_empty(), is_documented(class)) {
        (true, _) => format!("Failed: {}", describe(class)),
        (false, true) if says_the_same(&sentence(class), &message) => sentence(class),
        (false, true) => format!("{}: {}", sentence(class), shown(&message)),
        (false, false) => shown(&message),
    };
    (title, message)
}

/// Returns whether half of the words of a message, or more, are in a sentence.
fn says_the_same(sentence: &str, message: &str) -> bool {
    let lower = sentence.to_lowercase();
    let known: Vec<&str> = lower.split(' ').collect();
    let message = message.to_lowercase();
    let words = message.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() >= MIN_WORD_CHARS);
    let (all, same) = words.fold((0, 0), |(all, same), word| (all + 1, same + usize::from(known.contains(&word))));
    all > 0 && same * 2 >= all
}

/// Returns the first line of a message with one blank for each id and number, and for each list of them.
pub fn normalized(message: &str) -> String {
    let line = message.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let line: String = line.chars().take(MAX_CHARS).collect();
    let line = without_names(&without_addresses(&line));
    let mut text = String::new();
    // The separator and the word before.
    let (mut words, mut was_blank, mut separator) = (0, false, String::new());
    for piece in pieces(&line) {
        if !piece.starts_with(char::is_alphanumeric) {
            separator = piece.split_whitespace().collect::<Vec<_>>().join(" ");
            let (starts, ends) = (piece.starts_with(char::is_whitespace), piece.ends_with(char::is_whitespace));
            separator = match (separator.is_empty(), starts, ends) {
                (true, ..) => " ".to_owned(),
                (false, true, true) => format!(" {separator} "),
                (false, true, false) => format!(" {separator}"),
                (false, false, true) => format!("{separator} "),
                (false, false, false) => separator,
            };
            continue;
        }
        words += 1;
        if words > MAX_WORDS {
            separator.clear();
            break;
        }
        let is_blank = is_id(piece, &separator, was_blank);
        match (is_blank, was_blank) {
            (true, true) if separator.chars().all(joins_ids) => {}
            (true, _) => {
                text.push_str(without_sign(&separator, text.is_empty()));
                text.push(BLANK);
            }
            (false, _) => {
                text.push_str(&separator);
                text.push_str(piece);
            }
        }
        was_blank = is_blank;
        separator.clear();
    }
    text.push_str(&separator);
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ':' | ',' | ';' | '!' | '-')).to_owned()
}

/// Puts a number, which becomes a blank, in place of each e-mail address or other word with an `@`.
fn without_addresses(line: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '@' | '.' | '_' | '%' | '+' | '-');
    let mut text = String::new();
    let mut rest = line;
    while !rest.is_empty() {
        let in_word = rest.starts_with(is_part);
        let (piece, after) = rest.split_at(rest.find(|c: char| is_part(c) != in_word).unwrap_or(rest.len()));
        let is_address = piece.contains('@') && piece.contains(char::is_alphanumeric);
        text.push_str(if is_address { NUMBER } else { piece });
        rest = after;
    }
    text
}

/// Puts a number in place of each quoted name of someone: `customer "Acme Corp"`. Other quoted words, such as names of fields,
/// say what failed.
fn without_names(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(QUOTES) {
        let (before, quoted) = rest.split_at(at);
        let quote = quoted.chars().next().unwrap_or_default();
        let inner = &quoted[quote.len_utf8()..];
        text.push_str(before);
        text.push(quote);
        let noun =
            before.trim_end_matches([' ', ':']).rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let is_name = before.ends_with([' ', ':']) && NAMED.contains(&noun.to_lowercase().as_str());
        rest = match inner.find(quote).filter(|end| is_name && *end > 0) {
            Some(end) => {
                text.push_str(NUMBER);
                text.push(quote);
                &inner[end + quote.len_utf8()..]
            }
            None => inner,
        };
    }
    text + rest
}

/// Returns a normalized message as a title shows it.
pub fn shown(message: &str) -> String {
    // A status code at the beginning says nothing once it is blank.
    let text = message.trim_start_matches([BLANK, ' ', ':', '-', ',']);
    let text = if text.is_empty() { message } else { text };
    match plain(&text.replace(BLANK, SHOWN_BLANK), MAX_TITLE_CHARS) {
        hidden if hidden.is_empty() => SHOWN_BLANK.to_owned(),
        text => text,
    }
}

/// Splits a text into words and what is between them.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let is_word = rest.chars().next()?.is_alphanumeric();
        let end = rest.find(|c: char| c.is_alphanumeric() != is_word).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

/// Returns whether a word is a number, an id or a part of one. `separator` is what is before it, after another word.
fn is_id(word: &str, separator: &str, after_blank: bool) -> bool {
    let is_hex = word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let length = word.chars().count();
    let is_mixed = word.chars().any(char::is_lowercase) && word.chars().skip(1).any(char::is_uppercase);
    word.contains(char::is_numeric)
        || length > MAX_WORD_CHARS
        || (is_hex && length >= MIN_HEX_CHARS)
        || (is_hex && length == UUID_GROUP_CHARS && after_blank && separator == "-")
        || (is_mixed && length >= MIN_MIXED_CHARS && matches!(separator, "_" | "-"))
}

/// Returns whether a character between two ids makes them one, or a list.
fn joins_ids(c: char) -> bool {
    c.is_whitespace() || matches!(c, '-' | '_' | '.' | ':' | ',' | '/' | '+' | '=' | '@')
}

/// Leaves out the sign or currency of a number, which is not between two words.
fn without_sign(separator: &str, is_first: bool) -> &str {
    let bare = separator.trim_end_matches(['-', '+', '~', '±', '#', '$', '€', '£']);
    if is_first || !bare.is_empty() { bare } else { separator }
}
