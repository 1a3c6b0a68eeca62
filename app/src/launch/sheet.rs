//! The launch page, ready to draw. The server reads and writes specs; the browser draws controls and sends them back as
//! they are, by the names that they have here.

use serde::{Deserialize, Serialize};

/// The whole page at one moment of writing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaunchPage {
    /// What is being written, as the server needs it back.
    pub work: String,
    pub notices: Vec<Notice>,
    pub templates: Vec<TemplateLink>,
    pub sections: Vec<Section>,
    /// The spec as JSON, editable.
    pub json: String,
    pub json_problem: Option<JsonProblem>,
    /// What keeps it from being launched, each with a link to its place.
    pub problems: Vec<Problem>,
    /// What was changed in a run or a template that is launched again.
    pub changes: Option<Changes>,
    /// Whether it is launched once or in a session.
    pub mode: Vec<Item>,
    /// What else can be done with the spec: batches, templates.
    pub finish: Vec<Item>,
    pub may_launch: bool,
    /// Why the last button came to nothing, where that belongs to no field.
    pub refusal: Option<Notice>,
    /// It may have been launched already: another button launches it once more.
    pub unsure: bool,
    /// What became of the draft, in a few words; empty where a button was pressed and all is kept.
    pub kept: String,
    /// The control to go on with.
    pub focus: Option<String>,
}

/// What is told of a page since it was drawn: what the browser found in its form, where that is something else than the
/// page says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Since {
    /// By the id of the control.
    pub errors: Vec<(String, Option<String>)>,
    pub problems: Option<Vec<Problem>>,
    pub json_problem: Option<Option<JsonProblem>>,
}

/// What comes of sending the page's form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaunchAnswer {
    Page {
        page: Box<LaunchPage>,
    },
    /// It is done: the page to open.
    Done {
        href: String,
    },
    /// The form is somebody else's: it was neither kept nor carried out for whoever is signed in.
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
    /// Where to go about it, and what the link says.
    pub link: Option<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TemplateLink {
    pub href: String,
    pub name: String,
    pub notes: String,
    pub owner: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Section {
    pub id: String,
    pub title: String,
    pub intro: String,
    pub items: Vec<Item>,
}

/// Where the JSON side cannot be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JsonProblem {
    pub line: usize,
    pub column: usize,
    pub message: String,
    /// The line itself, cut where it breaks.
    pub before: String,
    pub after: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    pub href: String,
    pub place: String,
    pub message: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Changes {
    /// What it is compared with.
    pub of: String,
    pub href: Option<String>,
    /// Place, before, after; empty where there is nothing.
    pub lines: Vec<(String, String, String)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Item {
    Field(Field),
    /// Things that belong together, with a heading.
    Group {
        id: String,
        title: String,
        hint: String,
        lights: Vec<SheetLight>,
        items: Vec<Item>,
    },
    /// Short things side by side.
    Row {
        items: Vec<Item>,
    },
    /// What most people do not need.
    Fold {
        id: String,
        title: String,
        open: bool,
        items: Vec<Item>,
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
    /// What a line may be completed with.
    Choices {
        id: String,
        values: Vec<(String, String)>,
    },
}

impl LaunchPage {
    /// Every field, in whatever group or fold it stands.
    pub fn each_field(&self, visit: &mut dyn FnMut(&Field)) {
        for section in &self.sections {
            each_field_of(&section.items, visit);
        }
        each_field_of(&self.mode, visit);
        each_field_of(&self.finish, visit);
    }
}

fn each_field_of(items: &[Item], visit: &mut dyn FnMut(&Field)) {
    for item in items {
        match item {
            Item::Group { items, .. } | Item::Row { items } | Item::Fold { items, .. } => each_field_of(items, visit),
            Item::Field(field) => visit(field),
            Item::Note { .. }
            | Item::Facts { .. }
            | Item::Buttons { .. }
            | Item::Code { .. }
            | Item::Choices { .. } => {}
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
    Line {
        value: String,
        placeholder: String,
        /// The id of `Item::Choices`.
        choices: String,
        secret: bool,
    },
    Area {
        value: String,
        placeholder: String,
        rows: u32,
        code: bool,
    },
    Select {
        value: String,
        options: Vec<(String, String)>,
    },
    Tick {
        /// What is sent when it is ticked.
        value: String,
        ticked: bool,
    },
    File {
        accept: String,
    },
    Hidden {
        value: String,
    },
}

/// A button that sends the whole form, and says what to do with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Button {
    pub value: String,
    pub label: String,
    /// Where several buttons say the same: what this one is about.
    pub about: String,
    /// What pressing it means, shown with it.
    pub hint: String,
    pub danger: bool,
    pub disabled: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SheetLight {
    pub tone: Tone,
    pub what: String,
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
