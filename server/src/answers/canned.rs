//! Renders canned replies: templates with `{{args.path}}` for the call's arguments.

use app::launch::draft::control_text::text_at;
use serde_json::Value;

/// Fills in the arguments. A JSON template stays valid JSON: a string that is just one placeholder becomes the argument
/// itself, and inside a longer string the argument is written as text.
pub fn render(template: &str, args: &Value) -> String {
    match serde_json::from_str::<Value>(template) {
        Ok(mut value @ (Value::Object(_) | Value::Array(_) | Value::String(_))) => {
            fill(&mut value, args);
            value.to_string()
        }
        _ => fill_text(template, args),
    }
}

fn fill(value: &mut Value, args: &Value) {
    match value {
        Value::String(text) => {
            *value = match only_placeholder(text).map(|path| lookup(args, path)) {
                Some(found) => found.cloned().unwrap_or(Value::Null),
                None => Value::String(fill_text(text, args)),
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, args)),
        Value::Object(fields) => fields.values_mut().for_each(|field| fill(field, args)),
        _ => {}
    }
}

fn only_placeholder(text: &str) -> Option<&str> {
    let path = text.trim().strip_prefix("{{")?.strip_suffix("}}")?;
    (!path.contains("{{")).then(|| path.trim()).filter(|path| is_path(path))
}

fn fill_text(template: &str, args: &Value) -> String {
    let text_of = |path: &str| lookup(args, path).map(|value| text_at(value, "")).unwrap_or_default();
    fill_placeholders(template, |path| is_path(path).then(|| text_of(path)))
}

/// Replaces each `{{name}}` for which `text_of` returns a text, in one pass: a `{{…}}` inside such a text stays.
pub fn fill_placeholders(template: &str, mut text_of: impl FnMut(&str) -> Option<String>) -> String {
    let (mut out, mut rest) = (String::new(), template);
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        match after.split_once("}}").and_then(|(name, tail)| Some((text_of(name.trim())?, tail))) {
            Some((text, tail)) => {
                out.push_str(&text);
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

fn is_path(path: &str) -> bool {
    path == "args" || path.starts_with("args.")
}

/// Returns the argument at a path such as `args`, `args.user.name` or `args.items.0`.
fn lookup<'a>(args: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').skip(1).try_fold(args, |value, step| match value {
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        other => other.get(step),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_filled_into_text() {
        let args = json!({ "city": "Bern", "days": 3, "places": [{ "name": "Zoo" }] });
        assert_eq!(render("{{args.city}} in {{ args.days }} days", &args), "Bern in 3 days");
        assert_eq!(render("at {{args.places.0.name}}, {{args.nothing}}.", &args), "at Zoo, .");
        assert_eq!(render("{{other}} and {{args", &args), "{{other}} and {{args");
        assert_eq!(render("all: {{args}}", &json!({ "a": 1 })), "all: {\"a\":1}");
    }

    #[test]
    fn a_json_template_stays_json() {
        let args = json!({ "name": "a \"quoted\" \\ name", "n": 5, "list": [1, 2] });
        let rendered =
            render(r#"{"hello":"Dear {{args.name}}","n":"{{args.n}}","l":["{{args.list}}"],"x":"{{args.y}}"}"#, &args);
        let value: Value = serde_json::from_str(&rendered).expect("still JSON");
        assert_eq!(value, json!({ "hello": "Dear a \"quoted\" \\ name", "n": 5, "l": [[1, 2]], "x": null }));
    }

    #[test]
    fn placeholders_inside_arguments_are_not_filled_in() {
        assert_eq!(render("{{args.a}}", &json!({ "a": "{{args.b}}", "b": "x" })), "{{args.b}}");
    }
}
