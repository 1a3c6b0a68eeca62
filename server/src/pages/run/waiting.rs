//! Local calls that wait for an answer: their age, and the answerer that was chosen at the launch.

use app::format;
use domain::{AnswerRecord, AnswerState, Answerer, ToolAnswerers};
use protocol::timeline::{Banner, BannerKind, Facts, Replay};

use crate::clock::now_ms;
use crate::error::Error;
use crate::store::Arrival;
use crate::workspace::SignedInWorkspace;

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

/// Loads the ages of the calls that are waiting at the end of the log.
pub async fn load_ages(workspace: &SignedInWorkspace, id: &str, replay: &Replay) -> Result<Vec<CallAge>, Error> {
    let waiting: Vec<u64> = replay.latest().waiting_calls().map(|call| call.seq).take(MAX_AGES).collect();
    let arrivals = workspace.state.store.arrivals(workspace.caller.workspace_id, id, &waiting).await?;
    let now = now_ms();
    let age = |(seq, arrival): (u64, Arrival)| CallAge {
        seq,
        seconds: u64::try_from((now - arrival.at_ms) / 1000).unwrap_or(0),
        at_least: !arrival.live,
    };
    Ok(arrivals.into_iter().map(age).collect())
}

/// Adds the chosen answerer to the banners of waiting calls. The log only knows that an answer is missing.
pub fn describe_answerers(banners: &mut [Banner], chosen: &ToolAnswerers, records: &[AnswerRecord], ages: &[CallAge]) {
    for banner in banners.iter_mut().filter(|banner| banner.kind == BannerKind::WaitingLocalTool) {
        let Facts::Local { tools, timeout_ms, .. } = &banner.facts else { continue };
        let Some(tool) = tools.first() else { continue };
        // If the answerer failed, a person has to answer.
        if records.iter().any(|record| record.tool == *tool && record.state == AnswerState::Failed) {
            continue;
        }
        let seconds = ages.iter().find(|age| age.seq == banner.seq).map_or(0, |age| age.seconds);
        let (who, step) = describe_answerer(chosen.get(tool).unwrap_or(&Answerer::Hand), seconds);
        let limit = timeout_ms.map(format::duration);
        let limit = limit.map(|limit| format!(", and fails if it does not come within {limit} of the call"));
        banner.detail = format!("{who} The run goes on when it comes{}.", limit.unwrap_or_default());
        step.clone_into(&mut banner.next_step.text);
    }
}

fn describe_answerer(answerer: &Answerer, seconds: u64) -> (String, &'static str) {
    match answerer {
        Answerer::Hand => (
            "Waiting for your answer, or for that of the person who launched the run.".to_owned(),
            "Write it at the call.",
        ),
        Answerer::Canned(reply) => {
            let left = reply.delay_ms.div_ceil(1_000).saturating_sub(seconds);
            let when = if left == 0 { "now".to_owned() } else { format!("in about {}", format::age(left)) };
            (format!("The reply that was written at the launch comes {when}."), "Wait for it.")
        }
        Answerer::Mcp(_) => ("This server is asking an MCP server for the answer.".to_owned(), "Wait for it."),
        Answerer::A2a(_) => ("This server is asking an agent for the answer.".to_owned(), "Wait for it."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::CannedReply;

    #[test]
    fn a_canned_reply_says_when_it_will_be_sent() {
        let reply = Answerer::Canned(CannedReply { delay_ms: 12_000, ..CannedReply::default() });
        assert!(describe_answerer(&reply, 3).0.contains("in about 9 s"), "{}", describe_answerer(&reply, 3).0);
        assert!(describe_answerer(&reply, 60).0.ends_with("comes now."));
    }
}
