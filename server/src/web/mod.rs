//! HTTP middleware and small handlers: assets, headers, origin check, request log, health, and error pages outside the app.

pub mod assets;
pub mod body_timeout;
pub mod cannot_save;
pub mod client_address;
pub mod delete_pages;
#[cfg(debug_assertions)]
pub mod dev_site;
pub mod finish_changes;
pub mod headers;
pub mod health;
pub mod launch;
pub mod local_path;
pub mod open_run;
pub mod origin;
pub mod pages;
pub mod plain_page;
pub mod preferences;
pub mod problem;
pub mod rate_limit;
pub mod rejected_form;
pub mod request_log;
pub mod selection;
