//! Uploads one added file: digest → known there? → sent → row removed → reported.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use futures_util::TryStreamExt as _;
use porchlight_api::Message;
use porchlight_api::client::{Added, Client, ClientError, SourceLookup};
use porchlight_api::window::UploadTrouble;

use super::pasted::Pasted;
use super::{AddedEvent, EventSink};
use crate::link::Address;
use crate::opened::Opened;
use crate::upload::Failure;
use crate::upload::item::Digested;
use crate::upload::kind;
use crate::upload_queue::dispatcher::{Ended, Rows, Trouble, Wait};
use crate::upload_queue::{AddedFile, UploadQueue, UploadQueueError};

/// How far a file has come, in thousandths: when its digest is known, and when all of it is sent.
const DIGESTED: u16 = 100;
const SENT: u16 = 800;

/// What all uploads share.
pub(super) struct Uploader {
    pub(super) client: Client,
    pub(super) address: Address,
    pub(super) queue: UploadQueue,
    pub(super) pasted: Pasted,
    pub(super) events: EventSink,
    /// Whether nothing goes out, which is logged once.
    pub(super) is_waiting: AtomicBool,
}

/// Why one file was not uploaded.
enum Obstacle {
    Failed(UploadTrouble),
    Later(Trouble),
}

impl From<Failure> for Obstacle {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::File(_) => Self::Failed(UploadTrouble::Unreadable),
            Failure::Empty => Self::Failed(UploadTrouble::NotAPicture),
            Failure::Service(error) => error.into(),
            Failure::Ledger(_) | Failure::Stopped => Self::Later(Trouble {
                why: (&failure).into(),
                wait: Wait::Growing,
            }),
        }
    }
}

impl From<ClientError> for Obstacle {
    fn from(error: ClientError) -> Self {
        // The response of a proxy in between does not concern the image.
        let trouble = match &error {
            ClientError::Answered {
                status,
                is_by_the_service: true,
                ..
            } => match status {
                413 => Some(UploadTrouble::TooLarge),
                415 => Some(UploadTrouble::NotAPicture),
                400 | 422 => Some(UploadTrouble::Broken),
                507 => Some(UploadTrouble::StorageFull),
                _ => None,
            },
            _ => None,
        };
        trouble.map_or_else(
            || {
                Self::Later(Trouble {
                    why: (&error).into(),
                    wait: Wait::after(&error),
                })
            },
            Self::Failed,
        )
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
        // The owner may have cancelled it in between.
        match self.queue.begin_added(row.id).await {
            Ok(true) => {}
            Ok(false) => return Ended::Settled { served: false },
            Err(error) => return error.into(),
        }
        match self.bring(&row).await {
            Ok(event) => match self.queue.added_is_done(row.id).await {
                Ok(()) => {
                    // The row first: without the file it could not be uploaded again.
                    self.pasted.forget(&row.file);
                    self.say(row.id, event);
                    Ended::Settled { served: true }
                }
                Err(error) => self.later(row.id, error.into()).await,
            },
            Err(Obstacle::Failed(trouble)) => match self.queue.added_failed(row.id).await {
                Ok(_) => {
                    let file = row.file.display();
                    tracing::warn!(%file, ?trouble, "a file was not uploaded");
                    self.say(row.id, AddedEvent::Failed(trouble));
                    let of_file = [UploadTrouble::Unreadable, UploadTrouble::NotAFile];
                    Ended::Settled {
                        served: !of_file.contains(&trouble),
                    }
                }
                Err(error) => self.later(row.id, error.into()).await,
            },
            Err(Obstacle::Later(trouble)) => self.later(row.id, trouble).await,
        }
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
    fn say(&self, id: i64, event: AddedEvent) {
        // At the very end there is no receiver any more.
        let _ = self.events.send((id, event));
    }

    fn is_at(&self, id: i64, permille: u16, bytes: Option<u64>) {
        self.say(id, AddedEvent::Working { permille, bytes });
    }

    /// It waits again, and others are uploaded first where it is the reason.
    async fn later(&self, id: i64, trouble: Trouble) -> Ended {
        if let Err(error) = self.queue.postpone_added(id).await {
            tracing::warn!(%error, "an upload waits until the next start");
        }
        let why = trouble.why.clone();
        self.say(id, AddedEvent::Waits { why });
        Ended::Later(trouble)
    }

    async fn bring(&self, row: &AddedFile) -> Result<AddedEvent, Obstacle> {
        self.is_at(row.id, 0, None);
        let file = row.file.clone();
        let opened = tokio::task::spawn_blocking(move || open(&file)).await;
        let opened =
            opened.unwrap_or_else(|error| Err(Failure::File(io::Error::other(error)).into()))?;
        let bytes = opened.file_version().bytes;
        let source = Digested::of(opened).await?;
        self.is_at(row.id, DIGESTED, Some(bytes));
        // An attempt whose response was lost may have succeeded.
        if let SourceLookup::Stored(hash) = self.client.find_source(&source.sha256).await? {
            return Ok(self.there_before(hash));
        }
        let content_type = kind::by_name(&row.file).unwrap_or(kind::UNKNOWN);
        let added = self.send(row.id, &source.opened, content_type).await;
        if !source.opened.is_unchanged() {
            return Err(Obstacle::Later(Trouble {
                why: Message::FileChanged,
                wait: Wait::ItsOwn,
            }));
        }
        Ok(match added? {
            Added::Stored { hash, size } => AddedEvent::Stored {
                address: (self.address)(&hash),
                hash,
                bytes: size,
            },
            Added::AlreadyThere { hash } => self.there_before(hash),
        })
    }

    fn there_before(&self, hash: String) -> AddedEvent {
        AddedEvent::AlreadyThere {
            address: (self.address)(&hash),
            hash,
        }
    }

    async fn send(&self, id: i64, file: &Opened, content_type: &str) -> Result<Added, ClientError> {
        let bytes = file.file_version().bytes;
        let (sent, events) = (AtomicU64::new(0), self.events.clone());
        let counted = file.stream().inspect_ok(move |chunk| {
            let length = chunk.len() as u64;
            let sent = sent.fetch_add(length, Ordering::Relaxed) + length;
            let permille = DIGESTED + part(sent, bytes, SENT - DIGESTED);
            let bytes = None;
            // At the very end there is no receiver any more.
            let _ = events.send((id, AddedEvent::Working { permille, bytes }));
        });
        self.client.add_image(counted, bytes, content_type).await
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
        Ok(_) => Ok(Opened::named(file).map_err(Failure::File)?),
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
