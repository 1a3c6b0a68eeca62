//! The part of the waterfall's time axis that is shown.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Milliseconds after the start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Zoom {
    pub from_ms: u64,
    pub to_ms: u64,
}

/// A change of the part that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZoomStep {
    In,
    Out,
    Earlier,
    Later,
}

/// No shorter part is shown.
const MIN_MS: u64 = 20;

impl Zoom {
    /// Parses `1200-5400`.
    pub fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.split_once('-')?;
        let (from_ms, to_ms) = (from.parse().ok()?, to.parse().ok()?);
        (from_ms < to_ms).then_some(Self { from_ms, to_ms })
    }

    /// The part of a run between two times in any order. `None` if that is all of it.
    pub fn between(one_ms: u64, other_ms: u64, total_ms: u64) -> Option<Self> {
        let from_ms = one_ms.min(other_ms).min(total_ms.saturating_sub(MIN_MS));
        let to_ms = one_ms.max(other_ms).max(from_ms + MIN_MS).min(total_ms);
        (from_ms > 0 || to_ms < total_ms).then_some(Self { from_ms, to_ms })
    }

    /// The whole run.
    pub fn all(total_ms: u64) -> Self {
        Self { from_ms: 0, to_ms: total_ms }
    }

    /// The part after a step. `None` if that is all of the run.
    pub fn step(self, step: ZoomStep, total_ms: u64) -> Option<Self> {
        let span = self.to_ms.saturating_sub(self.from_ms);
        let (from_ms, to_ms) = match step {
            ZoomStep::In => (self.from_ms + span / 4, self.to_ms.saturating_sub(span / 4)),
            ZoomStep::Out => (self.from_ms.saturating_sub(span / 2), self.to_ms.saturating_add(span.div_ceil(2))),
            ZoomStep::Earlier => {
                let by = (span / 2).min(self.from_ms);
                (self.from_ms - by, self.to_ms - by)
            }
            ZoomStep::Later => {
                let by = (span / 2).min(total_ms.saturating_sub(self.to_ms));
                (self.from_ms + by, self.to_ms + by)
            }
        };
        Self::between(from_ms, to_ms, total_ms)
    }
}

impl fmt::Display for Zoom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from_ms, self.to_ms)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn steps_stay_within_the_run() {
        let step = |zoom: Option<Zoom>, step| zoom.unwrap_or(Zoom::all(1_000)).step(step, 1_000);
        let half = step(None, ZoomStep::In);
        assert_eq!(half, Zoom::parse("250-750"));
        assert_eq!(step(half, ZoomStep::Later), Zoom::parse("500-1000"));
        assert_eq!(step(step(half, ZoomStep::Earlier), ZoomStep::Earlier), Zoom::parse("0-500"));
        assert_eq!(step(half, ZoomStep::Out), None);
    }

    #[test]
    fn what_is_no_part_is_ignored() {
        for text in ["", "5", "7-7", "9-3", "-5-9", "a-b", "1-99999999999999999999"] {
            assert_eq!(Zoom::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_step_leaves_the_run(from in any::<u64>(), to in any::<u64>(), total_ms in any::<u64>(), at in 0..4_usize) {
            let step = [ZoomStep::In, ZoomStep::Out, ZoomStep::Earlier, ZoomStep::Later][at];
            let zoom = Zoom::between(from, to, total_ms);
            for zoom in [zoom, zoom.and_then(|zoom| zoom.step(step, total_ms))].into_iter().flatten() {
                prop_assert!(zoom.from_ms < zoom.to_ms && zoom.to_ms <= total_ms);
            }
        }
    }
}
