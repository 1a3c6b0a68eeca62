//! A MANTYX-compatible server: OAuth, API and a real run engine, in one process with one SQLite file.
//!
//! ```text
//!  oauth ─┐                ┌─ provider (a model, turn by turn)
//!  api ───┴─ engine ── run ┼─ tools: built in, the client's, MCP servers, A2A peers
//!    │                     └─ journal ── store (SQLite)
//!    └── follow ◀── wake-ups ──┘           ▲
//!           └──────── reads ───────────────┘
//! ```

mod agents;
mod api;
mod app;
mod clock;
mod config;
pub mod conformance;
mod demo;
mod engine;
mod follow;
mod journal;
mod live;
pub mod load;
mod models;
mod oauth;
mod outbound;
mod provider;
mod rate_limits;
mod schema_example;
mod secret;
mod serve;
mod store;
mod tail;
mod tool_output;
mod workspace;

pub use clock::Clock;
pub use config::{
    CLIENT_ID, CLIENT_SECRET, Config, DEFAULT_ACCESS_TOKEN_LIFETIME, DEFAULT_HEARTBEAT, DEFAULT_REDIRECT_URIS,
};
pub use provider::openai::OpenAi;
pub use rate_limits::RateLimits;
pub use serve::{Sandbox, start, start_at_pace};
