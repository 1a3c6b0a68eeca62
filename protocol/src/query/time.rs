//! Times in a query: a duration before now, a day, or a moment in UTC. The caller provides the current time.

use std::fmt;

const DAY_MS: i64 = 86_400_000;
/// The year 1: nothing is older.
const EARLIEST_MS: i64 = -62_135_596_800_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// A duration before now. Kept relative, so that a saved filter always means the last two hours.
    Ago { amount: u32, unit: Unit },
    /// Milliseconds since 1970, UTC.
    At(i64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Seconds,
    Minutes,
    Hours,
    Days,
    Weeks,
}

impl Unit {
    const ALL: [(Self, &'static str, i64); 5] = [
        (Self::Seconds, "s", 1_000),
        (Self::Minutes, "m", 60_000),
        (Self::Hours, "h", 3_600_000),
        (Self::Days, "d", DAY_MS),
        (Self::Weeks, "w", 7 * DAY_MS),
    ];

    fn entry(self) -> (&'static str, i64) {
        let found = Self::ALL.into_iter().find(|(unit, ..)| *unit == self);
        found.map_or(("s", 1_000), |(_, name, size)| (name, size))
    }
}

impl When {
    pub fn parse(text: &str) -> Option<Self> {
        if let Some((unit, number)) =
            Unit::ALL.iter().find_map(|(unit, name, _)| Some((*unit, text.strip_suffix(name)?)))
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
        {
            return Some(Self::Ago { amount: number.parse().ok()?, unit });
        }
        moment(text).map(Self::At)
    }

    /// Returns milliseconds since 1970, if it is `now_ms` now.
    pub fn resolve(self, now_ms: i64) -> i64 {
        match self {
            Self::Ago { amount, unit } => {
                now_ms.saturating_sub(i64::from(amount).saturating_mul(unit.entry().1)).max(EARLIEST_MS)
            }
            Self::At(ms) => ms,
        }
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = match self {
            Self::Ago { amount, unit } => return write!(f, "{amount}{}", unit.entry().0),
            Self::At(ms) => *ms,
        };
        let (year, month, day) = date_of(ms.div_euclid(DAY_MS));
        write!(f, "{year:04}-{month:02}-{day:02}")?;
        let rest = ms.rem_euclid(DAY_MS);
        if rest == 0 {
            return Ok(());
        }
        let (seconds, millis) = (rest / 1_000, rest % 1_000);
        write!(f, "T{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)?;
        if millis != 0 {
            write!(f, ".{millis:03}")?;
        }
        f.write_str("Z")
    }
}

/// Parses `2026-10-01`, `2026-10-01T12:30` and `…T12:30:15.250`, each with or without `Z`.
pub(crate) fn moment(text: &str) -> Option<i64> {
    let (date, clock) = text.split_once(['T', 't']).unwrap_or((text, ""));
    let clock = clock.strip_suffix(['Z', 'z']).unwrap_or(clock);
    if clock.is_empty() && text.len() != date.len() {
        return None;
    }
    let mut parts = date.split('-');
    let (year, month, day) = (number(parts.next()?, 4)?, number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    let day_number = day_of(year, month, day);
    if parts.next().is_some() || date_of(day_number) != (year, month, day) {
        return None;
    }
    Some(day_number * DAY_MS + clock_ms(clock)?)
}

fn clock_ms(clock: &str) -> Option<i64> {
    if clock.is_empty() {
        return Some(0);
    }
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "000"));
    let mut parts = clock.split(':');
    let (hour, minute) = (number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    let second = parts.next().map_or(Some(0), |text| number(text, 2))?;
    let fits = hour < 24 && minute < 60 && second < 60 && parts.next().is_none();
    fits.then_some(((hour * 60 + minute) * 60 + second) * 1_000 + number(fraction, 3)?)
}

fn number(text: &str, digits: usize) -> Option<i64> {
    (text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

/// Returns the days since 1970 of a Gregorian date. Years begin in March here, so that leap days come last.
fn day_of(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let era = year.div_euclid(400);
    let year = year - era * 400;
    era * 146_097 + year * 365 + year / 4 - year / 100 + (month * 153 + 2) / 5 + day - 1 - 719_468
}

fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day = days - era * 146_097;
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (year * 365 + year / 4 - year / 100);
    let month = (day * 5 + 2) / 153;
    let day = day - (month * 153 + 2) / 5 + 1;
    let year = year + era * 400;
    if month < 10 { (year, month + 3, day) } else { (year + 1, month - 9, day) }
}
