//! Completion in the filter bar.

use std::ops::Range;

use app::format::grouped;
use app::model::list::Suggestion;
use domain::{FacetValue, ViewList};
use protocol::RunStatus;
use protocol::query::{Clause, Field, Is, RESERVED, SESSION_STATUSES, Term};

use super::facets::title;
use crate::error::Error;
use crate::masking::is_redacted;
use crate::workspace::SignedInWorkspace;

/// Suggests completions for the word at the caret, which is given in UTF-16 code units.
pub async fn load(
    workspace: &SignedInWorkspace,
    list: ViewList,
    text: &str,
    caret: u32,
) -> Result<Vec<Suggestion>, Error> {
    let (store, id) = (&workspace.state.store, workspace.caller.workspace_id);
    let known = async |key: &str, prefix: &str| match list {
        ViewList::Runs => store.complete_values(id, key, prefix).await,
        ViewList::Sessions => store.complete_session_values(id, key, prefix).await,
    };
    let known = async |key: &str, prefix: &str| {
        let mut values = known(key, prefix).await?;
        let shown = |value: &FacetValue| value.label.clone().unwrap_or_else(|| title(&value.value));
        values.retain(|value| !is_redacted(&shown(value)));
        Ok::<_, Error>(values)
    };
    let typed = Typed::parse(text, caret);
    Ok(match (&typed, typed.counted_key()) {
        (Typed::Key { prefix, .. }, _) => {
            typed.suggest_keys(list, text, &known("has", &format!("metadata.{prefix}")).await?)
        }
        (Typed::Value { prefix, .. }, Some(key)) => {
            let begins = |prefix: &str| if key == "has" { format!("metadata.{prefix}") } else { prefix.to_owned() };
            let mut found = Vec::new();
            for spelling in spellings(prefix) {
                found.append(&mut known(&key, &begins(&spelling)).await?);
            }
            // `is:failed` is counted as a status.
            if key == "is" && list == ViewList::Runs && "failed".starts_with(&prefix.to_ascii_lowercase()) {
                found.append(&mut known("status", "failed").await?);
            }
            typed.suggest_values(list, text, &found)
        }
        (Typed::Value { .. }, None) => typed.suggest_values(list, text, &[]),
    })
}

/// The typed prefix in the usual letter cases, because values are matched case-sensitively.
fn spellings(prefix: &str) -> Vec<String> {
    let lower = prefix.to_ascii_lowercase();
    let mut capital = lower.clone();
    if let Some(first) = capital.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let mut all = vec![prefix.to_owned()];
    for spelling in [lower, capital, prefix.to_ascii_uppercase()] {
        if !all.contains(&spelling) {
            all.push(spelling);
        }
    }
    all
}

/// The word at the caret, with its range in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Typed {
    Key { at: Range<usize>, prefix: String },
    Value { at: Range<usize>, key: String, prefix: String },
}

const NOTES: [&str; RESERVED.len()] = [
    "pending, running, succeeded, failed, cancelled",
    "the model's id",
    "a saved agent",
    "the session's id",
    "a tool that was called",
    "the class of the error",
    "a failure group",
    "truncated, looping, budget, waiting …",
    "a metadata key, or orphan-call",
    "the run's id",
    "for example >30s",
    "for example >10k",
    "for example >0.05",
    "for example >5",
    "tool calls, for example >20",
    "time spent waiting for answers, for example >30s",
    "the tool that took most of the time",
    "a tool that failed or reported a failure",
    "for example 2h or 2026-10-01",
    "for example 2026-10-01",
    "the same as since",
    "the run's name",
    "words anywhere in the run",
];

/// Reserved words for sessions.
const SESSION_WORDS: [(&str, &str); 8] = [
    ("status", "active or ended"),
    ("name", "the session's name"),
    ("id", "the session's id"),
    ("has", "a metadata key"),
    ("since", "last used, for example 2h or 2026-10-01"),
    ("before", "for example 2026-10-01"),
    ("after", "the same as since"),
    ("text", "words of name and summary"),
];

