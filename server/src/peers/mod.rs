//! MCP servers and A2A agents that users name: discovery and calls, within limits of time and number.
//!
//! The protocols are in `remote_tools`; all HTTP goes through `outbound`.

mod command;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use domain::{A2aPeer, Headers, LockExt, McpEndpoint};
use http::HeaderMap;
use remote_tools::a2a::{self, FoundCard, Message};
use remote_tools::mcp::{McpCatalogue, McpSession};
use remote_tools::{HttpTransport, RemoteError, Request, Response};
use serde_json::{Map, Value};
use tokio::sync::Semaphore;
use url::Url;

use crate::outbound::{self, AllowList, Outbound};

pub use command::AllowedCommands;

const CLIENT_NAME: &str = "runlens";
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(20);
/// Calls of all workspaces, and of one, so that its slow peers do not keep others waiting.
const MAX_CONCURRENT: usize = 64;
const MAX_CONCURRENT_OF_WORKSPACE: usize = 32;

/// The text of a tool's result, or of its error.
pub type ToolReply = Result<String, String>;

/// Gives each workspace the peers that it may use.
#[derive(Clone, Debug)]
pub struct WorkspacePeers {
    outbound: Outbound,
    commands: AllowedCommands,
    /// Limits the calls in progress. Others wait, within their own time limit.
    slots: Arc<Semaphore>,
    /// The share of each workspace, by slug.
    shares: Arc<Mutex<HashMap<String, Arc<Semaphore>>>>,
}

impl WorkspacePeers {
    pub fn new(allowed: AllowList, commands: AllowedCommands) -> Self {
        let slots = Arc::new(Semaphore::new(MAX_CONCURRENT));
        Self { outbound: Outbound::new(allowed), commands, slots, shares: Arc::default() }
    }

    /// Returns the peers of a workspace. Its slug comes from the sign-in.
    pub fn of(&self, slug: &str) -> Peers {
        Peers {
            outbound: self.outbound.for_workspace(slug),
            commands: self.commands.for_workspace(slug),
            share: self.shares.locked().entry(slug.to_owned()).or_insert_with(new_share).clone(),
            slots: self.slots.clone(),
        }
    }
}

fn new_share() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(MAX_CONCURRENT_OF_WORKSPACE))
}

#[derive(Clone, Debug)]
pub struct Peers {
    outbound: Outbound,
    pub commands: AllowedCommands,
    share: Arc<Semaphore>,
    slots: Arc<Semaphore>,
}

/// Fails if these headers cannot be sent.
pub fn check_headers(headers: &Headers) -> Result<(), RemoteError> {
    parse_headers(headers).map(drop)
}

impl Peers {
    /// The hosts beside the public internet that these peers may be on.
    pub fn allowed_hosts(&self) -> Vec<String> {
        self.outbound.allowed_hosts()
    }

    pub async fn discover_mcp(&self, endpoint: &McpEndpoint) -> Result<McpCatalogue, RemoteError> {
        let discover = async {
            let session = self.connect_mcp(endpoint, DISCOVERY_TIMEOUT).await?;
            let catalogue = session.catalogue().await;
            session.close().await;
            catalogue
        };
        self.limited(DISCOVERY_TIMEOUT, discover).await
    }

    pub async fn call_mcp(
        &self,
        endpoint: &McpEndpoint,
        tool: &str,
        args: Map<String, Value>,
        timeout: Duration,
    ) -> Result<ToolReply, RemoteError> {
        let call = async {
            let session = self.connect_mcp(endpoint, timeout).await?;
            let output = session.call(tool, args).await;
            session.close().await;
            Ok(output?.into_text())
        };
        self.limited(timeout, call).await
    }

    /// Fetches an agent's card from its address, or from a well-known path below it.
    pub async fn fetch_card(&self, peer: &A2aPeer) -> Result<FoundCard, RemoteError> {
        self.limited(DISCOVERY_TIMEOUT, self.find_card(peer)).await
    }

    pub async fn send_to_a2a(&self, peer: &A2aPeer, text: &str, timeout: Duration) -> Result<ToolReply, RemoteError> {
        self.limited(timeout, self.send_message(peer, text, timeout)).await
    }

