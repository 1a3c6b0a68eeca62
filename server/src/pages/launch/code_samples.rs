//! Code that launches the spec, without its secrets.

use app::launch::LaunchMode;
use protocol::ids::is_path_id;
use protocol::redact::redact;
use protocol::snippet::{Language, snippet};

use super::controls::{PageBuilder, fold, note};
use super::items::Item;

/// The longest spec that is shown. The page has a copy in each language.
const MAX_SHOWN_BYTES: usize = 64 * 1024;

impl PageBuilder<'_> {
    pub fn code_samples(&self) -> Item {
        let mut spec = self.fields.in_order(self.spec());
        redact(&mut spec);
        let items = if spec.to_string().len() > MAX_SHOWN_BYTES {
            vec![note("The spec is too large to show as code. Copy its JSON.")]
        } else {
            let program = |language: Language| Item::Code {
                title: format!("As {}", language.name()),
                text: snippet(language, &self.posted_to(), &spec),
            };
            let text = match self.draft.mode {
                LaunchMode::NewSession => "Each starts one run, without a session. Secrets are hidden.",
                _ => "Secrets are hidden.",
            };
            [note(text)].into_iter().chain(Language::ALL.map(program)).collect()
        };
        fold("fold-programs", "Code", false, items)
    }

    fn posted_to(&self) -> String {
        match &self.draft.mode {
            LaunchMode::Message { session_id } if is_path_id(session_id) => {
                let sessions = self.runs_url.trim_end_matches("agent-runs");
                format!("{sessions}agent-sessions/{session_id}/messages")
            }
            _ => self.runs_url.to_owned(),
        }
    }
}
