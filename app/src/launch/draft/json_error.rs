//! Describes syntax errors of JSON in sentences, with their line and column.

use serde_json::Value;
use serde_json::error::Category;

use crate::model::launch::JsonProblem;

/// Parses JSON. An error is one sentence.
pub fn parse(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| describe(text, &error))
}

/// Describes an error of `serde_json` for the text that has it.
pub fn describe(text: &str, error: &serde_json::Error) -> String {
    let place = format!("line {}, column {}", error.line(), column_in_chars(text, error));
    // The parser's own words, without its position.
    let words = error.to_string();
    let words = words.split(" at line ").next().unwrap_or_default();
    let next = text_after(text, error.line(), error.column());
    let reason = match words {
        _ if error.classify() == Category::Eof => "The JSON ends too early. Close its quotes and brackets",
        _ if words.contains("trailing comma") => "There is an extra comma. Remove it",
        _ if words.contains("trailing characters") => "There is more text after the end of the JSON. Remove it",
        _ if words.contains("key must be a string") && next.starts_with(['}', ']']) => {
            "There is an extra comma. Remove it"
        }
        _ if words.contains("key must be a string") => "A name is missing its double quotes",
        _ if words.contains("expected `:`") => "A colon is missing after a name",
        _ if words.contains("expected `,`") => "A comma or a closing bracket is missing",
        _ if words.contains("control character") => "A string has a line break. Write \\n instead",
        _ if words.contains("escape") => "A string has a backslash that JSON doesn't allow. Write \\\\ instead",
        _ if words.contains("number") => "This is not a valid JSON number",
        _ if words.contains("recursion") => "The JSON is nested too deeply",
        _ => "This is not JSON. Strings need double quotes",
    };
    format!("{reason} ({place}).")
}

/// Returns the position of the error in the JSON editor and the line around it.
pub fn json_problem(text: &str) -> Option<JsonProblem> {
    let (line, column, at_end, message) = match serde_json::from_str::<Value>(text) {
        Ok(value) if value.is_object() => return None,
        Ok(_) => (1, 1, false, "A run spec is a JSON object: { … }.".to_owned()),
        Err(error) => (error.line(), column_in_chars(text, &error), error.is_eof(), describe(text, &error)),
    };
    let shown = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    // At an unexpected end, the error is after the last character.
    let chars = if at_end { column } else { column.saturating_sub(1) };
    let cut = shown.char_indices().nth(chars).map_or(shown.len(), |(at, _)| at);
    let (before, after) = shown.split_at(cut);
    let from = before.char_indices().rev().nth(59).map_or(0, |(at, _)| at);
    Some(JsonProblem {
        line,
        column,
        message,
        before: before[from..].to_owned(),
        after: after.chars().take(60).collect(),
    })
}

/// The parser counts columns in bytes, and begins with 0 after a line break.
fn column_in_chars(text: &str, error: &serde_json::Error) -> usize {
    let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
    line[..line.floor_char_boundary(error.column())].chars().count().max(1)
}

/// Returns the text at a position. Columns are counted in bytes.
fn text_after(text: &str, line: usize, column: usize) -> &str {
    let line = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    &line[line.floor_char_boundary(column.saturating_sub(1))..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_sentences_with_line_and_column() {
        for (text, start, place) in [
            ("{\"a\": 1", "The JSON ends too early.", "line 1, column 7"),
            ("{\"a\": \"b", "The JSON ends too early.", "line 1"),
            ("{\"a\": 1,}", "There is an extra comma.", "line 1, column 9"),
            ("[1,]", "There is an extra comma.", "line 1, column 4"),
            ("{}\n{}", "There is more text", "line 2, column 1"),
            ("{\n  a: 1\n}", "A name is missing its double quotes", "line 2, column 3"),
            ("{\"a\" 1}", "A colon is missing", "line 1, column 6"),
            ("{\"a\": 1 \"b\": 2}", "A comma or a closing bracket is missing", "line 1, column 9"),
            ("[1 2]", "A comma or a closing bracket is missing", "line 1, column 4"),
            ("{\"a\": \"x\ny\"}", "A string has a line break.", "line 2, column 1"),
            ("{\"a\": \"\\q\"}", "A string has a backslash", "line 1, column 9"),
            ("{\"a\": 01}", "This is not a valid JSON number", "line 1, column 8"),
            ("{\"a\": yes}", "This is not JSON.", "line 1, column 7"),
            ("{\"é\": \"éé\" x}", "A comma or a closing bracket is missing", "line 1, column 12"),
            ("", "The JSON ends too early.", "line 1, column 1"),
            ("{'a': 1}", "A name is missing its double quotes", "line 1, column 2"),
            (&"[".repeat(300), "The JSON is nested too deeply", "line 1"),
        ] {
            let message = parse(text).expect_err(text);
            assert!(message.starts_with(start) && message.contains(place), "{text}: {message}");
            assert!(message.ends_with(").") && !message.contains('`'), "{message}");
        }
    }

    #[test]
    fn a_syntax_error_is_shown_with_its_line() {
        let problem = json_problem("{\n  \"prompt\": \"a\",\n  \"name\" 3\n}").expect("a problem");
        assert_eq!((problem.line, problem.before.as_str(), problem.after.as_str()), (3, "  \"name\" ", "3"));
        let cut_at = |text: &str| json_problem(text).map(|problem| problem.before).unwrap_or_default();
        assert_eq!(cut_at("{ \"a\": \"b"), "{ \"a\": \"b");
        assert_eq!(cut_at("{ \"é\" 3 }"), "{ \"é\" ");
        assert_eq!(json_problem("[]").expect("a problem").line, 1);
        assert_eq!(json_problem("{}"), None);
    }
}
