//! Parses the inputs of a batch from CSV or JSON, and writes each into the spec.

use std::collections::BTreeSet;

use app::AppError;
use app::launch::draft::json_error;
use serde_json::{Map, Value};

use crate::answers::fill_placeholders;

pub const MAX_INPUTS: usize = 200;
const MAX_PREVIEW_CHARS: usize = 300;

/// One row: the value of each column.
pub type Input = Map<String, Value>;

/// Parses a JSON list of texts or objects, or CSV with a header line.
pub fn parse(text: &str) -> Result<Vec<Input>, AppError> {
    let inputs = match text.trim_start().chars().next() {
        Some('[') => parse_json(text)?,
        Some(_) => parse_csv(text)?,
        None => Vec::new(),
    };
    match inputs.len() {
        0 => Err(invalid("There are no inputs. Give a CSV with a header line, or a JSON list.")),
        1..=MAX_INPUTS => Ok(inputs),
        count => Err(invalid(format!("There are {count} inputs; at most {MAX_INPUTS} can be launched at once."))),
    }
}

/// Returns the spec for one input. If the prompt or a message has a `{{column}}`, columns replace these placeholders;
/// otherwise the column `prompt` or `input` becomes the prompt, or the only column if the spec has no prompt. Columns named
/// `metadata.key` become metadata. An unused column or a replaced message is an error.
pub fn apply(spec: &Value, input: &Input, tag: (&str, &str)) -> Result<Value, AppError> {
    let mut spec = spec.clone();
    let fields = spec.as_object_mut().ok_or_else(|| invalid("A run spec is a JSON object."))?;
    let mut used = BTreeSet::new();
    for text in texts(fields) {
        *text = fill_placeholders(text, |column| {
            let is_column = !column.is_empty() && !column.contains(['{', '}', '\n']);
            is_column.then(|| {
                used.insert(column.to_owned());
                input.get(column).map(text_of).unwrap_or_default()
            })
        });
    }
    if let Some(missing) = used.iter().find(|column| !input.contains_key(*column)) {
        let known: Vec<&str> = columns(input).map(String::as_str).collect();
        let known = known.join(", ");
        return Err(invalid(format!("There is no column {missing} for {{{{{missing}}}}}. The columns are: {known}.")));
    }
    if used.is_empty() {
        used.insert(replace_prompt(fields, input)?);
    }
    if let Some(column) = columns(input).find(|column| !used.contains(*column)) {
        return Err(invalid(format!(
            "The column {column} is not used. Write {{{{{column}}}}} where it belongs, name it metadata.{column}, or leave it out."
        )));
    }
    if fields.get("metadata").is_none_or(Value::is_null) {
        fields.insert("metadata".to_owned(), Map::new().into());
    }
    // Validation reports metadata that is not an object.
    let Some(tags) = fields.get_mut("metadata").and_then(Value::as_object_mut) else { return Ok(spec) };
    let metadata = input.iter().filter_map(|(column, value)| Some((column.strip_prefix("metadata.")?, text_of(value))));
    for (key, value) in metadata.chain([(tag.0, tag.1.to_owned())]) {
        tags.insert(key.to_owned(), value.into());
    }
    Ok(spec)
}

/// Returns a sentence with the number of runs and the first prompt.
pub fn preview(spec: &Value, text: &str) -> Result<String, AppError> {
    let inputs = parse(text)?;
    let count = inputs.len();
    let specs = inputs.iter().enumerate();
    // One at a time: a spec may have files.
    let mut specs = specs.map(|(i, input)| apply(spec, input, ("", "")).map_err(|error| at_input(i, count, error)));
    let mut first = specs.next().transpose()?;
    specs.try_for_each(|spec| spec.map(drop))?;
    let fields = first.as_mut().and_then(Value::as_object_mut);
    let asked: Vec<String> = fields.map(texts).into_iter().flatten().map(std::mem::take).collect();
    let asked: String = asked.join(" / ").chars().take(MAX_PREVIEW_CHARS).collect();
    Ok(match count {
        1 => format!("One run: “{asked}”"),
        _ => format!("{count} runs. The first: “{asked}”"),
    })
}

