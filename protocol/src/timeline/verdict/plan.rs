//! Progress of the plan.

use serde_json::Value;

use super::Sentence;
use crate::timeline::Timeline;
use crate::timeline::format::{count, quoted};

pub(super) fn sentences(timeline: &Timeline, _: Option<&Value>) -> Vec<Sentence> {
    let Some(plan) = timeline.plan.as_ref().filter(|plan| !plan.steps.is_empty() && timeline.totals.turns > 0) else {
        return Vec::new();
    };
    let (done, all) = (plan.done(), plan.steps.len());
    let at = match plan.current_step() {
        Some(step) if timeline.status().is_terminal() => format!("; it ended during {}", quoted(&step.title, 80)),
        Some(step) => format!("; it is at {}", quoted(&step.title, 80)),
        None => String::new(),
    };
    let text = match done {
        done if done == all => format!("All {} of its plan were done.", count(all as u64, "step")),
        0 => format!("None of the {} of its plan was done{at}.", count(all as u64, "step")),
        done => format!(
            "{done} of {} of its plan {} done{at}.",
            count(all as u64, "step"),
            if done == 1 { "was" } else { "were" }
        ),
    };
    vec![Sentence::new(text, [plan.seq])]
}
