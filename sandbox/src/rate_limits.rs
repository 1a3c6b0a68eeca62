//! Rate limits per credential and kind of request.
//!
//! The documents call the window both fixed and sliding; here it slides: a request counts for sixty seconds. They name
//! the headers, but neither the buckets nor the unit of the reset, which is a Unix time in seconds here.

use std::collections::{HashMap, VecDeque};
use std::str::FromStr;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use domain::LockExt;
use http::Method;

/// Requests per minute for each credential and bucket; `None` for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateLimits {
    pub runs: Option<u32>,
    pub lifecycle: Option<u32>,
    pub mutations: Option<u32>,
    pub reads: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bucket {
    /// New runs, also in sessions
    Runs,
    /// Tool results, cancellation, feedback
    Lifecycle,
    /// All other changes
    Mutations,
    /// Reads and streams
    Reads,
}

/// The state of a bucket after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitStatus {
    pub bucket: Bucket,
    pub limit: u32,
    pub remaining: u32,
    /// Time until the oldest request no longer counts.
    pub reset_after: Duration,
    pub admitted: bool,
}

/// Counts the requests of each credential.
pub struct RateLimiter {
    limits: RateLimits,
    windows: Mutex<HashMap<(Vec<u8>, Bucket), Requests>>,
}

/// Times of the requests in the window, oldest first.
type Requests = VecDeque<Instant>;

const WINDOW: Duration = Duration::from_secs(60);

impl RateLimits {
    pub const OFF: Self = Self { runs: None, lifecycle: None, mutations: None, reads: None };
    /// The documented defaults. For reads, the documents only say «high».
    pub const DOCUMENTED: Self =
        Self { runs: Some(120), lifecycle: Some(600), mutations: Some(120), reads: Some(6000) };

    fn of(&self, bucket: Bucket) -> Option<u32> {
        match bucket {
            Bucket::Runs => self.runs,
            Bucket::Lifecycle => self.lifecycle,
            Bucket::Mutations => self.mutations,
            Bucket::Reads => self.reads,
        }
    }
}

/// Parses `off`, `documented`, or changes to the documented limits: `runs=10,reads=off`.
impl FromStr for RateLimits {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut limits = match text {
            "off" => return Ok(Self::OFF),
            _ => Self::DOCUMENTED,
        };
        for change in text.split(',').filter(|change| *change != "documented") {
            let (name, limit) = change.split_once('=').ok_or("write off, documented, or runs=10,reads=off")?;
            let limit = match limit {
                "off" => None,
                number => Some(number.parse().ok().filter(|limit| *limit > 0).ok_or("a limit is off or at least 1")?),
            };
            match name {
                "runs" => limits.runs = limit,
                "lifecycle" => limits.lifecycle = limit,
                "mutations" => limits.mutations = limit,
                "reads" => limits.reads = limit,
                _ => return Err("there are limits for runs, lifecycle, mutations and reads".to_owned()),
            }
        }
        Ok(limits)
    }
}

impl Bucket {
    /// Returns the bucket of a request, by its method and the last segment of its path.
    pub fn of(method: &Method, path: &str) -> Self {
        let last = path.rsplit('/').next().unwrap_or("");
        match (method, last) {
            (&Method::GET | &Method::HEAD | &Method::OPTIONS, _) => Self::Reads,
            (&Method::POST, "agent-runs" | "messages") => Self::Runs,
            (&Method::POST, "tool-results" | "cancel" | "feedback") => Self::Lifecycle,
            _ => Self::Mutations,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Lifecycle => "lifecycle",
            Self::Mutations => "mutations",
            Self::Reads => "reads",
        }
    }
}

impl RateLimiter {
    pub fn new(limits: RateLimits) -> Self {
        Self { limits, windows: Mutex::default() }
    }

