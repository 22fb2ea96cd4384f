//! Uploads one added file: sent → recorded → shown.

use std::path::Path;
use std::sync::Arc;

use super::Uploads;
use super::opened::Opened;
use super::send::{SendError, Sent, Source};
use super::table::{self, QueuedFile};
use super::window::{UploadState, UploadTrouble};
use super::worker::Ended;
use crate::error::message::Message;
use crate::state::detach::run_to_completion;

/// How far a file has come, in thousandths, when all of it is sent.
const SENT: u16 = 800;

/// Why one file was not uploaded.
enum Obstacle {
    Failed(UploadTrouble),
    Later(Ended),
}

impl From<SendError> for Obstacle {
    fn from(error: SendError) -> Self {
        let trouble = match &error {
            SendError::File(_) => Some(UploadTrouble::Unreadable),
            SendError::Empty => Some(UploadTrouble::Broken),
            error => error.trouble(),
        };
        trouble.map_or_else(|| Self::Later((&error).into()), Self::Failed)
    }
}

impl Uploads {
    pub(super) async fn upload_added(&self, row: QueuedFile) -> Ended {
        let outcome = match self.try_to_upload_added(&row).await {
            Ok(outcome) => outcome,
            Err(Obstacle::Failed(trouble)) => UploadState::Failed { trouble },
            Err(Obstacle::Later(ended)) => return ended,
        };
        let uploads = self.clone();
        // A stop does not come between the row and its file.
        run_to_completion(async move { uploads.record(row, outcome).await }).await
    }

    /// Records how it ended.
    async fn record(&self, row: QueuedFile, outcome: UploadState) -> Ended {
        let id = row.id;
        let bytes = self.0.live.lock().under_way.get(&id).map(|it| it.bytes);
        let (recorded, failed) = (
            outcome.clone(),
            match outcome {
                UploadState::Failed { trouble } => Some(trouble),
                _ => None,
            },
        );
        let written = self.write(move |change| table::end(change, id, &recorded, bytes));
        // The row first: without the file it could not be uploaded again.
        if let Err(error) = written.await {
            return error.into();
        }
        let served = match failed {
            None => {
                self.0.pasted.forget(&row.file);
                true
            }
            Some(trouble) => {
                tracing::warn!(file = %row.file.display(), ?trouble, "a file was not uploaded");
                ![UploadTrouble::Unreadable, UploadTrouble::NotAFile].contains(&trouble)
            }
        };
        Ended::Settled { served }
    }

    async fn try_to_upload_added(&self, row: &QueuedFile) -> Result<UploadState, Obstacle> {
        let file = row.file.clone();
        let opened = tokio::task::spawn_blocking(move || open(&file)).await;
        let opened = opened
            .unwrap_or_else(|error| Err(SendError::from(std::io::Error::other(error)).into()))?;
        let (id, bytes) = (row.id, opened.file_version().bytes);
        self.progress(id, 0, bytes);
        let uploads = self.clone();
        let path = (!self.0.pasted.is_one(&row.file)).then_some(&*row.file);
        let source = Source {
            album: row.album.clone(),
            sent: Arc::new(move |sent| uploads.progress(id, part(sent, bytes, SENT), bytes)),
            ..Source::new(opened.clone(), path)
        };
        let sent = self.0.own.send(source).await;
        if !opened.is_unchanged() {
            return Err(Obstacle::Later(Ended::Later(Message::FileChanged)));
        }
        let Sent {
            hash,
            already_there,
            stored_bytes: stored,
            ..
        } = sent?;
        let url = self.0.own.image_url(hash);
        Ok(match already_there {
            true => UploadState::Duplicate { hash, url },
            false => UploadState::Done { hash, url, stored },
        })
    }
}

/// This share of `whole`, and never more: a file can grow while it is read.
fn part(done: u64, of: u64, whole: u16) -> u16 {
    let share = u128::from(done.min(of)) * u128::from(whole) / u128::from(of.max(1));
    u16::try_from(share).unwrap_or(whole)
}

/// Opens a file that the owner named; links are followed. Blocks.
fn open(file: &Path) -> Result<Opened, Obstacle> {
    match file.metadata() {
        Ok(about) if !about.is_file() => Err(Obstacle::Failed(UploadTrouble::NotAFile)),
        Ok(_) => Ok(Opened::named(file).map_err(SendError::from)?),
        Err(_) => Err(Obstacle::Failed(UploadTrouble::Unreadable)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_grows_or_is_empty_or_vast_stays_within_its_part() {
        assert_eq!(part(9, 3, 500), 500);
        assert_eq!(part(0, 0, 500), 0);
        assert_eq!(part(5, 0, 500), 0);
        assert_eq!(part(u64::MAX, u64::MAX, 500), 500);
        assert_eq!(part(1, 2, 500), 250);
    }
}
