//! The facts of a run that figures add up. They are stored beside its row, so that exactly these are subtracted when the run
//! changes or goes.

use std::collections::BTreeSet;

use protocol::RunStatus;

use super::buckets::bucket_of;
use crate::store::list_key;
use crate::store::run_row::RunRow;
use crate::store::tool_use::ToolUse;
use crate::store::varint::{read_number, read_signed, write_number, write_signed};

/// The first byte of stored facts.
const FORMAT: u8 = 1;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFacts {
    /// The position of the run's status in [`STATUSES`].
    pub status: usize,
    /// Bits, in the order of [`super::figures::Signals`].
    pub signals: u64,
    pub duration_ms: Option<u64>,
    pub tokens: Option<u64>,
    pub cost_micros: Option<u64>,
    /// How much of its time is known.
    pub observed_ms: u64,
    /// Ids of the run's tags.
    pub tags: BTreeSet<i64>,
    pub tools: Vec<ToolFacts>,
}

/// How a run used one tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFacts {
    /// The id of the tag `tool:NAME`.
    pub tag: i64,
    pub calls: u64,
    pub failed: u64,
    /// The loop guard reported it.
    pub looped: bool,
    /// The share of the run's time.
    pub time_ms: u64,
    /// The buckets of the calls' durations.
    pub durations: Vec<u16>,
}

/// How much of a run's time is known, and its use of tools.
pub type LogFacts = (u64, Vec<ToolFacts>);

const STATUSES: [RunStatus; 5] =
    [RunStatus::Succeeded, RunStatus::Failed, RunStatus::Cancelled, RunStatus::Running, RunStatus::Pending];

impl ToolFacts {
    pub fn new(tag: i64, used: &ToolUse) -> Self {
        let mut durations: Vec<u16> = used.durations_ms.iter().map(|ms| bucket_of(*ms)).collect();
        durations.sort_unstable();
        Self { tag, calls: used.calls, failed: used.failed, looped: used.looped, time_ms: used.time_ms, durations }
    }
}

impl RunFacts {
    /// The facts of a row. Without a log, the use of tools stays as it was.
    pub fn of(row: &RunRow, log: Option<LogFacts>, before: Option<&Self>) -> Self {
        let run = &row.summary;
        let kept = || before.map(|before| (before.observed_ms, before.tools.clone())).unwrap_or_default();
        let (observed_ms, tools) = log.unwrap_or_else(kept);
        let tool_failed = tools.iter().any(|tool| tool.failed > 0);
        let marks = run.marks;
        let signals = [marks.truncated, marks.looping, marks.over_budget, marks.orphan_call, tool_failed];
        Self {
            status: STATUSES.iter().position(|status| *status == run.status).unwrap_or(0),
            signals: signals.iter().enumerate().map(|(bit, set)| u64::from(*set) << bit).sum(),
            duration_ms: run.duration_ms,
            tokens: run.tokens.map(|tokens| tokens.input_tokens.saturating_add(tokens.output_tokens)),
            cost_micros: run.cost_micros,
            observed_ms,
            tags: row.tags.run.union(&row.tags.log).copied().collect(),
            tools,
        }
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![FORMAT, self.status as u8];
        write_number(&mut bytes, self.signals);
        for number in [self.duration_ms, self.tokens, self.cost_micros] {
            write_number(&mut bytes, number.map_or(0, |number| number.saturating_add(1)));
        }
        write_number(&mut bytes, self.observed_ms);
        write_number(&mut bytes, self.tags.len() as u64);
        let mut before = 0;
        for tag in &self.tags {
            write_signed(&mut bytes, tag - before);
            before = *tag;
        }
        write_number(&mut bytes, self.tools.len() as u64);
        for tool in &self.tools {
            write_signed(&mut bytes, tool.tag);
            [tool.calls, tool.failed, tool.time_ms, tool.durations.len() as u64]
                .into_iter()
                .for_each(|number| write_number(&mut bytes, number));
            tool.durations.iter().for_each(|bucket| write_number(&mut bytes, u64::from(*bucket)));
        }
        // At the end, where an earlier version does not read. Facts that it wrote end before.
        self.tools.iter().for_each(|tool| bytes.push(u8::from(tool.looped)));
        bytes
    }

    pub fn decode(mut bytes: &[u8]) -> Option<Self> {
        let bytes = &mut bytes;
        let (head, rest) = bytes.split_at_checked(2)?;
        if head[0] != FORMAT {
            return None;
        }
        *bytes = rest;
        let mut facts = Self {
            status: usize::from(head[1]).min(STATUSES.len() - 1),
            signals: read_number(bytes)?,
            duration_ms: read_number(bytes)?.checked_sub(1),
            tokens: read_number(bytes)?.checked_sub(1),
            cost_micros: read_number(bytes)?.checked_sub(1),
            observed_ms: read_number(bytes)?,
            ..Self::default()
        };
        let mut tag = 0;
        for _ in 0..read_number(bytes)? {
            tag += read_signed(bytes)?;
            facts.tags.insert(tag);
        }
        for _ in 0..read_number(bytes)? {
            let mut tool = ToolFacts {
                tag: read_signed(bytes)?,
                calls: read_number(bytes)?,
                failed: read_number(bytes)?,
                time_ms: read_number(bytes)?,
                ..ToolFacts::default()
            };
            for _ in 0..read_number(bytes)? {
                tool.durations.push(u16::try_from(read_number(bytes)?).ok()?);
            }
            facts.tools.push(tool);
        }
        facts.tools.iter_mut().zip(bytes.iter()).for_each(|(tool, looped)| tool.looped = *looped == 1);
        Some(facts)
    }
}

/// The hour of a run, as filters by time see it.
pub fn hour_of(list_key: i64) -> i64 {
    list_key::created_at_ms(list_key).div_euclid(crate::store::span::HOUR_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_survive_a_round_trip() {
        let tool =
            ToolFacts { tag: 7, calls: 3, failed: 1, looped: true, time_ms: 4_200, durations: vec![31, 40, 200] };
        let facts = RunFacts {
            status: 1,
            signals: 0b10101,
            duration_ms: Some(0),
            tokens: None,
            cost_micros: Some(9_000),
            observed_ms: 8_000,
            tags: [3, 7, 900_000].into(),
            tools: vec![tool, ToolFacts::default()],
        };
        assert_eq!(RunFacts::decode(&facts.encode()), Some(facts.clone()));
        assert_eq!(RunFacts::decode(&facts.encode()[..9]), None);
        let encoded = facts.encode();
        let earlier = RunFacts::decode(&encoded[..encoded.len() - 2]).expect("facts of an earlier version");
        assert!(earlier.tools.len() == 2 && !earlier.tools[0].looped);
        assert_eq!((RunFacts::decode(&[]), RunFacts::decode(&[9, 0, 0])), (None, None));
        assert_eq!(RunFacts::decode(&RunFacts::default().encode()), Some(RunFacts::default()));
    }
}
