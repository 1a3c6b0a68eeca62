//! Runlens's server: sign-in, the mirror of MANTYX's runs, the live relay, the pages and the JSON API.
//!
//! Layers, each using only those below it: `web`, `api`, `live` → `workspace` → `launch` → `answers` → `mirror` → `auth` → `mantyx`,
//! `peers` → `outbound`, `store`.

pub mod config;
pub mod logging;
pub mod serve;

mod actions;
mod answers;
mod api;
mod auth;
mod clock;
mod error;
mod launch;
mod live;
mod mantyx;
mod mirror;
mod outbound;
mod peers;
mod random;
mod router;
mod state;
mod store;
mod vault;
mod web;
mod workspace;
