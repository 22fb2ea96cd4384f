//! Moving all images to one place of storage, while readers are served.
//!
//! Each row contains the place of its object, so there is no intermediate
//! state: an image is read from the place in its row. It is copied, read back,
//! compared with the checksum in its row, and only then the row is changed and
//! the first object removed. After an interruption the next move continues with
//! the rest.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use parking_lot::Mutex;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::{Images, removals, table};
use crate::db::DatabaseError;
use crate::error::message::Message;
use crate::images::fault::{Fault, Problem};
use crate::state::detach::run_to_completion;
use crate::state::progress::Progress;
use crate::storage::{ObjectName, ObjectPlace, StorageError, StorageKind};
use crate::text::image_hash::ImageHash;

/// Images that are moved at once.
const AT_ONCE: usize = 4;
/// Rows read at once.
const BATCH: u32 = 1_000;
/// A move stops after this many consecutive read failures.
const UNREADABLE_IN_A_ROW: u32 = 5;

/// What a move did.
#[derive(Debug, Clone, Serialize)]
pub struct MoveReport {
    /// Where the images are now.
    pub to: StorageKind,
    /// Images that were moved.
    pub moved: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Images that were there already.
    pub there_already: u64,
    /// Images that stay where they are, since they are missing or wrong there, or too large for the
    /// new place.
    pub problems: Vec<Problem>,
    /// Objects that could not be removed from their old place; they are removed
    /// later, as long as that place is reachable.
    pub left_behind: u64,
}

/// The outcome for one image.
enum MoveOutcome {
    /// Bytes moved.
    Moved(u64),
    Deleted,
    /// A move that was cancelled has ended with it meanwhile.
    ThereAlready,
    Faulty(Fault),
}

/// A move. One that is dropped half-way no longer decides where new images go.
struct RunningMove(Option<Images>);

impl Drop for RunningMove {
    fn drop(&mut self) {
        if let Some(images) = self.0.take() {
            tokio::spawn(async move { images.0.new_in.write().await.moving = None });
        }
    }
}

impl Images {
    /// Moves every image to `to`; new ones go there from now on. Their
    /// renditions are dropped, and made again on demand.
    ///
    /// # Errors
    /// When the database or a store fails, both are one store, or it is cancelled; new images go where
    /// they went before, then.
    pub async fn move_to(
        &self,
        to: StorageKind,
        progress: Progress<'_>,
    ) -> Result<MoveReport, Message> {
        let _one = self.0.moving.lock().await;
        self.0.storage.at(to)?;
        // Waits for those who are storing an image where they went until now.
        self.0.new_in.write().await.moving = Some(to);
        let mut running = RunningMove(Some(self.clone()));
        self.0.move_mark.set(Some(to));
        let moved = self.move_all(to, progress).await;
        running.0 = None;
        let mut new_in = self.0.new_in.write().await;
        new_in.moving = None;
        if moved.is_ok() {
            new_in.settings = to;
            self.0.move_mark.set(None);
        }
        drop(new_in);
        self.changed();
        moved
    }

    async fn move_all(
        &self,
        to: StorageKind,
        progress: Progress<'_>,
    ) -> Result<MoveReport, Message> {
        self.are_different_stores(to).await?;
        let counts = self.0.database.read(move |look| {
            let elsewhere = to.others().map(|from| table::count_in(look, from));
            let left = elsewhere.sum::<rusqlite::Result<u64>>()?;
            Ok((left, table::count_in(look, to)?))
        });
        let (total, there_already) = counts.await?;
        let mut report = MoveReport {
            to,
            moved: 0,
            bytes: 0,
            there_already,
            problems: Vec::new(),
            left_behind: 0,
        };
        let (mut done, mut last, mut unreadable) = (0, 0, 0);
        loop {
            let rows = self
                .0
                .database
                .read(move |look| table::elsewhere(look, to, last, BATCH));
            let rows = rows.await?;
            let Some((end, _)) = rows.last() else { break };
            last = *end;
            let mut moves = stream::iter(rows)
                .map(|(_, hash)| {
                    let images = self.clone();
                    run_to_completion(async move { images.move_one(hash, to).await })
                })
                .buffer_unordered(AT_ONCE);
            while let Some(moved) = moves.next().await {
                match moved? {
                    MoveOutcome::Moved(size) => {
                        report.moved += 1;
                        report.bytes += size;
                        unreadable = 0;
                    }
                    MoveOutcome::Deleted => {}
                    MoveOutcome::ThereAlready => report.there_already += 1,
                    MoveOutcome::Faulty(fault) => {
                        unreadable += u32::from(!matches!(fault, Fault::TooLarge(..)));
                        if let Fault::Unreadable(_, why) = &fault
                            && unreadable >= UNREADABLE_IN_A_ROW
                        {
                            return Err(crate::detail!(
                                "the pictures cannot be read where they are: {why}"
                            ));
                        }
                        report.problems.push(Problem {
                            fault,
                            mended: None,
                        });
                    }
                }
                done += 1;
                progress(done, total.max(done))?;
            }
        }
        // What could not be removed at once, and leftovers of a killed move.
        if let Err(error) = self.remove_what_is_left().await {
            tracing::warn!(%error, "objects are still in their old place; retrying");
            self.0.removals_wanted.notify_one();
        }
        let left = self.0.database.read(removals::all).await?;
        let left = left.iter().filter(|(_, place)| *place != to);
        report.left_behind = left.count() as u64;
        Ok(report)
    }