    async fn connect_mcp(&self, endpoint: &McpEndpoint, timeout: Duration) -> Result<McpSession, RemoteError> {
        match endpoint {
            McpEndpoint::Http { url, headers } => {
                let url = outbound::parse_url(url)?;
                // Checked before rmcp connects, so that the error is not reported as a broken transport.
                self.outbound.check(&url).await?;
                let headers = parse_headers(headers)?;
                McpSession::connect_http(CLIENT_NAME, Arc::new(self.transport(timeout)), &url, headers).await
            }
            McpEndpoint::Stdio { command } => {
                McpSession::connect_command(CLIENT_NAME, self.commands.command(command)?).await
            }
        }
    }

    async fn find_card(&self, peer: &A2aPeer) -> Result<FoundCard, RemoteError> {
        if let Some(url) = card_url(peer)? {
            let headers = parse_headers(&peer.headers)?;
            return a2a::find_card(&self.transport(DISCOVERY_TIMEOUT), &url, &headers).await;
        }
        let card = peer.card.clone().filter(Value::is_object);
        card.map(|card| FoundCard { card, elsewhere: None })
            .ok_or_else(|| RemoteError::unusable("Give the address of the agent's card, or the card itself."))
    }

    async fn send_message(&self, peer: &A2aPeer, text: &str, timeout: Duration) -> Result<ToolReply, RemoteError> {
        let card = self.find_card(peer).await?.card;
        let card_url = card_url(peer)?;
        let endpoint = a2a::json_rpc_endpoint(&card, card_url.as_ref()).ok_or_else(|| {
            RemoteError::unusable("The card names no JSON-RPC address, the only kind that this server speaks.")
        })?;
        // A card may name any host; credentials are only for the host of the card.
        let headers = match card_url {
            Some(url) if url.origin() != endpoint.url.origin() => HeaderMap::new(),
            _ => parse_headers(&peer.headers)?,
        };
        let message = Message { id: crate::random::reference(), text, context_id: None };
        let (output, _) = a2a::send_message(&self.transport(timeout), &headers, &[endpoint], &message).await?;
        Ok(output.into_text())
    }

    fn transport(&self, timeout: Duration) -> OutboundTransport {
        OutboundTransport { outbound: self.outbound.clone(), timeout }
    }

    async fn limited<T>(
        &self,
        timeout: Duration,
        call: impl Future<Output = Result<T, RemoteError>>,
    ) -> Result<T, RemoteError> {
        let in_slot = async {
            let _of_workspace = self.share.acquire().await;
            let _of_all = self.slots.acquire().await;
            call.await
        };
        tokio::time::timeout(timeout, in_slot).await.unwrap_or(Err(RemoteError::TimedOut(timeout)))
    }
}

struct OutboundTransport {
    outbound: Outbound,
    timeout: Duration,
}

#[async_trait]
impl HttpTransport for OutboundTransport {
    async fn send(&self, request: Request) -> Result<Response, RemoteError> {
        Ok(self.outbound.send(request, self.timeout).await?)
    }
}

fn card_url(peer: &A2aPeer) -> Result<Option<Url>, RemoteError> {
    let url = peer.card_url.as_deref().filter(|url| !url.trim().is_empty());
    Ok(url.map(outbound::parse_url).transpose()?)
}

fn parse_headers(headers: &Headers) -> Result<HeaderMap, RemoteError> {
    remote_tools::parse_headers(headers.iter().map(|(name, value)| (name.as_str(), value.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn slow_peers_of_one_workspace_do_not_keep_another_waiting() {
        let peers = WorkspacePeers::new(AllowList::default(), AllowedCommands::default());
        let (slow, short) = (Duration::from_secs(600), Duration::from_millis(100));
        let calls = (0..2 * MAX_CONCURRENT).map(|_| {
            let one = peers.of("one");
            tokio::spawn(async move { one.limited(slow, std::future::pending::<Result<(), RemoteError>>()).await })
        });
        let calls: Vec<_> = calls.collect();
        while peers.of("one").share.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert!(peers.of("one").limited(short, async { Ok(()) }).await.is_err());
        assert!(peers.of("other").limited(short, async { Ok(()) }).await.is_ok());
        calls.iter().for_each(tokio::task::JoinHandle::abort);
    }
}
