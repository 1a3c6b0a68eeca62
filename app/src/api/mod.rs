//! Server functions, one file per page. Each calls one method of [`crate::backend::Backend`].
//!
//! A page loads its model through one GET function, so that it can be cached, retried and inspected. Actions are POST
//! functions; plain forms send them without JavaScript and return to their page.

pub mod batch;
pub mod compare;
pub mod deletion;
pub mod docs;
pub mod failures;
pub mod import;
pub mod insights;
pub mod launch;
pub mod palette;
pub mod run;
pub mod runs;
pub mod session;
pub mod sessions;
pub mod settings;
pub mod sign_in;
pub mod viewer;
pub mod views;
pub mod waiting;

/// Runs the body of a server function. A failure sets the response's HTTP status.
#[cfg(feature = "ssr")]
async fn call<T: Send, F>(
    body: impl FnOnce(std::sync::Arc<dyn crate::backend::Backend>) -> F,
) -> Result<T, crate::AppError>
where
    F: Future<Output = Result<T, crate::AppError>> + Send,
{
    let result = match crate::backend::backend() {
        Ok(backend) => {
            let work = body(backend.clone());
            let mut result = Err(crate::AppError::SignedOut);
            backend.with_masking(Box::pin(async { result = work.await })).await;
            result
        }
        Err(error) => Err(error),
    };
    result.inspect_err(crate::AppError::set_response_status)
}

/// Runs the body of a server function that loads page data.
#[cfg(feature = "ssr")]
async fn load<T: serde::Serialize + Send, F>(
    body: impl FnOnce(std::sync::Arc<dyn crate::backend::Backend>) -> F,
) -> Result<crate::wire::Wire<T>, crate::AppError>
where
    F: Future<Output = Result<T, crate::AppError>> + Send,
{
    call(body).await.map(|model| crate::wire::Wire::encode(&model))
}
