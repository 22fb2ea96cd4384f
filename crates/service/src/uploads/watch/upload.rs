//! Uploads one watched file of the upload queue: sent → recorded → reported → put away.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::WatchOutcome;
use super::after::{PutAway, SentFile, put_away};
use super::attributes::is_left_alone;
use super::settings::AfterUpload;
use crate::db::DatabaseError;
use crate::error::message::Message;
use crate::files;
use crate::uploads::Uploads;
use crate::uploads::opened::{FileVersion, Opened};
use crate::uploads::send::{SendError, Source};
use crate::uploads::table::{self, QueuedFile, State, Version};
use crate::uploads::worker::Ended;

/// Why one image was not uploaded.
enum Obstacle {
    Gone,
    /// It is being written, or was written since it was found complete.
    Changed,
    Absent,
    SetAside(Message),
    Later(Ended),
}

impl From<DatabaseError> for Obstacle {
    fn from(error: DatabaseError) -> Self {
        Self::Later(error.into())
    }
}

impl From<SendError> for Obstacle {
    fn from(error: SendError) -> Self {
        if error.trouble().is_some() {
            return Self::SetAside((&error).into());
        }
        match &error {
            SendError::File(cause) => match cause.kind() {
                io::ErrorKind::NotFound => Self::Gone,
                io::ErrorKind::PermissionDenied => {
                    let why = Message::from(&error).into();
                    Self::SetAside(Message::FileUnreadable { why })
                }
                _ => Self::Later((&error).into()),
            },
            // It was emptied since it settled; what comes next is a new version.
            SendError::Empty => Self::Gone,
            SendError::Images(_) => Self::Later((&error).into()),
        }
    }
}

impl Uploads {
    pub(in crate::uploads) async fn upload_watched(
        &self,
        row: QueuedFile,
        folder: PathBuf,
    ) -> Ended {
        let recorded = match self.try_to_upload_watched(&row, &folder).await {
            Ok(()) => return Ended::Settled { served: true },
            Err(Obstacle::Absent) => return Ended::Absent,
            Err(Obstacle::Later(ended)) => return ended,
            // It comes back with the version that is complete.
            Err(Obstacle::Changed) => {
                tracing::debug!(file = %row.file.display(), "a file changed before its upload");
                let forget = self.write(move |change| table::forget_version(change, &row));
                forget.await.map(|_| false)
            }
            Err(Obstacle::Gone) => self.forget_watched(row, folder).await.map(|()| false),
            Err(Obstacle::SetAside(reason)) => {
                let (file, why) = (row.file.clone(), reason.clone());
                let set_aside = self.write(move |change| table::set_aside(change, &row, &why));
                set_aside.await.map(|_| {
                    self.report(WatchOutcome::SetAside { file, reason });
                    true
                })
            }
        };
        recorded.map_or_else(Ended::from, |served| Ended::Settled { served })
    }

    async fn try_to_upload_watched(&self, row: &QueuedFile, folder: &Path) -> Result<(), Obstacle> {
        let (root, file) = (folder.to_owned(), row.file.clone());
        let opened = tokio::task::spawn_blocking(move || open(&root, &file)).await;
        let opened =
            opened.unwrap_or_else(|error| Err(SendError::from(io::Error::other(error)).into()))?;
        if opened.file_version() != row.file_version {
            return Err(Obstacle::Changed);
        }
        let source = Source {
            album: row.album.clone(),
            ..Source::new(opened.clone(), Some(&row.file))
        };
        let sent = self.0.own.send(source).await;
        // The file was changed or replaced while it was sent, so the uploaded bytes are not the
        // current ones.
        let there = FileVersion::now(&row.file);
        if !opened.is_unchanged() || there.is_ok_and(|there| there != row.file_version) {
            return Err(Obstacle::Changed);
        }
        let sent = sent?;
        let (hash, sha256) = (sent.hash, sent.sha256);
        let after = *self.0.after.lock();
        let then = match after {
            AfterUpload::Keep => State::Done,
            AfterUpload::Archive | AfterUpload::Trash => State::Uploaded,
        };
        let uploaded = row.clone();
        self.write(move |change| table::uploaded(change, &uploaded, sha256, hash, then))
            .await?;
        // When only its time has changed, the link is not reported again.
        if !(sent.already_there && row.uploaded == Some((sha256, hash))) {
            self.report(WatchOutcome::Uploaded {
                file: row.file.clone(),
                hash,
                already_there: sent.already_there,
            });
        }
        if after != AfterUpload::Keep {
            let file_version = row.file_version;
            let sent = SentFile {
                file_version,
                sha256,
            };
            self.put_away(row, folder, after, sent).await?;
        }
        Ok(())
    }

    /// Removes a file that is gone from the queue. One that came back meanwhile is queued again: its
    /// event may have been handled before its row was deleted.
    pub(super) async fn forget_watched(
        &self,
        row: QueuedFile,
        folder: PathBuf,
    ) -> Result<(), DatabaseError> {
        let gone = row.clone();
        self.write(move |change| table::forget_version(change, &gone))
            .await?;
        let file = row.file;
        let place = (folder.clone(), file.clone());
        let opened = tokio::task::spawn_blocking(move || open(&place.0, &place.1).ok()).await;
        let now = opened.ok().flatten().map(|opened| opened.file_version());
        match now.filter(|now| now.bytes > 0) {
            Some(file_version) => {
                let version = Version {
                    folder,
                    file,
                    album: row.album,
                    file_version,
                };
                self.write(move |change| table::put(change, &[version], &[]))
                    .await
            }
            None => {
                tracing::info!(file = %file.display(), "it was removed before it was uploaded");
                Ok(())
            }
        }
    }

    /// Archives the file or moves it to the trash; one that cannot be moved stays, which is logged
    /// once.
    ///
    /// # Errors
    /// When the queue cannot be written.
    async fn put_away(
        &self,
        row: &QueuedFile,
        folder: &Path,
        after: AfterUpload,
        sent: SentFile,
    ) -> Result<(), DatabaseError> {
        let (id, folder, file) = (row.id, folder.to_owned(), row.file.clone());
        let moved = tokio::task::spawn_blocking(move || put_away(after, &folder, &file, &sent));
        let moved = moved.await.map_err(io::Error::other).flatten();
        if let Err(error) = &moved {
            let file = row.file.display();
            tracing::warn!(%file, %error, "it is uploaded, and stays where it is");
        }
        let is_gone = matches!(moved, Ok(PutAway::Gone));
        self.write(move |change| match is_gone {
            true => table::put_away(change, id),
            false => table::keep(change, id),
        })
        .await
        .map(drop)
    }

    /// Logs how a watched file ended, and passes it on.
    fn report(&self, outcome: WatchOutcome) {
        match &outcome {
            WatchOutcome::Uploaded {
                file,
                hash,
                already_there,
            } => tracing::info!(%hash, already_there, file = %file.display(), "uploaded"),
            WatchOutcome::SetAside { file, reason } => {
                tracing::warn!(file = %file.display(), "set aside: {reason}");
            }
        }
        // There may be no receiver.
        let _ = self.0.outcomes.send(outcome);
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
    Ok(Opened::inside(&root, below).map_err(SendError::from)?)
}
