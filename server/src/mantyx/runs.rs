//! Lists and reads runs and models.

use protocol::messages::{ModelList, RunListResponse, RunSnapshot};
use reqwest::Method;

use super::{Bearer, Mantyx, MantyxError};

impl Mantyx {
    /// Returns a page of runs, newest first; with `count`, also the total. Servers that cannot list return `Refused` with 405,
    /// or `NotFound`.
    pub async fn list_runs(
        &self,
        bearer: &Bearer,
        slug: &str,
        limit: u32,
        cursor: Option<&str>,
        count: bool,
    ) -> Result<RunListResponse, MantyxError> {
        let mut request =
            self.workspace_request(bearer, Method::GET, slug, &["agent-runs"]).query(&[("limit", limit.to_string())]);
        if count {
            request = request.query(&[("includeTotal", "1")]);
        }
        if let Some(cursor) = cursor {
            request = request.query(&[("cursor", cursor)]);
        }
        Self::send_json(request).await
    }

    pub async fn run(&self, bearer: &Bearer, slug: &str, run_id: &str) -> Result<RunSnapshot, MantyxError> {
        Self::send_json(self.workspace_request(bearer, Method::GET, slug, &["agent-runs", run_id])).await
    }

    pub async fn models(&self, bearer: &Bearer, slug: &str) -> Result<ModelList, MantyxError> {
        Self::send_json(self.workspace_request(bearer, Method::GET, slug, &["models"])).await
    }
}
