//! Formats numbers and times. Uses integers only, because float formatting adds several kilobytes to the client.

/// `1,234`, `12.4k`, `3.1M`.
pub fn compact_number(n: u64) -> String {
    match n {
        0..10_000 => grouped(n),
        10_000..1_000_000 => format!("{}k", decimal(n, 1_000, 1)),
        _ => format!("{}M", decimal(n, 1_000_000, 1)),
    }
}

/// `1,234,567`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `420 ms`, `4.2 s`, `3 m 05 s`, `1 h 02 m`.
pub fn duration(ms: u64) -> String {
    let seconds = ms / 1000;
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{} s", decimal(ms, 1_000, 1)),
        60_000..3_600_000 => format!("{} m {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} m", seconds / 3600, seconds / 60 % 60),
    }
}

/// `42 s`, `3 m 05 s`, `1 h 02 m`, `2 d 03 h`: whole seconds, for ages that keep counting.
pub fn age(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..86_400 => duration(seconds * 1000),
        _ => format!("{} d {:02} h", seconds / 86_400, seconds / 3600 % 24),
    }
}

/// `$1.20`, `$0.0042`, `<$0.0001`: millionths of a dollar, with significant digits only.
pub fn dollars(micros: u64) -> String {
    if (1..50).contains(&micros) {
        return "<$0.0001".to_owned();
    }
    let digits = if micros == 0 || micros >= 100_000 { 2 } else { 4 };
    format!("${}", decimal(micros, 1_000_000, digits))
}

/// `1.3`: `n` in units of `unit` (a power of ten), rounded to this number of decimal places.
pub fn decimal(n: u64, unit: u64, digits: u32) -> String {
    let (scale, width) = (10_u64.pow(digits), digits as usize);
    let step = (unit / scale).max(1);
    let rounded = (n / step) + u64::from(n % step * 2 >= step);
    format!("{}.{:0width$}", rounded / scale, rounded % scale)
}

/// `just now`, `5 min ago`, `3 h ago`, `2 d ago`, then the date.
pub fn relative(at_ms: i64, now_ms: i64) -> String {
    let seconds = now_ms.saturating_sub(at_ms).max(0) / 1000;
    match seconds {
        0..10 => "just now".to_owned(),
        10..60 => format!("{seconds} s ago"),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        86_400..2_592_000 => format!("{} d ago", seconds / 86_400),
        _ => timestamp(at_ms)[..10].to_owned(),
    }
}

/// `2026-11-16 03:34:13 UTC`.
pub fn timestamp(at_ms: i64) -> String {
    timestamp_at(at_ms, 0)
}

/// The same where clocks differ from UTC: `2026-11-16 04:34:13 +01:00`.
pub fn timestamp_at(at_ms: i64, offset_minutes: i32) -> String {
    let seconds = at_ms.div_euclid(1000) + i64::from(offset_minutes) * 60;
    let (days, second_of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil_date(days);
    let (h, m, s) = (second_of_day / 3_600, second_of_day / 60 % 60, second_of_day % 60);
    let zone = match offset_minutes {
        0 => "UTC".to_owned(),
        _ => {
            let (sign, minutes) = (if offset_minutes < 0 { '-' } else { '+' }, offset_minutes.abs());
            format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
        }
    };
    format!("{year:04}-{month:02}-{day:02} {h:02}:{m:02}:{s:02} {zone}")
}

/// The Gregorian date of a day counted from 1970-01-01, without a date library in the client. Years start in March, so
/// that the leap day is the last day of a year.
fn civil_date(days: i64) -> (i64, i64, i64) {
    let era_day = days + 719_468;
    let era = era_day.div_euclid(146_097);
    let day_of_era = era_day.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// Shortens an id to its beginning and its end.
pub fn short_id(id: &str) -> String {
    if id.chars().count() <= 16 {
        return id.to_owned();
    }
    let head: String = id.chars().take(8).collect();
    let tail: String = id.chars().skip(id.chars().count() - 5).collect();
    format!("{head}…{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!([0, 9_999, 12_400, 3_100_000].map(compact_number), ["0", "9,999", "12.4k", "3.1M"]);
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(decimal(9_960, 1_000, 1), "10.0");
        assert_eq!(decimal(u64::MAX, 1_000_000, 1), "18446744073709.6");
        assert_eq!([0, 49, 50, 4_200, 1_200_000].map(dollars), ["$0.00", "<$0.0001", "$0.0001", "$0.0042", "$1.20"]);
        assert_eq!([420, 4_213, 185_000, 3_720_000].map(duration), ["420 ms", "4.2 s", "3 m 05 s", "1 h 02 m"]);
    }

    #[test]
    fn ages() {
        assert_eq!([0, 59, 125, 3_725, 200_000].map(age), ["0 s", "59 s", "2 m 05 s", "1 h 02 m", "2 d 07 h"]);
    }

    #[test]
    fn times() {
        let at = 1_792_812_853_000;
        assert_eq!(timestamp(at), "2026-10-24 03:34:13 UTC");
        assert_eq!(timestamp(951_782_400_000), "2000-02-29 00:00:00 UTC");
        assert_eq!(timestamp(-1), "1969-12-31 23:59:59 UTC");
        assert_eq!(timestamp_at(at, 330), "2026-10-24 09:04:13 +05:30");
        assert_eq!(timestamp_at(at, -240), "2026-10-23 23:34:13 -04:00");
        assert_eq!(relative(at, at + 5_000), "just now");
        assert_eq!(relative(at, at + 7_200_000), "2 h ago");
        assert_eq!(relative(at, at + 40 * 86_400_000), "2026-10-24");
    }

    #[test]
    fn ids() {
        assert_eq!(short_id("run_abc"), "run_abc");
        assert_eq!(short_id("run_0123456789abcdef"), "run_0123…bcdef");
    }
}
