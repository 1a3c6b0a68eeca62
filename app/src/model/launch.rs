//! The launch page's model. The server builds the form's controls from the draft; the browser renders them and sends
//! their values back under the names that they have here.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaunchPageModel {
    /// The draft as JSON. The form sends it back in a hidden field.
    pub draft: String,
    pub notices: Vec<Notice>,
    pub templates: Vec<TemplateLink>,
    pub sections: Vec<Group>,
    /// The spec as editable JSON.
    pub json: String,
    pub json_problem: Option<JsonProblem>,
    /// Problems that prevent a launch, each with a link to its field.
    pub problems: Vec<Problem>,
    /// Changes from the run or template that the draft started from.
    pub changes: Option<Changes>,
    /// Controls that choose between one run, a new session and a message to a session.
    pub mode: Vec<Item>,
    /// Controls for batches, code samples and templates.
    pub more_actions: Vec<Item>,
    pub may_launch: bool,
    /// The result of the last check of each tool.
    pub checks: Vec<CheckLine>,
    /// An error of the last action that belongs to no field.
    pub error: Option<Notice>,
    /// The last launch may have started a run. Launching again needs another button.
    pub unconfirmed: bool,
    /// Whether the draft was saved. Empty after an action that saved all of it.
    pub draft_status: String,
    /// The id of the element to focus.
    pub focus: Option<String>,
}

/// Findings of the browser that differ from the page model it got from the server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClientFindings {
    /// Errors by the control's id.
    pub errors: Vec<(String, Option<String>)>,
    pub problems: Option<Vec<Problem>>,
    pub json_problem: Option<Option<JsonProblem>>,
}

/// The response to `POST /launch`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaunchResponse {
    Page {
        page: Box<LaunchPageModel>,
    },
    /// The action succeeded and leads to another page.
    Done {
        href: String,
    },
    /// The form belongs to another user. It was neither saved nor carried out.
    Foreign {
        message: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    Info,
    Success,
    Warning,
    Error,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notice {
    pub tone: Tone,
    pub text: String,
    /// Address and text.
    pub link: Option<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TemplateLink {
    pub href: String,
    pub name: String,
    pub notes: String,
    pub owner: String,
}

/// Items under a heading.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Group {
    pub id: String,
    pub role: GroupRole,
    pub title: String,
    /// The state in a few words, beside the title.
    pub summary: String,
    /// `None` if it can't be folded.
    pub open: Option<bool>,
    pub hint: String,
    pub checks: Vec<CheckLine>,
    pub items: Vec<Item>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupRole {
    Section,
    /// A tool, a message or a list of checkboxes.
    Card,
    /// Items that most people don't need, folded away.
    #[default]
    Fold,
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

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Changes {
    /// The run or template that the draft is compared with.
    pub origin: String,
    pub href: Option<String>,
    /// JSON Pointer, old value, new value; a missing value is empty.
    pub lines: Vec<(String, String, String)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Item {
    Field(Field),
    Group(Group),
    /// Short items side by side.
    Row {
        items: Vec<Item>,
    },
    /// Rows of fields under common column heads.
    Table {
        heads: Vec<String>,
        rows: Vec<Vec<Item>>,
    },
    Note {
        tone: Tone,
        text: String,
    },
    Facts {
        facts: Vec<(String, String)>,
    },
    Buttons {
        buttons: Vec<Button>,
    },
    /// A text to copy.
    Code {
        title: String,
        text: String,
    },
    /// Completions for a text line: value and label.
    Datalist {
        id: String,
        values: Vec<(String, String)>,
    },
}

impl LaunchPageModel {
    /// Visits every field, also inside groups, rows and tables.
    pub fn each_field(&self, visit: &mut dyn FnMut(&Field)) {
        let sections = self.sections.iter().flat_map(|section| &section.items);
        sections.chain(&self.mode).chain(&self.more_actions).for_each(|item| item.each_field(visit));
    }
}

impl Item {
    pub fn each_field(&self, visit: &mut dyn FnMut(&Field)) {
        match self {
            Self::Field(field) => visit(field),
            Self::Group(Group { items, .. }) | Self::Row { items } => {
                items.iter().for_each(|item| item.each_field(visit));
            }
            Self::Table { rows, .. } => rows.iter().flatten().for_each(|item| item.each_field(visit)),
            Self::Note { .. }
            | Self::Facts { .. }
            | Self::Buttons { .. }
            | Self::Code { .. }
            | Self::Datalist { .. } => {}
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    pub id: String,
    pub name: String,
    pub label: String,
    pub help: String,
    pub error: Option<String>,
    pub control: Control,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Control {
    TextLine {
        value: String,
        placeholder: String,
        /// The id of an `Item::Datalist`.
        datalist: String,
        secret: bool,
    },
    TextArea {
        value: String,
        placeholder: String,
        rows: u32,
        code: bool,
    },
    Select {
        value: String,
        options: Vec<(String, String)>,
        /// Shows several options at once, and with JavaScript a text line that filters them.
        searchable: bool,
    },
    Checkbox {
        /// Sent if it is checked.
        value: String,
        checked: bool,
    },
    File {
        accept: String,
    },
    Hidden {
        value: String,
    },
}

/// A button that sends the whole form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Button {
    /// The action, and after a colon what it acts on.
    pub value: String,
    pub label: String,
    /// Tells buttons with the same label apart.
    pub about: String,
    /// An explanation inside the button.
    pub hint: String,
    pub danger: bool,
    pub disabled: bool,
}

/// The result of one check of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckLine {
    pub tone: Tone,
    pub label: String,
    pub message: String,
    pub fix: String,
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
