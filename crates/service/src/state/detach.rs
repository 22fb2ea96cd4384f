//! Work that must not be cancelled half-way.

/// Runs `work` to completion even when the caller is cancelled: when a client
/// disconnects, axum drops its handler, and a write must not stop half-way.
pub(crate) async fn run_to_completion<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> T {
    match tokio::spawn(work).await {
        Ok(done) => done,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        // The runtime is shutting down.
        Err(_) => std::future::pending().await,
    }
}
