//! What the server functions of the launch page ask of the server.

use async_trait::async_trait;
use domain::{A2aPeer, AnswerRecord, Batch, McpEndpoint};
use serde_json::Value;

use super::sheet::{LaunchAnswer, LaunchPage};
use super::{
    BatchRequest, Catalogue, Draft, LaunchContent, LaunchRequest, Launched, McpDiscovery, Template, TemplateDraft,
    ToolCheck,
};
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

/// The page's form as it was sent.
#[derive(Clone, Debug, Default)]
pub struct Posted {
    pub fields: Vec<(String, String)>,
    pub uploads: Vec<Upload>,
}

#[derive(Clone, Debug)]
pub struct Upload {
    /// The control's.
    pub name: String,
    pub file_name: String,
    pub mime: String,
    pub bytes: Vec<u8>,
}

#[async_trait]
pub trait Launching: Send + Sync {
    /// The launch page, ready to draw.
    async fn open_launch_page(&self, entry: LaunchEntry) -> Result<LaunchPage, AppError>;

    async fn send_launch_page(&self, posted: Posted) -> Result<LaunchAnswer, AppError>;

    async fn launch(&self, request: LaunchRequest) -> Result<Launched, AppError>;

    /// Spec and answers of a run, to launch another like it.
    async fn content_of_run(&self, run_id: &str) -> Result<LaunchContent, AppError>;

    /// Who answered the local tool calls of a run.
    async fn answers_of_run(&self, run_id: &str) -> Result<Vec<AnswerRecord>, AppError>;

    async fn catalogue(&self) -> Result<Catalogue, AppError>;

    async fn preflight(&self, content: LaunchContent) -> Result<Vec<ToolCheck>, AppError>;

    async fn discover_mcp(&self, endpoint: McpEndpoint) -> Result<McpDiscovery, AppError>;

    async fn fetch_card(&self, peer: A2aPeer) -> Result<Value, AppError>;

    async fn templates(&self) -> Result<Vec<Template>, AppError>;

    /// Keeps a template and gives its id.
    async fn save_template(&self, template: TemplateDraft) -> Result<String, AppError>;

    async fn delete_template(&self, id: &str) -> Result<(), AppError>;

    async fn draft(&self) -> Result<Option<Draft>, AppError>;

    /// Keeps what is being written; an empty text forgets it.
    async fn save_draft(&self, text: &str) -> Result<(), AppError>;

    async fn launch_batch(&self, request: BatchRequest) -> Result<Batch, AppError>;

    async fn batch(&self, id: &str) -> Result<Batch, AppError>;
}
