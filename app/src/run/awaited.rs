//! Who answers a local call that waits, where this server knows it: the log knows only that somebody owes an answer.

use protocol::timeline::{Banner, BannerKind, Facts};

use super::CallAge;
use crate::format;
use domain::{AnswerRecord, AnswerState, Answerer, ToolAnswerers};

/// Lets the banners of waiting calls say who was chosen at the launch.
pub fn tell(banners: &mut [Banner], chosen: &ToolAnswerers, records: &[AnswerRecord], ages: &[CallAge]) {
    for banner in banners.iter_mut().filter(|banner| banner.kind == BannerKind::WaitingLocalTool) {
        let Facts::Local { tools, timeout_ms, .. } = &banner.facts else { continue };
        let Some(tool) = tools.first() else { continue };
        // An answer that could not be given leaves it to whoever reads this.
        if records.iter().any(|record| record.tool == *tool && record.state == AnswerState::Failed) {
            continue;
        }
        let seconds = ages.iter().find(|age| age.seq == banner.seq).map_or(0, |age| age.seconds);
        let (who, step) = in_words(chosen.get(tool).unwrap_or(&Answerer::Hand), seconds);
        let limit = timeout_ms.map(format::duration);
        let limit = limit.map(|limit| format!(", and fails if it does not come within {limit} of the call"));
        banner.detail = format!("{who} The run goes on when it comes{}.", limit.unwrap_or_default());
        step.clone_into(&mut banner.next_step.text);
    }
}

fn in_words(answerer: &Answerer, seconds: u64) -> (String, &'static str) {
    match answerer {
        Answerer::Hand => {
            ("Your answer is awaited, or that of whoever launched it.".to_owned(), "Write it at the call.")
        }
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
    fn a_reply_says_how_long_it_still_waits() {
        let reply = Answerer::Canned(CannedReply { delay_ms: 12_000, ..CannedReply::default() });
        assert!(in_words(&reply, 3).0.contains("in about 9 s"), "{}", in_words(&reply, 3).0);
        assert!(in_words(&reply, 60).0.ends_with("comes now."));
    }
}
