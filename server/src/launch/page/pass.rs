//! Whose a form is. In one browser somebody else may have signed in since it was given out, or nobody is signed in any more.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;

use super::super::Launcher;
use super::work::Work;
use crate::vault::Vault;

const PURPOSE: &str = "launch form";

/// Marks the work as somebody's.
pub fn give(vault: &Vault, work: &mut Work, launcher: &Launcher) {
    work.owner = mark(launcher);
    work.owner_name = name(launcher);
    if !fits(vault, &work.pass, &work.owner) {
        work.pass = URL_SAFE_NO_PAD.encode(vault.seal(PURPOSE, work.owner.as_bytes()));
    }
}

/// Whether the work was given to this person in this workspace.
pub fn is_of(work: &Work, launcher: &Launcher) -> bool {
    work.owner == mark(launcher)
}

/// What somebody is told who sends the form of somebody else.
pub fn refusal(work: &Work, launcher: &Launcher) -> String {
    let owner = if work.owner_name.is_empty() { "somebody else" } else { work.owner_name.as_str() };
    let you = name(launcher);
    format!("This form belongs to {owner}, and you are signed in as {you}. It was neither kept nor launched for you.")
}

/// Whether the work of a form was given to the person whom it names.
pub fn is_known(vault: &Vault, work: &str) -> bool {
    #[derive(Deserialize)]
    struct Marks {
        owner: String,
        pass: String,
    }
    serde_json::from_str::<Marks>(work).is_ok_and(|marks| fits(vault, &marks.pass, &marks.owner))
}

/// One person may be in several workspaces.
fn mark(launcher: &Launcher) -> String {
    format!("{} {}", launcher.caller.workspace_id, launcher.subject)
}

fn name(launcher: &Launcher) -> String {
    format!("{} (workspace {})", launcher.email, launcher.caller.slug)
}

fn fits(vault: &Vault, pass: &str, owner: &str) -> bool {
    let opened = URL_SAFE_NO_PAD.decode(pass).ok().and_then(|sealed| vault.open_sealed(PURPOSE, &sealed).ok());
    opened.is_some_and(|opened| opened == owner.as_bytes())
}
