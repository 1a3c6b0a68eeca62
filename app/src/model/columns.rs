//! The columns of the list of runs that can be chosen.

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
    Created,
    Session,
    Metadata,
}

impl Column {
    pub const ALL: [Self; 10] = [
        Self::Model,
        Self::Answer,
        Self::Turns,
        Self::Calls,
        Self::Tokens,
        Self::Cost,
        Self::Duration,
        Self::Created,
        Self::Session,
        Self::Metadata,
    ];
    pub const DEFAULT: [Self; 6] =
        [Self::Model, Self::Turns, Self::Tokens, Self::Duration, Self::Created, Self::Metadata];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Answer => "answer",
            Self::Turns => "turns",
            Self::Calls => "calls",
            Self::Tokens => "tokens",
            Self::Cost => "cost",
            Self::Duration => "duration",
            Self::Created => "created",
            Self::Session => "session",
            Self::Metadata => "metadata",
        }
    }

    pub fn label(self) -> &'static str {
        match self {
            Self::Model => "Model",
            Self::Answer => "Answer",
            Self::Turns => "Turns",
            Self::Calls => "Calls",
            Self::Tokens => "Tokens",
            Self::Cost => "Cost",
            Self::Duration => "Duration",
            Self::Created => "Created",
            Self::Session => "Session",
            Self::Metadata => "Metadata",
        }
    }

    /// On a middling screen the style leaves it out, unless somebody chose the columns.
    pub fn gives_way(self) -> bool {
        matches!(self, Self::Model | Self::Turns)
    }

    /// The class of its cells; figures stand to the right.
    pub fn class(self) -> &'static str {
        match self {
            Self::Model => "col-model",
            Self::Answer => "col-answer",
            Self::Turns => "number col-turns",
            Self::Calls => "number col-calls",
            Self::Tokens => "number col-tokens",
            Self::Cost => "number col-cost",
            Self::Duration => "number col-duration",
            Self::Created => "number col-created",
            Self::Session => "col-session",
            Self::Metadata => "col-metadata",
        }
    }

    /// A choice as a cookie keeps it: names with dots between them, in whatever order. None is a choice too.
    pub fn parse_choice(text: &str) -> Vec<Self> {
        let names: Vec<&str> = text.split('.').collect();
        Self::ALL.into_iter().filter(|column| names.contains(&column.as_str())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_keeps_the_order_of_the_table_and_forgets_what_is_unknown() {
        assert_eq!(Column::parse_choice("metadata.model.lost"), [Column::Model, Column::Metadata]);
        assert_eq!(Column::parse_choice("none"), []);
    }
}
