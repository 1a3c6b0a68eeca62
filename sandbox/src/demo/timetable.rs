//! The times of the demonstration's runs: mostly in working hours, on two weeks of weekdays.

use chrono::{DateTime, Datelike, TimeDelta, Timelike, Utc, Weekday};

use super::scenario::Planned;
use super::seeded_rng::SeededRng;
use crate::clock::Clock;

const HOURS: i64 = 14 * 24;
/// Age of the newest run, so that its virtual end is not in the future.
const MIN_AGE: TimeDelta = TimeDelta::minutes(25);
const WORKING_HOURS: std::ops::Range<u32> = 7..18;

/// Gives each task its start, oldest first.
pub fn schedule(tasks: Vec<Planned>, now: DateTime<Utc>) -> Vec<(Planned, Clock)> {
    let mut rng = SeededRng::new(7);
    let newest = now - MIN_AGE;
    let hours: Vec<DateTime<Utc>> = (0..HOURS).rev().map(|hour| newest - TimeDelta::hours(hour + 1)).collect();
    let mut planned: Vec<(DateTime<Utc>, Planned)> = Vec::new();
    for task in tasks {
        let day = task.days_ago.map(|days| weekday_before(now - TimeDelta::days(days.into())));
        let weight = |hour: &DateTime<Utc>| match day {
            Some(day) if day.date_naive() != hour.date_naive() => 0,
            _ => weight(*hour),
        };
        let weights: Vec<u64> = hours.iter().map(weight).collect();
        let mut left = rng.below(weights.iter().sum());
        let hour = weights.iter().position(|weight| {
            let is_chosen = left < *weight;
            left = left.saturating_sub(*weight);
            is_chosen
        });
        let start = hours[hour.unwrap_or(hours.len() - 1)];
        planned.push((start + TimeDelta::milliseconds(rng.below(3_600_000) as i64), task));
    }
    planned.sort_by_key(|(start, _)| *start);
    planned.into_iter().map(|(start, task)| (task, Clock::starting_at(start))).collect()
}

/// The share of runs that an hour gets.
fn weight(hour: DateTime<Utc>) -> u64 {
    match (is_weekend(hour), WORKING_HOURS.contains(&hour.hour())) {
        (true, _) => 1,
        (false, true) => 12,
        (false, false) => 2,
    }
}

fn is_weekend(time: DateTime<Utc>) -> bool {
    matches!(time.weekday(), Weekday::Sat | Weekday::Sun)
}

fn weekday_before(mut time: DateTime<Utc>) -> DateTime<Utc> {
    while is_weekend(time) {
        time -= TimeDelta::days(1);
    }
    time
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_on_weekdays_mostly_and_never_in_the_future() {
        let tasks = super::super::scenario::plan("demo", include_str!("demo_workspace.json")).expect("scenarios");
        let now: DateTime<Utc> = "2026-11-17T12:00:00Z".parse().expect("a time");
        let scheduled = schedule(tasks, now);
        let starts: Vec<DateTime<Utc>> = scheduled.iter().map(|(_, clock)| clock.now()).collect();
        let weekend = starts.iter().filter(|start| is_weekend(**start)).count();
        assert!(weekend * 10 < starts.len(), "{weekend} of {}", starts.len());
        assert!(starts.iter().all(|start| *start <= now - MIN_AGE && *start > now - TimeDelta::days(15)));
        let on_one_day: Vec<_> = scheduled.iter().filter(|(task, _)| task.days_ago.is_some()).collect();
        assert!(!on_one_day.is_empty());
        assert!(on_one_day.iter().all(|(_, clock)| clock.now().date_naive() == "2026-11-12".parse().expect("a day")));
    }
}
