//! HTTP middleware and small handlers: assets, headers, origin check, request log, health, and error pages outside the app.

pub mod assets;
pub mod body_timeout;
pub mod cannot_save;
pub mod client_address;
pub mod delete_forms;
#[cfg(debug_assertions)]
pub mod dev_site;
pub mod failure_forms;
pub mod finish_changes;
pub mod form_notice;
pub mod headers;
pub mod health;
pub mod json_stream;
pub mod launch;
pub mod local_path;
pub mod multipart_form;
pub mod open_run;
pub mod origin;
pub mod pages;
pub mod plain_page;
pub mod preferences;
pub mod problem;
pub mod rate_limit;
pub mod render_timeout;
pub mod request_log;
pub mod response_slots;
pub mod selection;
pub mod settings_forms;
pub mod waiting_forms;
