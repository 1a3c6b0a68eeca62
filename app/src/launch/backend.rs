//! The methods behind the server functions of the launch page.

use async_trait::async_trait;
use domain::{Batch, BatchProgress};

use super::sheet::LaunchPage;
use crate::AppError;

/// Where the form begins: at another run, a template or a session; else at the draft.
///
/// In the page's address: `/launch?like=RUN`, `?template=ID`, `?session=ID`, `?draft=earlier`. `&set=PLACE=VALUE` changes the spec before it
/// is shown, any number of times: the place is a JSON Pointer, the value JSON or, where it is none, text; without a value
/// the field is taken out. `/launch?like=run_1&set=/budgets/maxToolTurns=20` is the run again with more turns; `/modelId=?larger` lets
/// the server choose the next larger model of the catalogue.
#[derive(Clone, Debug, Default)]
pub struct LaunchEntry {
    pub like: Option<String>,
    pub template: Option<String>,
    pub session: Option<String>,
    /// The draft that was put aside when something else was begun.
    pub earlier: bool,
    pub set: Vec<String>,
}

#[async_trait]
pub trait Launching: Send + Sync {
    async fn open_launch_page(&self, entry: LaunchEntry) -> Result<LaunchPage, AppError>;

    async fn batch(&self, id: &str) -> Result<Batch, AppError>;

    async fn batch_progress(&self, id: &str) -> Result<BatchProgress, AppError>;
}
