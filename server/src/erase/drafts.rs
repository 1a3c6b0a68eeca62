//! Finds drafts of launches that contain what is erased. They are encrypted, so each is decrypted and read.

use app::launch::LaunchMode;
use app::launch::draft::LaunchDraft;
use protocol::spec::prompt_text;
use serde_json::Value;

use crate::error::Error;
use crate::store::{EraseTarget, Store, WorkspaceId};
use crate::vault::{Vault, purpose};

/// Returns the keys of drafts that contain the target. A draft that this key cannot decrypt is left out.
pub async fn containing(
    store: &Store,
    vault: &Vault,
    workspace: WorkspaceId,
    target: &EraseTarget,
) -> Result<Vec<String>, Error> {
    let prompt = match target {
        EraseTarget::Run(id) => prompt_of(store, workspace, id).await?,
        _ => None,
    };
    let mut found = Vec::new();
    for (key, sealed) in store.drafts(workspace).await? {
        let Ok(json) = vault.open_sealed(purpose::DRAFT, &sealed) else { continue };
        let Ok(draft) = serde_json::from_slice::<LaunchDraft>(&json) else { continue };
        let has_prompt = prompt.as_deref().is_some_and(|prompt| prompt_text(&draft.spec) == prompt);
        if has_prompt || contains(&draft, target) {
            found.push(key);
        }
    }
    Ok(found)
}

/// The prompt of a stored run. The draft that it was launched from has the same.
async fn prompt_of(store: &Store, workspace: WorkspaceId, id: &str) -> Result<Option<String>, Error> {
    let (spec, _) = store.run_spec_and_log_state(workspace, id).await?;
    let spec: Option<Value> = spec.and_then(|spec| serde_json::from_str(&spec).ok());
    Ok(spec.map(|spec| prompt_text(&spec).to_owned()).filter(|prompt| !prompt.is_empty()))
}

fn contains(draft: &LaunchDraft, target: &EraseTarget) -> bool {
    let origin = draft.origin.as_ref();
    match target {
        EraseTarget::Run(id) => {
            origin.and_then(|origin| origin.href.as_deref()).is_some_and(|href| href == format!("/runs/{id}"))
        }
        EraseTarget::Session(id) => {
            matches!(&draft.mode, LaunchMode::Message { session_id } if session_id == id)
        }
        EraseTarget::Metadata { key, value } => {
            let specs = [Some(&draft.spec), origin.map(|origin| &origin.spec)];
            specs.into_iter().flatten().any(|spec| spec["metadata"][key].as_str() == Some(value))
        }
    }
}

#[cfg(test)]
mod tests {
    use app::launch::draft::Origin;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_draft_contains_its_origin_its_session_and_its_metadata() {
        let run = EraseTarget::Run("run_1".to_owned());
        let session = EraseTarget::Session("session_1".to_owned());
        let metadata = EraseTarget::Metadata { key: "customer".to_owned(), value: "acme".to_owned() };
        let matching = |draft: &LaunchDraft| [&run, &session, &metadata].map(|target| contains(draft, target));
        assert_eq!(matching(&LaunchDraft::new()), [false, false, false]);

        let tagged = LaunchDraft::from_spec(json!({ "prompt": "p", "metadata": { "customer": "acme" } }));
        assert_eq!(matching(&tagged), [false, false, true]);
        let other = LaunchDraft::from_spec(json!({ "prompt": "p", "metadata": { "customer": "acme2", "x": "acme" } }));
        assert_eq!(matching(&other), [false, false, false]);

        let mut relaunched = LaunchDraft::new();
        relaunched.origin = Some(Origin {
            label: "run_1".to_owned(),
            href: Some("/runs/run_1".to_owned()),
            spec: json!({ "metadata": { "customer": "acme" } }),
            answers: Default::default(),
        });
        assert_eq!(matching(&relaunched), [true, false, true]);

        let mut message = LaunchDraft::new();
        message.mode = LaunchMode::Message { session_id: "session_1".to_owned() };
        assert_eq!(matching(&message), [false, true, false]);
    }
}
