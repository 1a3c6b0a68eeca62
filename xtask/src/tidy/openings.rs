//! Every Rust file opens with what it is for.

use super::{SourceFile, Violation};

/// The first line must be a module comment.
pub fn check(file: &SourceFile) -> Vec<Violation> {
    if !file.path.ends_with(".rs") || file.text.starts_with("//! ") {
        return Vec::new();
    }
    vec![Violation::new(file, 1, "open the module with a `//!` line that says what it is for")]
}

#[cfg(test)]
mod tests {
    use super::super::messages;
    use super::*;

    #[test]
    fn a_module_without_its_first_line_is_reported() {
        assert!(messages(check, "app/src/lib.rs", "//! Pages.\n").is_empty());
        assert!(messages(check, "README.md", "# Runlens\n").is_empty());
        assert_eq!(messages(check, "app/src/lib.rs", "use leptos::*;\n").len(), 1);
    }
}
