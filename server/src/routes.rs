//! The routes that are served and what each needs, for tests that walk all of them.

pub use crate::auth::{Needs, TABLE};
pub use crate::router::{ServedRoute, served_routes};
