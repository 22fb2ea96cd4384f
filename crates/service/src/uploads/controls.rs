//! What the owner does with uploads that failed or wait: retry, cancel, clear.

use tokio::task::spawn_blocking;

use super::list::{number, settle};
use super::table::{self, SetAside, State};
use super::{NotQueued, UploadFile, Uploads};
use crate::db::DatabaseError;
use crate::error::message::Message;

impl Uploads {
    /// Tries a failed one again, or with `None` all of them; the numbers of their rows.
    pub async fn retry(&self, id: Option<u32>) -> Vec<u32> {
        // Not what fails again meanwhile.
        let ids = id.map(|id| vec![i64::from(id)]);
        let failed = self
            .read(move |look| table::added_in(look, State::Failed, ids.as_deref()))
            .await;
        let mut tried = self.add_again(id).await;
        let again = match failed {
            Ok(failed) => self.retry_these(failed).await,
            Err(error) => Err(error),
        };
        match again {
            Ok(again) => tried.extend(again),
            Err(error) => tracing::error!(%error, "uploads cannot be retried"),
        }
        self.changed();
        self.try_now();
        tried
    }

    /// Adds again what did not come into the queue, in new rows; their numbers.
    async fn add_again(&self, id: Option<u32>) -> Vec<u32> {
        let again = {
            let mut not_queued = self.0.not_queued.lock();
            let again = not_queued.extract_if(.., |one, it| {
                it.source.is_some() && id.is_none_or(|id| id == *one)
            });
            again.collect::<Vec<_>>()
        };
        let mut added = Vec::new();
        for (_, NotQueued { source, list, .. }) in again {
            added.extend(self.take_from(list, source.into_iter().collect()).await);
        }
        added
    }

    /// Retries these. Those that are folders, which were empty or could not be read, are looked into
    /// again.
    async fn retry_these(&self, failed: Vec<table::AddedFile>) -> Result<Vec<u32>, DatabaseError> {
        let sorted = spawn_blocking(move || failed.into_iter().partition(|one| one.file.is_dir()));
        let (folders, files): (Vec<_>, Vec<_>) = sorted.await.unwrap_or_default();
        let mut tried = Vec::new();
        for folder in folders {
            tried.extend(self.take(vec![UploadFile::File(folder.file)]).await);
            self.forget(State::Failed, Some(vec![folder.id])).await?;
        }
        let ids: Vec<i64> = files.iter().map(|one| one.id).collect();
        let retry = self.write(move |change| table::retry(change, false, Some(&ids)));
        tried.extend(retry.await?.into_iter().map(number));
        Ok(tried)
    }

    /// Takes one that waits out of the queue and off the list, or with `None` all of them. What is
    /// under way goes on.
    ///
    /// # Errors
    /// When they stay in the queue.
    pub async fn cancel(&self, id: Option<u32>) -> Result<(), Message> {
        let ids = id.map(|id| vec![i64::from(id)]);
        self.forget(State::Waiting, ids).await?;
        self.changed();
        self.0.work.notify_one();
        Ok(())
    }

    /// Takes the finished rows off the list, and all that failed out of the queue.
    pub async fn clear(&self) {
        let cleared = std::mem::take(&mut *self.0.not_queued.lock());
        for one in cleared.into_values() {
            settle(one.list);
        }
        for state in [State::Failed, State::Done] {
            if let Err(error) = self.forget(state, None).await {
                tracing::warn!(%error, "finished uploads stay in the queue until the next start");
            }
        }
        self.changed();
        self.0.work.notify_one();
    }

    /// Removes added files in this state, except those in progress; these, or all with `None`.
    pub(super) async fn forget(
        &self,
        state: State,
        ids: Option<Vec<i64>>,
    ) -> Result<(), DatabaseError> {
        let uploads = self.clone();
        self.write(move |change| {
            let mut rows = table::added_in(change, state, ids.as_deref())?;
            // The worker begins a row on this thread, too: none begins meanwhile.
            let in_progress = uploads.in_progress();
            rows.retain(|row| !in_progress.contains(&row.id));
            // The files first: one without a row is queued again at the next start.
            rows.retain(|row| uploads.0.pasted.forget(&row.file));
            if let Err(error) = uploads.0.pasted.sync() {
                tracing::warn!(%error, "a power cut may bring cancelled uploads back");
            }
            let mut live = uploads.0.live.lock();
            live.why
                .retain(|id, _| !rows.iter().any(|row| row.id == *id));
            drop(live);
            let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
            table::forget(change, &ids)
        })
        .await
        .map(drop)
    }

    /// Pauses or resumes the uploads of watched folders. Files are still noticed.
    pub fn pause_watched(&self, paused: bool) {
        self.0.watched.update(|status| status.paused = paused);
        self.0.work.notify_one();
    }

    /// The watched files that were set aside, oldest first.
    ///
    /// # Errors
    /// When the queue cannot be read.
    pub async fn set_aside(&self) -> Result<Vec<SetAside>, DatabaseError> {
        self.read(table::all_set_aside).await
    }

    /// Retries one watched file that was set aside, or with `None` all of them; returns how many.
    ///
    /// # Errors
    /// When the queue cannot be written.
    pub async fn retry_set_aside(&self, id: Option<i64>) -> Result<usize, DatabaseError> {
        let ids = id.map(|id| vec![id]);
        let retry = self.write(move |change| table::retry(change, true, ids.as_deref()));
        let retried = retry.await?.len();
        self.try_now();
        Ok(retried)
    }

    /// Ignores one watched file that was set aside until it changes, or with `None` all of them;
    /// returns how many.
    ///
    /// # Errors
    /// When the queue cannot be written.
    pub async fn dismiss_set_aside(&self, id: Option<i64>) -> Result<usize, DatabaseError> {
        let dismissed = self.write(move |change| table::dismiss(change, id)).await?;
        self.try_now();
        Ok(dismissed)
    }
}
