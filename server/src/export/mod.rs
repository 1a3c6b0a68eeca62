//! Exports a run: its log as NDJSON, which can be imported again, or a report in one HTML file.

mod report;

use std::convert::Infallible;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Context;
use app::AppError;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use clap::{Args, ValueEnum};
use domain::{AuditAction, RunSummary};
use futures::{StreamExt, stream};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::ApiCaller;
use crate::audit;
use crate::auth::Caller;
use crate::config::DatabaseOptions;
use crate::error::Error;
use crate::log_lines::LogLines;
use crate::masking::{current, mask_document, with_patterns};
use crate::redaction;
use crate::runs;
use crate::state::AppState;
use crate::store::{Store, WorkspaceId};
use crate::timelines::TimelineCache;
use crate::views;
use crate::web::response_slots::{PART, WHOLE};

/// Bytes of a report that are sent at a time.
const PART_BYTES: usize = 256 * 1024;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// The log as it came, one event a line, after a line about the run.
    #[default]
    Ndjson,
    /// A report in one file: verdict, banners and timeline.
    Html,
}

#[derive(Deserialize)]
pub struct Params {
    #[serde(default)]
    format: Format,
    /// Do not hide what looks like a secret.
    #[serde(default)]
    secrets: bool,
}

#[derive(Args, Clone, Debug)]
pub struct ExportOptions {
    /// The run's id.
    pub run: String,

    #[arg(long, value_enum, default_value_t)]
    pub format: Format,

    /// The file to write.  [default: standard output]
    #[arg(long, short)]
    pub output: Option<PathBuf>,

    /// Leave in the report what looks like a secret.
    #[arg(long)]
    pub secrets: bool,

    /// Slug of the run's workspace.
    #[arg(long, default_value = "demo")]
    pub workspace: String,

    #[command(flatten)]
    pub database: DatabaseOptions,
}

/// `GET /runs/{id}/export`.
pub async fn download(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(id): Path<String>,
    Query(params): Query<Params>,
) -> Result<Response, Error> {
    let (run, _) = runs::find_run(&state, &caller, &id).await?;
    if params.secrets {
        check_launcher(&state, &caller, &id).await?;
    }
    let spec = stored_spec(&state.store, caller.workspace_id, &id).await?;
    let (kind, extension, body) = match params.format {
        Format::Html => {
            let slot = state.response_slots.acquire(caller.workspace_id, WHOLE).await?;
            let replay = state.timelines.replay(&state, &caller, &id).await?;
            let html = Bytes::from(report::render(&run, replay.latest(), spec.as_ref(), params.secrets));
            // In parts, so that the slot is held until the last one is sent.
            let parts = stream::unfold((html, slot), |(mut html, slot)| async move {
                let part = html.split_to(html.len().min(PART_BYTES));
                (!part.is_empty()).then_some((Ok::<_, Infallible>(part), (html, slot)))
            });
            ("text/html; charset=utf-8", "html", Body::from_stream(parts.fuse()))
        }
        Format::Ndjson => {
            let head = stream::iter([Ok(header(&run, spec.as_ref()).into_bytes())]);
            let slot = state.response_slots.acquire(caller.workspace_id, PART).await?;
            let lines = LogLines::new(state.store.clone(), caller.workspace_id, id.clone(), current());
            ("application/x-ndjson", "ndjson", Body::from_stream(head.chain(lines.into_stream(slot))))
        }
    };
    // A run id has only letters, digits, dashes and underscores.
    let disposition = format!("attachment; filename=\"{id}.{extension}\"");
    let disposition = HeaderValue::from_str(&disposition).unwrap_or(HeaderValue::from_static("attachment"));
    Ok(([(CONTENT_TYPE, HeaderValue::from_static(kind)), (CONTENT_DISPOSITION, disposition)], body).into_response())
}

/// Only the person who launched a run sees what looks like a secret in it.
async fn check_launcher(state: &AppState, caller: &Caller, run_id: &str) -> Result<(), Error> {
    let subject = views::owner(state, caller).await?;
    let launcher = state.store.launcher_of(caller.workspace_id, run_id).await?;
    if subject.is_none() || subject != launcher {
        let message = "Only the person who launched a run can export it with its secrets. Leave out secrets=true.";
        return Err(AppError::Forbidden { message: message.to_owned() }.into());
    }
    // Without an entry there is no export.
    audit::record(state, caller, caller.actor.entry(AuditAction::ExportWithSecrets).about(run_id)).await
}

/// `runlens export`.
pub async fn export_run(options: ExportOptions) -> anyhow::Result<()> {
    let store = Store::open(&options.database.url()).await?;
    let workspace = store.workspace_from_slug(&options.workspace).await?;
    let Some(run) = store.run(workspace, &options.run).await? else {
        anyhow::bail!("there is no run {} in the workspace {}", options.run, options.workspace);
    };
    let spec = stored_spec(&store, workspace, &options.run).await?;
    let patterns = redaction::patterns_without_key(&store, workspace).await?;
    with_patterns(patterns, write_export(&store, workspace, &run, spec.as_ref(), &options)).await?;
    store.close().await;
    Ok(())
}

async fn write_export(
    store: &Store,
    workspace: WorkspaceId,
    run: &RunSummary,
    spec: Option<&Value>,
    options: &ExportOptions,
) -> anyhow::Result<()> {
    let mut out: Box<dyn std::io::Write> = match &options.output {
        Some(path) => {
            Box::new(std::fs::File::create(path).with_context(|| format!("{} cannot be written", path.display()))?)
        }
        None => Box::new(std::io::stdout().lock()),
    };
    match options.format {
        Format::Html => {
            let replay = TimelineCache::default().load(store, workspace, &run.id).await?;
            out.write_all(report::render(run, replay.latest(), spec, options.secrets).as_bytes())?;
        }
        Format::Ndjson => {
            out.write_all(header(run, spec).as_bytes())?;
            let mut lines = LogLines::new(store.clone(), workspace, run.id.clone(), current());
            while let Some(chunk) = lines.next().await {
                out.write_all(&chunk?)?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

/// Returns the first line of an export: what an import cannot read from the log.
fn header(run: &RunSummary, spec: Option<&Value>) -> String {
    let (mut run, mut spec) = (json!(run), spec.cloned().unwrap_or_default());
    current().redact_document(&mut run);
    mask_document(&mut spec);
    format!("{}\n", json!({ "runlens": 1, "run": run, "spec": spec }))
}

async fn stored_spec(store: &Store, workspace: WorkspaceId, id: &str) -> Result<Option<Value>, Error> {
    let (json, _) = store.run_spec_and_log_state(workspace, id).await?;
    Ok(json.and_then(|json| serde_json::from_str(&json).ok()).filter(Value::is_object))
}
