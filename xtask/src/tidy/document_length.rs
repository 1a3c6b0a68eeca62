//! Checks that the documents that everyone reads stay short.

use super::{SourceFile, Violation};

const LIMIT_LINES: usize = 150;
const LIMIT_WORDS: usize = 1_500;

pub fn check(file: &SourceFile) -> Vec<Violation> {
    if !matches!(file.path.as_str(), "README.md" | "ARCHITECTURE.md") {
        return Vec::new();
    }
    let lines = file.text.lines().count();
    let words = file.text.split_whitespace().count();
    let mut found = Vec::new();
    if lines > LIMIT_LINES {
        let what = format!("{lines} lines; move details to docs/ or next to the code ({LIMIT_LINES} at most)");
        found.push(Violation::new(file, LIMIT_LINES + 1, what));
    }
    if words > LIMIT_WORDS {
        let what = format!("{words} words; move details to docs/ or next to the code ({LIMIT_WORDS} at most)");
        found.push(Violation::new(file, 1, what));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::messages;
    use super::*;

    #[test]
    fn a_long_document_is_reported() {
        let (lines, words) = ("word\n".repeat(151), "word ".repeat(1_501));
        assert!(messages(check, "README.md", &lines)[0].starts_with("README.md:151: 151 lines"));
        assert!(messages(check, "ARCHITECTURE.md", &words)[0].starts_with("ARCHITECTURE.md:1: 1501 words"));
        assert!(messages(check, "docs/api.md", &lines).is_empty());
        assert!(messages(check, "README.md", &"word\n".repeat(150)).is_empty());
    }
}
