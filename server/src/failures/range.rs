//! The time range of a list of failure groups.

use app::AppError;
use protocol::query::When;

use crate::error::Error;
use crate::store::TimeSpan;

/// MANTYX's clock may be ahead of this one.
const CLOCK_SKEW_MS: i64 = 60_000;

/// From a time, included, until another, excluded. Relative times stay relative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeRange {
    pub since: Option<When>,
    pub before: Option<When>,
}

impl TimeRange {
    /// Parses the times as the filter bar writes them. An empty text is no limit.
    pub fn parse(since: Option<&str>, before: Option<&str>) -> Result<Self, Error> {
        Ok(Self { since: parse("since", since)?, before: parse("before", before)? })
    }

    pub fn span(&self, now_ms: i64) -> Result<TimeSpan, Error> {
        let from_ms = self.since.map(|when| when.resolve(now_ms));
        let before_ms = self.before.map_or(now_ms + CLOCK_SKEW_MS, |when| when.resolve(now_ms));
        if from_ms.is_some_and(|from_ms| from_ms >= before_ms) {
            let message = "The time range is empty: choose an end that is after its beginning.".to_owned();
            return Err(AppError::Invalid { field: "before".to_owned(), message }.into());
        }
        Ok(TimeSpan { from_ms, before_ms })
    }
}

fn parse(name: &str, text: Option<&str>) -> Result<Option<When>, Error> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    let when = When::parse(text).ok_or_else(|| AppError::Invalid {
        field: name.to_owned(),
        message: format!("Write the time as 24h, 7d, 2026-10-01 or 2026-10-01T12:30Z, not `{text}`."),
    })?;
    Ok(Some(when))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_read() {
        let range = TimeRange::parse(Some("7d"), Some(" ")).expect("a range");
        let span = range.span(10 * 86_400_000).expect("a span");
        assert_eq!((span.from_ms, span.before_ms), (Some(3 * 86_400_000), 10 * 86_400_000 + CLOCK_SKEW_MS));
        assert!(TimeRange::parse(Some("soon"), None).is_err());
    }

    #[test]
    fn an_empty_range_is_refused() {
        let range = TimeRange::parse(Some("2026-10-02"), Some("2026-10-01")).expect("a range");
        assert!(range.span(0).is_err());
    }
}
