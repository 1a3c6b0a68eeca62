//! Local calls that wait for an answer: their age, and the answerer that was chosen at the launch.

use app::format;
use domain::{AnswerRecord, AnswerState, Answerer, ToolAnswerers};
use protocol::timeline::{Banner, BannerKind, Facts, Replay};
use serde_json::Value;

use crate::answers::Obstacle;
use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::masking::mask_banners;
use crate::state::AppState;
use crate::store::Arrival;
use crate::views;
use crate::waiting::{self, Launcher};

/// Waiting calls whose age is shown.
const MAX_AGES: usize = 100;

/// The time that a call has been waiting, counted from the arrival of its event: the log has no times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallAge {
    /// The call's event.
    pub seq: u64,
    pub seconds: u64,
    /// The event was in the log when it was first read, so the call may be older.
    pub at_least: bool,
}

/// Loads the banners at the end of a run's log, as its page shows them.
pub async fn load_banners(
    state: &AppState,
    caller: &Caller,
    id: &str,
    replay: &Replay,
    spec: Option<&Value>,
) -> Result<Vec<Banner>, Error> {
    let timeline = replay.latest();
    let mut banners = spec.map_or_else(|| timeline.banners(), |spec| timeline.banners_for(spec));
    if !timeline.status().is_terminal()
        && let Some(chosen) = load_answerers(state, caller, id, replay).await?
    {
        let answers = state.store.answer_records(caller.workspace_id, id).await?;
        let responder = load_responder(state, caller, id).await?;
        let ages = load_ages(state, caller, id, replay).await?;
        describe_answerers(&mut banners, &chosen, &answers, &responder, &ages);
    }
    mask_banners(&mut banners);
    Ok(banners)
}

/// Loads the answerers that were chosen at the launch, if a call is waiting.
pub async fn load_answerers(
    state: &AppState,
    caller: &Caller,
    id: &str,
    replay: &Replay,
) -> Result<Option<ToolAnswerers>, Error> {
    match replay.latest().waiting_calls().next() {
        Some(_) => waiting::load_answerers(state, caller.workspace_id, id).await,
        None => Ok(None),
    }
}

/// Loads the ages of the calls that are waiting at the end of the log.
pub async fn load_ages(state: &AppState, caller: &Caller, id: &str, replay: &Replay) -> Result<Vec<CallAge>, Error> {
    let waiting: Vec<u64> = replay.latest().waiting_calls().map(|call| call.seq).take(MAX_AGES).collect();
    let arrivals = state.store.arrivals(caller.workspace_id, id, &waiting).await?;
    let now = now_ms();
    let age = |(seq, arrival): (u64, Arrival)| CallAge {
        seq,
        seconds: u64::try_from((now - arrival.at_ms) / 1000).unwrap_or(0),
        at_least: !arrival.live,
    };
    Ok(arrivals.into_iter().map(age).collect())
}

/// The person who launched a run. They answer its calls by hand, and answers of this server are sent for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Responder {
    /// Empty if they are signed out.
    pub email: String,
    pub is_viewer: bool,
    /// The reason why this server cannot send answers for them now.
    pub obstacle: Option<Obstacle>,
}

pub async fn load_responder(state: &AppState, caller: &Caller, id: &str) -> Result<Responder, Error> {
    let launcher = waiting::find_launcher(state, caller.workspace_id, id).await?;
    let Some(Launcher { subject, email, obstacle }) = launcher else { return Ok(Responder::default()) };
    Ok(Responder { email, is_viewer: views::owner(state, caller).await? == Some(subject), obstacle })
}

