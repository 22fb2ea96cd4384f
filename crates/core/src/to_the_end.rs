//! Work that must not be given up half-way.

/// Runs `work` to its end, also when whoever waits for it goes away: a client
/// that hangs up takes its handler with it, and what the handler had begun
/// must not stay half done.
pub(crate) async fn to_the_end<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> T {
    match tokio::spawn(work).await {
        Ok(done) => done,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        // The program is ending, and this with it.
        Err(_) => std::future::pending().await,
    }
}
