//! Sign-in with MANTYX, sessions, stored tokens, and the caller behind a request.
//!
//! ```text
//! /auth/start ──state, verifier──▶ sealed cookie      cookie ──compare──▶ tokens, sealed ──▶ new session id
//!      └──────── redirect ───────▶ MANTYX ── code, state ──▶ /auth/callback ──┘
//!
//! request ──▶ identify (who: session or bearer) ──▶ require_access (what the route needs) ──▶ handler
//! ```

mod access;
mod admins;
mod bearer;
mod callback;
mod clean_up;
mod credentials;
mod pending;
mod revocation;
pub mod scopes;
mod session;
mod session_store;
mod sign_out;
mod sign_out_others;
mod start;
mod workspace_check;
mod workspaces;

pub use access::{Granted, Needs, TABLE, require_access};
pub use admins::Admins;
pub use bearer::{BearerCache, RequestBearer};
pub use callback::callback;
pub use clean_up::end_sessions;
pub use credentials::{Caller, Credential, Credentials};
pub use session::{IDLE_LIMIT_MS, SIGN_IN_LIMIT_MS, SessionId, identify, layer};
pub use session_store::{MAX_ANONYMOUS_BYTES, SealedSessionStore};
pub use sign_out::sign_out;
pub use sign_out_others::{sign_out_everywhere, sign_out_others};
pub use start::start;
pub use workspace_check::workspace_of;
pub use workspaces::Workspaces;
