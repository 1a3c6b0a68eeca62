//! An answer as it was written in the form of the page: a text, JSON, the fields of a form, or an error.

use app::AppError;
use serde_json::Value;

use super::output_form::{build, output_form};

/// The beginning of the name of a control that is a field of the tool's result.
const FIELD_PREFIX: &str = "field.";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplyKind {
    Form,
    #[default]
    Text,
    Json,
    Error,
}

impl ReplyKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Form => "form",
            Self::Text => "text",
            Self::Json => "json",
            Self::Error => "error",
        }
    }

    fn parse(text: &str) -> Self {
        let known = [Self::Form, Self::Text, Self::Json, Self::Error];
        known.into_iter().find(|kind| kind.as_str() == text).unwrap_or_default()
    }
}

/// The page of the form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplyPage {
    #[default]
    Waiting,
    Run,
}

impl ReplyPage {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Run => "run",
        }
    }

    pub fn keys(self) -> &'static str {
        match self {
            Self::Waiting => "R replies, J and K move, Ctrl Enter sends",
            Self::Run => "Ctrl Enter sends",
        }
    }
}

/// A sent form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    pub run_id: String,
    pub tool_use_id: String,
    pub page: ReplyPage,
    pub kind: ReplyKind,
    text: String,
    /// Names and texts of fields of the result.
    fields: Vec<(String, String)>,
}

impl Reply {
    pub fn control(field: &str) -> String {
        format!("{FIELD_PREFIX}{field}")
    }

    pub fn from_controls(controls: Vec<(String, String)>) -> Self {
        let mut reply = Self::default();
        for (name, text) in controls {
            match name.as_str() {
                "id" => reply.run_id = text,
                "tool_use_id" => reply.tool_use_id = text,
                "page" if text == ReplyPage::Run.as_str() => reply.page = ReplyPage::Run,
                "as" => reply.kind = ReplyKind::parse(&text),
                "text" => reply.text = text,
                _ => {
                    if let Some(field) = name.strip_prefix(FIELD_PREFIX) {
                        reply.fields.push((field.to_owned(), text));
                    }
                }
            }
        }
        reply
    }

    /// What the person typed, so that it can be shown again.
    pub fn typed(&self) -> Vec<String> {
        let filled = |text: &str| !text.trim().is_empty();
        let fields = self.fields.iter().filter(|(_, text)| filled(text));
        let fields: Vec<String> = fields.map(|(name, text)| format!("{name}: {text}")).collect();
        let of_form = Some(fields.join("\n")).filter(|_| self.kind == ReplyKind::Form);
        let text = Some(self.text.clone()).filter(|_| self.kind != ReplyKind::Form);
        of_form.into_iter().chain(text).filter(|text| filled(text)).collect()
    }

    /// Returns the result or the error to send. `spec` is the run's, for the fields of the form.
    pub fn answer(self, spec: &Value, tool: &str) -> Result<Result<String, String>, AppError> {
        match self.kind {
            ReplyKind::Error => Ok(Err(self.text)),
            ReplyKind::Text if self.text.trim().is_empty() => Err(AppError::invalid("text", "Write an answer.")),
            ReplyKind::Text => Ok(Ok(self.text)),
            ReplyKind::Json => match serde_json::from_str::<Value>(&self.text) {
                Ok(_) => Ok(Ok(self.text)),
                Err(error) => Err(AppError::invalid(
                    "text",
                    format!("This is not valid JSON (line {}, column {}).", error.line(), error.column()),
                )),
            },
            ReplyKind::Form => {
                let fields = output_form(spec, tool).ok_or_else(|| {
                    AppError::invalid("as", "This tool has no form. Answer with a text or with JSON.")
                })?;
                let text_of = |name: &str| {
                    let given = self.fields.iter().find(|(known, _)| known == name);
                    given.map(|(_, text)| text.clone())
                };
                let result = build(&fields, text_of).map_err(|(field, problem)| {
                    AppError::invalid(&Self::control(&field), format!("{field}: {problem}"))
                })?;
                Ok(Ok(Value::Object(result).to_string()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reply(controls: &[(&str, &str)]) -> Reply {
        Reply::from_controls(controls.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect())
    }

    #[test]
    fn each_kind_of_reply_is_sent_as_it_was_written() {
        let answer = |kind: &str, text: &str| reply(&[("as", kind), ("text", text)]).answer(&Value::Null, "approve");
        assert_eq!(answer("text", " yes "), Ok(Ok(" yes ".to_owned())));
        assert_eq!(answer("json", "{\"a\": 1}"), Ok(Ok("{\"a\": 1}".to_owned())));
        assert_eq!(answer("error", "no"), Ok(Err("no".to_owned())));
        assert_eq!(answer("", "yes"), Ok(Ok("yes".to_owned())));
        assert!(answer("text", " ").is_err() && answer("json", "{").is_err() && answer("form", "x").is_err());
    }

    #[test]
    fn a_form_is_sent_as_an_object_and_its_texts_can_be_shown_again() {
        let schema =
            json!({ "type": "object", "properties": { "ok": { "type": "boolean" }, "a.b": { "type": "string" } } });
        let spec = json!({ "tools": [{ "kind": "local", "name": "approve", "outputSchema": schema }] });
        let form =
            reply(&[("as", "form"), ("text", "hidden"), ("field.ok", "true"), ("field.a.b", "x"), ("other", "y")]);
        assert_eq!(form.typed(), ["ok: true\na.b: x"]);
        let sent = form.answer(&spec, "approve").expect("a valid form").expect("a result");
        assert_eq!(serde_json::from_str::<Value>(&sent).ok(), Some(json!({ "ok": true, "a.b": "x" })));
        assert_eq!(reply(&[("as", "text"), ("text", "x"), ("field.ok", "true")]).typed(), ["x"]);
    }
}
