//! The form for a new session.

use app::model::session::NewSessionModel;

use super::launch::describe_model;
use crate::error::Error;
use crate::launch::Launcher;
use crate::workspace::SignedInWorkspace;

pub async fn load(workspace: &SignedInWorkspace) -> Result<NewSessionModel, Error> {
    let (state, caller) = (&workspace.state, &workspace.caller);
    let launcher = Launcher::of(state, caller).await?;
    let catalogue = state.catalogues.load(&launcher).await?;
    let models = catalogue.models.items.iter().map(|model| (model.id.clone(), describe_model(model)));
    Ok(NewSessionModel {
        key: crate::random::token(),
        models: models.collect(),
        default_model: catalogue.default_model_id.clone().unwrap_or_default(),
        no_models: catalogue.models.unavailable.clone(),
    })
}
