//! Deleting: the row goes at once, the object as soon as storage lets it.

use std::time::Duration;

use porchlight_api::ImageHash;
use tokio_util::sync::CancellationToken;

use super::{Images, ImagesError, table};
use crate::database::DatabaseError;

const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(10 * 60);

impl Images {
    /// Deletes an image and forgets the sources it came from; whether there
    /// was one. For readers it is gone when this returns, even if the object
    /// store is out of reach.
    ///
    /// # Errors
    /// When the database fails; the image is still there then.
    pub async fn delete(&self, hash: ImageHash) -> Result<bool, DatabaseError> {
        let turn = self.0.hashes.turn(hash).await;
        let was_there = self
            .0
            .database
            .write(move |transaction| -> Result<bool, DatabaseError> {
                if !table::delete(transaction, hash)? {
                    return Ok(false);
                }
                table::add_removal(transaction, hash)?;
                Ok(true)
            })
            .await?;
        if !was_there {
            return Ok(false);
        }
        self.0.cache.forget(hash);
        self.changed();
        if let Err(error) = self.remove_object(hash).await {
            tracing::warn!(%hash, %error, "a deleted image's object is still there; trying again later");
            self.0.removals_wanted.notify_one();
        }
        drop(turn);
        Ok(true)
    }

    /// Removes objects that must not be there, until told to stop: what a
    /// crash or an object store that was down has left.
    pub(crate) async fn keep_removing(&self, stop: CancellationToken) {
        let mut pause = FIRST_PAUSE;
        loop {
            let wait = match self.remove_what_is_left().await {
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

    /// One round; goes on past an object that cannot be removed.
    pub(crate) async fn remove_what_is_left(&self) -> Result<(), ImagesError> {
        let mut trouble = Ok(());
        for hash in self.0.database.read(table::removals).await? {
            let _turn = self.0.hashes.turn(hash).await;
            // An upload may have brought it back while this waited.
            let wanted = self
                .0
                .database
                .read(move |connection| {
                    Ok(table::removals(connection)?.contains(&hash)
                        && table::find(connection, hash)?.is_none())
                })
                .await?;
            if wanted && let Err(error) = self.remove_object(hash).await {
                trouble = Err(error);
            }
        }
        trouble
    }

    async fn remove_object(&self, hash: ImageHash) -> Result<(), ImagesError> {
        self.0.storage.remove(hash).await?;
        self.0
            .database
            .write(move |transaction| -> Result<(), DatabaseError> {
                Ok(table::drop_removal(transaction, hash)?)
            })
            .await?;
        Ok(())
    }
}
