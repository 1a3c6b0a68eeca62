//! One module per page: plural for lists, singular for details.

pub mod api_docs;
pub mod batch;
pub mod compare;
pub mod deletion;
pub mod failure;
pub mod failures;
pub mod import;
pub mod insights;
pub mod launch;
mod lazy;
pub mod new_session;
pub mod not_found;
pub mod run;
pub mod runs;
pub mod session;
pub mod sessions;
pub mod settings;
pub mod sign_in;
pub mod waiting;