impl Typed {
    /// Finds the word at the caret.
    fn parse(text: &str, caret: u32) -> Self {
        let caret = byte_offset(text, caret);
        let (mut start, mut colon, mut comma, mut quoted) = (0, None, None, false);
        for (i, c) in text[..caret].char_indices() {
            let after = i + c.len_utf8();
            match c {
                '"' => quoted = !quoted,
                c if c.is_whitespace() && !quoted => (start, colon, comma) = (after, None, None),
                ':' if !quoted && colon.is_none() => colon = Some(i),
                ',' if !quoted && colon.is_some() => comma = Some(after),
                _ => {}
            }
        }
        let rest = &text[caret..];
        let ends = |c: char| if quoted { c == '"' } else { c.is_whitespace() || c == ',' };
        let mut end = caret + rest.find(ends).unwrap_or(rest.len());
        if quoted && end < text.len() {
            end += 1;
        }
        if text[start..caret].starts_with('-') {
            start += 1;
        }
        match colon {
            Some(colon) => {
                let from = comma.unwrap_or(colon + 1);
                let prefix = text[from..caret].trim_start_matches('"').to_owned();
                Typed::Value { at: from..end, key: text[start..colon].to_owned(), prefix }
            }
            None => Typed::Key { at: start..end, prefix: text[start..caret].to_owned() },
        }
    }

    /// The key that the store counts values under, if it counts this one.
    fn counted_key(&self) -> Option<String> {
        let Self::Value { key, .. } = self else { return None };
        let word = key.to_ascii_lowercase();
        match word.as_str() {
            "status" | "is" | "has" => Some(word),
            _ if Field::ALL.iter().any(|field| field.as_str() == word) => Some(word),
            _ if RESERVED.contains(&word.as_str()) => None,
            _ => Some(format!("metadata.{}", key.strip_prefix("metadata.").unwrap_or(key))),
        }
    }

    /// Suggests metadata keys (`known`, tags of the kind `has`) and reserved words.
    fn suggest_keys(&self, list: ViewList, text: &str, known: &[FacetValue]) -> Vec<Suggestion> {
        let Self::Key { at, prefix } = self else { return Vec::new() };
        let lower = prefix.to_ascii_lowercase();
        let metadata = known.iter().filter_map(|tag| {
            let key = tag.value.strip_prefix("metadata.")?;
            let word = if RESERVED.contains(&key) { &tag.value } else { key };
            Some(suggestion(text, at, &format!("{word}:"), counted(list, tag.runs)))
        });
        let reserved: Vec<(&str, &str)> = match list {
            ViewList::Runs => RESERVED.into_iter().zip(NOTES).collect(),
            ViewList::Sessions => SESSION_WORDS.to_vec(),
        };
        let reserved = reserved.into_iter().filter(|(word, _)| word.starts_with(&lower));
        metadata
            .chain(reserved.map(|(word, note)| suggestion(text, at, &format!("{word}:"), note.to_owned())))
            .collect()
    }

    /// Suggests stored values with their counts, and words of a fixed set even if no run has them.
    fn suggest_values(&self, list: ViewList, text: &str, known: &[FacetValue]) -> Vec<Suggestion> {
        let Self::Value { at, key, prefix } = self else { return Vec::new() };
        let fixed: Vec<&str> = match key.to_ascii_lowercase().as_str() {
            "status" if list == ViewList::Sessions => SESSION_STATUSES.to_vec(),
            "status" => RunStatus::ALL.map(RunStatus::as_str).to_vec(),
            "is" => Is::ALL.map(Is::as_str).to_vec(),
            "since" | "before" | "after" => vec!["15m", "1h", "24h", "7d", "30d"],
            "duration" => vec![">10s", ">1m", ">10m"],
            "tokens" => vec![">1k", ">10k", ">100k"],
            "cost" => vec![">0.01", ">0.1", ">1"],
            "turns" | "calls" => vec![">5", ">20"],
            "has" if list == ViewList::Runs => vec!["orphan-call"],
            _ => Vec::new(),
        };
        let observed = known.iter().map(|value| {
            let word = value.value.strip_prefix("metadata.").filter(|_| key.eq_ignore_ascii_case("has"));
            let runs = counted(list, value.runs);
            let note = value.label.as_ref().map_or_else(|| runs.clone(), |label| format!("{label} · {runs}"));
            (quoted(word.unwrap_or(&value.value)), note)
        });
        let lower = prefix.to_ascii_lowercase();
        let unused = fixed.into_iter().filter(|word| word.starts_with(&lower));
        // Not quoted: a comparison in quotes would be a value.
        let unused = unused
            .filter(|word| known.iter().all(|value| value.value != *word))
            .map(|word| (word.to_owned(), String::new()));
        observed.chain(unused).map(|(word, note)| suggestion(text, at, &format!("{word} "), note)).collect()
    }
}

fn suggestion(text: &str, at: &Range<usize>, word: &str, note: String) -> Suggestion {
    let before = &text[..at.start];
    let after = text[at.end..].trim_start_matches(|c| c == ' ' && word.ends_with(' '));
    let caret = before.encode_utf16().count() + word.encode_utf16().count();
    Suggestion {
        label: word.trim_end().to_owned(),
        note,
        value: format!("{before}{word}{after}"),
        caret: u32::try_from(caret).unwrap_or(u32::MAX),
    }
}

