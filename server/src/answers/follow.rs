//! One run whose calls this process answers, from the lease to the run's end.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use domain::{AnswerState, Answerer, ToolAnswerers};
use protocol::event::Payload;
use serde_json::Value;
use tokio::task::{AbortHandle, JoinSet};

use super::work::{LAST_RETRY, Work};
use super::{LEASE_MS, RENEW_EVERY};
use crate::auth::{Caller, Credential};
use crate::clock::now_ms;
use crate::error::Error;
use crate::mantyx::MantyxError;
use crate::state::AppState;
use crate::store::{AnswerPlan, CallKey};

const CHUNK: u32 = 500;
/// How long a run that cannot be followed is left alone: the longer it could not, the longer.
const SHORTEST_PAUSE_MS: i64 = 5_000;
const LONGEST_PAUSE_MS: i64 = 60_000;
/// A run that could not be followed for this long is given up.
const GIVE_UP_AFTER_MS: i64 = 24 * 3600 * 1000;

/// How a hold of a run ended.
enum Outcome {
    /// The run has ended.
    Ended,
    /// Another process has it now.
    Lost,
    /// This process stops; another one, or its own next life, goes on.
    Stopping,
    /// It cannot be followed now.
    Stuck(String),
}

pub async fn run(state: AppState, plan: AnswerPlan, owner: String) {
    let outcome = match super::open(&state.vault, &plan.sealed_answers) {
        Ok(answers) => {
            let ended = hold(&state, &plan, &owner, &answers).await;
            (ended.unwrap_or_else(|error| Outcome::Stuck(error.to_string())), answers)
        }
        Err(error) => {
            tracing::warn!(%error, run_id = %plan.run_id, "nobody answers the local tools of a run");
            (Outcome::Ended, ToolAnswerers::new())
        }
    };
    let closed = match outcome {
        (Outcome::Lost, _) => Ok(()),
        (Outcome::Stopping, _) => state.store.renew_answer_plan(&plan, &owner, 0, plan.after_seq).await.map(drop),
        (Outcome::Stuck(why), _) if now_ms() - plan.created_at_ms < GIVE_UP_AFTER_MS => {
            tracing::debug!(%why, run_id = %plan.run_id, "a run's tools cannot be answered now; it is tried again");
            let age_ms = now_ms() - plan.created_at_ms;
            let until = now_ms() + (age_ms / 4).clamp(SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS);
            state.store.renew_answer_plan(&plan, &owner, until, plan.after_seq).await.map(drop)
        }
        (Outcome::Ended | Outcome::Stuck(_), answers) => {
            let kept = super::seal(&state.vault, &super::without_secrets(answers));
            state.store.close_answer_plan(&plan, &owner, &kept).await
        }
    };
    if let Err(error) = closed {
        tracing::warn!(%error, "the end of a run's answering could not be recorded");
    }
}

async fn hold(state: &AppState, plan: &AnswerPlan, owner: &str, answers: &ToolAnswerers) -> Result<Outcome, Error> {
    let Some(caller) = caller_of(state, plan).await? else {
        return Ok(Outcome::Stuck("whoever launched it is signed out".to_owned()));
    };
    let mut progress = state.live.follow(state, &caller, &plan.run_id);
    let mut desk = Desk {
        state,
        caller: &caller,
        plan,
        owner,
        answers,
        timeout: local_tool_timeout(state, plan).await?,
        after: plan.after_seq,
        open: BTreeMap::new(),
        working: JoinSet::new(),
        handles: HashMap::new(),
    };
    let mut renewals = tokio::time::interval(RENEW_EVERY);
    loop {
        let followed_to_end = progress.borrow_and_update().ended;
        if desk.read_log().await? {
            desk.finish().await?;
            return Ok(Outcome::Ended);
        }
        if followed_to_end {
            return Ok(Outcome::Stuck("its log cannot be followed to the end".to_owned()));
        }
        tokio::select! {
            changed = progress.changed() => if changed.is_err() {
                return Ok(Outcome::Stuck("it is not followed any more".to_owned()));
            },
            Some(worked) = desk.working.join_next() => match worked {
                Ok(Err(Error::Mantyx(MantyxError::Unauthorized))) => {
                    return Ok(Outcome::Stuck("whoever launched it is signed out".to_owned()));
                }
                Ok(Err(error)) => tracing::warn!(%error, run_id = %plan.run_id, "a local tool call could not be answered"),
                Ok(Ok(())) | Err(_) => {}
            },
            _ = renewals.tick() => {
                let until = now_ms() + LEASE_MS;
                if !state.store.renew_answer_plan(plan, owner, until, desk.settled_up_to()).await? {
                    return Ok(Outcome::Lost);
                }
            }
            () = state.shutdown.cancelled() => return Ok(Outcome::Stopping),
        }
    }
}

