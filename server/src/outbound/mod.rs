//! HTTP requests to addresses that users enter: MCP servers and A2A agents. Guards against server-side request forgery.
//!
//! ```text
//!  URL ──scheme──▶ host ──resolve once──▶ addresses ──check──▶ permitted ones ──pin──▶ connection
//!   ▲                                                                                     │
//!   └───────────────── redirect: checked again, without credentials on another origin ◀───┘
//! ```
//!
//! Connects only to public addresses and to those in `RUNLENS_OUTBOUND_ALLOW`. Ignores the proxies of the environment,
//! since they would resolve names themselves.

mod address;
mod allow;
mod error;
mod resolver;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::{Method, StatusCode, header};
use remote_tools::{HttpError, Request, Response};
use url::{Host, Url};

pub use allow::{AllowList, is_slug};
pub use error::OutboundError;
use resolver::{Resolver, SystemResolver};

const MAX_REDIRECTS: usize = 3;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Sends outbound requests. Cheap to clone.
#[derive(Clone)]
pub struct Outbound {
    allowed: Arc<AllowList>,
    resolver: Arc<dyn Resolver>,
}

impl Outbound {
    pub fn new(allowed: AllowList) -> Self {
        Self::with_resolver(allowed, Arc::new(SystemResolver))
    }

    fn with_resolver(allowed: AllowList, resolver: Arc<dyn Resolver>) -> Self {
        // Ignores that a provider may already be installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self { allowed: Arc::new(allowed), resolver }
    }

    /// Returns the requests of one workspace: with the hosts that are allowed to all and to it.
    pub fn for_workspace(&self, slug: &str) -> Self {
        Self { allowed: Arc::new(self.allowed.for_workspace(slug)), resolver: self.resolver.clone() }
    }

    /// The hosts beside the public internet that may be reached.
    pub fn allowed_hosts(&self) -> Vec<String> {
        self.allowed.hosts()
    }

    /// Sends a request and follows up to three redirects, each checked like the first address. `timeout` is for each
    /// request, from the first byte sent to the last byte read.
    pub async fn send(&self, mut request: Request, timeout: Duration) -> Result<Response, OutboundError> {
        for _ in 0..=MAX_REDIRECTS {
            let response = self.send_once(&request, timeout).await?;
            match redirect_target(&request, &response)? {
                None => return Ok(response.into()),
                Some(next) => redirect(&mut request, next, response.status())?,
            }
        }
        Err(OutboundError::TooManyRedirects)
    }

    /// Fails if this server does not connect to that address.
    pub async fn check(&self, url: &Url) -> Result<(), OutboundError> {
        self.permitted_addresses(url).await.map(drop)
    }

    async fn send_once(&self, request: &Request, timeout: Duration) -> Result<reqwest::Response, OutboundError> {
        let addresses = self.permitted_addresses(&request.url).await?;
        // One client per request, because its resolver returns the checked addresses for every name.
        let client = reqwest::Client::builder()
            .user_agent(concat!("runlens/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .dns_resolver(resolver::Pinned(addresses))
            .build()
            .map_err(HttpError::from)?;
        Ok(request.with_client(&client).timeout(timeout).send().await.map_err(HttpError::from)?)
    }

    /// Returns the addresses to connect to. A name is resolved once, so that a later answer cannot change them.
    async fn permitted_addresses(&self, url: &Url) -> Result<Vec<SocketAddr>, OutboundError> {
        let (host, port) = checked_host(url)?;
        let resolved = match host {
            Host::Ipv4(ip) => vec![SocketAddr::from((ip, port))],
            Host::Ipv6(ip) => vec![SocketAddr::from((ip, port))],
            Host::Domain(name) => {
                if self.allowed.contains_name(name, port) {
                    return self.resolve(name, port).await;
                }
                if address::is_local_name(name) {
                    // This machine by definition: not resolved.
                    address::LOOPBACK.map(|ip| SocketAddr::from((ip, port))).to_vec()
                } else {
                    self.resolve(name, port).await?
                }
            }
        };
        let permitted = |address: &SocketAddr| address::is_public(address.ip()) || self.allowed.contains(*address);
        let permitted: Vec<SocketAddr> = resolved.into_iter().filter(permitted).collect();
        if permitted.is_empty() { Err(OutboundError::not_allowed(url)) } else { Ok(permitted) }
    }

    async fn resolve(&self, name: &str, port: u16) -> Result<Vec<SocketAddr>, OutboundError> {
        let found = tokio::time::timeout(CONNECT_TIMEOUT, self.resolver.resolve(name, port)).await;
        match found {
            Ok(Ok(addresses)) if !addresses.is_empty() => Ok(addresses),
            Ok(_) | Err(_) => Err(OutboundError::UnknownName(name.to_owned())),
        }
    }
}

impl std::fmt::Debug for Outbound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outbound").field("allowed", &self.allowed).finish_non_exhaustive()
    }
}

/// Parses an address that a user entered.
pub fn parse_url(text: &str) -> Result<Url, OutboundError> {
    let url = Url::parse(text.trim()).map_err(|_| OutboundError::BadUrl("This is not a web address.".to_owned()))?;
    checked_host(&url)?;
    Ok(url)
}

fn checked_host(url: &Url) -> Result<(Host<&str>, u16), OutboundError> {
    let bad = |what: &str| OutboundError::BadUrl(what.to_owned());
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad("The address must start with https:// or http://."));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad("Leave user name and password out of the address; send them in a header."));
    }
    url.host().zip(url.port_or_known_default()).ok_or_else(|| bad("The address names no host."))
}

fn redirect_target(request: &Request, response: &reqwest::Response) -> Result<Option<Url>, OutboundError> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let Some(location) = response.headers().get(header::LOCATION) else { return Ok(None) };
    let next = location.to_str().ok().and_then(|location| request.url.join(location).ok());
    let mut next = next.ok_or(OutboundError::BadRedirect)?;
    next.set_fragment(None);
    checked_host(&next).map_err(|_| OutboundError::BadRedirect)?;
    Ok(Some(next))
}

/// Changes the request into the one that the redirect asks for.
fn redirect(request: &mut Request, next: Url, status: StatusCode) -> Result<(), OutboundError> {
    let same_origin = request.url.origin() == next.origin();
    let reads = matches!(request.method, Method::GET | Method::HEAD);
    // A body is never sent to another origin, and a POST does not become a GET.
    if !reads && (!same_origin || !matches!(status.as_u16(), 307 | 308)) {
        return Err(OutboundError::RedirectedElsewhere(origin_text(&next)));
    }
    if !same_origin {
        let accept = request.headers.remove(header::ACCEPT);
        request.headers.clear();
        if let Some(accept) = accept {
            request.headers.insert(header::ACCEPT, accept);
        }
    }
    request.url = next;
    Ok(())
}

fn origin_text(url: &Url) -> String {
    url.origin().ascii_serialization()
}

#[cfg(test)]
mod tests;