/// Describes an input: the value of its only column, or all columns with their names.
pub fn describe(input: &Input) -> String {
    let mut columns = input.iter();
    match (columns.next(), columns.next()) {
        (Some((_, value)), None) => text_of(value),
        _ => {
            input.iter().map(|(column, value)| format!("{column}: {}", text_of(value))).collect::<Vec<_>>().join(" · ")
        }
    }
}

/// Adds the number of the input to its error. Errors in fields have it if there are several inputs.
pub fn at_input(i: usize, inputs: usize, error: AppError) -> AppError {
    match error {
        AppError::Invalid { field, message } => AppError::invalid(&field, format!("Input {}: {message}", i + 1)),
        AppError::Fields { mut errors } if inputs > 1 => {
            errors.iter_mut().for_each(|error| error.message.push_str(&format!(" (with input {})", i + 1)));
            AppError::Fields { errors }
        }
        other => other,
    }
}

/// Returns the texts that may have placeholders: the prompt and the messages.
fn texts(fields: &mut Map<String, Value>) -> impl Iterator<Item = &mut String> {
    let values = fields.iter_mut().flat_map(|(name, value)| match (name.as_str(), value) {
        ("prompt", prompt) => vec![prompt],
        ("messages", Value::Array(messages)) => {
            messages.iter_mut().filter_map(|message| message.get_mut("content")).collect()
        }
        _ => Vec::new(),
    });
    values.filter_map(|value| if let Value::String(text) = value { Some(text) } else { None })
}

fn columns(input: &Input) -> impl Iterator<Item = &String> {
    input.keys().filter(|column| !column.starts_with("metadata."))
}

/// Replaces the prompt with a column, and returns the column's name.
fn replace_prompt(fields: &mut Map<String, Value>, input: &Input) -> Result<String, AppError> {
    let has_prompt = fields.get("prompt").and_then(Value::as_str).is_some_and(|prompt| !prompt.trim().is_empty());
    let has_messages = fields.get("messages").and_then(Value::as_array).is_some_and(|messages| !messages.is_empty());
    let named = columns(input).find(|column| matches!(column.as_str(), "prompt" | "input"));
    let mut all = columns(input);
    let only = all.next().filter(|_| all.next().is_none() && !has_prompt);
    let Some(column) = named.or(only).filter(|_| !has_messages) else {
        let names: Vec<String> = columns(input).map(|column| format!("{{{{{column}}}}}")).collect();
        let message = match (names.is_empty(), has_messages) {
            (true, _) => "No column has the prompt. Name one column “prompt”.".to_owned(),
            (false, true) => format!("No message uses the inputs. Write {} into one.", names.join(" or ")),
            (false, false) => format!("Write {} into the prompt, or name a column prompt.", names.join(" or ")),
        };
        return Err(invalid(message));
    };
    let text = text_of(&input[column]);
    if text.trim().is_empty() {
        return Err(invalid(format!("The column {column} is empty.")));
    }
    fields.insert("prompt".to_owned(), text.into());
    fields.remove("messages");
    Ok(column.clone())
}

fn parse_json(text: &str) -> Result<Vec<Input>, AppError> {
    let items: Vec<Value> = serde_json::from_str(text).map_err(|error| invalid(json_error::describe(text, &error)))?;
    let rows = items.into_iter().enumerate().map(|(i, item)| match item {
        Value::String(prompt) => Ok(Input::from_iter([("prompt".to_owned(), Value::String(prompt))])),
        Value::Object(fields) => Ok(fields),
        _ => Err(invalid(format!("Input {} is neither a string nor an object.", i + 1))),
    });
    rows.collect()
}