/// On whose behalf answers are sent: the person who launched the run, with a consent that still stands.
async fn caller_of(state: &AppState, plan: &AnswerPlan) -> Result<Option<Caller>, Error> {
    let grant = state.store.newest_grant_of(plan.workspace_id, &plan.subject).await?;
    let slug = state.store.workspace_slug(plan.workspace_id).await?;
    Ok(grant.zip(slug).map(|(grant, slug)| Caller {
        workspace_id: plan.workspace_id,
        slug,
        credential: Credential::Grant(grant),
    }))
}

/// A peer gets a little less time than MANTYX waits, so that its slowness can still be told.
async fn local_tool_timeout(state: &AppState, plan: &AnswerPlan) -> Result<Duration, Error> {
    let (spec, _) = state.store.run_spec_and_log_state(plan.workspace_id, &plan.run_id).await?;
    let spec: Value = spec.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default();
    let whole = Duration::from_millis(protocol::spec::local_tool_timeout_ms(&spec));
    Ok(whole.mul_f32(0.9).max(Duration::from_millis(100)))
}

/// The calls of one run while it is held.
struct Desk<'a> {
    state: &'a AppState,
    caller: &'a Caller,
    plan: &'a AnswerPlan,
    owner: &'a str,
    answers: &'a ToolAnswerers,
    timeout: Duration,
    after: u64,
    /// Calls without a result, by the event that made them.
    open: BTreeMap<u64, String>,
    /// Dropped with the desk: a run that ends, or a lease that is lost, stops whatever is under way.
    working: JoinSet<Result<(), Error>>,
    handles: HashMap<String, AbortHandle>,
}

/// A call that nobody has answered yet.
struct Waiting {
    id: String,
    tool: String,
    args: Value,
    answerer: Answerer,
}

impl Desk<'_> {
    /// Reads what is new in the stored log, to its end, and starts on the calls that have no result there. `true` when
    /// the run has ended.
    async fn read_log(&mut self) -> Result<bool, Error> {
        let mut waiting: BTreeMap<u64, Waiting> = BTreeMap::new();
        loop {
            let store = &self.state.store;
            let events = store.events_after(self.plan.workspace_id, &self.plan.run_id, self.after, CHUNK).await?;
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
                            let (id, tool, args) = (id.to_owned(), call.name.to_owned(), call.input.clone());
                            waiting.insert(event.seq, Waiting { id, tool, args, answerer: answerer.clone() });
                        }
                    }
                    Ok(Payload::LocalToolResult { id: Some(id), .. }) => {
                        waiting.retain(|_, call| call.id != id);
                        self.open.retain(|_, open| open != id);
                        self.abandon(id).await?;
                    }
                    _ => {}
                }
            }
        }
        for (seq, call) in waiting {
            self.open.insert(seq, call.id.clone());
            self.start(call);
        }
        Ok(false)
    }

    fn start(&mut self, call: Waiting) {
        let id = call.id.clone();
        let work = Work {
            state: self.state.clone(),
            caller: self.caller.clone(),
            run_id: self.plan.run_id.clone(),
            owner: self.owner.to_owned(),
            tool_use_id: call.id,
            tool: call.tool,
            args: call.args,
            answerer: call.answerer,
            timeout: self.timeout,
        };
        let handle = self.working.spawn(async move { work.answer().await });
        self.handles.insert(id, handle);
    }

    /// The call has a result: whoever is still at it stops, unless the result is being sent from here right now.
    async fn abandon(&mut self, tool_use_id: &str) -> Result<(), Error> {
        let Some(handle) = self.handles.remove(tool_use_id) else { return Ok(()) };
        let call = CallKey { workspace: self.plan.workspace_id, run_id: &self.plan.run_id, tool_use_id };
        if self.state.store.abandon_answer(call, self.owner, now_ms()).await? {
            handle.abort();
        }
        Ok(())
    }

    /// The run has ended: what is being sent may arrive, and all else stops.
    async fn finish(mut self) -> Result<(), Error> {
        let open: Vec<String> = self.handles.keys().cloned().collect();
        for tool_use_id in &open {
            self.abandon(tool_use_id).await?;
        }
        let arrived = async { while self.working.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(LAST_RETRY, arrived).await;
        for tool_use_id in &open {
            let call = CallKey { workspace: self.plan.workspace_id, run_id: &self.plan.run_id, tool_use_id };
            self.state.store.settle_answer(call, self.owner, AnswerState::NotNeeded, None, now_ms()).await?;
        }
        Ok(())
    }

    /// Events up to here need not be read again by whoever takes over.
    fn settled_up_to(&self) -> u64 {
        self.open.first_key_value().map_or(self.after, |(seq, _)| seq.saturating_sub(1))
    }
}
