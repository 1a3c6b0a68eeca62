//! The launch page's model. The form is HTML from the server.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::launch::ControlName;
use crate::plain_text::escape_html;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaunchPageModel {
    /// HTML: templates, and the form with the draft, the controls and the spec as JSON.
    pub html: String,
    /// Problems that prevent a launch, each with a link to its field. The HTML has them too.
    pub problems: Vec<Problem>,
    /// Whether the draft was saved. Empty after an action that saved all of it.
    pub draft_status: String,
    /// The id of the element to focus.
    pub focus: Option<String>,
}

/// A control of the form, as the browser finds it in the page.
#[derive(Clone, Debug)]
pub struct PageControl {
    pub id: String,
    pub name: ControlName,
    /// The error that the server found, if the browser can't find out that it is corrected.
    pub server_error: Option<String>,
}

/// What is wrong with a form, also after a change in the browser.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// Errors by the control's id.
    pub errors: BTreeMap<String, String>,
    pub problems: Vec<Problem>,
    pub json_problem: Option<JsonProblem>,
}

/// The response to `POST /launch`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaunchResponse {
    /// The form again.
    Page { page: Box<LaunchPageModel> },
    /// The action succeeded and leads to another page.
    Done { href: String },
    /// The form belongs to another user. It was neither saved nor carried out.
    Foreign { message: String },
}

/// The least serious one first. The aliases are in saved drafts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    #[serde(alias = "passed")]
    Success,
    #[serde(alias = "unknown")]
    Info,
    Warning,
    #[serde(alias = "failed")]
    Error,
}

/// A syntax error in the spec's JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JsonProblem {
    pub line: usize,
    pub column: usize,
    pub message: String,
    /// The part of the line before the error.
    pub before: String,
    pub after: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    pub href: String,
    /// The field, in words.
    pub place: String,
    pub message: String,
}

impl Findings {
    /// The list of problems, in an element that is hidden without any.
    pub fn problems_html(&self) -> String {
        let line = |Problem { href, place, message }: &Problem| {
            let (place, message) = (escape_html(place), escape_html(message));
            format!("<li><a href=\"{href}\" rel=\"external\">{place}</a>: {message}</li>")
        };
        let lines: String = self.problems.iter().map(line).collect();
        if lines.is_empty() { lines } else { format!("<h3>Fix before launching</h3><ul>{lines}</ul>") }
    }

    pub fn json_problem_html(&self) -> String {
        let Some(JsonProblem { message, before, after, .. }) = &self.json_problem else { return String::new() };
        let [message, before, after] = [message, before, after].map(|text| escape_html(text));
        let place = format!("<pre class=\"json-error\">{before}<mark>⟵ here</mark>{after}</pre>");
        format!("<p class=\"field-error\">{message}</p>{place}")
    }
}

impl Tone {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Success => "success",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}
