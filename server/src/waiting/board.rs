//! The board of a workspace: every call that waits for an answer, as it was when the board was read.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use domain::{AnswerState, RunSummary};
use futures::StreamExt;
use protocol::spec::local_tool_timeout_ms;
use serde_json::Value;

use super::responder::{CallResponder, find_launcher, load_answerers};
use super::writers::WRITING_FOR_MS;
use crate::clock::now_ms;
use crate::error::Error;
use crate::state::AppState;
use crate::store::{Arrival, CallWriter, WorkspaceId};

/// Runs whose calls are listed, the oldest first.
const MAX_RUNS: u32 = 100;
const MAX_CALLS_OF_RUN: usize = 50;
const MAX_WRITERS: u32 = 200;
/// Runs whose logs are read at a time.
const READ_AT_ONCE: usize = 4;
/// A program that answers its own calls has this long before a call is listed, so that healthy ones never are.
const CLIENT_TIME_MS: i64 = 10_000;

#[derive(Clone, Debug, Default)]
pub struct Board {
    /// The nearest deadline first, also calls that are not listed yet.
    calls: Vec<BoardCall>,
    /// Runs that wait and whose calls are missing, because there are too many or their log cannot be read.
    pub runs_not_listed: u64,
}

#[derive(Clone, Debug)]
pub struct BoardCall {
    pub run_id: String,
    pub run_name: String,
    /// The call's event.
    pub seq: u64,
    pub tool_use_id: String,
    pub tool: String,
    pub args: Value,
    /// When the call's event arrived.
    pub since_ms: i64,
    /// The event was in the log when it was first read, so the call may be older.
    pub is_minimum: bool,
    /// When the call times out, at the latest.
    pub deadline_at_ms: Option<i64>,
    listed_from_ms: i64,
    pub responder: CallResponder,
    pub writers: Vec<CallWriter>,
}

impl BoardCall {
    pub fn waiting_ms(&self, now_ms: i64) -> u64 {
        u64::try_from(now_ms - self.since_ms).unwrap_or(0)
    }

    pub fn is(&self, run_id: &str, tool_use_id: &str) -> bool {
        self.run_id == run_id && self.tool_use_id == tool_use_id
    }
}

impl Board {
    pub(super) async fn read(state: &AppState, workspace: WorkspaceId) -> Result<Self, Error> {
        let mut runs = state.store.waiting_runs(workspace, MAX_RUNS + 1).await?;
        let more = runs.len().saturating_sub(MAX_RUNS as usize);
        runs.truncate(MAX_RUNS as usize);
        let writers = state.store.call_writers(workspace, now_ms() - WRITING_FOR_MS, MAX_WRITERS).await?;
        let mut board = Self { calls: Vec::new(), runs_not_listed: more as u64 };
        let mut reading = futures::stream::iter(runs)
            .map(|run| async move {
                let calls = read_run(state, workspace, &run).await;
                (run, calls)
            })
            .buffer_unordered(READ_AT_ONCE);
        while let Some((run, calls)) = reading.next().await {
            match calls {
                Ok(calls) => board.calls.extend(calls),
                // One log that cannot be read must not hide the calls of the others.
                Err(error) => {
                    tracing::warn!(%error, run_id = run.id, %workspace, "cannot list the waiting calls of a run");
                    board.runs_not_listed += 1;
                }
            }
        }
        for call in &mut board.calls {
            let writes = |writer: &&CallWriter| call.is(&writer.run_id, &writer.tool_use_id);
            call.writers = writers.iter().filter(writes).cloned().collect();
        }
        let deadline = |call: &BoardCall| call.deadline_at_ms.unwrap_or(i64::MAX);
        board.calls.sort_by(|a, b| {
            (deadline(a), a.since_ms, &a.run_id, a.seq).cmp(&(deadline(b), b.since_ms, &b.run_id, b.seq))
        });
        Ok(board)
    }

