//! The Runlens server: sign-in, the mirror of MANTYX's runs, the live relay, the pages and the JSON API.
//!
//! Layers, each using only those below it: `web`, `api` → `pages`, `live` → `launch` → `answers` → `runs`, `sessions`,
//! `views`, `mirror` → `auth` → `mantyx`, `peers` → `outbound`, `store`.

pub mod backup;
pub mod config;
pub mod erase;
pub mod export;
pub mod import;
pub mod logging;
pub mod retain;
pub mod routes;
pub mod secret_key;
pub mod seed;
pub mod serve;

mod abandoned_leases;
mod answers;
mod api;
mod audit;
mod auth;
mod bounded_cache;
mod clock;
mod demonstration;
mod error;
mod failures;
mod html;
mod insights;
mod is_mine;
mod keyed_locks;
mod launch;
mod lease_worker;
mod limits;
mod listener;
mod live;
mod log_lines;
mod mantyx;
mod markdown;
mod masking;
mod metrics;
mod mirror;
mod outbound;
mod pages;
mod peers;
mod prices;
mod query_hints;
mod random;
mod redaction;
mod router;
mod run_actions;
mod runs;
mod sessions;
mod state;
mod store;
mod timelines;
mod vault;
mod views;
mod waiting;
mod web;
mod workspace;
