//! Checks that every Rust file starts with a module comment that names what the module contains.

use super::{SourceFile, Violation};

/// Words that start a question. «What the list shows» tells less than «The model of the list page».
const QUESTION_WORDS: &[&str] = &["How", "What", "When", "Where", "Whether", "Who", "Why"];

pub fn check(file: &SourceFile) -> Vec<Violation> {
    if !file.path.ends_with(".rs") {
        return Vec::new();
    }
    let Some(doc) = file.text.strip_prefix("//! ") else {
        return vec![Violation::new(file, 1, "start the module with a `//!` line that names what it contains")];
    };
    match QUESTION_WORDS.iter().find(|word| doc.split_whitespace().next() == Some(**word)) {
        Some(word) => vec![Violation::new(
            file,
            1,
            format!(
                "the module comment starts with «{word}»: name the thing, or start with a verb such as Returns, Parses, Writes"
            ),
        )],
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::messages;
    use super::*;

    #[test]
    fn a_module_without_a_comment_is_reported() {
        assert!(messages(check, "app/src/lib.rs", "//! Pages.\n").is_empty());
        assert!(messages(check, "README.md", "# Runlens\n").is_empty());
        assert_eq!(messages(check, "app/src/lib.rs", "use leptos::*;\n").len(), 1);
    }

    #[test]
    fn a_comment_that_starts_with_a_question_is_reported() {
        let found = messages(check, "app/src/lib.rs", "//! What pages share.\n");
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("starts with «What»"), "{found:?}");
        assert!(messages(check, "app/src/lib.rs", "//! Whatever.\n").is_empty());
    }
}
