//! The time of an event: from the log if it has one, else the time at which it arrived here.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Event;
use crate::query::moment;

/// MANTYX's log has no times. A log that has some names them `at`; files of other programs use one of the other names.
const NAMES: [&str; 4] = ["at", "timestamp", "time", "ts"];

/// The years 2000 to 2100. Other times are wrong, and would make every other duration invisible.
pub const PLAUSIBLE_MS: std::ops::Range<i64> = 946_684_800_000..4_102_444_800_000;

/// Numbers below this are seconds.
const MIN_MS: i64 = 100_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventTime {
    pub at_ms: i64,
    /// The event was seen to arrive at this time. Otherwise the log says when it happened.
    pub observed: bool,
}

impl Event {
    /// Returns when the event happened, if that is known.
    pub fn time(&self) -> Option<EventTime> {
        let recorded = || NAMES.iter().find_map(|name| parse(self.extra.get(*name)?));
        let recorded = (!self.extra.is_empty()).then(recorded).flatten().map(|at_ms| (at_ms, false));
        let observed = || self.observed_at_ms.map(|at_ms| (at_ms, true));
        let (at_ms, observed) = recorded.or_else(observed).filter(|(at_ms, _)| PLAUSIBLE_MS.contains(at_ms))?;
        Some(EventTime { at_ms, observed })
    }
}

/// Parses Unix milliseconds or seconds, or a time such as `2026-10-01T12:30:00.250Z`.
fn parse(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => {
            let number = number.as_f64()?;
            let scale = if number < MIN_MS as f64 { 1_000.0 } else { 1.0 };
            Some((number * scale) as i64)
        }
        Value::String(text) => parse_text(text),
        _ => None,
    }
}

/// Parses a time with any number of decimals and, optionally, an offset from UTC.
fn parse_text(text: &str) -> Option<i64> {
    let (date, clock) = text.split_once(['T', 't', ' '])?;
    let (clock, offset_ms) = match clock.find(['+', '-']) {
        Some(at) => (&clock[..at], parse_offset(&clock[at..])?),
        None => (clock.strip_suffix(['Z', 'z']).unwrap_or(clock), 0),
    };
    let (clock, decimals) = clock.split_once('.').unwrap_or((clock, ""));
    let millis = decimals.chars().chain("000".chars()).take(3).collect::<String>();
    Some(moment(&format!("{date}T{clock}.{millis}"))? - offset_ms)
}

/// Parses `+02:00` or `-0530`.
fn parse_offset(text: &str) -> Option<i64> {
    let digits: String = text[1..].chars().filter(|character| *character != ':').collect();
    let (hours, minutes) = digits.split_at_checked(2)?;
    let minutes = hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?;
    Some(if text.starts_with('-') { -minutes } else { minutes } * 60_000)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn time(envelope: Value, observed_at_ms: Option<i64>) -> Option<(i64, bool)> {
        let mut event: Event = serde_json::from_value(envelope).expect("an envelope");
        event.observed_at_ms = observed_at_ms;
        event.time().map(|time| (time.at_ms, time.observed))
    }

    #[test]
    fn the_logs_own_time_has_priority_over_the_arrival() {
        let plain = json!({ "seq": 1, "type": "started" });
        let with = |name: &str, at: Value| json!({ "seq": 1, "type": "started", "data": {}, name: at });
        let noon = 1_791_028_800_250;
        assert_eq!(time(plain.clone(), None), None);
        assert_eq!(time(plain, Some(noon)), Some((noon, true)));
        assert_eq!(time(with("at", noon.into()), Some(5)), Some((noon, false)));
        assert_eq!(time(with("timestamp", "2026-10-03T12:00:00.250Z".into()), None), Some((noon, false)));
        assert_eq!(time(with("timestamp", "2026-10-03T14:00:00.250+02:00".into()), None), Some((noon, false)));
        assert_eq!(time(with("ts", json!(1_791_028_800.25)), None), Some((noon, false)));
    }

    #[test]
    fn impossible_times_count_as_none() {
        for at in [json!(0), json!(-5), json!(1e300), json!(i64::MAX), json!("noon"), json!(null), json!([])] {
            assert_eq!(time(json!({ "seq": 1, "type": "started", "data": {}, "at": at }), None), None, "{at}");
        }
    }
}
