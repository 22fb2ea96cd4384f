//! Deleting: the row goes at once, the object as soon as storage lets it. Its bytes come into the
//! [trash](super::trash) before.

use std::time::Duration;

use rusqlite::Connection;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{Deletion, Images, ImagesError, removals, remove_deleted, table, trash_table};
use crate::clock::backoff::Backoff;
use crate::db::DatabaseError;
use crate::state::detach::run_to_completion;
use crate::storage::{ObjectName, StorageKind};
use crate::text::image_hash::ImageHash;

/// How long a delete waits for its object to be gone.
const AT_ONCE: Duration = Duration::from_secs(2);
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(5), Duration::from_secs(10 * 60));

impl Images {
    /// Deletes the image of this name, with all its names, and forgets the
    /// sources it came from; whether there was one. For readers it is gone when
    /// this returns, even if the object store is out of reach. It can be
    /// [put back](Self::put_back) for `images.trash_days`.
    ///
    /// # Errors
    /// When the database fails; the image is still there then.
    pub async fn delete(&self, name: ImageHash) -> Result<bool, DatabaseError> {
        Ok(self.delete_all(vec![name]).await?.images > 0)
    }

    /// The same for many, in one transaction.
    ///
    /// # Errors
    /// When the database fails; all images are still there then.
    pub async fn delete_all(&self, names: Vec<ImageHash>) -> Result<Deletion, DatabaseError> {
        let images = self.clone();
        run_to_completion(async move { images.take_away(names).await }).await
    }

    async fn take_away(&self, names: Vec<ImageHash>) -> Result<Deletion, DatabaseError> {
        let in_trash = self.settings().trash_days > 0;
        let (now, moving_to) = (self.0.clock.now(), self.0.move_mark.get());
        let gone = self.0.database.write(move |transaction| {
            let mut gone = Vec::new();
            for name in names {
                let Some(image) = table::named(transaction, name)? else {
                    continue;
                };
                let aliases = table::aliases(transaction, image.hash)?;
                if in_trash {
                    trash_table::put(transaction, image.hash, now)?;
                }
                table::delete(transaction, image.hash)?;
                removals::add(transaction, image.hash, image.place)?;
                if let Some(place) = moving_to {
                    removals::add(transaction, image.hash, place)?;
                }
                gone.push((image.hash, image.place, aliases));
            }
            Ok::<_, DatabaseError>(gone)
        });
        let gone = gone.await?;
        let mut deletion = Deletion {
            images: gone.len(),
            in_trash,
        };
        if gone.is_empty() {
            return Ok(deletion);
        }
        for (hash, _, aliases) in &gone {
            self.0.cache.forget(*hash, aliases);
            self.0.renditions.forget(*hash);
        }
        self.changed();
        if moving_to.is_some() {
            self.0.removals_wanted.notify_one();
        }
        // A disk is quick; a slow object store continues in the background. The
        // hash stays locked until it has answered: a late delete must not hit
        // the same image uploaded again.
        let images = self.clone();
        let first = gone[0].0;
        let removal = tokio::spawn(async move {
            for (hash, place, _) in gone {
                if let Err(error) = images.remove_if_wanted(hash, place).await {
                    tracing::warn!(%hash, %error, "a deleted image's object is still there; retrying");
                    images.0.removals_wanted.notify_one();
                    return;
                }
            }
        });
        if deletion.images == 1 && timeout(AT_ONCE, removal).await.is_ok() {
            // Where no copy could be kept it has left the trash.
            let row = move |look: &Connection| trash_table::place_of(look, first);
            deletion.in_trash &= !matches!(self.0.database.read(row).await, Ok(None));
        }
        Ok(deletion)
    }

    /// Removes objects that must not exist, until stopped: leftovers of a crash
    /// or of an object store that was down.
    pub(crate) async fn keep_removing(&self, stop: CancellationToken) {
        let mut failures = 0_u32;
        loop {
            let round = tokio::select! {
                () = stop.cancelled() => return,
                round = self.remove_what_is_left() => round,
            };
            let wait = match round {
                Ok(()) => {
                    failures = 0;
                    None
                }
                Err(error) => {
                    tracing::warn!(%error, "objects of deleted images are still there; retrying");
                    failures = failures.saturating_add(1);
                    Some(BACKOFF.after(failures))
                }
            };
            let next = async {
                match wait {
                    None => self.0.removals_wanted.notified().await,
                    Some(wait) => tokio::time::sleep(wait).await,
                }
            };
            tokio::select! {
                () = stop.cancelled() => return,
                () = next => {}
            }
        }
    }

    /// One round. An object that cannot be removed holds up no other, unless the object store is out of
    /// reach: it would be so for all of them.
    ///
    /// # Errors
    /// The first one, when all that could be removed is.
    pub(crate) async fn remove_what_is_left(&self) -> Result<(), ImagesError> {
        let (mut first, mut silent) = (None, None);
        for (hash, place) in self.0.database.read(removals::all).await? {
            if silent == Some(place) {
                continue;
            }
            if let Err(error) = self.remove_if_wanted(hash, place).await {
                if !self.answers(place, hash).await {
                    silent = Some(place);
                }
                first.get_or_insert(error);
            }
        }
        first.map_or(Ok(()), Err)
    }

    async fn answers(&self, place: StorageKind, hash: ImageHash) -> bool {
        match self.0.storage.at(place) {
            Ok(store) => store.size(ObjectName::image(hash)).await.is_ok(),
            Err(_) => false,
        }
    }

    /// Removes the object, after any concurrent store under its name.
    async fn remove_if_wanted(
        &self,
        hash: ImageHash,
        place: StorageKind,
    ) -> Result<(), ImagesError> {
        let _turn = self.0.hashes.turn(hash).await;
        // Read through the writer, after all pending writes: an upload may have
        // restored the image.
        let image = self.0.database.write(move |transaction| {
            let image = table::find(transaction, hash)?.map(|image| image.place);
            if image == Some(place) {
                removals::take_out(transaction, hash, place)?;
            }
            let is_wanted = removals::holds(transaction, hash, place)? && image != Some(place);
            Ok::<_, DatabaseError>(is_wanted.then_some(image))
        });
        let Some(image) = image.await? else {
            return Ok(());
        };
        // The same picture was uploaded to the Worker that is bound to this bucket: this object is
        // that image's.
        if let Some(image) = image
            && self.are_one(image, place).await?
        {
            let done = self.0.database.write(move |transaction| {
                Ok::<_, DatabaseError>(removals::take_out(transaction, hash, place)?)
            });
            return Ok(done.await?);
        }
        self.remove_object(hash, place).await
    }

    pub(super) async fn remove_object(
        &self,
        hash: ImageHash,
        place: StorageKind,
    ) -> Result<(), ImagesError> {
        let inner = &self.0;
        remove_deleted((&inner.database, &inner.storage, &inner.trash), hash, place).await
    }
}