    /// Counts a request, unless its bucket is full. `None` if the bucket has no limit. `credential` is a digest, so that no
    /// secret is kept here.
    pub fn count(&self, credential: &[u8], bucket: Bucket, now: Instant) -> Option<LimitStatus> {
        let limit = self.limits.of(bucket)?;
        let mut windows = self.windows.locked();
        let key = (credential.to_owned(), bucket);
        if !windows.contains_key(&key) {
            // Removes expired entries, because tokens change often.
            windows.retain(|_, requests| requests.back().is_some_and(|last| now < *last + WINDOW));
        }
        let requests = windows.entry(key).or_default();
        while requests.front().is_some_and(|oldest| now >= *oldest + WINDOW) {
            requests.pop_front();
        }
        let admitted = requests.len() < limit as usize;
        if admitted {
            requests.push_back(now);
        }
        let remaining = limit - requests.len() as u32;
        let reset_after = requests.front().map_or(WINDOW, |oldest| (*oldest + WINDOW).duration_since(now));
        Some(LimitStatus { bucket, limit, remaining, reset_after, admitted })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_slides() {
        let limiter = RateLimiter::new(RateLimits { runs: Some(2), ..RateLimits::OFF });
        let start = Instant::now();
        let count = |second| limiter.count(b"a", Bucket::Runs, start + Duration::from_secs(second)).expect("a limit");
        assert_eq!((count(0).remaining, count(20).remaining), (1, 0));
        let full = count(50);
        assert_eq!((full.admitted, full.remaining, full.reset_after), (false, 0, Duration::from_secs(10)));
        assert!(count(60).admitted, "the first one no longer counts");
        assert!(!count(79).admitted, "the second one still does, and the refused one never did");
        assert!(count(80).admitted);
    }

    #[test]
    fn credentials_and_buckets_do_not_share() {
        let limiter = RateLimiter::new(RateLimits { runs: Some(1), lifecycle: Some(1), ..RateLimits::OFF });
        let now = Instant::now();
        let admitted = |credential: &[u8], bucket| limiter.count(credential, bucket, now).map(|status| status.admitted);
        assert_eq!(admitted(b"a", Bucket::Runs), Some(true));
        assert_eq!(admitted(b"b", Bucket::Runs), Some(true));
        assert_eq!(admitted(b"a", Bucket::Lifecycle), Some(true));
        assert_eq!(admitted(b"a", Bucket::Runs), Some(false));
        assert_eq!(admitted(b"a", Bucket::Reads), None);
    }

    #[test]
    fn a_credential_that_is_no_longer_used_is_forgotten() {
        let limiter = RateLimiter::new(RateLimits::DOCUMENTED);
        let now = Instant::now();
        limiter.count(b"a", Bucket::Runs, now);
        limiter.count(b"b", Bucket::Runs, now + WINDOW);
        assert_eq!(limiter.windows.lock().expect("a lock").len(), 1);
    }

    #[test]
    fn each_route_has_its_bucket() {
        let bucket = |method: Method, path: &str| Bucket::of(&method, &format!("/api/v1/workspaces/demo{path}"));
        assert_eq!(bucket(Method::POST, "/agent-runs"), Bucket::Runs);
        assert_eq!(bucket(Method::POST, "/agent-sessions/x/messages"), Bucket::Runs);
        assert_eq!(bucket(Method::POST, "/agent-runs/x/cancel"), Bucket::Lifecycle);
        assert_eq!(bucket(Method::POST, "/agent-sessions"), Bucket::Mutations);
        assert_eq!(bucket(Method::DELETE, "/agent-sessions/x"), Bucket::Mutations);
        assert_eq!(bucket(Method::GET, "/agent-runs/x/stream"), Bucket::Reads);
    }

    #[test]
    fn limits_are_read_from_a_setting() {
        assert_eq!("off".parse(), Ok(RateLimits::OFF));
        assert_eq!("documented".parse(), Ok(RateLimits::DOCUMENTED));
        let changed = RateLimits { runs: Some(10), reads: None, ..RateLimits::DOCUMENTED };
        assert_eq!("runs=10,reads=off".parse(), Ok(changed));
        for wrong in ["", "runs", "runs=0", "runs=many", "walks=1"] {
            assert!(wrong.parse::<RateLimits>().is_err(), "{wrong}");
        }
    }
}
