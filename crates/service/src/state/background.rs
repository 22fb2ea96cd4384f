//! Background tasks with their stop.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Tasks that run until they are stopped. Dropping it stops them without waiting.
#[derive(Debug, Default)]
pub(crate) struct Background {
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Background {
    /// Starts a task that ends on its own soon after the stop is requested. Must be called on a
    /// tokio runtime.
    pub(crate) fn spawn<F>(&self, task: impl FnOnce(CancellationToken) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.tasks.spawn(task(self.stop.clone()));
    }

    /// The same for one that is aborted when it has not ended within `limit` of the request; the
    /// log then names `what` as cut off.
    pub(crate) fn spawn_within<F>(
        &self,
        limit: Duration,
        what: &'static str,
        task: impl FnOnce(CancellationToken) -> F,
    ) where
        F: Future<Output = ()> + Send + 'static,
    {
        let task = task(self.stop.clone());
        let stop = self.stop.clone();
        self.tasks.spawn(async move {
            let late = async {
                stop.cancelled().await;
                tokio::time::sleep(limit).await;
            };
            tokio::select! {
                () = task => {}
                () = late => tracing::warn!("{what} was cut off"),
            }
        });
    }

    /// Requests the stop, and waits until the tasks have ended. A second call does nothing.
    pub(crate) async fn stop(&self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
