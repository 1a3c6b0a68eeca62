//! The optional columns of the list of runs.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Column {
    Model,
    Answer,
    Turns,
    Calls,
    Tokens,
    Cost,
    Duration,
    Waited,
    Created,
    Session,
    Metadata,
}

impl Column {
    pub const ALL: [Self; 11] = [
        Self::Model,
        Self::Answer,
        Self::Turns,
        Self::Calls,
        Self::Tokens,
        Self::Cost,
        Self::Duration,
        Self::Waited,
        Self::Created,
        Self::Session,
        Self::Metadata,
    ];
    pub const DEFAULT: [Self; 7] =
        [Self::Model, Self::Calls, Self::Tokens, Self::Cost, Self::Duration, Self::Created, Self::Metadata];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Answer => "answer",
            Self::Turns => "turns",
            Self::Calls => "calls",
            Self::Tokens => "tokens",
            Self::Cost => "cost",
            Self::Duration => "duration",
            Self::Waited => "waited",
            Self::Created => "created",
            Self::Session => "session",
            Self::Metadata => "metadata",
        }
    }

    pub fn label(self) -> &'static str {
        match self {
            Self::Model => "Model",
            Self::Answer => "Output",
            Self::Turns => "Turns",
            Self::Calls => "Calls",
            Self::Tokens => "Tokens",
            Self::Cost => "Cost",
            Self::Duration => "Duration",
            Self::Waited => "Waited",
            Self::Created => "Created",
            Self::Session => "Session",
            Self::Metadata => "Metadata",
        }
    }

    /// The width of the window that the style sheet shows the column from, unless the viewer chose the columns.
    pub fn shown_from(self) -> Option<&'static str> {
        match self {
            Self::Model | Self::Calls | Self::Metadata => Some("wide"),
            Self::Tokens => Some("medium"),
            _ => None,
        }
    }

    /// The CSS class of the column's cells. Numbers are right-aligned.
    pub fn class(self) -> &'static str {
        match self {
            Self::Model => "col-model",
            Self::Answer => "col-answer",
            Self::Turns => "number col-turns",
            Self::Calls => "number col-calls",
            Self::Tokens => "number col-tokens",
            Self::Cost => "number col-cost",
            Self::Duration => "number col-duration",
            Self::Waited => "number col-waited",
            Self::Created => "number col-created",
            Self::Session => "col-session",
            Self::Metadata => "col-metadata",
        }
    }

    /// Parses the columns cookie: names in any order, separated by dots. An empty choice is valid.
    pub fn parse_choice(text: &str) -> Vec<Self> {
        let names: Vec<&str> = text.split('.').collect();
        Self::ALL.into_iter().filter(|column| names.contains(&column.as_str())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_has_the_tables_order_and_drops_unknown_columns() {
        assert_eq!(Column::parse_choice("metadata.model.lost"), [Column::Model, Column::Metadata]);
        assert_eq!(Column::parse_choice("none"), []);
    }
}
