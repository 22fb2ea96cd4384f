//! Uploads one watched file of the upload queue: sent → recorded → reported → put away.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::after::{PutAway, SentFile, put_away};
use super::attributes::is_left_alone;
use super::status::Status;
use super::{OutcomeSink, WatchOutcome};
use crate::error::message::Message;
use crate::files;
use crate::uploads::opened::{FileVersion, Opened};
use crate::uploads::queue::dispatcher::{Ended, Rows, Trouble};
use crate::uploads::queue::{State, UploadQueue, UploadQueueError, Version, WatchedFile};
use crate::uploads::target::Source;
use crate::uploads::upload::sender::{EarlierUploads, Sender};
use crate::uploads::upload::{UploadError, UploadOutcome};
use crate::uploads::watch::settings::AfterUpload;

pub(super) struct Uploader {
    pub(super) sender: Sender,
    pub(super) queue: UploadQueue,
    pub(super) after: AfterUpload,
    pub(super) report: OutcomeSink,
    pub(super) status: Arc<Status>,
}

/// Why one image was not uploaded.
enum Obstacle {
    Gone,
    /// It is being written, or was written since it was found complete.
    Changed,
    Absent,
    SetAside(Message),
    Later(Trouble),
}

impl From<UploadQueueError> for Obstacle {
    fn from(error: UploadQueueError) -> Self {
        Self::Later(error.into())
    }
}

impl From<UploadError> for Obstacle {
    fn from(error: UploadError) -> Self {
        if error.trouble().is_some() {
            return Self::SetAside((&error).into());
        }
        match &error {
            UploadError::File(cause) => match cause.kind() {
                io::ErrorKind::NotFound => Self::Gone,
                io::ErrorKind::PermissionDenied => {
                    let why = Message::from(&error).into();
                    Self::SetAside(Message::FileUnreadable { why })
                }
                _ => Self::Later((&error).into()),
            },
            // It was emptied since it settled; what comes next is a new version.
            UploadError::Empty => Self::Gone,
            _ => Self::Later((&error).into()),
        }
    }
}

impl Rows for Uploader {
    type Row = WatchedFile;

    async fn next(
        &self,
        most: usize,
        in_hand: Vec<i64>,
    ) -> Result<Vec<(i64, PathBuf, WatchedFile)>, UploadQueueError> {
        let absent = self.status.absent();
        let pictures = self.queue.next(most, in_hand, absent).await?;
        let rows = pictures.into_iter();
        Ok(rows.map(|row| (row.id, row.file.clone(), row)).collect())
    }

    async fn upload(&self, picture: WatchedFile) -> Ended {
        match self.try_to_bring(&picture).await {
            Ok(served) => Ended::Settled { served },
            Err(Obstacle::Absent) => Ended::Absent,
            // It comes back with the version that is complete.
            Err(Obstacle::Changed) => {
                tracing::debug!(file = %picture.file.display(), "a file changed before its upload");
                match self.queue.forget_version(&picture).await {
                    Ok(()) => Ended::Settled { served: false },
                    Err(error) => error.into(),
                }
            }
            Err(Obstacle::Later(trouble)) => Ended::Later(trouble),
            Err(Obstacle::Gone) => match self.forget(picture).await {
                Ok(()) => Ended::Settled { served: false },
                Err(error) => error.into(),
            },
            Err(Obstacle::SetAside(reason)) => {
                let file = picture.file.clone();
                match self.queue.set_aside(picture, reason.clone()).await {
                    Ok(()) => (self.report)(WatchOutcome::SetAside { file, reason }),
                    Err(error) => return error.into(),
                }
                Ended::Settled { served: true }
            }
        }
    }

    async fn failed(&self, id: i64) -> Result<(), UploadQueueError> {
        self.queue.failed(id).await
    }

    async fn show(&self, under_way: Vec<PathBuf>, paused: bool) -> Option<u64> {
        let counts = self.queue.counts().await.ok()?;
        self.status.change(|status| {
            status.waiting = counts.waiting;
            status.set_aside = counts.set_aside;
            status.paused = paused;
            let names = under_way.iter().filter_map(|file| file.file_name());
            status.under_way = names
                .map(|name| name.to_string_lossy().into_owned())
                .collect();
        });
        Some(counts.waiting)
    }

    fn trouble(&self, why: Option<Message>) {
        self.status.trouble(why);
    }
}

