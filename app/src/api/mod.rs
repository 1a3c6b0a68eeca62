//! Server functions: what pages ask for. Reads go as GET, so that they can be cached, retried and inspected.

pub mod actions;
pub mod browse;
pub mod compare;
pub mod launch;
pub mod runs;
pub mod sessions;
pub mod sign_in;
pub mod viewer;
pub mod views;

/// Gives a failed server function the status of its error.
#[cfg(feature = "ssr")]
fn with_status<T>(result: Result<T, crate::AppError>) -> Result<T, crate::AppError> {
    result.inspect_err(crate::AppError::set_response_status)
}
