//! The dashboard over real HTTP, on port 0, against the sandbox. On SQLite, or on the PostgreSQL that
//! `RUNLENS_TEST_DATABASE_URL` names, where every test has a database of its own.

// A test that cannot go on says so by panicking.
#![allow(clippy::unwrap_used)]

mod access;
mod actions;
mod anonymous;
mod answers;
mod api;
mod audit;
mod backup;
mod browse;
mod call_age;
mod closed_tab;
mod compare;
mod consents;
mod demonstration;
mod disconnects;
mod disk_full;
mod erase;
mod failures;
mod harness;
mod import;
mod import_batch;
mod import_crash;
mod insights;
mod isolation;
mod launch;
mod launch_page;
mod library;
mod limits;
mod live;
mod mine;
mod moved_slug;
mod openapi;
mod outages;
mod pages;
mod peers;
mod programs;
mod redaction;
mod replicas;
mod retention;
mod runs;
mod safety;
mod scopes;
mod search;
mod secret_key;
mod session_limits;
mod sessions;
mod settings;
mod sign_in;
mod startup;
mod sync;
mod times;
mod unstorable;
mod upgrade;
mod viewers;
mod views;
mod waiting;
mod waterfall;
mod workspaces;