impl Uploader {
    async fn try_to_bring(&self, picture: &WatchedFile) -> Result<bool, Obstacle> {
        let (folder, file) = (picture.folder.clone(), picture.file.clone());
        let opened = tokio::task::spawn_blocking(move || open(&folder, &file)).await;
        let opened = opened
            .unwrap_or_else(|error| Err(UploadError::from(io::Error::other(error)).into()))?;
        if opened.file_version() != picture.file_version {
            return Err(Obstacle::Changed);
        }
        let source = Source::new(opened.clone(), Some(&picture.file));
        let sent = self.sender.send(source, EarlierUploads::Target).await;
        // The file was changed or replaced while it was sent, so the uploaded bytes are not the
        // current ones.
        let there = FileVersion::now(&picture.file);
        if !opened.is_unchanged() || there.is_ok_and(|there| there != picture.file_version) {
            return Err(Obstacle::Changed);
        }
        let outcome = sent?;
        let then = match self.after {
            AfterUpload::Keep => State::Done,
            AfterUpload::Archive | AfterUpload::Trash => State::Uploaded,
        };
        let UploadOutcome {
            hash,
            already_there,
            sha256,
            ..
        } = outcome;
        self.queue
            .uploaded(picture.clone(), sha256, hash.clone(), then)
            .await?;
        let is_as_before =
            picture.sha256 == Some(sha256) && picture.hash.as_deref() == Some(hash.as_str());
        // When only its time has changed, the link is not reported again.
        if !(already_there && is_as_before) {
            let hash = hash.parse().map_err(|_| UploadError::NotConfirmed)?;
            (self.report)(WatchOutcome::Uploaded {
                file: picture.file.clone(),
                hash,
                already_there,
            });
        }
        let sent = SentFile {
            file_version: picture.file_version,
            sha256,
        };
        self.put_away(picture, sent).await?;
        Ok(true)
    }

    /// Removes a file that is gone from the queue. One that came back meanwhile is queued again: its
    /// event may have been handled before its row was deleted.
    async fn forget(&self, picture: WatchedFile) -> Result<(), UploadQueueError> {
        self.queue.forget_version(&picture).await?;
        let (folder, file) = (picture.folder.clone(), picture.file.clone());
        let opened = tokio::task::spawn_blocking(move || open(&folder, &file).ok()).await;
        let now = opened.ok().flatten().map(|opened| opened.file_version());
        match now.filter(|now| now.bytes > 0) {
            Some(file_version) => {
                let (folder, file) = (picture.folder, picture.file);
                let version = Version {
                    folder,
                    file,
                    file_version,
                };
                self.queue.put(vec![version], Vec::new()).await
            }
            None => {
                (self.report)(WatchOutcome::Gone { file: picture.file });
                Ok(())
            }
        }
    }

    /// Applies the setting for uploaded files; one that cannot be moved stays,
    /// which is logged once.
    ///
    /// # Errors
    /// When the upload queue cannot be written.
    async fn put_away(
        &self,
        picture: &WatchedFile,
        sent: SentFile,
    ) -> Result<(), UploadQueueError> {
        if self.after == AfterUpload::Keep {
            return self.queue.keep(picture.id).await;
        }
        let (after, folder, file) = (self.after, picture.folder.clone(), picture.file.clone());
        let moved = tokio::task::spawn_blocking(move || put_away(after, &folder, &file, &sent));
        match moved
            .await
            .unwrap_or_else(|error| Err(io::Error::other(error)))
        {
            Ok(PutAway::Gone) => self.queue.put_away(picture.id).await,
            Ok(PutAway::Stays) => self.queue.keep(picture.id).await,
            Err(error) => {
                let file = picture.file.display();
                tracing::warn!(%file, %error, "it is uploaded, and stays where it is");
                self.queue.keep(picture.id).await
            }
        }
    }
}

/// Opens the file in its folder without following links. Blocks.
fn open(folder: &Path, file: &Path) -> Result<Opened, Obstacle> {
    let Ok(root) = files::full_path(folder) else {
        return Err(Obstacle::Absent);
    };
    let Ok(below) = file.strip_prefix(&root) else {
        return Err(Obstacle::Gone);
    };
    // Its bytes left this computer meanwhile. It is found again once they are back.
    if fs::symlink_metadata(file).is_ok_and(|about| is_left_alone(&about)) {
        return Err(Obstacle::Changed);
    }
    Ok(Opened::inside(&root, below).map_err(UploadError::from)?)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::http::client::Client;
    use crate::uploads::target::Target;

    use super::*;

    #[tokio::test]
    async fn a_file_that_came_back_is_queued_again() {
        let [folder, state] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let queue = UploadQueue::open(state.path()).await.expect("a queue");
        let client = Client::new(
            "http://127.0.0.1:9",
            "a-token".to_owned().into(),
            Duration::ZERO,
        );
        let uploader = Uploader {
            sender: Sender::new(Target::Http(client.expect("a client"))),
            queue: queue.clone(),
            after: AfterUpload::Archive,
            report: Arc::new(drop),
            status: Arc::new(Status::of(&[])),
        };
        let root = files::full_path(folder.path()).expect("a path");
        let file = root.join("a.png");
        std::fs::write(&file, "a picture").expect("a file");
        let version = Version {
            folder: root,
            file: file.clone(),
            file_version: FileVersion::now(&file).expect("a file"),
        };
        queue.put(vec![version], Vec::new()).await.expect("written");
        for waiting in [1, 0] {
            let mut rows = queue.next(1, Vec::new(), Vec::new()).await.expect("rows");
            let row = rows.pop().expect("a row");
            if waiting == 0 {
                std::fs::remove_file(&file).expect("our file");
            }
            uploader.forget(row).await.expect("written");
            assert_eq!(queue.counts().await.expect("counts").waiting, waiting);
        }
    }
}
