//! Answers the local tool calls of one run, from taking its lease to the run's end.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use domain::{AnswerState, Answerer, ToolAnswerers};
use protocol::event::Payload;
use serde_json::Value;
use tokio::task::{AbortHandle, JoinSet};
use tracing::Instrument;

use super::pending_call::{Lease, MAX_RETRY_DELAY, PendingCall};
use super::{LEASE_MS, RENEW_EVERY, sender};
use crate::clock::now_ms;
use crate::error::Error;
use crate::mantyx::MantyxError;
use crate::state::AppState;
use crate::store::{self, AnswerPlan};
use crate::vault::purpose;

/// Events read at a time.
const CHUNK: u32 = 500;
/// The pause before a run that cannot be followed is tried again. It grows with the run's age, and is never longer than a
/// lease: longer ones are taken for those of a process whose clock was wrong.
const MIN_PAUSE_MS: i64 = 5_000;
const MAX_PAUSE_MS: i64 = LEASE_MS;
/// A run that cannot be followed is given up after this time.
const GIVE_UP_AFTER_MS: i64 = 24 * 3600 * 1000;

/// The reason why answering a run ended.
enum Outcome {
    /// The run has ended.
    RunEnded,
    /// Another process has the lease now.
    LeaseLost,
    /// This process shuts down. Another one, or the same after a restart, continues.
    ShuttingDown,
    /// The run cannot be followed now.
    Stuck(String),
}

/// A background task that answers the calls of one run while this process holds its lease.
pub async fn answer_run(state: AppState, plan: AnswerPlan) {
    let renew = |until| state.store.renew_answer_plan(&plan, until, plan.after_seq);
    let Ok(answers) = state.vault.open_json(purpose::ANSWERERS, &plan.sealed_answers) else {
        tracing::warn!("cannot decrypt the answerers of a run; they stay for a server with their key");
        return log_failure(renew(now_ms() + MAX_PAUSE_MS).await.map(drop));
    };
    let ended = answer_calls(&state, &plan, &answers).await;
    let age_ms = now_ms() - plan.created_at_ms;
    log_failure(match ended.unwrap_or_else(|error| Outcome::Stuck(error.to_string())) {
        Outcome::LeaseLost => Ok(()),
        Outcome::ShuttingDown => renew(0).await.map(drop),
        Outcome::Stuck(why) if age_ms < GIVE_UP_AFTER_MS => {
            tracing::debug!(%why, "cannot answer the tools of a run now; retrying later");
            renew(now_ms() + (age_ms / 4).clamp(MIN_PAUSE_MS, MAX_PAUSE_MS)).await.map(drop)
        }
        Outcome::RunEnded | Outcome::Stuck(_) => {
            let sealed = state.vault.seal_json(purpose::ANSWERERS, &super::without_secrets(answers));
            state.store.close_answer_plan(&plan, &sealed).await
        }
    });
}

fn log_failure(recorded: store::Result<()>) {
    if let Err(error) = recorded {
        tracing::warn!(%error, "cannot record that a run is no longer answered");
    }
}

async fn answer_calls(state: &AppState, plan: &AnswerPlan, answers: &ToolAnswerers) -> Result<Outcome, Error> {
    let caller = match sender::find(state, plan.workspace_id, &plan.subject).await? {
        Ok(caller) => caller,
        Err(obstacle) => return Ok(Outcome::Stuck(obstacle.to_string())),
    };
    let mut progress = state.live.follow(state, &caller, &plan.run_id);
    let lease = Lease {
        state: state.clone(),
        caller,
        run_id: plan.run_id.clone(),
        owner: plan.owner.clone(),
        timeout: local_tool_timeout(state, plan).await?,
    };
    let mut run = LeasedRun {
        lease: Arc::new(lease),
        answers,
        after: plan.after_seq,
        open: BTreeMap::new(),
        tasks: JoinSet::new(),
        handles: HashMap::new(),
    };
    let mut renewals = tokio::time::interval(RENEW_EVERY);
    let mut obstacle = None;
    loop {
        let followed_to_end = progress.borrow_and_update().ended;
        if run.read_log().await? {
            run.finish().await?;
            return Ok(Outcome::RunEnded);
        }
        if followed_to_end {
            obstacle.get_or_insert_with(|| "its log cannot be followed to the end".to_owned());
        }
        // Answers that are on their way are stored first: a peer is not asked twice.
        if run.tasks.is_empty()
            && let Some(obstacle) = obstacle
        {
            return Ok(Outcome::Stuck(obstacle));
        }
        tokio::select! {
            changed = progress.changed(), if !followed_to_end => if changed.is_err() {
                return Ok(Outcome::Stuck("it is no longer followed".to_owned()));
            },
            Some(answered) = run.tasks.join_next() => match answered {
                Ok(Err(Error::Mantyx(error @ (MantyxError::Unauthorized | MantyxError::MissingScope { .. })))) => {
                    obstacle = Some(error.to_string());
                }
                Ok(Err(error)) => tracing::warn!(%error, "cannot answer a local tool call"),
                Ok(Ok(())) | Err(_) => {}
            },
            _ = renewals.tick() => {
                let until = now_ms() + LEASE_MS;
                if !state.store.renew_answer_plan(plan, until, run.settled_up_to()).await? {
                    return Ok(Outcome::LeaseLost);
                }
            }
            () = state.shutdown.cancelled() => return Ok(Outcome::ShuttingDown),
        }
    }
}

