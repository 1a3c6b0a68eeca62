//! The launch page's server functions for one signed-in user.

use app::AppError;
use app::launch::sheet::LaunchPage;
use app::launch::{LaunchEntry, Launching};
use async_trait::async_trait;
use domain::{Batch, BatchProgress};

use super::{Launcher, batch, page};
use crate::workspace::SignedInWorkspace;

#[async_trait]
impl Launching for SignedInWorkspace {
    async fn open_launch_page(&self, entry: LaunchEntry) -> Result<LaunchPage, AppError> {
        let launcher = Launcher::of(&self.state, &self.caller).await?;
        Ok(page::open(&self.state, &launcher, &entry).await?)
    }

    async fn batch(&self, id: &str) -> Result<Batch, AppError> {
        Ok(batch::read(&self.state, &self.caller, id).await?)
    }

    async fn batch_progress(&self, id: &str) -> Result<BatchProgress, AppError> {
        Ok(batch::read(&self.state, &self.caller, id).await?.progress())
    }
}
