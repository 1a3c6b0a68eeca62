//! Compares where the time went in two runs.

use app::format::duration;
use app::model::compare::ComparedTime;
use protocol::timeline::{Step, Timing};

use crate::masking::masked;

/// Steps shown, those that took longest on one side first.
const MAX_STEPS: usize = 12;

/// Empty if the times of neither run are known.
pub fn compared(left: Option<&Timing>, right: Option<&Timing>) -> Vec<ComparedTime> {
    if left.is_none() && right.is_none() {
        return Vec::new();
    }
    let total = |timing: Option<&Timing>| timing.map(Timing::total_ms);
    let mut steps: Vec<&Step> = Vec::new();
    for share in [left, right].into_iter().flatten().flat_map(|timing| timing.shares.iter().take(MAX_STEPS)) {
        if !steps.contains(&&share.step) {
            steps.push(&share.step);
        }
    }
    let ms = |timing: Option<&Timing>, step: &Step| {
        timing.and_then(|timing| timing.shares.iter().find(|share| share.step == *step).map(|share| share.ms))
    };
    steps.sort_by_key(|step| std::cmp::Reverse(ms(left, step).max(ms(right, step))));
    let rows = steps.into_iter().take(MAX_STEPS).map(|step| time(label(step), ms(left, step), ms(right, step)));
    std::iter::once(time("Whole run".to_owned(), total(left), total(right))).chain(rows).collect()
}

fn time(step: String, left: Option<u64>, right: Option<u64>) -> ComparedTime {
    let change = left.zip(right).filter(|(left, right)| left != right).map(|(left, right)| {
        let sign = if right > left { "+" } else { "−" };
        format!("{sign}{}", duration(left.abs_diff(right)))
    });
    ComparedTime { step, left: left.map(duration), right: right.map(duration), change }
}

fn label(step: &Step) -> String {
    match step {
        Step::Model => "Model".to_owned(),
        Step::Tool(tool) => masked(tool).into_owned(),
        Step::Waiting(tool) => format!("Waiting for {}", masked(tool)),
        Step::Unobserved => "Unobserved".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use protocol::timeline::Share;

    use super::*;

    fn timing(shares: &[(Step, u64)]) -> Timing {
        let total: u64 = shares.iter().map(|(_, ms)| ms).sum();
        let mut timing = Timing::default();
        timing.end_ms = total as i64;
        timing.shares = shares.iter().map(|(step, ms)| Share { step: step.clone(), ms: *ms }).collect();
        timing
    }

    #[test]
    fn steps_of_either_run_are_compared() {
        let left = timing(&[(Step::Model, 5_000), (Step::Tool("recall".to_owned()), 2_000)]);
        let right = timing(&[(Step::Waiting("approve".to_owned()), 41_000), (Step::Model, 4_000)]);
        let shown = |times: Vec<ComparedTime>| -> Vec<String> {
            let text = |text: Option<String>| text.unwrap_or("–".to_owned());
            times
                .into_iter()
                .map(|time| format!("{}: {} {} {}", time.step, text(time.left), text(time.right), text(time.change)))
                .collect()
        };
        let both = shown(compared(Some(&left), Some(&right)));
        assert_eq!(
            both,
            [
                "Whole run: 7.0 s 45.0 s +38.0 s",
                "Waiting for approve: – 41.0 s –",
                "Model: 5.0 s 4.0 s −1.0 s",
                "recall: 2.0 s – –",
            ]
        );
        let one = shown(compared(Some(&left), None));
        assert_eq!(one[0], "Whole run: 7.0 s – –");
        assert_eq!(compared(None, None), []);
    }
}