/// Adds the chosen answerer to the banners of waiting calls. The log only knows that an answer is missing.
pub fn describe_answerers(
    banners: &mut [Banner],
    chosen: &ToolAnswerers,
    answers: &[AnswerRecord],
    responder: &Responder,
    ages: &[CallAge],
) {
    for banner in banners.iter_mut().filter(|banner| banner.kind == BannerKind::WaitingLocalTool) {
        let Facts::Local { tools, timeout_ms, .. } = &banner.facts else { continue };
        let Some(tool) = tools.first() else { continue };
        let answerer = chosen.get(tool).unwrap_or(&Answerer::Hand);
        let failed = |record: &&AnswerRecord| record.tool == *tool && record.state == AnswerState::Failed;
        let seconds = ages.iter().find(|age| age.seq == banner.seq).map_or(0, |age| age.seconds);
        let by_hand = *answerer == Answerer::Hand;
        let (who, step) = match (answers.iter().find(failed), responder.obstacle) {
            (Some(record), _) => describe_failure(record),
            (None, Some(obstacle)) if !by_hand => describe_obstacle(obstacle),
            (None, _) if by_hand => {
                banner.title = format!("Waiting for {} to `{tool}`", answer_of(responder));
                describe_person(responder)
            }
            (None, _) => describe_answerer(answerer, seconds),
        };
        let limit = timeout_ms.map(format::duration);
        let limit = limit.map(|limit| format!(", and fails if none comes within {limit} of the call"));
        let then = format!("The run continues with the answer{}.", limit.unwrap_or_default());
        banner.detail = if who.is_empty() { then } else { format!("{who} {then}") };
        step.clone_into(&mut banner.next_step.text);
    }
}

/// If the answerer failed, a person has to answer.
fn describe_failure(record: &AnswerRecord) -> (String, &'static str) {
    let problem = record.problem.as_deref().unwrap_or("The reason is unknown.");
    (format!("The answer of {} could not be sent. {problem}", record.by), "Write the answer at the call.")
}

fn describe_obstacle(obstacle: Obstacle) -> (String, &'static str) {
    let step = match obstacle {
        Obstacle::SignedOut => "Ask them to sign in again, or write the answer at the call.",
        Obstacle::WorkspaceNotAllowed => "Ask your operator to allow the workspace.",
        Obstacle::MissingScope => "Ask them to sign in again and allow it, or write the answer at the call.",
    };
    (format!("{obstacle}, so this server cannot send the answer."), step)
}

fn answer_of(responder: &Responder) -> String {
    match responder {
        Responder { is_viewer: true, .. } => "your answer".to_owned(),
        Responder { email, .. } if email.is_empty() => "an answer".to_owned(),
        Responder { email, .. } => format!("an answer from {email}"),
    }
}

fn describe_person(responder: &Responder) -> (String, &'static str) {
    match responder {
        Responder { is_viewer: true, .. } => (String::new(), "Write the answer at the call."),
        Responder { email, .. } if email.is_empty() => {
            let who = "The person who launched the run has to answer.";
            (who.to_owned(), "Write the answer at the call, or ask them to.")
        }
        Responder { .. } => (String::new(), "Ask them to answer, or write the answer at the call."),
    }
}

fn describe_answerer(answerer: &Answerer, seconds: u64) -> (String, &'static str) {
    match answerer {
        Answerer::Hand => ("The call needs an answer.".to_owned(), "Write the answer at the call."),
        Answerer::Canned(reply) => {
            let left = reply.delay_ms.div_ceil(1_000).saturating_sub(seconds);
            let when = if left == 0 { "now".to_owned() } else { format!("in about {}", format::age(left)) };
            (format!("The canned reply comes {when}."), "Wait for the answer.")
        }
        Answerer::Mcp { .. } => {
            ("This server is asking an MCP server for the answer.".to_owned(), "Wait for the answer.")
        }
        Answerer::A2a(_) => ("This server is asking an agent for the answer.".to_owned(), "Wait for the answer."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::CannedReply;

    #[test]
    fn the_launcher_is_addressed_and_others_are_told_who_answers() {
        let of = |email: &str, is_viewer| {
            let responder = Responder { email: email.to_owned(), is_viewer, obstacle: None };
            (answer_of(&responder), describe_person(&responder).0)
        };
        assert_eq!(of("ada@demo.test", true), ("your answer".to_owned(), String::new()));
        assert_eq!(of("ada@demo.test", false), ("an answer from ada@demo.test".to_owned(), String::new()));
        let unknown = "The person who launched the run has to answer.";
        assert_eq!(of("", false), ("an answer".to_owned(), unknown.to_owned()));
    }

    #[test]
    fn a_canned_reply_says_when_it_will_be_sent() {
        let reply = Answerer::Canned(CannedReply { delay_ms: 12_000, ..CannedReply::default() });
        assert!(describe_answerer(&reply, 3).0.contains("in about 9 s"), "{}", describe_answerer(&reply, 3).0);
        assert!(describe_answerer(&reply, 60).0.ends_with("comes now."));
    }
}
