//! Chooses round times for the lines of an axis.

use app::format::{decimal, duration};

const MAX_TICKS: u64 = 6;

/// Distances between two lines.
const STEPS_MS: [u64; 26] = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
    900_000, 1_800_000, 3_600_000, 7_200_000, 10_800_000, 21_600_000, 43_200_000,
];

const DAY_MS: u64 = 86_400_000;

pub struct Tick {
    /// After the start of the run.
    pub at_ms: u64,
    pub label: String,
}

pub fn ticks(from_ms: u64, to_ms: u64) -> Vec<Tick> {
    let span = to_ms.saturating_sub(from_ms);
    let step = STEPS_MS.into_iter().find(|step| span / step < MAX_TICKS);
    let step = step.unwrap_or_else(|| (span / MAX_TICKS / DAY_MS + 1) * DAY_MS);
    let first = from_ms.div_ceil(step);
    (first..=to_ms / step).map(|n| Tick { at_ms: n * step, label: label(n * step, step) }).collect()
}

/// No more precise than the distance between two lines.
fn label(at_ms: u64, step_ms: u64) -> String {
    match (at_ms, step_ms) {
        (0, _) => "0".to_owned(),
        (0..1_000, _) => format!("{at_ms} ms"),
        (_, 0..10) => format!("{} s", decimal(at_ms, 1_000, 3)),
        (_, 10..100) => format!("{} s", decimal(at_ms, 1_000, 2)),
        (_, 100..1_000) => format!("{} s", decimal(at_ms, 1_000, 1)),
        (0..60_000, _) => format!("{} s", at_ms / 1_000),
        (_, 60_000..) if at_ms < 3_600_000 => format!("{} m", at_ms / 60_000),
        _ => duration(at_ms),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(from_ms: u64, to_ms: u64) -> String {
        ticks(from_ms, to_ms).into_iter().map(|tick| tick.label).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn lines_are_at_round_times() {
        assert_eq!(labels(0, 49_000), "0, 10 s, 20 s, 30 s, 40 s");
        assert_eq!(labels(0, 300), "0, 100 ms, 200 ms, 300 ms");
        assert_eq!(labels(61_200, 61_450), "61.20 s, 61.25 s, 61.30 s, 61.35 s, 61.40 s, 61.45 s");
        assert_eq!(labels(0, 200_000), "0, 1 m, 2 m, 3 m");
        assert_eq!(labels(0, 0), "0");
        assert_eq!(labels(0, 20 * 3_600_000), "0, 6 h 00 m, 12 h 00 m, 18 h 00 m");
    }

    #[test]
    fn any_range_has_a_few_lines() {
        for (from_ms, to_ms) in [(0, u64::MAX), (u64::MAX - 5, u64::MAX), (9, 3), (7, 7), (0, 400 * DAY_MS)] {
            assert!(ticks(from_ms, to_ms).len() <= 7, "{from_ms} {to_ms}");
        }
    }
}