    /// The calls to list now.
    pub fn listed(&self, now_ms: i64) -> impl Iterator<Item = &BoardCall> {
        self.calls.iter().filter(move |call| call.listed_from_ms <= now_ms)
    }

    /// Finds a call, also one that is not listed yet.
    pub fn find(&self, run_id: &str, tool_use_id: &str) -> Option<&BoardCall> {
        self.calls.iter().find(|call| call.is(run_id, tool_use_id))
    }

    pub fn run_ids(&self) -> impl Iterator<Item = &str> {
        self.calls.iter().map(|call| call.run_id.as_str())
    }

    /// A number that changes when the list changes, apart from times.
    pub fn digest(&self, now_ms: i64) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.runs_not_listed.hash(&mut hasher);
        for call in self.listed(now_ms) {
            (&call.run_id, &call.tool_use_id, &call.responder, call.deadline_at_ms).hash(&mut hasher);
            call.writers.iter().for_each(|writer| writer.email.hash(&mut hasher));
        }
        hasher.finish()
    }

    /// The size in memory, by estimate.
    pub(super) fn memory_bytes(&self) -> usize {
        let bytes = |call: &BoardCall| size_of::<BoardCall>() + call.run_name.len() + call.args.to_string().len() * 2;
        size_of::<Self>() + self.calls.iter().map(bytes).sum::<usize>()
    }
}

async fn read_run(state: &AppState, workspace: WorkspaceId, run: &RunSummary) -> Result<Vec<BoardCall>, Error> {
    let log = state.timelines.load(&state.store, workspace, &run.id).await?;
    let timeline = log.latest();
    if timeline.status().is_terminal() {
        return Ok(Vec::new());
    }
    let records = state.store.answer_records(workspace, &run.id).await?;
    // An answer that MANTYX has accepted is in its log a moment later.
    let is_answered = |id: &str| {
        let done = |state| matches!(state, AnswerState::Sent | AnswerState::NotNeeded);
        records.iter().any(|record| record.tool_use_id == id && done(record.state))
    };
    let with_id = timeline.waiting_calls().filter_map(|call| Some((call, call.id.as_deref()?)));
    let waiting: Vec<_> = with_id.filter(|(_, id)| !is_answered(id)).take(MAX_CALLS_OF_RUN).collect();
    if waiting.is_empty() {
        return Ok(Vec::new());
    }
    let seqs: Vec<u64> = waiting.iter().map(|(call, _)| call.seq).collect();
    let arrivals = state.store.arrivals(workspace, &run.id, &seqs).await?;
    let (spec, _) = state.store.run_spec_and_log_state(workspace, &run.id).await?;
    let spec: Option<Value> = spec.and_then(|json| serde_json::from_str(&json).ok());
    let timeout_ms = spec.as_ref().map(|spec| i64::try_from(local_tool_timeout_ms(spec)).unwrap_or(i64::MAX));
    let launcher = find_launcher(state, workspace, &run.id).await?;
    let answerers = load_answerers(state, workspace, &run.id).await?;
    let calls = waiting.into_iter().map(|(call, id)| {
        let arrived = arrivals.iter().find(|(seq, _)| *seq == call.seq).map(|(_, arrival)| *arrival);
        let Arrival { at_ms, live } = arrived.unwrap_or(Arrival { at_ms: now_ms(), live: false });
        BoardCall {
            run_id: run.id.clone(),
            run_name: run.title(),
            seq: call.seq,
            tool_use_id: id.to_owned(),
            tool: call.name.clone(),
            args: call.input.clone(),
            since_ms: at_ms,
            is_minimum: !live,
            deadline_at_ms: timeout_ms.map(|timeout_ms| at_ms.saturating_add(timeout_ms)),
            listed_from_ms: if launcher.is_some() { i64::MIN } else { at_ms.saturating_add(CLIENT_TIME_MS) },
            responder: CallResponder::of(call, launcher.as_ref(), answerers.as_ref(), &records),
            writers: Vec::new(),
        }
    });
    Ok(calls.collect())
}
