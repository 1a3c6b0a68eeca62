//! The launch form, sent as a browser without scripts does.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::bench::client::{Client, Response};

const BOUNDARY: &str = "a-line-that-no-part-has";

/// The draft of an empty form, from which forms are made.
#[derive(Clone)]
pub struct LaunchForm {
    draft: Value,
}

impl LaunchForm {
    /// Reads it from the launch page of a signed-in user.
    pub fn open(browser: &mut Client) -> Result<Self> {
        let page = browser.get("/launch")?.body;
        let draft = page.split("name=\"draft\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
        let draft = unescape(draft.context("the launch page has no draft")?);
        Ok(Self { draft: serde_json::from_str(&draft)? })
    }

    /// The body of a form that launches a spec. The same key is the same launch. `answers` are for local tools.
    pub fn launch(&self, key: &str, spec: Value, answers: Value) -> String {
        let mut draft = self.draft.clone();
        draft["key"] = json!(key);
        draft["spec"] = spec;
        draft["answers"] = answers;
        multipart(&[("draft", &draft.to_string()), ("action", "launch")])
    }
}

/// Sends a form. The answer redirects to the run.
pub fn send(browser: &mut Client, form: &str) -> Result<Response> {
    browser.post_as("/launch", &format!("multipart/form-data; boundary={BOUNDARY}"), form)
}

/// The run that an answer leads to.
pub fn launched_run(answer: &Response) -> Option<String> {
    let run = answer.location.as_deref()?.strip_prefix("/runs/")?;
    (answer.status == 303).then(|| run.to_owned())
}

fn multipart(fields: &[(&str, &str)]) -> String {
    let part = |(name, text): &(&str, &str)| {
        format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n")
    };
    format!("{}--{BOUNDARY}--\r\n", fields.iter().map(part).collect::<String>())
}

fn unescape(html: &str) -> String {
    let text = html.replace("&quot;", "\"").replace("&#39;", "'").replace("&#x27;", "'");
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_has_the_draft_with_the_spec() {
        let form = LaunchForm { draft: json!({ "owner": "ada", "spec": {} }) };
        let body = form.launch("key", json!({ "prompt": "Hi" }), json!({}));
        assert!(body.contains("name=\"action\"\r\n\r\nlaunch\r\n"), "{body}");
        assert!(body.contains(r#""owner":"ada""#) && body.contains(r#""prompt":"Hi""#), "{body}");
        assert_eq!(unescape("&quot;a &amp;lt; b&quot;"), "\"a &lt; b\"");
    }
}
