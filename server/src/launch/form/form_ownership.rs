//! The owner of a form. Another user may have signed in since the server gave it out, or nobody is signed in.

use app::launch::draft::{LaunchDraft, Ownership};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::super::Launcher;
use crate::vault::Vault;

const PURPOSE: &str = "launch form";

pub fn assign(draft: &mut LaunchDraft, launcher: &Launcher<'_>) {
    draft.ownership.owner_name = owner_name(launcher);
    if !is_owner(draft, launcher) {
        let sealed = launcher.state.vault.seal(PURPOSE, owner_id(launcher).as_bytes());
        draft.ownership.proof = URL_SAFE_NO_PAD.encode(sealed);
    }
}

pub fn is_owner(draft: &LaunchDraft, launcher: &Launcher<'_>) -> bool {
    owner_of(&launcher.state.vault, &draft.ownership) == Some(owner_id(launcher).into_bytes())
}

/// Returns the message for a user who sends another user's form.
pub fn refusal(draft: &LaunchDraft, launcher: &Launcher<'_>) -> String {
    let owner = Some(draft.ownership.owner_name.as_str()).filter(|name| !name.is_empty()).unwrap_or("another person");
    let you = owner_name(launcher);
    format!("This form belongs to {owner}, and you are signed in as {you}. It was neither saved nor launched for you.")
}

/// Returns whether this server gave out the draft.
pub fn is_ours(vault: &Vault, draft: &str) -> bool {
    serde_json::from_str::<Ownership>(draft).is_ok_and(|found| owner_of(vault, &found).is_some())
}

/// A user may be in several workspaces.
fn owner_id(launcher: &Launcher<'_>) -> String {
    format!("{} {}", launcher.caller.workspace_id, launcher.subject)
}

fn owner_name(launcher: &Launcher<'_>) -> String {
    format!("{} (workspace {})", launcher.email, launcher.caller.slug)
}

fn owner_of(vault: &Vault, ownership: &Ownership) -> Option<Vec<u8>> {
    vault.open_sealed(PURPOSE, &URL_SAFE_NO_PAD.decode(&ownership.proof).ok()?).ok()
}
