//! Runlens's server: sign-in, the mirror of MANTYX's runs, the live relay, the pages and the JSON API.
//!
//! Layers, each using only those below it: `web`, `api`, `live` → `workspace` → `views`, `sessions`, `mirror` → `auth` → `mantyx`, `store`.

pub mod config;
pub mod export;
pub mod import;
pub mod logging;
pub mod seed;
pub mod serve;

mod actions;
mod api;
mod auth;
mod clock;
mod error;
mod html;
mod live;
mod log_lines;
mod mantyx;
mod metrics;
mod mirror;
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
