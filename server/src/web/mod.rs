//! What every HTTP answer shares: assets, headers, origin checks, logs, health, and pages for faults outside the app.

pub mod assets;
#[cfg(debug_assertions)]
pub mod dev_site;
pub mod headers;
pub mod health;
pub mod launch;
pub mod local_path;
pub mod open_run;
pub mod origin;
pub mod pages;
pub mod preferences;
pub mod problem;
pub mod refused;
pub mod request_log;
