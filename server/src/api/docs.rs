//! The OpenAPI document as HTML, for the page `/api/docs`.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::openapi::document;
use crate::html::escape;

pub fn html() -> String {
    render(&document())
}

fn render(document: &Value) -> String {
    let info = &document["info"];
    let mut html = format!(
        "<p>{}</p><p>Version {}. Also available as an OpenAPI document: \
         <a href=\"/api/openapi.json\" rel=\"external\">/api/openapi.json</a>.</p>\
         <pre class=\"code\" tabindex=\"0\">curl -H 'Authorization: Bearer mantyx_…' 'https://…/api/runs?q=status:failed'</pre>\
         <p>Error responses have the fields <code>error</code>, a code, and <code>message</code>, a sentence.</p>",
        text(&info["description"]),
        text(&info["version"]),
    );
    let operations = || {
        let paths = document["paths"].as_object().into_iter().flatten();
        paths.flat_map(|(path, methods)| {
            methods.as_object().into_iter().flatten().map(move |(method, operation)| (path, method, operation))
        })
    };
    html.push_str("<nav aria-label=\"Endpoints\"><ul>");
    for (path, method, operation) in operations() {
        let (id, name) = (anchor(method, path), escape(path));
        let summary = text(&operation["summary"]);
        let method = method.to_uppercase();
        let _ = write!(html, "<li><a href=\"#{id}\"><code>{method} {name}</code></a> {summary}</li>");
    }
    html.push_str("</ul></nav>");
    for (path, method, operation) in operations() {
        section(&mut html, path, method, operation);
    }
    html
}

fn section(html: &mut String, path: &str, method: &str, operation: &Value) {
    let (id, name, summary) = (anchor(method, path), escape(path), text(&operation["summary"]));
    let method = method.to_uppercase();
    let _ = write!(html, "<section class=\"panel\" id=\"{id}\"><h2><code>{method} {name}</code></h2><p>{summary}.</p>");
    let parameters = operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !parameters.is_empty() {
        html.push_str("<h3>Parameters</h3><dl>");
        for parameter in parameters {
            let location = if parameter["in"] == "path" { "in the path" } else { "in the query" };
            let required = if parameter["required"] == true { ", required" } else { "" };
            let (name, description) = (text(&parameter["name"]), text(&parameter["description"]));
            let _ = write!(html, "<dt><code>{name}</code> {location}{required}</dt><dd>{description}</dd>");
        }
        html.push_str("</dl>");
    }
    write_content(html, "Body", &operation["requestBody"]["content"]);
    for (status, response) in operation["responses"].as_object().into_iter().flatten() {
        if status != "default" {
            write_content(html, &format!("Answer {status}"), &response["content"]);
        }
    }
    html.push_str("</section>");
}

/// Writes the schema of a body or a response, for each content type.
fn write_content(html: &mut String, title: &str, content: &Value) {
    for (kind, media) in content.as_object().into_iter().flatten() {
        let mut schema = String::new();
        write_schema(&mut schema, &media["schema"], 0);
        let (title, kind, schema) = (escape(title), escape(kind), escape(&schema));
        let _ = write!(html, "<h3>{title} <small>{kind}</small></h3><pre class=\"code\" tabindex=\"0\">{schema}</pre>");
    }
}

fn write_schema(out: &mut String, schema: &Value, depth: usize) {
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str());
    match kind {
        Some("object") => {
            let none = Map::new();
            let fields = schema["properties"].as_object().unwrap_or(&none);
            out.push_str("{\n");
            for (name, field) in fields {
                let _ = write!(out, "{:indent$}{name}: ", "", indent = (depth + 1) * 2);
                write_schema(out, field, depth + 1);
                out.push('\n');
            }
            let _ = write!(out, "{:indent$}}}", "", indent = depth * 2);
        }
        Some("array") => {
            out.push_str("list of ");
            write_schema(out, &schema["items"], depth);
        }
        Some(kind) => match schema["enum"].as_array() {
            Some(words) => out.push_str(&words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" | ")),
            None => out.push_str(kind),
        },
        None => out.push_str("any value"),
    }
    if schema["type"].is_array() {
        out.push_str(" or null");
    }
}

fn anchor(method: &str, path: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    format!("{method}{}", path.chars().map(plain).collect::<String>())
}

fn text(value: &Value) -> String {
    escape(value.as_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_endpoint_has_a_section_and_html_is_escaped() {
        let document = json!({
            "info": { "version": "1", "description": "<b>bold</b>" },
            "paths": { "/api/things/{id}": { "get": {
                "summary": "A thing",
                "parameters": [{ "name": "id", "in": "path", "required": true }],
                "responses": { "200": { "content": { "application/json": { "schema": {
                    "type": "object", "properties": { "names": { "type": "array", "items": { "type": "string" } } },
                } } } }, "default": {} },
            } } },
        });
        let page = render(&document);
        assert!(page.contains("id=\"get-api-things--id-\""), "{page}");
        assert!(page.contains("names: list of string"));
        assert!(page.contains("in the path, required"));
        assert!(!page.contains("<b>"));
    }
}
