//! The error of a remote tool.

use std::time::Duration;

use protocol::json::preview;

use crate::HttpError;

/// Limit for text of a remote server that an error repeats.
pub(crate) const MAX_QUOTED_CHARS: usize = 300;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    /// The transport does not connect to this host.
    #[error("{0}")]
    Blocked(String),
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error("The server asks for credentials, or does not accept those that were sent. Check the headers.")]
    Refused,
    /// The address is not an endpoint of this protocol or version.
    #[error("{0}")]
    NotSupported(String),
    #[error("{0}")]
    Unusable(String),
    #[error("There was no answer within {} s.", .0.as_secs())]
    TimedOut(Duration),
}

impl RemoteError {
    pub fn unusable(message: impl Into<String>) -> Self {
        Self::Unusable(message.into())
    }

    /// Adds the remote server's own words, shortened.
    pub(crate) fn quoting(message: &str, quoted: &str) -> Self {
        Self::Unusable(format!("{message}: {}", preview(quoted, MAX_QUOTED_CHARS)))
    }
}