fn parse_csv(text: &str) -> Result<Vec<Input>, AppError> {
    let text = text.trim_start_matches('\u{feff}');
    let (starts, unclosed) = cell_starts(text);
    if let Some((line, column)) = unclosed {
        return Err(invalid(format!("A quote is not closed. Add the closing quote (line {line}, column {column}).")));
    }
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator(text))
        .trim(csv::Trim::Headers)
        .flexible(true)
        .from_reader(text.as_bytes());
    let unreadable = |_| invalid("This is neither CSV nor a JSON list.");
    let columns = reader.headers().map_err(unreadable)?.clone();
    let mut names = BTreeSet::new();
    if let Some((i, name)) = columns.iter().enumerate().find(|(_, name)| name.is_empty() || !names.insert(*name)) {
        let problem = if name.is_empty() { "A column has no name" } else { "Two columns have the same name" };
        let column = starts.get(i).map_or_else(|| end_of_line(text, 1), |(_, column)| *column);
        return Err(invalid(format!("{problem}. Give each column its own name (line 1, column {column}).")));
    }
    let rows = reader.records().map(|record| {
        let record = record.map_err(unreadable)?;
        if record.len() != columns.len() {
            let line = record.position().map_or(1, csv::Position::line);
            return Err(invalid(format!(
                "The first line has {} columns, and this one has {}. Add or remove values (line {line}, column {}).",
                columns.len(),
                record.len(),
                end_of_line(text, line)
            )));
        }
        let cells = columns.iter().zip(record.iter());
        Ok(cells.map(|(column, cell)| (column.to_owned(), Value::String(cell.to_owned()))).collect())
    });
    rows.collect()
}

/// A line and a column, in characters.
type Position = (usize, usize);

/// Returns where each cell starts, and where the cell starts whose quote is never closed. A quote counts only at
/// the start of a cell and in a cell that starts with one.
fn cell_starts(text: &str) -> (Vec<Position>, Option<Position>) {
    let separator = char::from(separator(text));
    let (mut line, mut column) = (1, 0);
    let (mut starts, mut is_start, mut is_quoted, mut is_open) = (Vec::new(), true, false, false);
    for c in text.chars() {
        column += 1;
        if is_start {
            starts.push((line, column));
            is_quoted = c == '"';
            is_open = is_quoted;
        } else {
            is_open ^= is_quoted && c == '"';
        }
        is_start = !is_open && (c == separator || c == '\n');
        if c == '\n' {
            (line, column) = (line + 1, 0);
        }
    }
    let unclosed = starts.last().copied().filter(|_| is_open);
    (starts, unclosed)
}

/// Returns the column after the last character of a line.
fn end_of_line(text: &str, line: u64) -> usize {
    let index = usize::try_from(line).unwrap_or(1).saturating_sub(1);
    text.lines().nth(index).map_or(0, |line| line.chars().count()) + 1
}