/// Returns the timeout for peers. It is shorter than MANTYX's, so that a timeout can still be reported to the model.
async fn local_tool_timeout(state: &AppState, plan: &AnswerPlan) -> Result<Duration, Error> {
    let (spec, _) = state.store.run_spec_and_log_state(plan.workspace_id, &plan.run_id).await?;
    let spec: Value = spec.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default();
    let timeout = Duration::from_millis(protocol::spec::local_tool_timeout_ms(&spec));
    Ok(timeout.mul_f32(0.9).max(Duration::from_millis(100)))
}

/// A run whose lease this process holds, and its open calls.
struct LeasedRun<'a> {
    lease: Arc<Lease>,
    answers: &'a ToolAnswerers,
    after: u64,
    /// Calls without a result, by the seq of their event.
    open: BTreeMap<u64, String>,
    /// Dropped with the run, which stops the tasks: it has ended, or its lease is lost.
    tasks: JoinSet<Result<(), Error>>,
    handles: HashMap<String, AbortHandle>,
}

impl LeasedRun<'_> {
    /// Reads the new events of the stored log, and starts to answer calls without a result. Returns true when the run has
    /// ended.
    async fn read_log(&mut self) -> Result<bool, Error> {
        let mut waiting: BTreeMap<u64, PendingCall> = BTreeMap::new();
        loop {
            let Lease { state, caller, run_id, .. } = &*self.lease;
            let events = state.store.events_after(caller.workspace_id, run_id, self.after, CHUNK).await?;
            if events.is_empty() {
                break;
            }
            for event in &events {
                self.after = event.seq;
                if event.is_terminal() {
                    return Ok(true);
                }
                match event.payload() {
                    Ok(Payload::LocalToolCall { call, .. }) => {
                        let answerer = self.answers.get(call.name).filter(|answerer| **answerer != Answerer::Hand);
                        if let Some((id, answerer)) = call.id.zip(answerer) {
                            let pending = PendingCall {
                                lease: self.lease.clone(),
                                tool_use_id: id.to_owned(),
                                tool: call.name.to_owned(),
                                args: call.input.clone(),
                                answerer: answerer.clone(),
                            };
                            waiting.insert(event.seq, pending);
                        }
                    }
                    Ok(Payload::LocalToolResult { id: Some(id), .. }) => {
                        waiting.retain(|_, call| call.tool_use_id != id);
                        self.open.retain(|_, open| open != id);
                        self.stop_answering(id).await?;
                    }
                    _ => {}
                }
            }
        }
        for (seq, call) in waiting {
            self.open.insert(seq, call.tool_use_id.clone());
            self.start_answering(call);
        }
        Ok(false)
    }

    fn start_answering(&mut self, call: PendingCall) {
        let id = call.tool_use_id.clone();
        let span = tracing::info_span!("answer call", tool = call.tool, tool_use_id = id);
        let handle = self.tasks.spawn(async move { call.answer().await }.instrument(span));
        self.handles.insert(id, handle);
    }

    /// Stops the task of a call that has a result, unless that task is sending the result right now.
    async fn stop_answering(&mut self, tool_use_id: &str) -> Result<(), Error> {
        let Some(handle) = self.handles.remove(tool_use_id) else { return Ok(()) };
        if self.lease.state.store.abandon_answer(self.lease.call(tool_use_id), now_ms()).await? {
            handle.abort();
        }
        Ok(())
    }

    /// Stops all tasks of a run that has ended. Results that are being sent may still arrive.
    async fn finish(mut self) -> Result<(), Error> {
        let open: Vec<String> = self.handles.keys().cloned().collect();
        for tool_use_id in &open {
            self.stop_answering(tool_use_id).await?;
        }
        let all_ended = async { while self.tasks.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(MAX_RETRY_DELAY, all_ended).await;
        for tool_use_id in &open {
            let (store, call) = (&self.lease.state.store, self.lease.call(tool_use_id));
            store.settle_answer(call, AnswerState::NotNeeded, None, now_ms()).await?;
        }
        Ok(())
    }

    /// Returns the seq up to which a process that takes over need not read again.
    fn settled_up_to(&self) -> u64 {
        self.open.first_key_value().map_or(self.after, |(seq, _)| seq.saturating_sub(1))
    }
}
