//! Sign-in with MANTYX, sessions, stored tokens, and the caller behind a request.
//!
//! ```text
//! /auth/start ──state, verifier──▶ session        session ──remove──▶ compare ──▶ tokens, sealed ──▶ new session id
//!      └──────── redirect ───────▶ MANTYX ── code, state ──▶ /auth/callback ──┘
//! ```

mod bearer;
mod callback;
mod credentials;
mod session;
mod session_store;
mod sign_out;
mod start;

pub use bearer::{BearerCache, bearer_caller};
pub use callback::callback;
pub use credentials::{Caller, Credential, Credentials};
pub use session::{attach_workspace, layer};
pub use session_store::SealedSessionStore;
pub use sign_out::sign_out;
pub use start::start;
