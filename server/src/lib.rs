//! Runlens's server: sign-in, the mirror of MANTYX's runs, the live relay, the pages and the JSON API.
//!
//! Layers, each using only those below it: `web`, `api`, `live` → `workspace` → `launch` → `answers` → `views`,
//! `sessions`, `mirror` → `auth` → `mantyx`, `peers` → `outbound`, `store`.

pub mod config;
pub mod export;
pub mod import;
pub mod logging;
pub mod seed;
pub mod serve;

mod actions;
mod answers;
mod api;
mod auth;
mod clock;
mod compare;
mod error;
mod html;
mod launch;
mod live;
mod log_lines;
mod mantyx;
mod metrics;
mod mine;
mod mirror;
mod notices;
mod outbound;
mod pages;
mod peers;
mod random;
mod router;
mod run_pages;
mod sessions;
mod state;
mod store;
mod timelines;
mod vault;
mod views;
mod web;
mod workspace;
