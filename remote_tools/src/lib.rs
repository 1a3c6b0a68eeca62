//! Clients of MCP servers and A2A agents.
//!
//! ```text
//!  server  ── Outbound (public addresses only) ─┐
//!                                               ├─ HttpTransport ─┬─ mcp: sessions, tool lists, calls
//!  sandbox ── reqwest::Client (any address) ────┘                 └─ a2a: cards, messages, tasks
//! ```
//!
//! The caller supplies the [`HttpTransport`], the headers and the time limits. Every error is a sentence for the person
//! who entered the address.

pub mod a2a;
mod error;
mod headers;
mod http;
pub mod mcp;
mod output;

pub use crate::http::{HttpError, HttpTransport, Request, Response};
pub use error::RemoteError;
pub use headers::parse_headers;
pub use output::{OutputFile, ToolOutput, decoded_size};