    /// Refuses where an object that is written to `to` is in another store, too: what is removed
    /// there after the copy would be the copy.
    async fn are_different_stores(&self, to: StorageKind) -> Result<(), Message> {
        for from in to.others() {
            if self.are_one(to, from).await? {
                return Err(crate::detail!(
                    "the Worker keeps its images in the bucket of the object store: there is nothing to move. Set `storage.kind`, or take the bucket out of the Worker first"
                ));
            }
        }
        Ok(())
    }

    /// Whether these two are the same store, such as a bucket and the Worker that is bound to it.
    pub(super) async fn are_one(
        &self,
        one: StorageKind,
        other: StorageKind,
    ) -> Result<bool, StorageError> {
        if [one, other].contains(&StorageKind::Disk) {
            return Ok(false);
        }
        let (Ok(written), Ok(read)) = (self.0.storage.at(one), self.0.storage.at(other)) else {
            return Ok(false);
        };
        let probe = ObjectName::image(ImageHash::from_bytes(rand::random()));
        written.put(probe, Bytes::from_static(b"probe")).await?;
        let seen = read.size(probe).await;
        written.remove(probe.hash).await?;
        Ok(seen?.is_some())
    }

    async fn move_one(&self, hash: ImageHash, to: StorageKind) -> Result<MoveOutcome, Message> {
        let _turn = self.0.hashes.turn(hash).await;
        let row = self.0.database.read(move |look| {
            let image = table::find(look, hash)?;
            Ok(image.zip(table::sha256_of(look, hash)?))
        });
        let Some((image, sha256)) = row.await? else {
            return Ok(MoveOutcome::Deleted);
        };
        let from = image.place;
        if from == to {
            return Ok(MoveOutcome::ThereAlready);
        }
        if image.size > to.largest() {
            return Ok(MoveOutcome::Faulty(Fault::TooLarge(hash, image.size)));
        }
        let name = ObjectName::image(hash);
        let (old, new) = (self.0.storage.at(from)?, self.0.storage.at(to)?);
        let bytes = match old.get(name).await {
            Ok(bytes) => bytes,
            Err(StorageError::Missing(_)) => return Ok(MoveOutcome::Faulty(Fault::Missing(hash))),
            Err(error) => {
                return Ok(MoveOutcome::Faulty(Fault::Unreadable(hash, error.into())));
            }
        };
        if digest(bytes.clone()).await != Some(sha256) {
            return Ok(MoveOutcome::Faulty(Fault::Wrong(hash)));
        }
        let size = bytes.len() as u64;
        if let Err(error) = copy(&new, name, bytes, sha256).await {
            // What may be there is no image.
            if let Err(error) = new.remove(hash).await {
                tracing::warn!(%hash, %error, "what was copied is still there");
            }
            return Err(error);
        }
        let moved = self.0.database.write(move |transaction| {
            // Deleted in between: the copy is removed, too.
            if table::find(transaction, hash)?.is_none() {
                removals::add(transaction, hash, to)?;
                return Ok(None);
            }
            table::put_in(transaction, hash, to)?;
            removals::take_out(transaction, hash, to)?;
            removals::add(transaction, hash, from)?;
            Ok::<_, DatabaseError>(Some(table::aliases(transaction, hash)?))
        });
        let Some(aliases) = moved.await? else {
            self.0.removals_wanted.notify_one();
            return Ok(MoveOutcome::Deleted);
        };
        self.0.cache.forget(hash, &aliases);
        self.0.renditions.forget(hash);
        if let Err(error) = self.remove_object(hash, from).await {
            tracing::warn!(%hash, %error, "a moved image is still in its old place, too; retrying");
            self.0.removals_wanted.notify_one();
        }
        Ok(MoveOutcome::Moved(size))
    }
}

/// A file that names where images are being moved to, from the start of a move until one has come to its
/// end: a move that is killed leaves an image in both places, which a deletion must know.
pub(super) struct MoveMark {
    file: PathBuf,
    to: Mutex<Option<StorageKind>>,
}

impl MoveMark {
    /// Reads the file. Blocks.
    pub(super) fn in_folder(folder: &Path) -> Self {
        let file = folder.join("images-move");
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let to = serde_json::from_str(&text).ok();
        Self {
            file,
            to: Mutex::new(to),
        }
    }

    pub(super) fn get(&self) -> Option<StorageKind> {
        *self.to.lock()
    }

    fn set(&self, to: Option<StorageKind>) {
        *self.to.lock() = to;
        let written = match to {
            Some(to) => std::fs::write(&self.file, serde_json::json!(to).to_string()),
            None => std::fs::remove_file(&self.file),
        };
        if let Err(error) = written {
            tracing::warn!(%error, "{} cannot be changed", self.file.display());
        }
    }
}

/// Writes an object and reads it back.
async fn copy(
    to: &ObjectPlace,
    name: ObjectName,
    bytes: Bytes,
    sha256: [u8; 32],
) -> Result<(), Message> {
    to.put(name, bytes).await?;
    if digest(to.get(name).await?).await == Some(sha256) {
        Ok(())
    } else {
        Err(crate::detail!(
            "{}.webp was written to its new place and came back as something else",
            name.hash
        ))
    }
}

/// Computed off the async threads; `None` when the runtime is shutting down.
async fn digest(bytes: Bytes) -> Option<[u8; 32]> {
    let digest = tokio::task::spawn_blocking(move || Sha256::digest(&bytes).into());
    digest.await.ok()
}
