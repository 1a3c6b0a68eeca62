//! One file for each page: plural lists, singular details.

pub mod compare;
pub mod import;
pub mod launch;
mod lazy;
pub mod not_found;
pub mod run;
pub mod runs;
pub mod session;
pub mod sessions;
pub mod sign_in;
