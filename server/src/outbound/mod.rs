//! Requests that a user causes this server to make: to MCP servers and A2A peers whose addresses people type in.
//!
//! ```text
//!  URL ──policy──▶ host ──resolver, once──▶ addresses ──judge──▶ allowed ones ──pinned──▶ connection
//!   ▲                                                                                       │
//!   └──────────────── redirect: judged again, without credentials on another origin ◀───────┘
//! ```
//!
//! Only public addresses are reached, and what `RUNLENS_OUTBOUND_ALLOW` names. Sizes and times are capped; proxies of
//! the environment are not used, since they would resolve names themselves.

mod address;
mod allow;
mod answer;
mod error;
mod resolver;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, Method, StatusCode, header};
use url::{Host, Url};

pub use allow::AllowList;
pub use answer::Answer;
pub use error::OutboundError;
pub use resolver::{Resolver, SystemResolver};

const MAX_REDIRECTS: usize = 3;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The way out. Cheap to clone.
#[derive(Clone)]
pub struct Outbound {
    allowed: Arc<AllowList>,
    resolver: Arc<dyn Resolver>,
}

#[derive(Clone, Debug)]
pub struct Request {
    pub method: Method,
    pub url: Url,
    /// Any of them may be a credential: they stay on the origin of `url`.
    pub headers: HeaderMap,
    pub body: Option<Vec<u8>>,
    /// From the first byte sent to the last byte read.
    pub timeout: Duration,
}

impl Outbound {
    pub fn new(allowed: AllowList) -> Self {
        Self::with_resolver(allowed, Arc::new(SystemResolver))
    }

    pub fn with_resolver(allowed: AllowList, resolver: Arc<dyn Resolver>) -> Self {
        // TLS goes through ring; installing it twice is harmless.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self { allowed: Arc::new(allowed), resolver }
    }

    /// Sends a request and follows up to three redirects, each judged like the first address.
    pub async fn send(&self, mut request: Request) -> Result<Answer, OutboundError> {
        for _ in 0..=MAX_REDIRECTS {
            let response = self.send_once(&request).await?;
            match redirect_target(&request, &response)? {
                None => return Ok(Answer::new(response)),
                Some(next) => follow(&mut request, next, response.status())?,
            }
        }
        Err(OutboundError::TooManyRedirects)
    }

    /// Whether this server would connect to that address at all.
    pub async fn check(&self, url: &Url) -> Result<(), OutboundError> {
        self.permitted_addresses(url).await.map(drop)
    }

    async fn send_once(&self, request: &Request) -> Result<reqwest::Response, OutboundError> {
        let addresses = self.permitted_addresses(&request.url).await?;
        // A client for each request: its resolver knows one answer, whatever it is asked.
        let client = reqwest::Client::builder()
            .user_agent(concat!("runlens/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .dns_resolver(resolver::Pinned(addresses))
            .build()
            .map_err(OutboundError::from_transport)?;
        let mut outgoing = client.request(request.method.clone(), request.url.clone()).timeout(request.timeout);
        outgoing = outgoing.headers(request.headers.clone());
        if let Some(body) = &request.body {
            outgoing = outgoing.body(body.clone());
        }
        outgoing.send().await.map_err(OutboundError::from_transport)
    }

    /// The addresses to connect to. A name is asked for once; whatever it says later is not used.
    async fn permitted_addresses(&self, url: &Url) -> Result<Vec<SocketAddr>, OutboundError> {
        let (host, port) = checked_host(url)?;
        let resolved = match host {
            Host::Ipv4(ip) => vec![SocketAddr::from((ip, port))],
            Host::Ipv6(ip) => vec![SocketAddr::from((ip, port))],
            Host::Domain(name) => {
                if self.allowed.names(name, port) {
                    return self.resolve(name, port).await;
                }
                if address::is_local_name(name) {
                    // This machine by definition; no resolver is asked.
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

/// Reads an address that somebody typed.
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

/// Turns the request into the one that the redirect asks for.
fn follow(request: &mut Request, next: Url, status: StatusCode) -> Result<(), OutboundError> {
    let same_origin = request.url.origin() == next.origin();
    let reads = matches!(request.method, Method::GET | Method::HEAD);
    // What is sent stays with whom it was meant for, and is not turned into something else on the way.
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