/// Spreadsheets write semicolons where a comma is the decimal point, and tabs when cells are copied.
fn separator(text: &str) -> u8 {
    let header = text.lines().next().unwrap_or_default();
    let count = |separator: &u8| header.bytes().filter(|byte| byte == separator).count();
    // Of equal counts the last one wins: the comma.
    [b'\t', b';', b','].into_iter().max_by_key(count).unwrap_or(b',')
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn invalid(message: impl Into<String>) -> AppError {
    AppError::invalid("inputs", message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn prompts(spec: &Value, inputs: &str) -> Vec<String> {
        let inputs = parse(inputs).expect("readable");
        let specs = inputs.iter().map(|input| apply(spec, input, ("batch", "b1")).expect("fits"));
        specs.map(|spec| spec["prompt"].as_str().expect("a prompt").to_owned()).collect()
    }

    #[test]
    fn csv_and_json_give_the_same_prompts() {
        let spec = json!({ "prompt": "Translate {{word}} to {{ language }}." });
        let csv = "word,language\n\"good, day\",French\nhouse,German\n";
        let json = r#"[{"word":"good, day","language":"French"},{"word":"house","language":"German"}]"#;
        assert_eq!(prompts(&spec, csv), ["Translate good, day to French.", "Translate house to German."]);
        assert_eq!(prompts(&spec, json), prompts(&spec, csv));
        assert_eq!(prompts(&spec, &csv.replace(',', ";").replace("good;", "good,")), prompts(&spec, csv));
        assert_eq!(prompts(&spec, "word\tlanguage\nhouse\tGerman\n"), ["Translate house to German."]);
        assert_eq!(prompts(&json!({ "prompt": "x" }), "[\"a\",\"b\"]"), ["a", "b"]);
        assert_eq!(prompts(&json!({}), "question\nwhy?\n"), ["why?"]);
    }

    #[test]
    fn every_run_carries_the_tag_and_its_own_metadata() {
        let input = &parse("prompt,metadata.customer\nhi,acme\n").expect("readable")[0];
        let spec = apply(&json!({ "metadata": { "env": "test" } }), input, ("batch", "b1")).expect("fits");
        assert_eq!(spec["metadata"], json!({ "env": "test", "customer": "acme", "batch": "b1" }));
        let odd = apply(&json!({ "metadata": ["odd"] }), input, ("batch", "b1")).expect("left to validation");
        assert_eq!(odd["metadata"], json!(["odd"]));
        assert!(apply(&json!([]), input, ("batch", "b1")).is_err());
    }

    #[test]
    fn errors_name_the_line_or_input() {
        let message = |text: &str| parse(text).expect_err(text).to_string();
        let short = message("a,b\n1,2\n3\n");
        assert!(short.contains("2 columns") && short.contains("line 3, column 2"), "{short}");
        let quote = message("a,b\n\"1,2\n3,4\n");
        assert!(quote.contains("quote is not closed") && quote.contains("line 2, column 1"), "{quote}");
        assert!(message("n\n\"a\nb\n").contains("quote is not closed"));
        assert_eq!(parse("size,n\n5\" pipe,1\n").expect("readable")[0]["size"], "5\" pipe");
        assert!(message("a,b\n\"1 \"\" 2,3\n").contains("line 2, column 1"));
        let (twice, nameless) = (message("\"a,b\",n,n\n1,2,3\n"), message("a,\n1,2\n"));
        assert!(twice.contains("same name") && twice.contains("line 1, column 9"), "{twice}");
        assert!(nameless.contains("no name") && nameless.contains("line 1, column 3"), "{nameless}");
        assert!(message("[1]").contains("Input 1"));
        assert!(message("[\"a\",").contains("column"));
        assert!(message(" ").contains("no inputs"));
        assert!(message(&format!("p\n{}", "x\n".repeat(201))).contains("201"));
        let input = &parse("a,b\n1,2\n").expect("readable")[0];
        assert!(apply(&json!({}), input, ("batch", "b")).expect_err("no column").to_string().contains("{{a}}"));
    }

    #[test]
    fn unused_columns_and_missing_placeholders_are_errors() {
        let problem = |spec: Value, inputs: &str| preview(&spec, inputs).expect_err(inputs).to_string();
        let hello = json!({ "prompt": "Hello {{who}}." });
        assert!(problem(hello.clone(), "name\nAda\n").contains("no column who"));
        assert!(problem(hello.clone(), "who,age\nAda,36\n").contains("column age is not used"));
        assert!(problem(hello, r#"[{"who":"Ada"},{"name":"Grace"}]"#).contains("Input 2"));
        assert!(problem(json!({ "prompt": "Hello." }), "name\nAda\n").contains("{{name}}"));
        assert!(problem(json!({ "prompt": "x" }), "prompt,age\nhi,36\n").contains("column age"));
        let plain = json!({ "messages": [{ "role": "user", "content": "Hello." }] });
        assert!(problem(plain, "prompt\nhi\n").contains("{{prompt}}"));
    }

    #[test]
    fn placeholders_in_messages_are_replaced_and_the_first_prompt_is_shown() {
        let spec = json!({ "messages": [{ "role": "system", "content": "s" }, { "role": "user", "content": "Hi {{who}}, {} {{ }}" }] });
        let input = &parse("who\nAda {{who}}\n").expect("readable")[0];
        let filled = apply(&spec, input, ("batch", "b")).expect("fits");
        assert_eq!(filled["messages"][1]["content"], "Hi Ada {{who}}, {} {{ }}");
        assert_eq!(preview(&spec, "who\nAda\nGrace\n").expect("fits"), "2 runs. The first: “s / Hi Ada, {} {{ }}”");
    }
}
