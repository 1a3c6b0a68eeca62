//! The actions of the launch form's buttons: `launch`, `remove:/tools/2`.

use std::fmt;

use domain::{from_word, word};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    pub verb: Verb,
    /// What the action is about: a pointer, a kind of tool or the id of a template. Empty for most.
    pub object: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verb {
    /// Applies what was typed.
    Update,
    Launch,
    /// Launches although an earlier launch may have started a run.
    LaunchAgain,
    LaunchBatch,
    CheckTools,
    Reset,
    AddTool,
    AddMessage,
    /// Removes an item of a list: a tool, a message, a file or a property (`/schema#2`).
    Remove,
    UndoRemove,
    Attach,
    DiscoverTools,
    LoadCard,
    SaveTemplate,
    UpdateTemplate,
    DeleteTemplate,
    ConfirmDelete,
    KeepTemplate,
}

impl Verb {
    /// Reaches other servers, or changes what the workspace shares. Reading runs doesn't allow that.
    pub fn needs_write(self) -> bool {
        use Verb::{CheckTools, ConfirmDelete, DiscoverTools, LoadCard, SaveTemplate, UpdateTemplate};
        matches!(self, DiscoverTools | LoadCard | CheckTools | SaveTemplate | UpdateTemplate | ConfirmDelete)
    }

    pub fn of(self, object: impl Into<String>) -> Action {
        Action { verb: self, object: object.into() }
    }
}

impl From<Verb> for Action {
    fn from(verb: Verb) -> Self {
        verb.of("")
    }
}

impl Action {
    /// An unknown action only updates the form.
    pub fn parse(text: &str) -> Self {
        let (name, object) = text.split_once(':').unwrap_or((text, ""));
        from_word(name).unwrap_or(Verb::Update).of(object)
    }

    /// Splits the object of `remove:/tools/2` into the list and the index.
    pub fn list_and_index(&self, separator: char) -> Option<(&str, usize)> {
        let (list, index) = self.object.rsplit_once(separator)?;
        Some((list, index.parse().ok()?))
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = if self.object.is_empty() { "" } else { ":" };
        write!(f, "{}{separator}{}", word(self.verb), self.object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_is_read_as_it_is_written() {
        for (verb, name) in [(Verb::Launch, "launch"), (Verb::LaunchAgain, "launch-again"), (Verb::Remove, "remove")] {
            assert_eq!((Action::parse(name), Action::from(verb).to_string()), (verb.into(), name.to_owned()));
            assert_eq!(Action::parse(&verb.of("/tools/2").to_string()), verb.of("/tools/2"));
        }
        assert_eq!(Action::parse("explode").verb, Verb::Update);
        assert_eq!(Verb::Remove.of("/tools/3/tools/2").list_and_index('/'), Some(("/tools/3/tools", 2)));
        assert_eq!(Verb::Remove.of("/tools/x").list_and_index('/'), None);
    }
}
