//! The controls of the launch form.

use super::{Rule, Shapes};

#[derive(Clone, Copy)]
pub enum Control {
    /// No control of its own: the parts of the value have controls.
    Parts,
    Line,
    /// A text line that offers the names of saved agents, workspace tools or plugin tools.
    Agent,
    WorkspaceTool,
    PluginTool,
    Area {
        rows: u32,
        placeholder: &'static str,
    },
    Number {
        placeholder: &'static str,
    },
    /// One text per line.
    Lines,
    Json {
        rows: u32,
    },
    Checkbox,
    /// Values and labels.
    Select(&'static [(&'static str, &'static str)]),
    /// A select of the catalogue's models.
    Model(DefaultModel),
    /// A select between the shapes that the value may have.
    Shapes(&'static Shapes),
    Map(&'static MapControl),
    /// Rows of properties, and the schema as JSON.
    Schema,
    Messages,
    Attachments,
    Tools,
    /// The address of an agent's card, with a button that fetches it.
    CardUrl,
    /// An agent's card: fetched, uploaded or pasted.
    Card,
    /// The tools of a remote MCP server, as checkboxes once they are discovered.
    ToolFilter,
    /// The tools of a local MCP server: discovered or pasted.
    ToolList,
}

/// The model that is used if none is chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum DefaultModel {
    Workspace,
    None,
    Mantyx,
}

/// Rows of names and values.
pub struct MapControl {
    pub key_label: &'static str,
    pub value_label: &'static str,
    pub secret: bool,
    /// The pointer of the value inside an entry. Empty if the entry is the value.
    pub inner: &'static str,
    /// An empty map has a meaning of its own.
    pub keeps_empty: bool,
    pub suggestions: Suggestions,
}

impl MapControl {
    /// Texts under their names.
    pub const fn of(key_label: &'static str, value_label: &'static str) -> Self {
        let suggestions = Suggestions::None;
        Self { key_label, value_label, secret: false, inner: "", keeps_empty: false, suggestions }
    }
}

/// The names that rows suggest.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Suggestions {
    None,
    /// Keys and values of the workspace's runs.
    Metadata,
    /// Tools of the spec.
    Tools,
}

/// The form of a single control's text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Text,
    Number,
    Lines,
    Json,
    Flag,
}

impl Control {
    /// Returns the rule for what the control can show.
    pub const fn rule(&self) -> Rule {
        match self {
            Self::Line | Self::Area { .. } | Self::Agent | Self::Model(_) => Rule::TEXT,
            Self::Checkbox => Rule::FLAG,
            _ => Rule::Any,
        }
    }

    /// Returns the format of the control named after the field, or `None` if there is no such control.
    pub fn format(&self) -> Option<Format> {
        Some(match self {
            Self::Line | Self::Area { .. } | Self::Select(_) | Self::Model(_) => Format::Text,
            Self::Agent | Self::WorkspaceTool | Self::PluginTool | Self::CardUrl => Format::Text,
            Self::Number { .. } => Format::Number,
            Self::Lines | Self::ToolFilter => Format::Lines,
            Self::Json { .. } | Self::Schema | Self::Card | Self::ToolList => Format::Json,
            Self::Checkbox => Format::Flag,
            Self::Parts | Self::Shapes(_) | Self::Map(_) | Self::Messages | Self::Attachments | Self::Tools => {
                return None;
            }
        })
    }
}
