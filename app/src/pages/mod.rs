//! One file for each page: plural lists, singular details.

pub mod import;
pub mod launch;
mod lazy;
pub mod not_found;
pub mod run;
pub mod runs;
pub mod sign_in;
