//! MCP servers and A2A peers: what they offer, and calls to them. Everything over HTTP goes through `outbound`.

mod a2a;
mod command;
mod error;
mod headers;
mod mcp;
mod mcp_http;

use std::sync::Arc;
use std::time::Duration;

use domain::{A2aPeer, Headers, McpEndpoint};
use serde_json::{Map, Value};
use tokio::sync::Semaphore;

use crate::outbound::Outbound;

pub use a2a::FoundCard;
pub use command::AllowedCommands;
pub use error::PeerError;

/// How long a look at a peer may take.
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(20);

const MAX_AT_ONCE: usize = 64;

/// What a tool said: a result, or its own words about what went wrong.
pub type ToolReply = Result<String, String>;

#[derive(Clone, Debug)]
pub struct Peers {
    pub outbound: Outbound,
    pub commands: AllowedCommands,
    /// Peers that are talked to at one time. More wait, within their own time.
    slots: Arc<Semaphore>,
}

/// What an MCP server says of itself and lists.
#[derive(Clone, Debug, PartialEq)]
pub struct McpCatalogue {
    /// `serverInfo` of its `initialize`.
    pub server_info: Value,
    /// Its tools, as `tools/list` gave them.
    pub tools: Vec<Value>,
    /// There were more than are read.
    pub cut: bool,
}

/// Whether headers can be sent to a peer at all.
pub fn check_headers(headers: &Headers) -> Result<(), PeerError> {
    headers::parse(headers).map(drop)
}

impl Peers {
    pub fn new(outbound: Outbound, commands: AllowedCommands) -> Self {
        Self { outbound, commands, slots: Arc::new(Semaphore::new(MAX_AT_ONCE)) }
    }

    pub async fn discover_mcp(&self, endpoint: &McpEndpoint) -> Result<McpCatalogue, PeerError> {
        self.within(DISCOVERY_TIMEOUT, mcp::discover(self, endpoint, DISCOVERY_TIMEOUT)).await
    }

    pub async fn call_mcp(
        &self,
        endpoint: &McpEndpoint,
        tool: &str,
        args: Map<String, Value>,
        timeout: Duration,
    ) -> Result<ToolReply, PeerError> {
        self.within(timeout, mcp::call(self, endpoint, tool, args, timeout)).await
    }

    /// The card of a peer: from its address, or from one of the well-known places below it.
    pub async fn fetch_card(&self, peer: &A2aPeer) -> Result<FoundCard, PeerError> {
        self.within(DISCOVERY_TIMEOUT, a2a::fetch_card(self, peer)).await
    }

    pub async fn send_to_a2a(&self, peer: &A2aPeer, text: &str, timeout: Duration) -> Result<ToolReply, PeerError> {
        self.within(timeout, a2a::send(self, peer, text, timeout)).await
    }

    async fn within<T>(
        &self,
        timeout: Duration,
        work: impl Future<Output = Result<T, PeerError>>,
    ) -> Result<T, PeerError> {
        let in_turn = async {
            let _slot = self.slots.acquire().await;
            work.await
        };
        tokio::time::timeout(timeout, in_turn).await.unwrap_or(Err(PeerError::TooSlow(timeout)))
    }
}
