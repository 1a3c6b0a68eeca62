//! The actions of the launch form's buttons: `launch`, `remove:/tools/2`.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    pub verb: Verb,
    /// What the action is about: a pointer, a kind of tool or the id of a template. Empty for most.
    pub object: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

const NAMES: [(Verb, &str); 18] = [
    (Verb::Update, "update"),
    (Verb::Launch, "launch"),
    (Verb::LaunchAgain, "launch-again"),
    (Verb::LaunchBatch, "launch-batch"),
    (Verb::CheckTools, "check-tools"),
    (Verb::Reset, "reset"),
    (Verb::AddTool, "add-tool"),
    (Verb::AddMessage, "add-message"),
    (Verb::Remove, "remove"),
    (Verb::UndoRemove, "undo-remove"),
    (Verb::Attach, "attach"),
    (Verb::DiscoverTools, "discover-tools"),
    (Verb::LoadCard, "load-card"),
    (Verb::SaveTemplate, "save-template"),
    (Verb::UpdateTemplate, "update-template"),
    (Verb::DeleteTemplate, "delete-template"),
    (Verb::ConfirmDelete, "confirm-delete"),
    (Verb::KeepTemplate, "keep-template"),
];

impl Verb {
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
        let verb = NAMES.iter().find(|(_, known)| *known == name).map_or(Verb::Update, |(verb, _)| *verb);
        verb.of(object)
    }

    /// Splits the object of `remove:/tools/2` into the list and the index.
    pub fn list_and_index(&self, separator: char) -> Option<(&str, usize)> {
        let (list, index) = self.object.rsplit_once(separator)?;
        Some((list, index.parse().ok()?))
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(verb, _)| *verb == self.verb).map_or("", |(_, name)| name);
        if self.object.is_empty() { f.write_str(name) } else { write!(f, "{name}:{}", self.object) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_is_read_as_it_is_written() {
        for (verb, name) in NAMES {
            assert_eq!(Action::parse(name), verb.into());
            assert_eq!(Action::parse(&verb.of("/tools/2").to_string()), verb.of("/tools/2"));
        }
        assert_eq!(Action::parse("explode").verb, Verb::Update);
        assert_eq!(Verb::Remove.of("/tools/3/tools/2").list_and_index('/'), Some(("/tools/3/tools", 2)));
        assert_eq!(Verb::Remove.of("/tools/x").list_and_index('/'), None);
    }
}
