//! Hints for the syntax of other query languages, and for misspelled words.

use super::{Measure, When, is_reserved};

/// Logic words of other languages, and the hint for each.
const LOGIC_WORDS: [(&str, &str); 3] = [
    ("OR", "Put a comma between values of one key for OR, for example env:prod,dev."),
    ("AND", "All parts of a filter hold at once: leave the AND out."),
    ("NOT", "Put a minus before a filter to exclude it, for example -env:dev."),
];
const QUOTE_IT: &str = "To search for the word itself, put it in quotes.";

/// Other names of measures.
const OTHER_NAMES: [(&str, Measure); 12] = [
    ("tool", Measure::Calls),
    ("tools", Measure::Calls),
    ("tool_calls", Measure::Calls),
    ("steps", Measure::Turns),
    ("latency", Measure::Duration),
    ("time", Measure::Duration),
    ("took", Measure::Duration),
    ("price", Measure::Cost),
    ("dollars", Measure::Cost),
    ("wait", Measure::Waited),
    ("waiting", Measure::Waited),
    ("waits", Measure::Waited),
];
const TIMES: [&str; 6] = ["created", "started", "date", "age", "at", "when"];

/// Returns the hint for a logic word in capitals.
pub fn logic_word(word: &str) -> Option<String> {
    let (_, hint) = LOGIC_WORDS.iter().find(|(known, _)| *known == word)?;
    Some(format!("{hint} {QUOTE_IT}"))
}

pub fn is_logic_word(word: &str) -> bool {
    LOGIC_WORDS.iter().any(|(known, _)| *known == word)
}

/// Returns whether a value begins like a comparison, or is a wildcard.
pub fn is_operator(value: &str) -> bool {
    value == "*" || value.starts_with(['>', '<', '=']) || value.starts_with("!=")
}

/// Returns the hint for an operator before the value of a key that is not compared.
pub fn operator(key: &str, value: &str) -> Option<String> {
    if !is_operator(value) {
        return None;
    }
    let instead = if value == "*" && is_reserved(key) {
        format!("There is no wildcard. To match any value, remove `{key}:`.")
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
            None => "Only duration, tokens, cost, turns, calls and waited are compared.".to_owned(),
        }
    };
    Some(format!("{instead} If the value really starts like this, put it in quotes."))
}

fn measure(key: &str) -> Option<Measure> {
    let other = OTHER_NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, measure)| *measure);
    other.or_else(|| {
        let near = nearest(key, Measure::ALL.map(Measure::as_str))?;
        Measure::ALL.into_iter().find(|measure| measure.as_str() == near)
    })
}

/// Returns the known word that is most similar to a misspelled one, if one is similar enough.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters: Vec<char> = word.chars().map(|c| c.to_ascii_lowercase()).collect();
    let allowed = letters.len() / 3;
    let distances = known.into_iter().map(|known| (distance(&letters, known), known));
    distances.filter(|(distance, _)| *distance <= allowed).min_by_key(|(distance, _)| *distance).map(|(_, known)| known)
}

/// Returns the number of letters to add, remove, change or swap with the next.
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
    fn a_misspelled_word_is_recognized() {
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
