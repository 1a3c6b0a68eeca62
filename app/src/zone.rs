//! The viewer's time zone, which exact times are shown in: UTC, or one with a name such as Europe/Vienna.

use crate::format;

/// `2026-11-16 03:34:13 UTC`, or `2026-11-16 04:34:13 +01:00` in a time zone.
pub fn exact_time(at_ms: i64) -> String {
    format::timestamp_at(at_ms, offset_minutes(at_ms))
}

#[cfg(feature = "ssr")]
fn offset_minutes(at_ms: i64) -> i32 {
    crate::preferences::zone_from_request().offset_minutes(at_ms)
}

#[cfg(not(feature = "ssr"))]
fn offset_minutes(at_ms: i64) -> i32 {
    crate::browser::zone_offset_minutes(at_ms)
}

#[cfg(feature = "ssr")]
pub use server::TimeZone;

#[cfg(feature = "ssr")]
mod server {
    use chrono::{Offset, TimeZone as _};
    use chrono_tz::{TZ_VARIANTS, Tz};

    use crate::format;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct TimeZone(Tz);

    impl Default for TimeZone {
        fn default() -> Self {
            Self(Tz::UTC)
        }
    }

    impl TimeZone {
        /// Returns the time zone with this name, in any case. `None` if there is none.
        pub fn parse(name: &str) -> Option<Self> {
            let known = TZ_VARIANTS.iter().find(|zone| zone.name().eq_ignore_ascii_case(name.trim()));
            known.copied().map(Self)
        }

        pub fn name(self) -> &'static str {
            self.0.name()
        }

        /// The distance from UTC at a time.
        pub fn offset_minutes(self, at_ms: i64) -> i32 {
            let at = self.0.timestamp_millis_opt(at_ms).single();
            at.map_or(0, |at| at.offset().fix().local_minus_utc() / 60)
        }

        /// `2026-11-16 03:34:13 UTC`.
        pub fn timestamp(self, at_ms: i64) -> String {
            format::timestamp_at(at_ms, self.offset_minutes(at_ms))
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn times_follow_the_clocks_of_the_zone() {
            let vienna = TimeZone::parse(" europe/vienna").expect("a time zone");
            assert_eq!(vienna.name(), "Europe/Vienna");
            // Summer time ended on 2026-10-25 at 01:00 UTC.
            assert_eq!(vienna.timestamp(1_792_889_999_000), "2026-10-25 02:59:59 +02:00");
            assert_eq!(vienna.timestamp(1_792_890_000_000), "2026-10-25 02:00:00 +01:00");
            let kathmandu = TimeZone::parse("Asia/Kathmandu").expect("a time zone");
            assert_eq!(kathmandu.timestamp(0), "1970-01-01 05:30:00 +05:30");
            let new_york = TimeZone::parse("America/New_York").expect("a time zone");
            assert_eq!(new_york.timestamp(0), "1969-12-31 19:00:00 -05:00");
            assert_eq!(TimeZone::default().timestamp(0), "1970-01-01 00:00:00 UTC");
            for unknown in ["", "Mars/Base", "GMT+99", "Europe"] {
                assert_eq!(TimeZone::parse(unknown), None, "{unknown}");
            }
        }
    }
}
