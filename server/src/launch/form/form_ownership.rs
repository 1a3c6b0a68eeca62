//! The owner of a form. Another user may have signed in since the server gave it out, or nobody is signed in.

use app::launch::draft::{LaunchDraft, Ownership};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::super::Launcher;
use crate::vault::Vault;

const PURPOSE: &str = "launch form";

pub fn assign(vault: &Vault, draft: &mut LaunchDraft, launcher: &Launcher) {
    draft.ownership.owner = owner_id(launcher);
    draft.ownership.owner_name = owner_name(launcher);
    if !is_valid(vault, &draft.ownership.proof, &draft.ownership.owner) {
        draft.ownership.proof = URL_SAFE_NO_PAD.encode(vault.seal(PURPOSE, draft.ownership.owner.as_bytes()));
    }
}

pub fn is_owner(draft: &LaunchDraft, launcher: &Launcher) -> bool {
    draft.ownership.owner == owner_id(launcher)
}

/// Returns the message for a user who sends another user's form.
pub fn refusal(draft: &LaunchDraft, launcher: &Launcher) -> String {
    let owner =
        if draft.ownership.owner_name.is_empty() { "another person" } else { draft.ownership.owner_name.as_str() };
    let you = owner_name(launcher);
    format!("This form belongs to {owner}, and you are signed in as {you}. It was neither saved nor launched for you.")
}

/// Returns whether this server gave the draft to the owner that it names.
pub fn is_ours(vault: &Vault, draft: &str) -> bool {
    serde_json::from_str::<Ownership>(draft).is_ok_and(|found| is_valid(vault, &found.proof, &found.owner))
}

/// A user may be in several workspaces.
fn owner_id(launcher: &Launcher) -> String {
    format!("{} {}", launcher.caller.workspace_id, launcher.subject)
}

fn owner_name(launcher: &Launcher) -> String {
    format!("{} (workspace {})", launcher.email, launcher.caller.slug)
}

fn is_valid(vault: &Vault, proof: &str, owner: &str) -> bool {
    let opened = URL_SAFE_NO_PAD.decode(proof).ok().and_then(|sealed| vault.open_sealed(PURPOSE, &sealed).ok());
    opened.is_some_and(|opened| opened == owner.as_bytes())
}
