//! The abilities of a model, as the workspace's earlier runs show them. The catalogue doesn't have them.

use domain::RunSort;
use protocol::Query;
use serde_json::Value;

use crate::clock::now_ms;
use crate::error::Error;
use crate::launch::{Launcher, ModelChoice};
use crate::state::AppState;

/// The newest runs of a model that are read.
const MAX_RUNS: u32 = 20;

/// What a run needs of its model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    pub tools: bool,
    pub schema: bool,
}

/// `None` if no run shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelRecord {
    pub tools: Option<bool>,
    pub schema: Option<bool>,
}

impl Needs {
    pub fn of(spec: &Value) -> Self {
        Self {
            tools: spec["tools"].as_array().is_some_and(|tools| !tools.is_empty()),
            schema: spec["outputSchema"].is_object(),
        }
    }

    pub fn is_none(self) -> bool {
        self == Self::default()
    }
}

impl ModelRecord {
    /// Returns `Some(false)` if the model lacks something, and `None` if something is not known.
    pub fn supports(self, needs: Needs) -> Option<bool> {
        let parts = [(needs.tools, self.tools), (needs.schema, self.schema)];
        let mut needed = parts.into_iter().filter(|(needed, _)| *needed).map(|(_, known)| known);
        match needed.clone().any(|known| known == Some(false)) {
            true => Some(false),
            false => needed.all(|known| known.is_some()).then_some(true),
        }
    }
}

/// Reads the newest runs of a model.
pub async fn load(
    state: &AppState,
    launcher: &Launcher,
    model: &ModelChoice,
    needs: Needs,
) -> Result<ModelRecord, Error> {
    let workspace = launcher.caller.workspace_id;
    let Ok(query) = Query::parse(&format!("model:\"{}\"", model.vendor_model_id)) else {
        return Ok(ModelRecord::default());
    };
    let plan = state.store.plan(workspace, &query, now_ms()).await?;
    let mut record = ModelRecord::default();
    for run in state.store.list_runs(&plan, RunSort::default(), None, MAX_RUNS).await?.runs {
        if run.tool_calls.is_some_and(|calls| calls > 0) {
            record.tools = Some(true);
        }
        if needs.schema && record.schema.is_none() && run.status.is_terminal() {
            let replay = state.timelines.load(&state.store, workspace, &run.id).await?;
            let outcome = replay.latest().outcome.clone();
            record.schema = outcome.as_deref().and_then(|outcome| match &outcome.schema {
                Some(report) => Some(report.enforced && !report.fell_back),
                None => (outcome.error_class.as_deref() == Some("structured_output_not_supported")).then_some(false),
            });
        }
        if record.supports(needs).is_some() {
            break;
        }
    }
    Ok(record)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_model_supports_what_runs_have_shown() {
        let needs = Needs::of(&json!({ "tools": [{}], "outputSchema": {} }));
        let record = |tools, schema| ModelRecord { tools, schema }.supports(needs);
        assert_eq!(record(Some(true), Some(true)), Some(true));
        assert_eq!(record(None, Some(true)), None);
        assert_eq!(record(None, Some(false)), Some(false));
        assert!(Needs::of(&json!({ "tools": [], "outputSchema": null })).is_none());
        assert_eq!(ModelRecord::default().supports(Needs::default()), Some(true));
    }
}
