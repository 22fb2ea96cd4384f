//! Uploads one added file: sent → row removed → reported.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::pasted::Pasted;
use super::{EventSink, UnderWay};
use crate::error::message::Message;
use crate::uploads::opened::Opened;
use crate::uploads::queue::dispatcher::{Ended, Rows, Trouble};
use crate::uploads::queue::{AddedFile, UploadQueue, UploadQueueError};
use crate::uploads::target::Source;
use crate::uploads::upload::retry::Wait;
use crate::uploads::upload::sender::{EarlierUploads, Sender};
use crate::uploads::upload::{UploadError, UploadOutcome};
use crate::uploads::window::{UploadState, UploadTrouble};

/// How far a file has come, in thousandths, when all of it is sent.
const SENT: u16 = 800;

pub(super) struct Uploader {
    pub(super) sender: Sender,
    pub(super) queue: UploadQueue,
    pub(super) pasted: Pasted,
    pub(super) under_way: UnderWay,
    pub(super) events: EventSink,
    /// Whether nothing goes out, which is logged once.
    pub(super) is_waiting: AtomicBool,
}

/// Why one file was not uploaded.
enum Obstacle {
    Failed(UploadTrouble),
    Later(Trouble),
}

impl From<UploadError> for Obstacle {
    fn from(error: UploadError) -> Self {
        let trouble = match &error {
            UploadError::File(_) => Some(UploadTrouble::Unreadable),
            UploadError::Empty => Some(UploadTrouble::Broken),
            error => error.trouble(),
        };
        trouble.map_or_else(|| Self::Later((&error).into()), Self::Failed)
    }
}

impl Rows for Uploader {
    type Row = AddedFile;

    async fn next(
        &self,
        most: usize,
        in_hand: Vec<i64>,
    ) -> Result<Vec<(i64, PathBuf, AddedFile)>, UploadQueueError> {
        let rows = self.queue.next_added(most, in_hand).await?.into_iter();
        Ok(rows.map(|row| (row.id, row.file.clone(), row)).collect())
    }

    async fn upload(&self, row: AddedFile) -> Ended {
        let id = row.id;
        let mut under_way = self.under_way.lock().await;
        match self.queue.added_waits(id).await {
            Ok(true) => under_way.insert(id),
            Ok(false) => return Ended::Settled { served: false },
            Err(error) => return error.into(),
        };
        drop(under_way);
        let end = self.bring(&row).await;
        let noted = self.note(row, end).await;
        let trouble = match noted {
            Ok(served) => return Ended::Settled { served },
            Err(trouble) => trouble,
        };
        self.under_way.lock().await.remove(&id);
        let why = Some(trouble.why.clone());
        self.report(id, UploadState::Waiting { why }, None);
        Ended::Later(trouble)
    }

    async fn failed(&self, id: i64) -> Result<(), UploadQueueError> {
        self.queue.added_failed_once(id).await.map(drop)
    }

    async fn show(&self, _: Vec<PathBuf>, _: bool) -> Option<u64> {
        self.queue.added_that_wait().await.ok()
    }

    fn trouble(&self, why: Option<Message>) {
        let was_waiting = self.is_waiting.swap(why.is_some(), Ordering::Relaxed);
        match why {
            Some(why) if !was_waiting => tracing::warn!("added files wait: {why}"),
            None if was_waiting => tracing::info!("added files are uploaded again"),
            _ => {}
        }
    }
}

impl Uploader {
    fn report(&self, id: i64, state: UploadState, size: Option<u64>) {
        // At the very end there is no receiver any more.
        let _ = self.events.send((id, state, size));
    }

    /// Records how it ended, and reports it; whether the service answered for it.
    async fn note(
        &self,
        row: AddedFile,
        end: Result<UploadState, Obstacle>,
    ) -> Result<bool, Trouble> {
        let state = match end {
            Ok(state) => state,
            Err(Obstacle::Failed(trouble)) => UploadState::Failed { trouble },
            Err(Obstacle::Later(trouble)) => return Err(trouble),
        };
        let (queue, pasted) = (self.queue.clone(), self.pasted.clone());
        let (under_way, events) = (self.under_way.clone(), self.events.clone());
        // A stop does not come between the row and its report.
        let noted = tokio::spawn(async move {
            let served = match state {
                UploadState::Failed { trouble } => {
                    queue.added_failed(row.id, trouble).await?;
                    let file = row.file.display();
                    tracing::warn!(%file, ?trouble, "a file was not uploaded");
                    ![UploadTrouble::Unreadable, UploadTrouble::NotAFile].contains(&trouble)
                }
                _ => {
                    // The row first: without the file it could not be uploaded again.
                    queue.added_is_done(row.id).await?;
                    pasted.forget_or_log(&row.file);
                    true
                }
            };
            under_way.lock().await.remove(&row.id);
            // At the very end there is no receiver any more.
            let _ = events.send((row.id, state, None));
            Ok(served)
        });
        noted.await.unwrap_or_else(|error| {
            Err(Trouble {
                why: Message::text(error),
                wait: Wait::Growing,
            })
        })
    }

    async fn bring(&self, row: &AddedFile) -> Result<UploadState, Obstacle> {
        let file = row.file.clone();
        let opened = tokio::task::spawn_blocking(move || open(&file)).await;
        let opened = opened
            .unwrap_or_else(|error| Err(UploadError::from(io::Error::other(error)).into()))?;
        let (id, size) = (row.id, opened.file_version().bytes);
        self.report(id, UploadState::Working { permille: 0 }, Some(size));
        let events = self.events.clone();
        let path = (!self.pasted.is_one(&row.file)).then_some(&*row.file);
        let source = Source {
            sent: Arc::new(move |bytes| {
                // At the very end there is no receiver any more.
                let permille = part(bytes, size, SENT);
                let _ = events.send((id, UploadState::Working { permille }, None));
            }),
            ..Source::new(opened.clone(), path)
        };
        let sent = self.sender.send(source, EarlierUploads::Target).await;
        if !opened.is_unchanged() {
            return Err(Obstacle::Later(Trouble {
                why: Message::FileChanged,
                wait: Wait::ItsOwn,
            }));
        }
        let UploadOutcome {
            hash,
            already_there,
            stored_bytes,
            ..
        } = sent?;
        let target = self.sender.target();
        let url = target.image_url(&hash);
        let hash = hash.parse().map_err(|_| UploadError::NotConfirmed)?;
        Ok(match already_there {
            true => UploadState::Duplicate { hash, url },
            false => UploadState::Done {
                hash,
                url,
                stored: stored_bytes,
            },
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
        Ok(_) => Ok(Opened::named(file).map_err(UploadError::from)?),
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
