//! The content of the launch page, before it becomes HTML: its items and controls.

use app::launch::{Check, ControlName};
use app::model::launch::{Findings, Tone};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaunchPage {
    /// The draft as JSON. The form sends it back in a hidden field.
    pub draft: String,
    pub notices: Vec<Notice>,
    pub sections: Vec<Group>,
    /// The spec as editable JSON.
    pub json: String,
    /// Problems that prevent a launch. The errors are at the fields.
    pub findings: Findings,
    /// Changes from the run or template that the draft started from.
    pub changes: Option<Changes>,
    /// Controls that choose between one run, a new session and a message to a session.
    pub mode: Vec<Item>,
    /// Controls for batches, code samples and templates.
    pub more_actions: Vec<Item>,
    pub may_launch: bool,
    /// The result of the last check of each tool, by its name.
    pub checks: Vec<(String, Check)>,
    /// An error of the last action that belongs to no field.
    pub error: Option<Notice>,
    /// The last launch may have started a run. Launching again needs another button.
    pub unconfirmed: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    pub tone: Tone,
    pub text: String,
    /// Address and text.
    pub link: Option<(String, String)>,
}

/// Items under a heading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    pub id: String,
    pub role: GroupRole,
    pub title: String,
    /// The state in a few words, beside the title.
    pub summary: String,
    /// `None` if it can't be folded.
    pub open: Option<bool>,
    /// Changes when another item gets this id, whose fold the user did not open or close.
    pub replaced: Option<String>,
    pub hint: String,
    pub checks: Vec<Check>,
    pub items: Vec<Item>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GroupRole {
    Section,
    /// A tool, a message or a list of checkboxes.
    Card,
    /// Items that most people don't need, folded away.
    #[default]
    Fold,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Changes {
    /// The run or template that the draft is compared with.
    pub origin: String,
    pub href: Option<String>,
    /// JSON Pointer, old value, new value; a missing value is empty.
    pub lines: Vec<(String, String, String)>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A control with its label.
    Field(Field),
    /// Items under a heading.
    Group(Group),
    /// Short items side by side.
    Row(Vec<Item>),
    /// Rows of fields under common column heads.
    Table { heads: Vec<String>, rows: Vec<Vec<Item>> },
    /// A sentence.
    Note { tone: Tone, text: String },
    /// Labels with texts.
    Facts(Vec<(String, String)>),
    /// Buttons side by side.
    Buttons(Vec<Button>),
    /// A text to copy.
    Code { title: String, text: String },
    /// Completions for a text line.
    Datalist { id: String, values: Vec<String> },
}

impl Item {
    fn add_to<'a>(&'a self, found: &mut Vec<&'a Item>) {
        found.push(self);
        match self {
            Self::Group(Group { items, .. }) | Self::Row(items) => items.iter().for_each(|item| item.add_to(found)),
            Self::Table { rows, .. } => rows.iter().flatten().for_each(|item| item.add_to(found)),
            _ => {}
        }
    }
}

impl LaunchPage {
    /// Returns every item, also those inside groups, rows and tables.
    pub fn items(&self) -> Vec<&Item> {
        let mut found = Vec::new();
        let sections = self.sections.iter().flat_map(|section| &section.items);
        sections.chain(&self.mode).chain(&self.more_actions).for_each(|item| item.add_to(&mut found));
        found
    }

    pub fn fields(&self) -> Vec<&Field> {
        let items = self.items().into_iter();
        items.filter_map(|item| if let Item::Field(field) = item { Some(field) } else { None }).collect()
    }

    /// Returns every field with its name.
    pub fn controls(&self) -> impl Iterator<Item = (&Field, ControlName)> {
        self.fields().into_iter().filter_map(|field| Some((field, ControlName::parse(&field.name)?)))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub id: String,
    pub name: String,
    pub label: String,
    pub help: String,
    pub error: Option<String>,
    pub control: Control,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Control {
    /// `datalist` is the id of an [`Item::Datalist`].
    TextLine { value: String, placeholder: String, datalist: String, secret: bool },
    /// Several lines, of text or of code.
    TextArea { value: String, placeholder: String, rows: u32, code: bool },
    /// If searchable, it shows several options at once, and with JavaScript a text line that filters them.
    Select { value: String, options: Vec<(String, String)>, searchable: bool },
    /// The value is sent if it is checked.
    Checkbox { value: String, checked: bool },
    /// `accept` are types of files.
    File { accept: String },
}

/// A button that sends the whole form.
#[derive(Clone, Debug, PartialEq)]
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
