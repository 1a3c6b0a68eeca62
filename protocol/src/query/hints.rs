//! What to write instead of what other languages write, and the known word nearest to one that is not.

use super::{Measure, When, is_reserved};

/// Words that join or negate elsewhere, and what does so here.
const JOINING: [(&str, &str); 3] = [
    ("OR", "Put a comma between values of one key for OR, for example env:prod,dev."),
    ("AND", "All parts of a filter hold at once: leave the AND out."),
    ("NOT", "Write a minus before what is to be left out, for example -env:dev."),
];
const QUOTE_IT: &str = "To look for the word itself, put quotes around it.";

/// What people call figures of a run.
const OTHER_NAMES: [(&str, Measure); 9] = [
    ("tool", Measure::Calls),
    ("tools", Measure::Calls),
    ("tool_calls", Measure::Calls),
    ("steps", Measure::Turns),
    ("latency", Measure::Duration),
    ("time", Measure::Duration),
    ("took", Measure::Duration),
    ("price", Measure::Cost),
    ("dollars", Measure::Cost),
];
const TIMES: [&str; 6] = ["created", "started", "date", "age", "at", "when"];

/// What to write instead of a bare word in capitals.
pub fn joining(word: &str) -> Option<String> {
    let (_, hint) = JOINING.iter().find(|(joining, _)| *joining == word)?;
    Some(format!("{hint} {QUOTE_IT}"))
}

pub fn is_joining(word: &str) -> bool {
    JOINING.iter().any(|(joining, _)| *joining == word)
}

/// Whether a value begins as a comparison does, or stands for any.
pub fn is_operator(value: &str) -> bool {
    value == "*" || value.starts_with(['>', '<', '=']) || value.starts_with("!=")
}

/// What to write instead of an operator before the value of a key that is not compared.
pub fn operator(key: &str, value: &str) -> Option<String> {
    if !is_operator(value) {
        return None;
    }
    let instead = if value == "*" && is_reserved(key) {
        format!("Nothing stands for any value: leave `{key}:` out.")
    } else if value == "*" {
        format!("To find runs that have any `{key}`, write has:{key}.")
    } else if let Some(rest) = value.strip_prefix("!=") {
        format!("To leave out runs with this value, write -{key}:{rest}.")
    } else if let Some(rest) = value.strip_prefix('=') {
        format!("Write {key}:{rest}.")
    } else if TIMES.iter().any(|word| word.eq_ignore_ascii_case(key)) {
        let time = value.trim_start_matches(['>', '<', '=']);
        let time = if When::parse(time).is_some() { time } else { "2h" };
        format!("For runs created before that time write before:{time}, for later ones since:{time}.")
    } else {
        match measure(key) {
            Some(measure) => format!("Did you mean {}:{value}?", measure.as_str()),
            None => "Only duration, tokens, cost, turns and calls are compared.".to_owned(),
        }
    };
    Some(format!("{instead} A value that really begins so is written in quotes."))
}

fn measure(key: &str) -> Option<Measure> {
    let other = OTHER_NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, measure)| *measure);
    other.or_else(|| {
        let near = nearest(key, Measure::ALL.map(Measure::as_str))?;
        Measure::ALL.into_iter().find(|measure| measure.as_str() == near)
    })
}

/// The word that a misspelt one was most likely to be, where one is near enough.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters: Vec<char> = word.chars().map(|c| c.to_ascii_lowercase()).collect();
    let allowed = letters.len() / 3;
    let distances = known.into_iter().map(|known| (distance(&letters, known), known));
    distances.filter(|(distance, _)| *distance <= allowed).min_by_key(|(distance, _)| *distance).map(|(_, known)| known)
}

/// Letters to add, leave out, change or swap with the next.
fn distance(word: &[char], known: &str) -> usize {
    let known: Vec<char> = known.chars().map(|c| c.to_ascii_lowercase()).collect();
    if known.len().abs_diff(word.len()) > word.len() {
        return usize::MAX;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=known.len()).collect();
    for (i, a) in word.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, b) in known.iter().enumerate() {
            let mut least = (row[j] + usize::from(a != b)).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *a == known[j - 1] && word[i - 1] == *b {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        (before, row) = (row, next);
    }
    row.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_word_is_told_from_another_one() {
        let known = ["status", "duration", "customer", "env"];
        for (word, near) in [
            ("stauts", Some("status")),
            ("Status", Some("status")),
            ("custmer", Some("customer")),
            ("durations", Some("duration")),
            ("envs", Some("env")),
            ("region", None),
            ("en", None),
            ("x", None),
        ] {
            assert_eq!(nearest(word, known), near, "{word}");
        }
    }
}
