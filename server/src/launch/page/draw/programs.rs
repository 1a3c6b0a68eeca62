//! The spec as programs that launch it, secrets hidden.

use app::launch::LaunchMode;
use app::launch::sheet::Item;
use protocol::ids::is_path_id;
use protocol::redact::redact;
use protocol::snippet::{Language, snippet};

use super::{Draw, note};

/// A spec up to this long is shown in every language. Each of them is a copy of it in the page.
const MAX_SHOWN_BYTES: usize = 64 * 1024;

impl Draw<'_> {
    pub fn programs(&self) -> Item {
        let mut spec = self.spec().clone();
        redact(&mut spec);
        let items = if spec.to_string().len() > MAX_SHOWN_BYTES {
            vec![note("The spec is too large to be shown as a program. Copy its JSON.")]
        } else {
            let program = |language: Language| Item::Code {
                title: format!("As {}", language.name()),
                text: snippet(language, &self.posted_to(), &spec),
            };
            let told = match self.work.mode {
                LaunchMode::NewSession => "Each starts one run, without a session. Secrets are hidden.",
                _ => "Secrets are hidden.",
            };
            [note(told)].into_iter().chain(Language::ALL.map(program)).collect()
        };
        Item::Fold { id: "fold-programs".to_owned(), title: "As a program".to_owned(), open: false, items }
    }

    fn posted_to(&self) -> String {
        match &self.work.mode {
            LaunchMode::Message { session_id } if is_path_id(session_id) => {
                let sessions = self.runs_url.trim_end_matches("agent-runs");
                format!("{sessions}agent-sessions/{session_id}/messages")
            }
            _ => self.runs_url.to_owned(),
        }
    }
}
