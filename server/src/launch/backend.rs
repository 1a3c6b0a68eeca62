//! The launch page's questions, answered for one signed-in person.

use app::AppError;
use app::launch::sheet::{LaunchAnswer, LaunchPage};
use app::launch::{
    BatchRequest, Catalogue, Draft, LaunchContent, LaunchEntry, LaunchRequest, Launched, Launching, McpDiscovery,
    Posted, Template, TemplateDraft, ToolCheck,
};
use async_trait::async_trait;
use domain::{A2aPeer, AnswerRecord, Batch, McpEndpoint};
use remote_tools::RemoteError;
use remote_tools::mcp::McpCatalogue;
use serde_json::Value;

use super::{Launcher, batch, catalogue, content_of_run, launch, library, page, preflight};
use crate::error::Error;
use crate::peers::{McpCatalogue, PeerError};
use crate::runs::find_run;
use crate::workspace::SignedInWorkspace;

impl SignedInWorkspace {
    async fn launcher(&self) -> Result<Launcher, Error> {
        Launcher::of(&self.state, &self.caller).await
    }
}

#[async_trait]
impl Launching for SignedInWorkspace {
    async fn open_launch_page(&self, entry: LaunchEntry) -> Result<LaunchPage, AppError> {
        Ok(page::open(&self.state, &self.launcher().await?, &entry).await?)
    }

    async fn send_launch_page(&self, posted: Posted) -> Result<LaunchAnswer, AppError> {
        Ok(page::send(&self.state, &self.launcher().await?, &posted).await?)
    }

    async fn launch(&self, request: LaunchRequest) -> Result<Launched, AppError> {
        Ok(launch(&self.state, &self.launcher().await?, &request).await?)
    }

    async fn content_of_run(&self, run_id: &str) -> Result<LaunchContent, AppError> {
        Ok(content_of_run(&self.state, &self.caller, run_id).await?)
    }

    async fn answers_of_run(&self, run_id: &str) -> Result<Vec<AnswerRecord>, AppError> {
        find_run(&self.state, &self.caller, run_id).await?;
        let records = self.state.store.answer_records(self.caller.workspace_id, run_id).await;
        Ok(records.map_err(Error::from)?)
    }

    async fn catalogue(&self) -> Result<Catalogue, AppError> {
        Ok(catalogue::read(&self.state, &self.launcher().await?).await?)
    }

    async fn preflight(&self, content: LaunchContent) -> Result<Vec<ToolCheck>, AppError> {
        Ok(preflight::run(&self.state, &self.launcher().await?, &content).await?)
    }

    async fn discover_mcp(&self, endpoint: McpEndpoint) -> Result<McpDiscovery, AppError> {
        let found = self.state.peers.discover_mcp(&endpoint).await.map_err(|error| peer_error("endpoint", &error))?;
        let McpCatalogue { server_info, tools, truncated } = found;
        Ok(McpDiscovery { server_info, tools, cut: truncated })
    }

    async fn fetch_card(&self, peer: A2aPeer) -> Result<Value, AppError> {
        let found = self.state.peers.fetch_card(&peer).await.map_err(|error| peer_error("peer", &error))?;
        Ok(found.card)
    }

    async fn templates(&self) -> Result<Vec<Template>, AppError> {
        Ok(library::templates(&self.state, &self.launcher().await?).await?)
    }

    async fn save_template(&self, template: TemplateDraft) -> Result<String, AppError> {
        Ok(library::save_template(&self.state, &self.launcher().await?, template).await?)
    }

    async fn delete_template(&self, id: &str) -> Result<(), AppError> {
        Ok(library::delete_template(&self.state, &self.launcher().await?, id).await?)
    }

    async fn draft(&self) -> Result<Option<Draft>, AppError> {
        Ok(library::draft(&self.state, &self.launcher().await?, library::Slot::Current).await?)
    }

    async fn save_draft(&self, text: &str) -> Result<(), AppError> {
        Ok(library::save_draft(&self.state, &self.launcher().await?, library::Slot::Current, text).await?)
    }

    async fn launch_batch(&self, request: BatchRequest) -> Result<Batch, AppError> {
        Ok(batch::begin(&self.state, &self.launcher().await?, &request).await?)
    }

    async fn batch(&self, id: &str) -> Result<Batch, AppError> {
        Ok(batch::read(&self.state, &self.launcher().await?, id).await?)
    }
}

/// The address that somebody typed is what is wrong.
fn peer_error(field: &str, error: &RemoteError) -> AppError {
    AppError::Invalid { field: field.to_owned(), message: error.to_string() }
}
