//! Parses and prints amounts: `30s`, `1.5h`, `10k`, `0.25`.

use super::Measure;

const DURATIONS: [(&str, u64); 5] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];
const COUNTS: [(&str, u64); 3] = [("", 1), ("k", 1_000), ("m", 1_000_000)];
const DOLLARS: [(&str, u64); 1] = [("", 1_000_000)];

pub fn example(measure: Measure) -> &'static str {
    match measure {
        Measure::Duration | Measure::Waited => "30s",
        Measure::Tokens => "10k",
        Measure::Cost => "0.5",
        Measure::Turns | Measure::Calls => "3",
    }
}

/// What to enter for a measure.
pub fn noun(measure: Measure) -> &'static str {
    match measure {
        Measure::Duration | Measure::Waited => "a duration",
        Measure::Cost => "an amount in dollars",
        Measure::Tokens | Measure::Turns | Measure::Calls => "a number",
    }
}

/// Parses an amount into the unit of its measure.
pub fn parse(measure: Measure, text: &str) -> Option<u64> {
    let text = if measure == Measure::Cost { text.strip_prefix('$').unwrap_or(text) } else { text };
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let (_, size) = units(measure).iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    let counts = !matches!(measure, Measure::Duration | Measure::Waited | Measure::Cost);
    scaled(number, *size, counts)
}

/// Prints an amount in the shortest exact form.
pub fn print(measure: Measure, amount: u64) -> String {
    if measure == Measure::Cost {
        let (whole, part) = (amount / 1_000_000, amount % 1_000_000);
        let text = format!("{whole}.{part:06}");
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    let fitting = units(measure).iter().rev().find(|(_, size)| amount > 0 && amount.is_multiple_of(*size));
    let (name, size) = fitting.unwrap_or(&units(measure)[0]);
    format!("{}{name}", amount / size)
}

fn units(measure: Measure) -> &'static [(&'static str, u64)] {
    match measure {
        Measure::Duration | Measure::Waited => &DURATIONS,
        Measure::Cost => &DOLLARS,
        Measure::Tokens | Measure::Turns | Measure::Calls => &COUNTS,
    }
}

/// Multiplies a decimal number by a size. Rounds only at the end, and refuses fractions if `whole_only`. The result is
/// below 2⁶², so that it fits an integer of the database.
fn scaled(number: &str, size: u64, whole_only: bool) -> Option<u64> {
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if (whole.is_empty() && part.is_empty()) || part.len() > 9 {
        return None;
    }
    let digits = |text: &str| if text.is_empty() { Some(0) } else { text.parse::<u64>().ok() };
    let ten = 10_u64.pow(u32::try_from(part.len()).ok()?);
    let part = u128::from(digits(part)?) * u128::from(size);
    if whole_only && !part.is_multiple_of(u128::from(ten)) {
        return None;
    }
    let total = u128::from(digits(whole)?) * u128::from(size) + part / u128::from(ten);
    u64::try_from(total).ok().filter(|total| *total < 1 << 62)
}
