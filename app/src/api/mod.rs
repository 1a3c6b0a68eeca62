//! Server functions: what pages ask for. Reads go as GET, so that they can be cached, retried and inspected.

pub mod runs;
pub mod sign_in;
pub mod viewer;
