//! Checks that no file contains marks of unfinished work.

use super::{SourceFile, Violation};

/// Written in halves, so that this file passes its own check.
const MARKS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX"), concat!("db", "g!(")];
const CHECKED: &[&str] = &[".rs", ".ts", ".js", ".css", ".sql", ".md", ".toml", ".sh", ".html"];

pub fn check(file: &SourceFile) -> Vec<Violation> {
    if !CHECKED.iter().any(|ext| file.path.ends_with(ext)) {
        return Vec::new();
    }
    let lines = file.text.lines().enumerate();
    lines
        .filter_map(|(index, line)| {
            let mark = MARKS.iter().find(|mark| has_word(line, mark))?;
            Some(Violation::new(file, index + 1, format!("finish what `{mark}` marks, or remove it")))
        })
        .collect()
}

fn has_word(line: &str, word: &str) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(part_of_word) && (word.ends_with('(') || !after.is_some_and(part_of_word))
    })
}

#[cfg(test)]
mod tests {
    use super::super::messages;
    use super::*;

    #[test]
    fn a_mark_is_reported_and_a_longer_word_is_not() {
        for mark in MARKS {
            assert_eq!(
                messages(check, "app/src/lib.rs", &format!("//! Pages.\n{mark}x)\n").replace("x)", " )")).len(),
                1
            );
        }
        assert!(messages(check, "app/src/lib.rs", "const TODOS: &str = \"mastodon\";\n").is_empty());
    }
}
