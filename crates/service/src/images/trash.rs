//! The trash: deleted images, which can be put back for `images.trash_days`.
//!
//! A deletion moves the row into the table `trash` and its object into the table `removal` in one
//! transaction. Then the bytes come into the folder `trash`, and the object is removed. To put an image
//! back, its object goes into `removal` before it is stored, and out with the commit of its row. So an
//! object without its row is always in `removal`, and what a crash interrupts is done or undone by the
//! next start. A file in the folder without a row in the table is removed.

use std::time::Duration;

use bytes::Bytes;
use rusqlite::Connection;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::table;
use super::trash_table::{self, DeletedImage};
use super::{Images, ImagesError, removals};
use crate::clock::timestamp::Timestamp;
use crate::db::{Database, DatabaseError};
use crate::error::message::Message;
use crate::state::detach::run_to_completion;
use crate::storage::{ObjectPlace, Storage, StorageError, StorageKind, Taken, TrashFolder};
use crate::text::image_hash::ImageHash;

/// How often what has been in the trash for too long is looked for.
const EVERY: Duration = Duration::from_secs(60 * 60);
const DAY: i64 = 24 * 60 * 60 * 1000;
/// How many images are put back in one transaction.
const AT_ONCE: usize = 100;

/// What a deletion did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deletion {
    /// How many images were deleted.
    pub images: usize,
    /// Whether they can be put back.
    pub in_trash: bool,
}

/// A part of the trash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trash {
    /// How many images there are in all.
    pub total: u64,
    /// Those that were deleted last come first.
    pub images: Vec<DeletedImage>,
}

/// Removes an object, after its bytes came into the trash where the image is in there. One whose bytes
/// cannot be kept is taken out of the trash.
///
/// # Errors
/// When its place cannot be read or written, or the database fails.
pub(crate) async fn remove_deleted(
    (database, storage, trash): (&Database, &Storage, &TrashFolder),
    hash: ImageHash,
    place: StorageKind,
) -> Result<(), ImagesError> {
    let was_in = database.read(move |look| trash_table::place_of(look, hash));
    let is_in_trash = was_in.await? == Some(place);
    let object_place = storage.at(place)?;
    if let ObjectPlace::Disk(disk) = &object_place {
        disk.check_is_connected().await?;
    }
    let mut why_not = None;
    if is_in_trash {
        why_not = match trash.take(&object_place, hash).await? {
            Taken::Kept => None,
            Taken::Missing => Some("its file is missing".to_owned()),
            Taken::NotKept(why) => Some(why.to_string()),
        };
    }
    object_place.remove(hash).await?;
    let is_lost = why_not.is_some();
    if let Some(why) = why_not {
        tracing::warn!(%hash, %why, "a deleted picture cannot be put back: no copy could be kept");
    }
    let done = database.write(move |transaction| {
        if is_lost {
            trash_table::take_out(transaction, hash)?;
        }
        Ok::<_, DatabaseError>(removals::take_out(transaction, hash, place)?)
    });
    Ok(done.await?)
}

/// How a deleted image comes back.
#[derive(Clone, Copy)]
struct Way {
    hash: ImageHash,
    place: StorageKind,
    /// Its bytes are in the folder. Otherwise its object is still in its place.
    from_folder: bool,
}

