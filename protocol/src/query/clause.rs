//! The clauses of a query.

use super::When;
use crate::{RunStatus, ids};

/// One condition: its term, or any of the alternatives that follow it after commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    pub negated: bool,
    pub term: Term,
    /// Further values of the same key; one must match.
    pub or: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    Status(RunStatus),
    Metadata {
        key: String,
        value: String,
    },
    Field {
        field: Field,
        value: String,
    },
    Is(Is),
    Has(Has),
    Compare(Comparison),
    /// Created at this time or later.
    Since(When),
    /// Created earlier than this.
    Before(When),
    /// The beginning of a word anywhere in the text of a run. A word like `gpt-5.5` is several: the last is a beginning.
    Word(String),
    /// Whole words in this order, in one part of the text of a run.
    Phrase(String),
}

/// A named property of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    Model,
    Agent,
    Name,
    Session,
    Tool,
    /// The tool that took most of the time.
    SlowestTool,
    /// A tool that returned an error, or a result that reports a failure.
    FailedTool,
    Error,
    /// The failure group, by its id.
    Group,
    Id,
    /// The user who launched it. Not part of the language: the server replaces `is:mine` with it.
    Launcher,
    /// The status of a session: `active` or `ended`.
    SessionStatus,
}

/// A state of a run, or a signal of its log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Is {
    Truncated,
    Looping,
    Budget,
    Failed,
    Running,
    Waiting,
    /// A tool returned an error, or a result that reports a failure.
    ToolFailed,
    Imported,
    /// Imported from a log that stops before the run's end.
    Incomplete,
    Seeded,
    /// Launched by the current user.
    Mine,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Has {
    /// A metadata key, with any value.
    Metadata(String),
    /// A tool call without an answer.
    OrphanCall,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    pub measure: Measure,
    pub bound: Bound,
}

/// A number of a run, and the unit of comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// Milliseconds.
    Duration,
    Tokens,
    /// Millionths of a US dollar.
    Cost,
    Turns,
    Calls,
    /// Milliseconds in which the run waited for answers from outside.
    Waited,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    Above(u64),
    AtLeast(u64),
    Below(u64),
    AtMost(u64),
    Exactly(u64),
    /// Both ends included.
    Between(u64, u64),
}

impl From<Term> for Clause {
    fn from(term: Term) -> Self {
        Self { negated: false, term, or: Vec::new() }
    }
}

impl Clause {
    /// Returns the term and its alternatives.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        std::iter::once(&self.term).chain(&self.or)
    }
}

impl Term {
    pub fn metadata(key: &str, value: &str) -> Self {
        Self::Metadata { key: key.to_owned(), value: value.to_owned() }
    }

    /// Parses a status of a session or of a run.
    pub fn status(of_session: bool, word: &str) -> Option<Self> {
        match of_session {
            true => {
                let known = super::SESSION_STATUSES.into_iter().find(|known| known.eq_ignore_ascii_case(word))?;
                Some(Self::Field { field: Field::SessionStatus, value: known.to_owned() })
            }
            false => RunStatus::parse(&word.to_ascii_lowercase()).map(Self::Status),
        }
    }

    /// Returns whether both terms are values of one key, so that one can be an alternative of the other.
    pub(super) fn has_key_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Metadata { key, .. }, Self::Metadata { key: other, .. }) => key == other,
            (Self::Field { field, .. }, Self::Field { field: other, .. }) => field == other,
            (Self::Status(_), Self::Status(_)) | (Self::Is(_), Self::Is(_)) | (Self::Has(_), Self::Has(_)) => true,
            _ => false,
        }
    }

    /// Returns whether the text of runs is searched.
    pub fn is_text(&self) -> bool {
        matches!(self, Self::Word(_) | Self::Phrase(_))
    }

    pub fn is_status(&self) -> bool {
        matches!(self, Self::Status(_) | Self::Field { field: Field::SessionStatus, .. })
    }

    /// Returns true if only the log of a run can answer this term.
    pub fn needs_log(&self) -> bool {
        match self {
            Self::Field { field, .. } => {
                matches!(field, Field::Tool | Field::SlowestTool | Field::FailedTool | Field::Error | Field::Group)
            }
            Self::Is(is) => matches!(is, Is::Truncated | Is::Looping | Is::Budget | Is::Waiting | Is::ToolFailed),
            Self::Has(has) => *has == Has::OrphanCall,
            Self::Compare(comparison) => comparison.measure == Measure::Waited,
            _ => false,
        }
    }

    /// Parses `key:value` as metadata, also if the key is reserved.
    pub fn parse_metadata(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some((key, value)) if ids::is_metadata_key(key.trim()) && !value.trim().is_empty() => {
                Ok(Self::metadata(key.trim(), value.trim()))
            }
            Some((key, _)) if !ids::is_metadata_key(key.trim()) => Err(METADATA_KEY_RULE.to_owned()),
            _ => Err("Write metadata as key:value, for example customer:acme.".to_owned()),
        }
    }
}

pub(super) const METADATA_KEY_RULE: &str = "Metadata keys may use letters, digits, dot, _ and -, at most 64.";

impl Field {
    /// The fields that are words of the query language.
    pub const ALL: [Self; 10] = [
        Self::Model,
        Self::Agent,
        Self::Name,
        Self::Session,
        Self::Tool,
        Self::SlowestTool,
        Self::FailedTool,
        Self::Error,
        Self::Group,
        Self::Id,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Agent => "agent",
            Self::Name => "name",
            Self::Session => "session",
            Self::Tool => "tool",
            Self::SlowestTool => "slowest-tool",
            Self::FailedTool => "failed-tool",
            Self::Error => "error",
            Self::Group => "group",
            Self::Id => "id",
            Self::Launcher => "launcher",
            Self::SessionStatus => "status",
        }
    }
}

impl Is {
    pub const ALL: [Self; 11] = [
        Self::Truncated,
        Self::Looping,
        Self::Budget,
        Self::Failed,
        Self::Running,
        Self::Waiting,
        Self::ToolFailed,
        Self::Imported,
        Self::Incomplete,
        Self::Seeded,
        Self::Mine,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Truncated => "truncated",
            Self::Looping => "looping",
            Self::Budget => "budget",
            Self::Failed => "failed",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::ToolFailed => "tool-failed",
            Self::Imported => "imported",
            Self::Incomplete => "incomplete",
            Self::Seeded => "seeded",
            Self::Mine => "mine",
        }
    }
}

impl Measure {
    pub const ALL: [Self; 6] = [Self::Duration, Self::Tokens, Self::Cost, Self::Turns, Self::Calls, Self::Waited];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Duration => "duration",
            Self::Tokens => "tokens",
            Self::Cost => "cost",
            Self::Turns => "turns",
            Self::Calls => "calls",
            Self::Waited => "waited",
        }
    }
}
