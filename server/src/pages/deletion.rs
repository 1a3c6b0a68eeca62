//! Describes what a deletion would delete, for the page that asks for confirmation.

use app::AppError;
use app::model::deletion::DeletionModel;
use domain::url::encode_segment;

use crate::error::Error;
use crate::masking::masked;
use crate::store::EraseTarget;
use crate::workspace::SignedInWorkspace;

const CONSEQUENCES: &str = "The log, its search index, answers, feedback and drafts made from it are deleted here for \
    good and are not synced again. MANTYX keeps its own copy. This can't be undone.";

pub async fn load_run(workspace: &SignedInWorkspace, id: &str) -> Result<DeletionModel, Error> {
    let run = workspace.state.store.run(workspace.caller.workspace_id, id).await?;
    let run = run.ok_or_else(|| AppError::not_found("run"))?;
    let href = format!("/runs/{}", encode_segment(id));
    Ok(DeletionModel { title: masked(&run.title()).into_owned(), consequences: CONSEQUENCES.to_owned(), href })
}

pub async fn load_session(workspace: &SignedInWorkspace, id: &str) -> Result<DeletionModel, Error> {
    let (store, workspace_id) = (&workspace.state.store, workspace.caller.workspace_id);
    let session = store.session(workspace_id, id).await?.ok_or_else(|| AppError::not_found("session"))?;
    let found = store.erasable(workspace_id, &EraseTarget::Session(id.to_owned())).await?;
    let runs = match found.run_ids.len() {
        0 => "The session has no stored runs.".to_owned(),
        1 => "Its run is deleted with it.".to_owned(),
        runs => format!("Its {runs} runs are deleted with it."),
    };
    let href = format!("/sessions/{}", encode_segment(id));
    Ok(DeletionModel {
        title: masked(&session.title()).into_owned(),
        consequences: format!("{runs} {CONSEQUENCES}"),
        href,
    })
}
