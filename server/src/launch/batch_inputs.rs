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
        0 => Err(invalid("There are no inputs. Give a CSV with a header line, or a JSON list.".to_owned())),
        1..=MAX_INPUTS => Ok(inputs),
        count => Err(invalid(format!("There are {count} inputs; at most {MAX_INPUTS} can be launched at once."))),
    }
}

/// Returns the spec for one input. If the prompt or a message has a `{{column}}`, columns replace these placeholders;
/// otherwise the column `prompt` or `input` becomes the prompt, or the only column if the spec has no prompt. Columns named
/// `metadata.key` become metadata. An unused column or a replaced message is an error.
pub fn apply(spec: &Value, input: &Input, tag: (&str, &str)) -> Result<Value, AppError> {
    let mut spec = spec.clone();
    let Some(fields) = spec.as_object_mut() else {
        return Err(invalid("A run spec is a JSON object.".to_owned()));
    };
    let used = match template_texts(fields).iter().flat_map(|text| placeholders(text)).collect::<BTreeSet<_>>() {
        names if names.is_empty() => BTreeSet::from([replace_prompt(fields, input)?]),
        names => {
            fill_in(fields, input, &names)?;
            names
        }
    };
    let unused = columns(input).find(|column| !used.contains(*column));
    if let Some(column) = unused {
        return Err(invalid(format!(
            "The column {column} is not used. Write {{{{{column}}}}} where it belongs, name it metadata.{column}, or leave it out."
        )));
    }
    let tags = fields.entry("metadata").or_insert(Value::Null);
    if tags.is_null() {
        *tags = Map::new().into();
    }
    // Validation reports metadata that is not an object.
    let Some(tags) = tags.as_object_mut() else { return Ok(spec) };
    let metadata = input.iter().filter_map(|(column, value)| Some((column.strip_prefix("metadata.")?, text_of(value))));
    for (key, value) in metadata.chain([(tag.0, tag.1.to_owned())]) {
        tags.insert(key.to_owned(), value.into());
    }
    Ok(spec)
}

/// Returns a sentence with the number of runs and the first prompt.
pub fn preview(spec: &Value, text: &str) -> Result<String, AppError> {
    let inputs = parse(text)?;
    let mut specs =
        inputs.iter().enumerate().map(|(i, input)| apply(spec, input, ("", "")).map_err(|error| at_input(i, error)));
    let first = specs.next().transpose()?;
    specs.try_for_each(|spec| spec.map(drop))?;
    let asked: Vec<String> = first.iter().flat_map(|spec| spec.as_object().map(template_texts)).flatten().collect();
    let asked: String = asked.join(" / ").chars().take(MAX_PREVIEW_CHARS).collect();
    let count = inputs.len();
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

/// Adds the number of the input to its error.
pub fn at_input(i: usize, error: AppError) -> AppError {
    match error {
        AppError::Invalid { field, message } => {
            AppError::Invalid { field, message: format!("Input {}: {message}", i + 1) }
        }
        other => other,
    }
}

/// Returns the texts that may have placeholders: the prompt and the messages.
fn template_texts(fields: &Map<String, Value>) -> Vec<String> {
    let messages = fields.get("messages").and_then(Value::as_array).into_iter().flatten();
    let contents = messages.filter_map(|message| message["content"].as_str());
    fields.get("prompt").and_then(Value::as_str).into_iter().chain(contents).map(str::to_owned).collect()
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

fn fill_in(fields: &mut Map<String, Value>, input: &Input, names: &BTreeSet<String>) -> Result<(), AppError> {
    if let Some(missing) = names.iter().find(|name| !input.contains_key(*name)) {
        let known: Vec<&str> = columns(input).map(String::as_str).collect();
        return Err(invalid(format!(
            "There is no column {missing} for {{{{{missing}}}}}. The columns are: {}.",
            known.join(", ")
        )));
    }
    let messages = fields.get_mut("messages").and_then(Value::as_array_mut).into_iter().flatten();
    for content in messages.filter_map(|message| message.get_mut("content")) {
        if let Some(text) = content.as_str() {
            *content = fill(text, input).into();
        }
    }
    if let Some(prompt) = fields.get_mut("prompt")
        && let Some(text) = prompt.as_str()
    {
        *prompt = fill(text, input).into();
    }
    Ok(())
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
    if let Some((line, column)) = unclosed_quote(text) {
        return Err(invalid(format!("A quote is not closed. Add the closing quote (line {line}, column {column}).")));
    }
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator(text))
        .trim(csv::Trim::Headers)
        .from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let bad = |error: csv::Error| invalid(describe_csv_error(text, &error));
    let columns = reader.headers().map_err(bad)?.clone();
    let mut names = BTreeSet::new();
    if let Some(name) = columns.iter().find(|name| name.is_empty() || !names.insert(*name)) {
        let problem = if name.is_empty() { "A column has no name" } else { "Two columns have the same name" };
        return Err(invalid(format!("{problem}. Give each column a name of its own (line 1).")));
    }
    let rows = reader.records().map(|record| {
        let record = record.map_err(bad)?;
        let cells = columns.iter().zip(record.iter());
        Ok(cells.map(|(column, cell)| (column.to_owned(), Value::String(cell.to_owned()))).collect())
    });
    rows.collect()
}

/// Returns the line and column of a quote that is never closed.
fn unclosed_quote(text: &str) -> Option<(usize, usize)> {
    let mut open = None;
    for (i, line) in text.lines().enumerate() {
        for (j, _) in line.chars().enumerate().filter(|(_, c)| *c == '"') {
            open = if open.is_some() { None } else { Some((i + 1, j + 1)) };
        }
    }
    open
}

/// Describes an error in one sentence, with the line and the column where it shows.
fn describe_csv_error(text: &str, error: &csv::Error) -> String {
    let line = error.position().map_or(1, csv::Position::line);
    let length =
        text.lines().nth(usize::try_from(line).unwrap_or(1).saturating_sub(1)).map_or(0, |line| line.chars().count());
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => format!(
            "The first line has {expected_len} columns, and this one has {len}. Add or remove values (line {line}, column {}).",
            length + 1
        ),
        _ => format!("This is neither CSV nor a JSON list (line {line}, column 1)."),
    }
}

/// Spreadsheets write semicolons where a comma is the decimal point, and tabs when cells are copied.
fn separator(text: &str) -> u8 {
    let header = text.lines().next().unwrap_or_default();
    let count = |separator: &u8| header.bytes().filter(|byte| byte == separator).count();
    // Of equal counts the last one wins: the comma.
    [b'\t', b';', b','].into_iter().max_by_key(count).unwrap_or(b',')
}

/// Returns the names in `{{ }}`.
fn placeholders(template: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    fill_placeholders(template, |name| {
        is_column(name).then(|| {
            names.insert(name.to_owned());
            String::new()
        })
    });
    names
}

fn fill(template: &str, input: &Input) -> String {
    fill_placeholders(template, |name| is_column(name).then(|| input.get(name).map(text_of).unwrap_or_default()))
}

fn is_column(name: &str) -> bool {
    !name.is_empty() && !name.contains(['{', '}', '\n'])
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn invalid(message: String) -> AppError {
    AppError::Invalid { field: "inputs".to_owned(), message }
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
        assert!(message("n,n\n1,2\n").contains("same name") && message("a,\n1,2\n").contains("no name"));
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
