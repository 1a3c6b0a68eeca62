//! The next step: of the most severe banner, of an unreported loop, of a failed tool, or after a cancellation.

use serde_json::Value;

use super::{MIN_EQUAL_TURNS, Sentence};
use crate::spec::loop_thresholds;
use crate::timeline::format::tools;
use crate::timeline::{Banner, BannerKind, Severity, Timeline, banners};

pub(super) fn sentences(timeline: &Timeline, spec: Option<&Value>) -> Vec<Sentence> {
    let banners = banners::all(timeline, spec);
    let of_banner = |fits: fn(&Banner) -> bool| {
        banners.iter().find(|banner| fits(banner)).map(|banner| (banner.next_step.text.clone(), banner.seq))
    };
    let next = of_banner(|banner| banner.severity < Severity::Info)
        .or_else(|| unreported_loop(timeline, spec))
        .or_else(|| failed_tool(timeline))
        .or_else(|| of_banner(|banner| banner.kind == BannerKind::Cancelled));
    let seqs = |seq| if timeline.integrity.events > 0 { vec![seq] } else { Vec::new() };
    next.map(|(text, seq)| Sentence::new(format!("Next: {text}"), seqs(seq))).into_iter().collect()
}

fn unreported_loop(timeline: &Timeline, spec: Option<&Value>) -> Option<(String, u64)> {
    let repetition = timeline.repetitions().into_iter().find(|repetition| repetition.turns >= MIN_EQUAL_TURNS)?;
    let names = tools(repetition.tools.iter().map(String::as_str));
    let is_off = spec.is_some_and(|spec| loop_thresholds(spec).is_none());
    let guard = if is_off { ", and turn on the loop guard" } else { "" };
    Some((format!("Check the results of {names}{guard}."), repetition.first_wasted_seq))
}

fn failed_tool(timeline: &Timeline) -> Option<(String, u64)> {
    let call = timeline.calls().find(|call| call.failed())?;
    let seq = call.answer.as_ref()?.seq;
    Some((format!("Check why {} failed.", tools([call.name.as_str()])), seq))
}
