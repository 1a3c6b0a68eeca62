//! Times on the axis of the chart: whole seconds, minutes, hours, days or months.

use app::format::timestamp;
use app::model::chart::ChartTick;
use app::zone::TimeZone;
use protocol::query::When;

const MINUTE: i64 = 60;
const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;
/// Distances between ticks, in seconds.
#[rustfmt::skip]
const STEPS: [i64; 22] = [
    1, 2, 5, 10, 15, 30,
    MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE,
    HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR,
    DAY, 2 * DAY, 3 * DAY, 7 * DAY, 14 * DAY,
];
const MONTH_STEPS: [i64; 8] = [1, 2, 3, 6, 12, 24, 60, 120];
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/// 1970-01-05 was a Monday.
const FIRST_MONDAY: i64 = 4 * DAY;
/// A label right of this place would be cut.
const LAST_LABEL: u32 = 9_000;

/// Ticks are at whole units of the zone's clocks.
pub fn build_ticks(start_ms: i64, end_ms: i64, zone: TimeZone) -> Vec<ChartTick> {
    // The times are found on a clock that runs like UTC, and shows what the zone's clocks show at the start.
    let offset_ms = |at_ms: i64| i64::from(zone.offset_minutes(at_ms)) * 60_000;
    let shift_ms = offset_ms(start_ms);
    let (clock_start_ms, clock_end_ms) = (start_ms + shift_ms, end_ms + shift_ms);
    let range = (end_ms - start_ms) / 1_000;
    // Labels with date and time need more room.
    let most = if (DAY..4 * DAY).contains(&range) { 4 } else { 6 };
    let step = STEPS.into_iter().find(|step| step * most >= range);
    let times = match step {
        Some(step) => at_steps(clock_start_ms, clock_end_ms, step * 1_000),
        None => at_months(clock_start_ms, clock_end_ms, range / (30 * DAY * most) + 1),
    };
    let label = |text: &str| match step {
        Some(..MINUTE) => text[11..19].to_owned(),
        Some(MINUTE..DAY) if range < DAY => text[11..16].to_owned(),
        Some(MINUTE..DAY) => format!("{} {}", day(text), &text[11..16]),
        Some(_) => day(text),
        None => format!("{} {}", month(text), &text[..4]),
    };
    let tick = |clock_ms: i64| {
        let at_ms = clock_ms - offset_ms(clock_ms - shift_ms);
        let at = u32::try_from((at_ms - start_ms) * 10_000 / (end_ms - start_ms).max(1)).unwrap_or(0);
        let label = if at > LAST_LABEL { String::new() } else { label(&timestamp(clock_ms)) };
        // Clocks that were put back reach a time after the end.
        (at_ms < end_ms).then_some(ChartTick { at, label })
    };
    times.into_iter().filter_map(tick).collect()
}

fn at_steps(start_ms: i64, end_ms: i64, step_ms: i64) -> Vec<i64> {
    let offset = if step_ms % (7 * DAY * 1_000) == 0 { FIRST_MONDAY * 1_000 } else { 0 };
    let first = start_ms + (offset - start_ms).rem_euclid(step_ms);
    (first..end_ms).step_by(usize::try_from(step_ms).unwrap_or(usize::MAX)).collect()
}

/// The first days of months, at least `min_months` apart.
fn at_months(start_ms: i64, end_ms: i64, min_months: i64) -> Vec<i64> {
    let step = MONTH_STEPS.into_iter().find(|step| *step >= min_months).unwrap_or(120);
    let text = timestamp(start_ms);
    let number = |text: &str| text.parse::<i64>().unwrap_or(0);
    let months = number(&text[..4]) * 12 + number(&text[5..7]) - 1;
    let first = months.div_euclid(step) * step;
    let times = (0..).map_while(|i| {
        let months = first + i * step;
        let date = format!("{:04}-{:02}-01", months.div_euclid(12), months.rem_euclid(12) + 1);
        When::parse(&date).map(|when| when.resolve(0)).filter(|at| *at < end_ms)
    });
    times.filter(|at| *at >= start_ms).collect()
}

/// `Oct 4` of a timestamp.
fn day(text: &str) -> String {
    format!("{} {}", month(text), text[8..10].trim_start_matches('0'))
}

fn month(text: &str) -> &'static str {
    text[5..7].parse().ok().and_then(|month: usize| MONTHS.get(month.checked_sub(1)?)).copied().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(from: &str, to: &str) -> Vec<String> {
        let at = |text: &str| When::parse(text).expect(text).resolve(0);
        build_ticks(at(from), at(to), TimeZone::default()).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_at_whole_units_of_time() {
        assert_eq!(labels("2026-11-04T05:06Z", "2026-11-04T05:07Z")[..2], ["05:06:00", "05:06:10"]);
        assert_eq!(labels("2026-11-04T05:07Z", "2026-11-04T05:37Z")[..2], ["05:10", "05:15"]);
        assert_eq!(labels("2026-11-04T22:00Z", "2026-11-05T04:00Z")[..3], ["22:00", "23:00", "00:00"]);
        assert_eq!(labels("2026-11-04T05:00Z", "2026-11-06T05:00Z")[..2], ["Nov 4 12:00", "Nov 5 00:00"]);
        assert_eq!(labels("2026-11-04", "2026-11-08"), ["Nov 4", "Nov 5", "Nov 6", "Nov 7"]);
        assert_eq!(labels("2026-10-01", "2026-11-10")[..3], ["Oct 5", "Oct 12", "Oct 19"], "weeks start on Monday");
        assert_eq!(labels("2026-02-10", "2026-12-31")[..3], ["Mar 2026", "May 2026", "Jul 2026"]);
        assert_eq!(labels("2001-02-10", "2026-12-31")[..2], ["2005", "2010"].map(|year| format!("Jan {year}")));
    }

    #[test]
    fn distances_between_ticks_are_equal_and_a_label_at_the_end_is_left_out() {
        let ticks = build_ticks(0, 14 * DAY * 1_000, TimeZone::default());
        assert_eq!(ticks.iter().map(|tick| tick.at).collect::<Vec<_>>(), [0, 2_142, 4_285, 6_428, 8_571]);
        assert_eq!(build_ticks(0, 10 * MINUTE * 1_000, TimeZone::default()).len(), 5);
        let last = build_ticks(0, 61 * MINUTE * 1_000, TimeZone::default()).pop().expect("a tick");
        assert_eq!((last.at, last.label.as_str()), (9_836, ""));
    }

    #[test]
    fn ticks_are_at_midnight_of_the_zone_before_and_after_its_clocks_change() {
        let vienna = TimeZone::parse("Europe/Vienna").expect("a time zone");
        let at = |text: &str| When::parse(text).expect(text).resolve(0);
        let (start, end) = (at("2026-10-23"), at("2026-10-28"));
        let ticks = build_ticks(start, end, vienna);
        let times = ticks.iter().map(|tick| start + i64::from(tick.at) * (end - start) / 10_000);
        let clocks: Vec<String> = times.map(|at_ms| vienna.timestamp(at_ms + 50_000)[5..16].to_owned()).collect();
        assert_eq!(clocks, ["10-24 00:00", "10-25 00:00", "10-26 00:00", "10-27 00:00", "10-28 00:00"]);
        assert_eq!(ticks[0].label, "Oct 24");
    }
}
