//! Locates a syntax error in the JSON editor.

use crate::launch::SpecForm;
use crate::model::launch::JsonProblem;

/// Returns the position of the error and the line around it.
pub fn json_problem(text: &str) -> Option<JsonProblem> {
    let bad = SpecForm::parse(text).err()?;
    let line = text.lines().nth(bad.line.saturating_sub(1)).unwrap_or_default();
    // Columns are counted in bytes. At an unexpected end, the error is after the last one.
    let at = if bad.at_end { bad.column } else { bad.column.saturating_sub(1) };
    let cut = line.floor_char_boundary(at);
    let near = |text: &str, from_end: bool| {
        let chars = text.chars();
        if from_end {
            let count = text.chars().count();
            chars.skip(count.saturating_sub(60)).collect::<String>()
        } else {
            chars.take(60).collect()
        }
    };
    Some(JsonProblem {
        line: bad.line,
        column: bad.column,
        message: bad.message,
        before: near(&line[..cut], true),
        after: near(&line[cut..], false),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
