//! How long a local call has been waiting for its answer.

/// Counted from when its event came here: the log has no times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallAge {
    /// The call's event.
    pub seq: u64,
    pub seconds: u64,
    /// It was in the log already when that was first read, so it may be older.
    pub at_least: bool,
}
