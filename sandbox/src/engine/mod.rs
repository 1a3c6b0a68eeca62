//! The run engine: takes a checked spec, runs it to its end, and writes everything down.

mod builtin;
mod ending;
mod guards;
mod log;
mod run_loop;
mod structured_output;
mod tool_use;
mod toolbox;

use std::sync::Arc;

use protocol::json::preview;
use protocol::spec;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::agents;
use crate::clock::Clock;
use crate::journal::Journal;
use crate::live::{LiveRuns, StopReason};
use crate::models::Model;
use crate::provider::{Message, Pace};
use crate::store::{NewMessage, NewRun, Store};
use guards::{LoopGuard, ToolBudgets};
use log::Log;
use run_loop::Run;
use toolbox::Toolbox;

pub struct Engine {
    store: Store,
    journal: Journal,
    pub live: LiveRuns,
    tasks: TaskTracker,
    /// Set when no run may go on.
    stopping: CancellationToken,
    /// Set when the process is to be gone at once, as after a crash.
    abandon: CancellationToken,
}

/// A checked spec and all that is decided about its run before it starts.
pub struct Launch {
    pub run_id: String,
    pub workspace: &'static str,
    pub session_id: Option<String>,
    pub spec: Value,
    pub model: &'static Model,
    /// What was said in the session before.
    pub history: Vec<Message>,
    pub clock: Clock,
    pub pace: Pace,
}

impl Engine {
    pub fn new(store: Store, journal: Journal, live: LiveRuns, abandon: CancellationToken) -> Self {
        Self { store, journal, live, tasks: TaskTracker::new(), stopping: CancellationToken::new(), abandon }
    }

    /// Writes the run down and starts it. From here on it can be followed, answered and cancelled.
    pub async fn launch(&self, launch: Launch) -> sqlx::Result<()> {
        let Launch { run_id, workspace, session_id, spec, model, history, clock, pace } = launch;
        let id: Arc<str> = run_id.into();
        let live = self.live.register(id.clone());
        if self.stopping.is_cancelled() {
            live.stop(StopReason::ShuttingDown);
        }
        let input_preview = preview(spec::prompt_text(&spec), 200);
        let created = self.store.create_run(NewRun {
            id: &id,
            workspace,
            session_id: session_id.as_deref(),
            spec: &spec,
            metadata: &spec["metadata"],
            model_id: model.id,
            input_preview: &input_preview,
            created_at: clock.now().timestamp_millis(),
        });
        if let Err(error) = created.await {
            self.live.forget(&id);
            return Err(error);
        }
        let effective = agents::effective_spec(&spec);
        let run = Run {
            log: Log::new(self.journal.clone(), id.clone()),
            live,
            clock,
            pace,
            model,
            provider: model.provider(),
            toolbox: Toolbox::new(&effective),
            messages: conversation(&effective, history),
            loop_guard: LoopGuard::new(&effective),
            budgets: ToolBudgets::new(&effective),
            turns: 0,
            tokens: Default::default(),
            tool_calls: 0,
            said: said(&effective),
            call_prefix: format!("tu_{}_", id.trim_start_matches("run_").get(..8).unwrap_or("run")),
            spec: effective,
        };
        tracing::info!(run = &*id, workspace, model = model.id, "run started");
        let abandon = self.abandon.clone();
        self.tasks.spawn(async move {
            tokio::select! {
                () = abandon.cancelled() => {}
                () = run.execute() => {}
            }
        });
        Ok(())
    }

    /// Asks a run to stop; one that is not in flight stays as it is.
    pub fn cancel(&self, run_id: &str, reason: &'static str) {
        if let Some(live) = self.live.get(run_id) {
            live.stop(StopReason::Cancelled(reason));
        }
    }

    /// Ends what is in flight and waits until every run has had its last word.
    pub async fn shut_down(&self) {
        self.stopping.cancel();
        self.live.stop_all(StopReason::ShuttingDown);
        self.tasks.close();
        self.tasks.wait().await;
    }
}

/// The conversation as the model first sees it: system texts, what was said before, what is asked now.
fn conversation(spec: &Value, history: Vec<Message>) -> Vec<Message> {
    let mut messages = Vec::new();
    if let Some(text) = spec["systemPrompt"].as_str() {
        messages.push(Message::System(text.to_owned()));
    }
    let given = spec["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |message: &Value| message["content"].as_str().unwrap_or("").to_owned();
    let (system, others): (Vec<_>, Vec<_>) = given.iter().partition(|message| message["role"] == "system");
    messages.extend(system.into_iter().map(|message| Message::System(text(message))));
    messages.extend(history);
    messages.extend(others.into_iter().map(|message| match message["role"] == "assistant" {
        true => Message::Assistant { text: text(message), calls: Vec::new() },
        false => Message::User(text(message)),
    }));
    messages.extend(spec["prompt"].as_str().map(|prompt| Message::User(prompt.to_owned())));
    messages
}

/// What a session will remember that the user said.
fn said(spec: &Value) -> Vec<NewMessage> {
    let message = |role: &str, content: &Value, attachments: Option<Value>| NewMessage {
        role: role.to_owned(),
        content: content.as_str().unwrap_or("").to_owned(),
        attachments,
    };
    if spec["prompt"].is_string() {
        return vec![message("user", &spec["prompt"], None)];
    }
    let given = spec["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let spoken = given.iter().filter(|message| message["role"] != "system");
    spoken
        .map(|given| message(given["role"].as_str().unwrap_or("user"), &given["content"], attachments(given)))
        .collect()
}

/// Attachments without their bytes.
fn attachments(message: &Value) -> Option<Value> {
    let attachments = message["attachments"].as_array()?.iter().map(|attachment| {
        let mut kept = attachment.clone();
        if let Some(fields) = kept.as_object_mut()
            && let Some(data) = fields.remove("data")
        {
            let size = data.as_str().map_or(0, |base64| base64.trim_end_matches('=').len() * 3 / 4);
            fields.insert("size".to_owned(), size.into());
        }
        kept
    });
    Some(attachments.collect())
}
