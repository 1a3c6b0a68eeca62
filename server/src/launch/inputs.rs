//! The inputs of a batch: read from CSV or JSON, and laid into the spec one by one.

use app::AppError;
use serde_json::{Map, Value};

pub const MAX_INPUTS: usize = 200;

/// One row: a value for each column.
pub type Input = Map<String, Value>;

/// Reads a JSON list of texts or objects, or CSV with a header line.
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

/// The spec for one input. Where the prompt has `{{column}}`, the columns are written into it; otherwise the column
/// `prompt` or `input`, or the only one, becomes the prompt. Columns named `metadata.key` become metadata.
pub fn apply(spec: &Value, input: &Input, tag: (&str, &str)) -> Result<Value, AppError> {
    let mut spec = spec.clone();
    let Some(fields) = spec.as_object_mut() else {
        return Err(invalid("A run spec is a JSON object.".to_owned()));
    };
    let prompt = fields.get("prompt").and_then(Value::as_str).unwrap_or_default();
    let columns: Vec<&String> = input.keys().filter(|column| !column.starts_with("metadata.")).collect();
    let uses_columns = columns.iter().any(|column| prompt.contains(&format!("{{{{{column}}}}}")));
    let filled = if uses_columns {
        fill(prompt, input)
    } else {
        let own = ["prompt", "input"].into_iter().find_map(|name| input.get(name));
        let only = columns.first().filter(|_| columns.len() == 1).and_then(|column| input.get(*column));
        let found = own.or(only).map(text_of).filter(|text| !text.trim().is_empty());
        found.ok_or_else(|| {
            let columns: Vec<String> = columns.iter().map(|column| format!("{{{{{column}}}}}")).collect();
            invalid(format!("Name a column `prompt`, or use {} in the spec's prompt.", columns.join(" or ")))
        })?
    };
    fields.insert("prompt".to_owned(), filled.into());
    fields.remove("messages");
    let tags = fields.entry("metadata").or_insert(Value::Null);
    if tags.is_null() {
        *tags = Map::new().into();
    }
    // Metadata that is no object is told at its field by the check of the whole.
    let Some(tags) = tags.as_object_mut() else { return Ok(spec) };
    let metadata = input.iter().filter_map(|(column, value)| Some((column.strip_prefix("metadata.")?, text_of(value))));
    for (key, value) in metadata.chain([(tag.0, tag.1.to_owned())]) {
        tags.insert(key.to_owned(), value.into());
    }
    Ok(spec)
}

fn parse_json(text: &str) -> Result<Vec<Input>, AppError> {
    let items: Vec<Value> = serde_json::from_str(text).map_err(|error| {
        invalid(format!("The list is not JSON (line {}, column {}).", error.line(), error.column()))
    })?;
    let rows = items.into_iter().enumerate().map(|(i, item)| match item {
        Value::String(prompt) => Ok(Input::from_iter([("prompt".to_owned(), Value::String(prompt))])),
        Value::Object(fields) => Ok(fields),
        _ => Err(invalid(format!("Input {} is neither a text nor an object.", i + 1))),
    });
    rows.collect()
}

fn parse_csv(text: &str) -> Result<Vec<Input>, AppError> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::Headers).from_reader(text.as_bytes());
    let bad = |error: csv::Error| match error.position() {
        Some(place) => invalid(format!("Line {} does not have as many columns as the first.", place.line())),
        None => invalid("This is neither CSV nor a JSON list.".to_owned()),
    };
    let columns = reader.headers().map_err(bad)?.clone();
    let rows = reader.records().map(|record| {
        let record = record.map_err(bad)?;
        let cells = columns.iter().zip(record.iter());
        Ok(cells.map(|(column, cell)| (column.to_owned(), Value::String(cell.to_owned()))).collect())
    });
    rows.collect()
}

/// Every `{{column}}` at once: what a cell holds is not filled in again.
fn fill(template: &str, input: &Input) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        match after.split_once("}}").and_then(|(name, tail)| Some((input.get(name.trim())?, tail))) {
            Some((value, tail)) => {
                out.push_str(&text_of(value));
                rest = tail;
            }
            None => {
                out.push_str("{{");
                rest = after;
            }
        }
    }
    out + rest
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
        assert_eq!(prompts(&json!({ "prompt": "x" }), "[\"a\",\"b\"]"), ["a", "b"]);
        assert_eq!(prompts(&json!({}), "question\nwhy?\n"), ["why?"]);
    }

    #[test]
    fn every_run_carries_the_tag_and_its_own_metadata() {
        let input = &parse("prompt,metadata.customer\nhi,acme\n").expect("readable")[0];
        let spec = apply(&json!({ "metadata": { "env": "test" } }), input, ("batch", "b1")).expect("fits");
        assert_eq!(spec["metadata"], json!({ "env": "test", "customer": "acme", "batch": "b1" }));
        let odd = apply(&json!({ "metadata": ["odd"] }), input, ("batch", "b1")).expect("left to the check");
        assert_eq!(odd["metadata"], json!(["odd"]));
        assert!(apply(&json!([]), input, ("batch", "b1")).is_err());
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_place() {
        let message = |text: &str| parse(text).expect_err(text).to_string();
        assert!(message("a,b\n1,2\n3\n").contains("Line 3"));
        assert!(message("[1]").contains("Input 1"));
        assert!(message("[\"a\",").contains("column"));
        assert!(message(" ").contains("no inputs"));
        assert!(message(&format!("p\n{}", "x\n".repeat(201))).contains("201"));
        let input = &parse("a,b\n1,2\n").expect("readable")[0];
        assert!(apply(&json!({}), input, ("batch", "b")).expect_err("no column").to_string().contains("{{a}}"));
    }
}
