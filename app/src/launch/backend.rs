//! What the server functions of the launch page ask of the server.

use async_trait::async_trait;
use serde_json::Value;

use super::{
    A2aPeer, AnswerRecord, Batch, BatchRequest, Catalogue, Draft, LaunchContent, LaunchRequest, Launched, McpDiscovery,
    McpEndpoint, Template, TemplateDraft, ToolCheck,
};
use crate::AppError;

#[async_trait]
pub trait Launching: Send + Sync {
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