/// Quotes a value if the filter needs it.
fn quoted(value: &str) -> String {
    let clause = Clause::from(Term::metadata("k", value)).to_string();
    clause.strip_prefix("k:").unwrap_or(value).to_owned()
}

fn counted(list: ViewList, count: u64) -> String {
    let noun = if list == ViewList::Runs { "run" } else { "session" };
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

fn byte_offset(text: &str, utf16: u32) -> usize {
    let mut units = 0;
    for (i, c) in text.char_indices() {
        if units >= utf16 {
            return i;
        }
        units += if c.len_utf16() == 2 { 2 } else { 1 };
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(value: &str, runs: u64) -> FacetValue {
        FacetValue { value: value.to_owned(), runs, ..FacetValue::default() }
    }

    #[test]
    fn a_key_is_completed_from_metadata_and_reserved_words() {
        let text = "env:prod -st";
        let typed = Typed::parse(text, 12);
        let found =
            typed.suggest_keys(ViewList::Runs, text, &[value("metadata.stage", 3), value("metadata.status", 1)]);
        let filters: Vec<&str> = found.iter().map(|suggestion| suggestion.value.as_str()).collect();
        assert_eq!(filters, ["env:prod -stage:", "env:prod -metadata.status:", "env:prod -status:"]);
        assert_eq!((found[0].note.as_str(), found[0].caret), ("3 runs", 16));
    }

    #[test]
    fn a_value_is_completed_at_the_caret() {
        let text = "é customer:acme,glo env:prod";
        let typed = Typed::parse(text, 19);
        assert_eq!(typed.counted_key().as_deref(), Some("metadata.customer"));
        let found = typed.suggest_values(ViewList::Runs, text, &[value("globex corp", 2)]);
        assert_eq!(found[0].value, "é customer:acme,\"globex corp\" env:prod");
        assert_eq!(found[0].label, "\"globex corp\"");
    }

    #[test]
    fn fixed_values_are_suggested_without_runs() {
        let text = "status:f";
        let found = Typed::parse(text, 8).suggest_values(ViewList::Runs, text, &[]);
        assert_eq!(found.iter().map(|suggestion| suggestion.value.as_str()).collect::<Vec<_>>(), ["status:failed "]);
        let inside = Typed::parse("customer:\"a b", 13);
        assert_eq!(inside, Typed::Value { at: 9..13, key: "customer".to_owned(), prefix: "a b".to_owned() });
    }

    #[test]
    fn sessions_have_their_own_reserved_words() {
        let found = Typed::parse("st", 2).suggest_keys(ViewList::Sessions, "st", &[value("metadata.stage", 1)]);
        let labels: Vec<&str> = found.iter().map(|suggestion| suggestion.label.as_str()).collect();
        assert_eq!((labels, found[0].note.as_str()), (vec!["stage:", "status:"], "1 session"));
        let found = Typed::parse("status:e", 8).suggest_values(ViewList::Sessions, "status:e", &[]);
        assert_eq!(found.iter().map(|suggestion| suggestion.value.as_str()).collect::<Vec<_>>(), ["status:ended "]);
    }

    #[test]
    fn any_caret_position_is_valid() {
        for text in ["", "a", "\"", "é:ü\"x,", "a:b,c d"] {
            for caret in 0..12 {
                let typed = Typed::parse(text, caret);
                typed.suggest_keys(ViewList::Runs, text, &[value("metadata.a", 1)]);
                typed.suggest_values(ViewList::Runs, text, &[value("x", 1)]);
            }
        }
    }

    #[test]
    fn fixed_values_are_suggested_without_quotes() {
        for (text, offered) in [
            ("duration:", vec!["duration:>10s ", "duration:>1m ", "duration:>10m "]),
            ("has:OR", vec!["has:orphan-call "]),
            ("status:Su", vec!["status:succeeded "]),
        ] {
            let caret = u32::try_from(text.len()).expect("a short text");
            let found = Typed::parse(text, caret).suggest_values(ViewList::Runs, text, &[]);
            assert_eq!(found.into_iter().map(|suggestion| suggestion.value).collect::<Vec<_>>(), offered);
        }
    }

    #[test]
    fn values_are_completed_in_any_letter_case() {
        assert_eq!(spellings("pRo"), ["pRo", "pro", "Pro", "PRO"]);
        assert_eq!(spellings("7"), ["7"]);
        assert_eq!(spellings(""), [""]);
        assert_eq!(spellings("\u{fc}b"), ["\u{fc}b", "\u{fc}B"]);
    }
}
