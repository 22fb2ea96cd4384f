//! Uploads one added file: digest → known there? → sent → row removed → reported.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use futures_util::TryStreamExt as _;
use porchlight_api::Message;
use porchlight_api::client::{Added, Client, ClientError, SourceLookup};
use porchlight_api::window::UploadTrouble;

use super::pasted::Pasted;
use super::{AddedEvent, EventSink, UnderWay};
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

impl From<Failure> for Obstacle {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::File(_) => Self::Failed(UploadTrouble::Unreadable),
            // It may still be written.
            Failure::Empty => Self::Failed(UploadTrouble::Broken),
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
        self.say(id, AddedEvent::Waits { why });
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
    fn say(&self, id: i64, event: AddedEvent) {
        // At the very end there is no receiver any more.
        let _ = self.events.send((id, event));
    }

    fn is_at(&self, id: i64, permille: u16, bytes: Option<u64>) {
        self.say(id, AddedEvent::Working { permille, bytes });
    }

    /// Records how it ended, and reports it; whether the service answered for it.
    async fn note(
        &self,
        row: AddedFile,
        end: Result<AddedEvent, Obstacle>,
    ) -> Result<bool, Trouble> {
        let event = match end {
            Ok(event) => event,
            Err(Obstacle::Failed(trouble)) => AddedEvent::Failed(trouble),
            Err(Obstacle::Later(trouble)) => return Err(trouble),
        };
        let (queue, pasted) = (self.queue.clone(), self.pasted.clone());
        let (under_way, events) = (self.under_way.clone(), self.events.clone());
        // A stop does not come between the row and its report.
        let noted = tokio::spawn(async move {
            let served = match event {
                AddedEvent::Failed(trouble) => {
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
            let _ = events.send((row.id, event));
            Ok(served)
        });
        noted.await.unwrap_or_else(|error| {
            Err(Trouble {
                why: Message::text(error),
                wait: Wait::Growing,
            })
        })
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
        let added = self.send(row, &source.opened, content_type).await;
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

    async fn send(
        &self,
        row: &AddedFile,
        file: &Opened,
        content_type: &str,
    ) -> Result<Added, ClientError> {
        let id = row.id;
        let name = (!self.pasted.is_one(&row.file)).then_some(&*row.file);
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
        self.client
            .add_image(counted, bytes, content_type, name)
            .await
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
