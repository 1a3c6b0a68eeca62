//! Code that launches a spec: curl, Python, TypeScript. Each uses only the standard library of its language, sends the
//! spec unchanged, and takes the API key from the environment.

use std::fmt::Write;

use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Curl,
    Python,
    TypeScript,
}

impl Language {
    pub const ALL: [Self; 3] = [Self::Curl, Self::Python, Self::TypeScript];

    pub fn name(self) -> &'static str {
        match self {
            Self::Curl => "curl",
            Self::Python => "Python",
            Self::TypeScript => "TypeScript",
        }
    }
}

/// Returns the code. `runs_url` is `…/api/v1/workspaces/{slug}/agent-runs`.
pub fn snippet(language: Language, runs_url: &str, spec: &Value) -> String {
    let json = serde_json::to_string_pretty(spec).unwrap_or_default();
    let url = Value::from(runs_url);
    match language {
        // A quoted here-document keeps its text unchanged, and no line of JSON can end it.
        Language::Curl => format!(
            "curl --fail-with-body -X POST {url} \\\n  -H \"Authorization: Bearer $MANTYX_API_KEY\" \\\n  \
             -H \"Content-Type: application/json\" \\\n  --data-binary @- <<'END_OF_SPEC'\n{json}\nEND_OF_SPEC\n"
        ),
        Language::Python => {
            let mut literal = String::new();
            write_python(spec, 0, &mut literal);
            format!(
                "import json\nimport os\nimport urllib.request\n\nspec = {literal}\n\n\
                 request = urllib.request.Request(\n    {url},\n    data=json.dumps(spec).encode(),\n    headers={{\n        \
                 \"Authorization\": f\"Bearer {{os.environ['MANTYX_API_KEY']}}\",\n        \
                 \"Content-Type\": \"application/json\",\n    }},\n)\n\
                 with urllib.request.urlopen(request) as answer:\n    print(json.load(answer)[\"runId\"])\n"
            )
        }
        Language::TypeScript => format!(
            "const spec = {};\n\nconst answer = await fetch({url}, {{\n  method: \"POST\",\n  headers: {{\n    \
             Authorization: `Bearer ${{process.env.MANTYX_API_KEY}}`,\n    \"Content-Type\": \"application/json\",\n  \
             }},\n  body: JSON.stringify(spec),\n}});\nif (!answer.ok) throw new Error(await answer.text());\n\
             console.log((await answer.json()).runId);\n",
            in_javascript(&json)
        ),
    }
}

/// JSON is JavaScript, except for the name `__proto__`, which would set the object's prototype. A line that begins with it
/// is not inside a string: strings have no line breaks.
fn in_javascript(json: &str) -> String {
    const NAME: &str = "\"__proto__\":";
    let lines = json.lines().map(|line| match line.trim_start().starts_with(NAME) {
        true => line.replacen(NAME, "[\"__proto__\"]:", 1),
        false => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Writes a Python literal. Strings and numbers are the same as in JSON; constants are not.
fn write_python(value: &Value, depth: usize, out: &mut String) {
    let indent = |depth: usize| "    ".repeat(depth);
    match value {
        Value::Null => out.push_str("None"),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Array(items) if !items.is_empty() => {
            out.push_str("[\n");
            for item in items {
                out.push_str(&indent(depth + 1));
                write_python(item, depth + 1, out);
                out.push_str(",\n");
            }
            let _ = write!(out, "{}]", indent(depth));
        }
        Value::Object(fields) if !fields.is_empty() => {
            out.push_str("{\n");
            for (name, item) in fields {
                let _ = write!(out, "{}{}: ", indent(depth + 1), Value::from(name.as_str()));
                write_python(item, depth + 1, out);
                out.push_str(",\n");
            }
            let _ = write!(out, "{}}}", indent(depth));
        }
        other => {
            let _ = write!(out, "{other}");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_language_sends_the_spec_unchanged() {
        let mut spec =
            json!({ "prompt": "Say \"it's\" $HOME\n'''", "plan": true, "temperature": null, "tools": [], "n": 1.5 });
        spec["__proto__"] = json!(1);
        let url = "http://127.0.0.1:3001/api/v1/workspaces/demo/agent-runs";
        for language in Language::ALL {
            insta::assert_snapshot!(format!("snippet_{}", language.name()), snippet(language, url, &spec));
        }
    }
}
