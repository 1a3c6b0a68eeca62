//! One run whose calls this process answers, from the lease to the run's end.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use app::launch::{AnswerState, Answerer, Answers};
use protocol::Event;
use protocol::event::Payload;
use serde_json::Value;
use tokio::task::{AbortHandle, JoinSet};

use super::{LEASE_MS, RENEW_EVERY, reply};
use crate::auth::{Caller, Credential};
use crate::clock::now_ms;
use crate::error::Error;
use crate::mantyx::MantyxError;
use crate::peers::ToolReply;
use crate::state::AppState;
use crate::store::{AnswerPlan, CallKey, Claim};

const CHUNK: u32 = 500;
const FIRST_RETRY: Duration = Duration::from_millis(250);
const LAST_RETRY: Duration = Duration::from_secs(10);
/// How long a run that cannot be followed is left alone.
const PAUSE_MS: i64 = 5_000;
/// A run that could not be followed for this long is given up.
const GIVE_UP_AFTER_MS: i64 = 24 * 3600 * 1000;
const REPLY_PURPOSE: &str = "answer";

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
        Err(error) => (Outcome::Stuck(error.to_string()), Answers::new()),
    };
    let closed = match outcome {
        (Outcome::Lost, _) => Ok(()),
        (Outcome::Stopping, _) => state.store.renew_answer_plan(&plan, &owner, 0, plan.after_seq).await.map(drop),
        (Outcome::Stuck(why), _) if now_ms() - plan.created_at_ms < GIVE_UP_AFTER_MS => {
            tracing::info!(%why, "a run's tools cannot be answered now; it is tried again");
            state.store.renew_answer_plan(&plan, &owner, now_ms() + PAUSE_MS, plan.after_seq).await.map(drop)
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

async fn hold(state: &AppState, plan: &AnswerPlan, owner: &str, answers: &Answers) -> Result<Outcome, Error> {
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
    answers: &'a Answers,
    timeout: Duration,
    after: u64,
    /// Calls without a result, by the event that made them.
    open: BTreeMap<u64, String>,
    /// Dropped with the desk: a run that ends, or a lease that is lost, stops whatever is under way.
    working: JoinSet<Result<(), Error>>,
    handles: HashMap<String, AbortHandle>,
}

impl Desk<'_> {
    /// Reads what is new in the stored log and starts on its calls. `true` when the run has ended.
    async fn read_log(&mut self) -> Result<bool, Error> {
        loop {
            let store = &self.state.store;
            let events = store.events_after(self.plan.workspace_id, &self.plan.run_id, self.after, CHUNK).await?;
            if events.is_empty() {
                return Ok(false);
            }
            // A call whose result stands in the same piece of the log is not started on.
            let answered: Vec<&str> = events.iter().filter_map(answered_call).collect();
            for event in &events {
                self.after = event.seq;
                if event.is_terminal() {
                    return Ok(true);
                }
                match event.payload() {
                    Ok(Payload::LocalToolCall { call, .. }) => {
                        let Some(id) = call.id.filter(|id| !answered.contains(id)) else { continue };
                        if let Some(answerer) = self.answers.get(call.name).filter(|who| **who != Answerer::Hand) {
                            self.open.insert(event.seq, id.to_owned());
                            self.start(id, call.name, call.input, answerer);
                        }
                    }
                    Ok(Payload::LocalToolResult { id, .. }) => {
                        self.open.retain(|_, open| open != id);
                        self.abandon(id).await?;
                    }
                    _ => {}
                }
            }
        }
    }

    fn start(&mut self, tool_use_id: &str, tool: &str, args: &Value, answerer: &Answerer) {
        let work = Work {
            state: self.state.clone(),
            caller: self.caller.clone(),
            run_id: self.plan.run_id.clone(),
            owner: self.owner.to_owned(),
            tool_use_id: tool_use_id.to_owned(),
            tool: tool.to_owned(),
            args: args.clone(),
            answerer: answerer.clone(),
            timeout: self.timeout,
        };
        let handle = self.working.spawn(async move { work.answer().await });
        self.handles.insert(tool_use_id.to_owned(), handle);
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

fn answered_call(event: &Event) -> Option<&str> {
    match event.payload() {
        Ok(Payload::LocalToolResult { id, .. }) => Some(id),
        _ => None,
    }
}

/// One call, from the claim to the post.
struct Work {
    state: AppState,
    caller: Caller,
    run_id: String,
    owner: String,
    tool_use_id: String,
    tool: String,
    args: Value,
    answerer: Answerer,
    timeout: Duration,
}

impl Work {
    fn key(&self) -> CallKey<'_> {
        CallKey { workspace: self.caller.workspace_id, run_id: &self.run_id, tool_use_id: &self.tool_use_id }
    }

    async fn answer(&self) -> Result<(), Error> {
        let (store, via, by) = (&self.state.store, self.answerer.via(), reply::describe(&self.answerer));
        let claim = store.claim_answer(self.key(), &self.tool, via, &by, &self.owner, now_ms()).await?;
        let reply = match claim {
            Claim::Settled => return Ok(()),
            Claim::Ready(sealed) => match self.open_reply(&sealed) {
                Some(reply) => Some(reply),
                None => self.ask().await,
            },
            // A canned reply can be given again; a peer may have done something that must not be done twice.
            Claim::Interrupted if !matches!(self.answerer, Answerer::Canned(_)) => Some(Err(format!(
                "The dashboard stopped while it was asking {by}. Whether the tool did its work is not known; it was not \
                 asked again."
            ))),
            Claim::Fresh | Claim::Interrupted => self.ask().await,
        };
        let Some(reply) = reply else { return Ok(()) };
        let sealed = serde_json::to_vec(&reply).map(|json| self.state.vault.seal(REPLY_PURPOSE, &json));
        if store.keep_reply(self.key(), &self.owner, &sealed.unwrap_or_default(), now_ms()).await? {
            self.post(&reply).await?;
        }
        Ok(())
    }

    async fn ask(&self) -> Option<ToolReply> {
        reply::get(&self.state.peers, &self.answerer, &self.tool, &self.args, self.timeout).await
    }

    fn open_reply(&self, sealed: &[u8]) -> Option<ToolReply> {
        let json = self.state.vault.open_sealed(REPLY_PURPOSE, sealed).ok()?;
        serde_json::from_slice(&json).ok()
    }

    /// Sends the answer until MANTYX has it or does not want it. The task ends with the run.
    async fn post(&self, reply: &ToolReply) -> Result<(), Error> {
        let (state, caller) = (&self.state, &self.caller);
        let mut retry = FIRST_RETRY;
        loop {
            let send = |bearer| async move {
                state.mantyx.answer_call(&bearer, &caller.slug, &self.run_id, &self.tool_use_id, reply).await
            };
            let (outcome, problem) = match state.credentials.call(caller, send).await {
                Ok(()) => (AnswerState::Sent, None),
                Err(MantyxError::Refused { code, .. })
                    if matches!(code.as_str(), "unknown_tool_use" | "run_terminal") =>
                {
                    (AnswerState::NotNeeded, None)
                }
                Err(MantyxError::RateLimited { retry_after }) => {
                    tokio::time::sleep(retry_after.unwrap_or(retry)).await;
                    continue;
                }
                Err(error @ (MantyxError::Unreachable(_) | MantyxError::Refused { status: 500.., .. })) => {
                    tracing::info!(%error, "an answer could not be sent; it is tried again");
                    tokio::time::sleep(retry).await;
                    retry = (retry * 2).min(LAST_RETRY);
                    continue;
                }
                // The answer is kept, and sent with the next consent.
                Err(error @ MantyxError::Unauthorized) => return Err(error.into()),
                Err(error) => (AnswerState::NotNeeded, Some(app::AppError::from(Error::from(error)).to_string())),
            };
            let settled = state.store.settle_answer(self.key(), &self.owner, outcome, problem.as_deref(), now_ms());
            return Ok(settled.await?);
        }
    }
}
