//! Why a request did not go out or did not come back, in words for the person who caused it.

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
    #[error("The name {0} is not known to this server's network. Check the spelling.")]
    UnknownName(String),
    #[error("The server did not answer in time.")]
    TooSlow,
    #[error("The connection failed: {0}.")]
    Broken(String),
    #[error("The answer is larger than {} KB, more than is read.", .0 / 1024)]
    TooLarge(usize),
    #[error("The server redirects more than three times.")]
    TooManyRedirects,
    #[error("The server redirects to something that is not a web address.")]
    BadRedirect,
    #[error("The server redirects to {0}, where your request was not meant to go. Use that address if you trust it.")]
    RedirectedElsewhere(String),
}

impl OutboundError {
    pub(super) fn not_allowed(url: &Url) -> Self {
        Self::NotAllowed(url.host_str().unwrap_or("this host").to_owned())
    }

    /// Without the URL, whose query may hold a secret; with the innermost cause, which says most.
    pub(super) fn from_transport(error: reqwest::Error) -> Self {
        if error.is_timeout() {
            return Self::TooSlow;
        }
        let error = error.without_url();
        let mut cause: &dyn std::error::Error = &error;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        let words = cause.to_string();
        // The system's number for it says nothing to anybody.
        let words = words.split(" (os error").next().unwrap_or_default();
        Self::Broken(words.to_owned())
    }
}