impl Images {
    /// Up to `limit` deleted images that can be put back, after skipping `offset`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn trash(&self, offset: u64, limit: u32) -> Result<Trash, DatabaseError> {
        let read = move |look: &Connection| {
            Ok(Trash {
                total: trash_table::count(look)?,
                images: trash_table::newest(look, offset, limit)?,
            })
        };
        self.0.database.read(read).await
    }

    /// The bytes of a deleted image; `None` before they are in the trash, and when they are not any more.
    pub async fn deleted_bytes(&self, hash: ImageHash) -> Option<Bytes> {
        self.0.trash.read(hash).await.ok()
    }

    /// Makes deleted images what they were, with name, album and time; how many. Left out are those that
    /// the trash does not have any more, and those whose name another image has now.
    ///
    /// # Errors
    /// When the database or storage fails; some may be back then.
    pub async fn put_back(&self, mut hashes: Vec<ImageHash>) -> Result<usize, ImagesError> {
        hashes.sort_unstable();
        hashes.dedup();
        let images = self.clone();
        run_to_completion(async move {
            let mut back = 0;
            for some in hashes.chunks(AT_ONCE) {
                back += images.put_some_back(some).await?;
            }
            Ok(back)
        })
        .await
    }

    async fn put_some_back(&self, hashes: &[ImageHash]) -> Result<usize, ImagesError> {
        let new_in = self.0.new_in.read().await;
        let mut turns = Vec::new();
        let mut in_folder = Vec::new();
        // In the order of their hashes, so that no two wait for each other.
        for hash in hashes {
            turns.push(self.0.hashes.turn(*hash).await);
            in_folder.push((*hash, self.0.trash.holds(*hash).await?));
        }
        let place = new_in.place();
        let ways = self.0.database.write(move |transaction| {
            let mut ways = Vec::new();
            for (hash, from_folder) in in_folder {
                let Some(was_in) = trash_table::place_of(transaction, hash)? else {
                    continue;
                };
                let place = if from_folder { place } else { was_in };
                if from_folder {
                    trash_table::put_in(transaction, hash, place)?;
                    removals::add(transaction, hash, place)?;
                } else if !removals::holds(transaction, hash, place)? {
                    // Neither here nor there.
                    trash_table::take_out(transaction, hash)?;
                    continue;
                }
                ways.push(Way {
                    hash,
                    place,
                    from_folder,
                });
            }
            Ok::<_, DatabaseError>(ways)
        });
        let ways = ways.await?;
        let back = async {
            self.store_again(&ways).await?;
            Ok::<_, ImagesError>(self.make_images(ways).await?)
        };
        let back = back.await;
        // What was stored without becoming an image goes into the trash again.
        self.0.removals_wanted.notify_one();
        let back = back?;
        if place != StorageKind::Disk {
            self.0.trash_changed.notify_one();
        }
        if back > 0 {
            self.changed();
        }
        Ok(back)
    }

    async fn store_again(&self, ways: &[Way]) -> Result<(), StorageError> {
        for way in ways.iter().filter(|way| way.from_folder) {
            let place = self.0.storage.at(way.place)?;
            self.0.trash.give_back(&place, way.hash).await?;
        }
        Ok(())
    }

    async fn make_images(&self, ways: Vec<Way>) -> Result<usize, DatabaseError> {
        let made = self.0.database.write(move |transaction| {
            let mut back = 0;
            for Way { hash, place, .. } in ways {
                let former = trash_table::former(transaction, hash)?;
                if let Some(former) = former
                    && table::put_back(transaction, former, place)?
                {
                    removals::take_out(transaction, hash, place)?;
                    back += 1;
                }
            }
            Ok::<_, DatabaseError>(back)
        });
        made.await
    }

    /// Removes what has been in the trash for too long, and bytes of what is not in it any more, at the
    /// start and regularly, until stopped.
    ///
    /// How long it has been there counts only after an hour: at the start a clock can be far ahead until
    /// it is set.
    pub(crate) async fn keep_trash_bounded(&self, stop: CancellationToken) {
        let start = Instant::now();
        loop {
            let round = async {
                if let Err(error) = self.tidy_trash(start.elapsed() >= EVERY).await {
                    let why = Message::from(&error);
                    tracing::warn!(%why, "the trash could not be tidied; retrying within an hour");
                }
                let wanted = self.0.trash_changed.notified();
                let _ = tokio::time::timeout(EVERY, wanted).await;
            };
            if stop.run_until_cancelled(round).await.is_none() {
                return;
            }
        }
    }

    async fn tidy_trash(&self, clock_is_set: bool) -> Result<(), ImagesError> {
        let until = match self.settings().trash_days {
            0 => i64::MAX,
            _ if !clock_is_set => i64::MIN,
            days => {
                let kept = DAY.saturating_mul(i64::try_from(days).unwrap_or(i64::MAX));
                self.0.clock.now().as_millis().saturating_sub(kept)
            }
        };
        let until = Timestamp::from_millis(until);
        let has = self
            .0
            .database
            .read(move |look| trash_table::has_until(look, until));
        if has.await? {
            let gone = self.0.database.write(move |transaction| {
                Ok::<_, DatabaseError>(trash_table::take_out_until(transaction, until)?)
            });
            let images = gone.await?;
            tracing::info!(images, "deleted images are removed from the trash");
        }
        let files = self.0.trash.all().await?;
        let rows = self.0.database.read(trash_table::hashes).await?;
        for hash in files.into_iter().filter(|hash| !rows.contains(hash)) {
            // It may be coming in.
            let _turn = self.0.hashes.turn(hash).await;
            let row = self
                .0
                .database
                .read(move |look| trash_table::place_of(look, hash));
            if row.await?.is_none() {
                self.0.trash.remove(hash).await?;
            }
        }
        Ok(())
    }
}
