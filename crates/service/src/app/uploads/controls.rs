//! What the owner does with uploads that failed or wait: retry, cancel, clear.

use tokio::task::spawn_blocking;

use super::{NotQueued, Uploads, number, settle};
use crate::error::message::Message;
use crate::uploads::added_files::AddedFiles;
use crate::uploads::upload::UploadFile;
use crate::uploads::window::UploadState;

impl Uploads {
    /// Tries a failed one again, or with `None` all of them; the numbers of their rows.
    pub async fn retry(&self, id: Option<u32>) -> Vec<u32> {
        // Not what fails again meanwhile.
        let failed = self.0.rows.lock().failed(id);
        let mut tried = self.add_again(&failed).await;
        tried.extend(self.look_into_again(&failed).await);
        let _joining = self.0.joining.lock().await;
        let Some(files) = self.files().filter(|_| !failed.is_empty()) else {
            return tried;
        };
        match files
            .retry(failed.into_iter().map(i64::from).collect())
            .await
        {
            Ok(again) => {
                let mut rows = self.0.rows.lock();
                for id in again.into_iter().map(number) {
                    rows.set(id, UploadState::Waiting { why: None });
                    tried.push(id);
                }
            }
            Err(error) => tracing::error!(%error, "uploads cannot be retried"),
        }
        self.changed();
        tried
    }

    /// Adds again what did not come into the queue, in new rows; their numbers.
    async fn add_again(&self, failed: &[u32]) -> Vec<u32> {
        let mut added = Vec::new();
        for id in failed {
            let again = self.0.not_queued.lock().remove(id);
            if let Some(NotQueued { source, list }) = again {
                added.extend(self.take_from(list, vec![source]).await);
                self.0.rows.lock().remove(&[*id].into());
            }
        }
        self.changed();
        added
    }

    /// Looks again into folders that were empty or could not be read; the numbers of the new rows.
    async fn look_into_again(&self, failed: &[u32]) -> Vec<u32> {
        let mut added = Vec::new();
        let Some(files) = self.files().filter(|_| !failed.is_empty()) else {
            return added;
        };
        let Ok(mut listed) = files.all().await else {
            // Retrying shows why.
            return added;
        };
        listed.retain(|one| failed.contains(&number(one.id)));
        let folders = spawn_blocking(move || {
            listed.retain(|one| one.file.is_dir());
            listed
        });
        for folder in folders.await.unwrap_or_default() {
            added.extend(self.take(vec![UploadFile::File(folder.file)]).await);
            self.dismiss(&files, vec![folder.id]).await;
        }
        self.changed();
        added
    }

    /// Takes failed ones out of the queue and off the list.
    async fn dismiss(&self, files: &AddedFiles, ids: Vec<i64>) {
        let gone = ids.iter().copied().map(number).collect();
        self.0.rows.lock().remove(&gone);
        if let Err(error) = files.dismiss(ids).await {
            tracing::warn!(%error, "failed uploads stay in the queue until the next start");
        }
    }

    /// Takes one that waits out of the queue and off the list, or with `None` all of them.
    ///
    /// # Errors
    /// When they stay in the queue.
    pub async fn cancel(&self, id: Option<u32>) -> Result<(), Message> {
        let _joining = self.0.joining.lock().await;
        let waiting = self.0.rows.lock().waiting(id);
        let Some(files) = self.files().filter(|_| !waiting.is_empty()) else {
            return Ok(());
        };
        let waiting = waiting.into_iter().map(i64::from).collect();
        // What is under way by now goes on, as its row will show.
        let gone = files.cancel(waiting).await?;
        let gone = gone.into_iter().map(number).collect();
        self.0.rows.lock().remove(&gone);
        self.changed();
        Ok(())
    }

    /// Takes the finished rows off the list, and all that failed out of the queue.
    pub async fn clear(&self) {
        let _joining = self.0.joining.lock().await;
        self.0.rows.lock().clear();
        for (_, cleared) in self.0.not_queued.lock().drain() {
            settle(cleared.list);
        }
        if let Some(files) = self.files() {
            match files.all().await {
                Ok(mut all) => {
                    // Also those that the list has no room for.
                    all.retain(|one| one.trouble.is_some());
                    self.dismiss(&files, all.iter().map(|one| one.id).collect())
                        .await;
                }
                Err(error) => {
                    tracing::warn!(%error, "failed uploads stay in the queue until the next start");
                }
            }
        }
        self.changed();
    }
}
