//! Errors of outbound requests, worded for the person who entered the address.

use remote_tools::{HttpError, RemoteError};
use url::Url;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutboundError {
    #[error("{0}")]
    BadUrl(String),
    #[error(
        "This server only connects to public addresses, and {0} is not one. \
         Its operator can allow it with RUNLENS_OUTBOUND_ALLOW."
    )]
    NotAllowed(String),
    #[error("The host {0} was not found. Check the spelling.")]
    UnknownName(String),
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error("The server redirects more than three times.")]
    TooManyRedirects,
    #[error("The server redirects to something that is not a web address.")]
    BadRedirect,
    #[error("The server redirects to another host, {0}. Use that address if you trust it.")]
    RedirectedElsewhere(String),
}

impl OutboundError {
    pub(super) fn not_allowed(url: &Url) -> Self {
        Self::NotAllowed(url.host_str().unwrap_or("this host").to_owned())
    }
}

impl From<OutboundError> for RemoteError {
    fn from(error: OutboundError) -> Self {
        match error {
            OutboundError::Http(error) => Self::Http(error),
            OutboundError::NotAllowed(_) => Self::Blocked(error.to_string()),
            error => Self::unusable(error.to_string()),
        }
    }
}
