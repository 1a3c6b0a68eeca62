//! Checks that source files stay short.

use super::{SourceFile, Violation};

const LIMIT_LINES: usize = 500;
const HAND_WRITTEN: &[&str] = &[".rs", ".ts", ".css", ".sql"];

/// Tests and snapshots may be long lists.
pub fn check(file: &SourceFile) -> Vec<Violation> {
    let hand_written = HAND_WRITTEN.iter().any(|ext| file.path.ends_with(ext));
    let is_test = file.path.split('/').any(|part| matches!(part, "tests" | "tests.rs" | "snapshots"));
    let lines = file.text.lines().count();
    if !hand_written || is_test || lines <= LIMIT_LINES {
        return Vec::new();
    }
    vec![Violation::new(file, LIMIT_LINES + 1, format!("{lines} lines; split what is over {LIMIT_LINES}"))]
}

#[cfg(test)]
mod tests {
    use super::super::messages;
    use super::*;

    #[test]
    fn a_long_file_is_reported_unless_it_is_a_test() {
        let long = "\n".repeat(501);
        assert_eq!(messages(check, "app/src/lib.rs", &long), ["app/src/lib.rs:501: 501 lines; split what is over 500"]);
        assert!(messages(check, "server/tests/integration/main.rs", &long).is_empty());
        assert!(messages(check, "Cargo.lock", &long).is_empty());
        assert!(messages(check, "app/src/lib.rs", &"\n".repeat(500)).is_empty());
    }
}
