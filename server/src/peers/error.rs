//! Why a peer could not be used, in words for the person who named it.

use std::time::Duration;

use protocol::json::preview;

use crate::outbound::OutboundError;

/// Of what a peer says, as much as is passed on in an error.
const MAX_QUOTED_CHARS: usize = 300;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PeerError {
    #[error(transparent)]
    Outbound(#[from] OutboundError),
    #[error("The server asks for credentials, or does not accept those that were sent. Check the headers.")]
    Refused,
    #[error("{0}")]
    Unusable(String),
    #[error("There was no answer within {} s.", .0.as_secs())]
    TooSlow(Duration),
}

impl PeerError {
    pub(super) fn unusable(what: impl Into<String>) -> Self {
        Self::Unusable(what.into())
    }

    /// With a peer's own words, shortened.
    pub(super) fn quoting(what: &str, words: &str) -> Self {
        Self::Unusable(format!("{what}: {}", preview(words, MAX_QUOTED_CHARS)))
    }
}
