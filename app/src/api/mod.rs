//! Server functions, one file per page. Each calls one method of [`crate::backend::Backend`].
//!
//! A page loads its model through one GET function, so that it can be cached, retried and inspected. Actions are POST
//! functions; plain forms send them without JavaScript and return to their page.

pub mod batch;
pub mod compare;
pub mod docs;
pub mod import;
pub mod launch;
pub mod palette;
pub mod run;
pub mod runs;
pub mod session;
pub mod sessions;
pub mod sign_in;
pub mod viewer;
pub mod views;

/// Runs the body of a server function. A failure sets the response's HTTP status.
#[cfg(feature = "ssr")]
async fn call<T, F>(body: impl FnOnce(std::sync::Arc<dyn crate::backend::Backend>) -> F) -> Result<T, crate::AppError>
where
    F: Future<Output = Result<T, crate::AppError>>,
{
    let result = match crate::backend::backend() {
        Ok(backend) => body(backend).await,
        Err(error) => Err(error),
    };
    result.inspect_err(crate::AppError::set_response_status)
}
