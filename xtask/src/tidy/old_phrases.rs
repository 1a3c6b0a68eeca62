//! Checks that phrases which were replaced by plainer ones do not come back.

use super::{SourceFile, Violation};

/// A phrase, and what to write instead. A phrase is matched as a whole, in any case.
const PHRASES: &[(&str, &str)] = &[
    ("a fragment", "partial output"),
    ("are told", "get, see or read"),
    ("anew", "again"),
    ("as good as it gets", "best effort"),
    ("at most 4 each", "peak 4 per bar"),
    ("befalls", "affects"),
    ("beforehand", "before"),
    ("breaks no rule", "valid against output schema"),
    ("equal steps", "identical steps"),
    ("fill this in", "required"),
    ("forestall", "prevent"),
    ("is told", "gets, sees or reads"),
    ("it is kept", "it is saved"),
    ("it wrote no answer", "no output"),
    ("launch like this", "relaunch"),
    ("lets go of", "releases"),
    ("mend the", "fix the"),
    ("nearest good twin", "most similar successful run"),
    ("nothing more can be said", "no more messages can be sent"),
    ("of one's own", "your"),
    ("open its run", "view run"),
    ("see that somebody", "make sure"),
    ("show these", "apply"),
    ("somebody", "a person, a user or another process"),
    ("taken up again", "undone or resumed"),
    ("thereof", "of it"),
    ("they part here", "first difference"),
    ("time in runs", "run time"),
    ("what closed", "parsed"),
    ("what was told", "what it said"),
    ("what you were writing", "draft"),
    ("where it is left out", "default"),
    ("whoever", "the person who"),
];

const CHECKED: &[&str] = &[".rs", ".ts", ".md", ".css", ".sql", ".json"];

/// This list, the changelog of earlier versions, and migrations, which never change.
const EXEMPT: &[&str] = &["xtask/src/tidy/old_phrases.rs", "CHANGELOG.md", "migrations/"];

pub fn check(file: &SourceFile) -> Vec<Violation> {
    if !CHECKED.iter().any(|ext| file.path.ends_with(ext)) || EXEMPT.iter().any(|path| file.path.starts_with(path)) {
        return Vec::new();
    }
    let lines = file.text.lines().enumerate();
    let found = lines.flat_map(|(index, line)| {
        let line = line.to_lowercase();
        let phrases = PHRASES.iter().filter(move |(phrase, _)| has_phrase(&line, phrase));
        phrases.map(move |(phrase, instead)| (index + 1, format!("«{phrase}»: write «{instead}»")))
    });
    found.map(|(line, what)| Violation::new(file, line, what)).collect()
}

fn has_phrase(line: &str, phrase: &str) -> bool {
    line.match_indices(phrase).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + phrase.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::super::messages;
    use super::*;

    #[test]
    fn an_old_phrase_is_reported_wherever_it_stands() {
        assert_eq!(messages(check, "app/src/lib.rs", "\"Mend the filter\"").len(), 1);
        assert_eq!(messages(check, "docs/api.md", "Limit; 50 where it is left out").len(), 1);
        assert!(messages(check, "app/src/lib.rs", "// Recommend the manewal.").is_empty());
        assert!(messages(check, "CHANGELOG.md", "Somebody").is_empty());
    }
}
