//! Deleting: the row goes at once, the object as soon as storage lets it.

use std::time::Duration;

use porchlight_api::ImageHash;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{Images, ImagesError, table};
use crate::database::DatabaseError;
use crate::settings::StorageKind;
use crate::to_the_end::to_the_end;

/// How long a delete waits for its object to be gone.
const AT_ONCE: Duration = Duration::from_secs(2);
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(10 * 60);

/// What a transaction found that was to take an image away.
enum Gone {
    Already,
    NotYet,
    Now(StorageKind, Vec<ImageHash>),
}

impl Images {
    /// Deletes the image of this name, with all its names, and forgets the
    /// sources it came from; whether there was one. For readers it is gone when this returns, even if the object
    /// store is out of reach.
    ///
    /// # Errors
    /// When the database fails; the image is still there then.
    pub async fn delete(&self, name: ImageHash) -> Result<bool, DatabaseError> {
        let images = self.clone();
        to_the_end(async move { images.take_away(name).await }).await
    }

    async fn take_away(&self, name: ImageHash) -> Result<bool, DatabaseError> {
        // Whoever changes an image holds its own name, whatever it was asked by.
        let (hash, turn, place, aliases) = loop {
            let look = self.0.database.read(move |look| table::named(look, name));
            let Some(image) = look.await? else {
                return Ok(false);
            };
            let hash = image.hash;
            let turn = self.0.hashes.turn(hash).await;
            let gone = self.0.database.write(move |transaction| {
                match table::named(transaction, name)? {
                    None => Ok(Gone::Already),
                    // The name went to another image while this waited.
                    Some(image) if image.hash != hash => Ok(Gone::NotYet),
                    Some(image) => {
                        let aliases = table::aliases(transaction, hash)?;
                        table::delete(transaction, hash)?;
                        table::add_removal(transaction, hash, image.place)?;
                        Ok::<_, DatabaseError>(Gone::Now(image.place, aliases))
                    }
                }
            });
            match gone.await? {
                Gone::Already => return Ok(false),
                Gone::NotYet => {}
                Gone::Now(place, aliases) => break (hash, turn, place, aliases),
            }
        };
        self.0.cache.forget(hash, &aliases);
        self.0.renditions.forget(hash);
        self.changed();
        // A disk is quick; an object store that is not is tried again later.
        match timeout(AT_ONCE, self.remove_object(hash, place)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(%hash, %error, "a deleted image's object is still there; trying again");
                self.0.removals_wanted.notify_one();
            }
            Err(_) => self.0.removals_wanted.notify_one(),
        }
        drop(turn);
        Ok(true)
    }

    /// Removes objects that must not be there, until told to stop: what a
    /// crash or an object store that was down has left.
    pub(crate) async fn keep_removing(&self, stop: CancellationToken) {
        let mut pause = FIRST_PAUSE;
        loop {
            let round = tokio::select! {
                () = stop.cancelled() => return,
                round = self.remove_what_is_left() => round,
            };
            let wait = match round {
                Ok(()) => {
                    pause = FIRST_PAUSE;
                    None
                }
                Err(error) => {
                    tracing::warn!(%error, "objects of deleted images are still there; trying again");
                    let wait = pause;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                    Some(wait)
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

    /// One round. It ends at the first object that cannot be removed: an object
    /// store that is out of reach for one is out of reach for the next.
    pub(super) async fn remove_what_is_left(&self) -> Result<(), ImagesError> {
        for (hash, place) in self.0.database.read(table::removals).await? {
            let _turn = self.0.hashes.turn(hash).await;
            // Asked of the writer, behind everything that is on its way to it:
            // an upload may have brought the image back.
            let wanted = self
                .0
                .database
                .write(move |transaction| -> Result<bool, DatabaseError> {
                    let image = table::find(transaction, hash)?;
                    Ok(table::is_removal(transaction, hash, place)?
                        && image.is_none_or(|image| image.place != place))
                })
                .await?;
            if wanted {
                self.remove_object(hash, place).await?;
            }
        }
        Ok(())
    }

    pub(super) async fn remove_object(
        &self,
        hash: ImageHash,
        place: StorageKind,
    ) -> Result<(), ImagesError> {
        self.0.storage.at(place)?.remove(hash).await?;
        self.0
            .database
            .write(move |transaction| -> Result<(), DatabaseError> {
                Ok(table::drop_removal(transaction, hash, place)?)
            })
            .await?;
        Ok(())
    }
}
