//! Where the JSON side stops being JSON.

use crate::launch::Form;
use crate::launch::sheet::JsonProblem;

/// The place, with the line that it stands in.
pub fn json_problem(text: &str) -> Option<JsonProblem> {
    let bad = Form::parse(text).err()?;
    let line = text.lines().nth(bad.line.saturating_sub(1)).unwrap_or_default();
    // Columns are counted in bytes. Where more should follow, the place is behind the last of them.
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
    fn the_place_where_json_breaks_is_shown_with_its_line() {
        let problem = json_problem("{\n  \"prompt\": \"a\",\n  \"name\" 3\n}").expect("a problem");
        assert_eq!((problem.line, problem.before.as_str(), problem.after.as_str()), (3, "  \"name\" ", "3"));
        let cut_at = |text: &str| json_problem(text).map(|problem| problem.before).unwrap_or_default();
        assert_eq!(cut_at("{ \"a\": \"b"), "{ \"a\": \"b");
        assert_eq!(cut_at("{ \"é\" 3 }"), "{ \"é\" ");
        assert_eq!(json_problem("[]").expect("a problem").line, 1);
        assert_eq!(json_problem("{}"), None);
    }
}
