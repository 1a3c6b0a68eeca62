//! The launch page's server functions for one signed-in user.

use app::AppError;
use app::launch::{LaunchEntry, Launching};
use app::model::launch::LaunchPageModel;
use async_trait::async_trait;
use domain::{Batch, BatchProgress};

use crate::launch::batch;
use crate::workspace::SignedInWorkspace;

#[async_trait]
impl Launching for SignedInWorkspace {
    async fn launch_page(&self, entry: LaunchEntry) -> Result<LaunchPageModel, AppError> {
        Ok(super::load(&self.state, &self.caller, &entry).await?)
    }

    async fn batch(&self, id: &str) -> Result<Batch, AppError> {
        Ok(batch::load(&self.state, &self.caller, id).await?)
    }

    async fn batch_progress(&self, id: &str) -> Result<BatchProgress, AppError> {
        Ok(batch::load(&self.state, &self.caller, id).await?.progress())
    }
}
