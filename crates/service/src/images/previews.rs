//! Makes the previews of images that have none, such as those that a repair has taken back: one at a time
//! and slowly. Each is written at once, so a restart continues where the last run ended.

use std::collections::HashSet;
use std::time::Duration;

use bytes::Bytes;
use porchlight_convert::ConvertError;
use porchlight_convert::helper::{Done, Task};
use rusqlite::params;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::helpers::Picture;
use super::row::StoredImage;
use super::table;
use super::{Images, ImagesError};
use crate::db::DatabaseError;
use crate::db::query::Query as _;
use crate::storage::{ObjectName, StorageError, StorageKind};
use crate::text::image_hash::ImageHash;

/// As many are made before followers of the images are notified.
const AT_ONCE: u32 = 200;
/// Between two: others come first.
const PAUSE: Duration = Duration::from_millis(250);
/// Where images are elsewhere: each is a request there.
const REMOTE_PAUSE: Duration = Duration::from_secs(10);
/// How long other work, and storage that fails, are waited for.
const WAIT: Duration = Duration::from_secs(1);
const WAIT_FOR_STORAGE: Duration = Duration::from_secs(5 * 60);
/// So many failures in a row are those of the storage, and not of these images.
const FAILED_IN_A_ROW: u32 = 5;

impl Images {
    /// Makes what is missing while nothing else is worked on, now and after each repair.
    pub(crate) async fn complete_previews(&self, stop: CancellationToken) {
        let complete = async {
            let mut failed = HashSet::new();
            loop {
                while let Err(error) = self.complete_all(&mut failed).await {
                    tracing::warn!(%error, "the previews of images cannot be made now");
                    sleep(WAIT_FOR_STORAGE).await;
                }
                self.0.previews_wanted.notified().await;
            }
        };
        stop.run_until_cancelled(complete).await;
    }

    /// Each of `failed` has failed in this run, and is left for the next one.
    async fn complete_all(&self, failed: &mut HashSet<ImageHash>) -> Result<(), ImagesError> {
        loop {
            // All that failed may be newer than the rest.
            let most = AT_ONCE + failed.len() as u32;
            let images = self
                .0
                .database
                .read(move |look| table::without_preview(look, most));
            let mut images = images.await?;
            images.retain(|image| !failed.contains(&image.hash));
            if images.is_empty() {
                return Ok(());
            }
            let completed = self.complete_some(&images, failed).await;
            // Some have a preview now, even if the storage failed after them.
            self.changed();
            completed?;
        }
    }

    async fn complete_some(
        &self,
        images: &[StoredImage],
        failed: &mut HashSet<ImageHash>,
    ) -> Result<(), ImagesError> {
        let mut in_a_row = 0;
        for image in images {
            while !self.0.helpers.is_idle() {
                sleep(WAIT).await;
            }
            match self.complete(image.hash).await {
                Ok(()) => in_a_row = 0,
                Err(error @ ImagesError::Database(_)) => return Err(error),
                Err(error) => {
                    failed.insert(image.hash);
                    // Storage that knows what it has not is well.
                    let is_lost = matches!(error, ImagesError::Storage(StorageError::Missing(_)));
                    in_a_row = if is_lost { 0 } else { in_a_row + 1 };
                    if in_a_row == FAILED_IN_A_ROW {
                        return Err(error);
                    }
                    tracing::warn!(hash = %image.hash, %error, "an image has no preview yet");
                }
            }
            sleep(match image.place {
                StorageKind::Disk => PAUSE,
                _ => REMOTE_PAUSE,
            })
            .await;
        }
        Ok(())
    }

    /// An image that does not decode gets an empty preview, so that it is not tried again.
    async fn complete(&self, hash: ImageHash) -> Result<(), ImagesError> {
        let Some(webp) = self.webp_of(hash).await? else {
            return Ok(());
        };
        let done = self.0.helpers.run(&Task::Preview, Picture::Bytes(webp));
        let preview = match done.await {
            Ok((Done::Preview(preview), _)) => Some(preview),
            Ok(_) => None,
            // These say nothing of the image.
            Err(error @ (ConvertError::OutOfMemory | ConvertError::Internal(_))) => {
                return Err(ImagesError::Rendition(hash, error));
            }
            Err(error) => {
                tracing::warn!(%hash, %error, "an image has no preview");
                None
            }
        };
        let written = self.0.database.write(move |transaction| {
            let colour = preview.as_ref().map(|preview| preview.colour);
            let thumbhash = preview.map_or_else(Vec::new, |preview| preview.thumbhash);
            transaction.run(
                "UPDATE image SET colour = ?2, thumbhash = ?3
                     WHERE hash = ?1 AND thumbhash IS NULL",
                params![hash, colour, thumbhash],
            )?;
            Ok::<_, DatabaseError>(())
        });
        Ok(written.await?)
    }

    /// The bytes of an image, from where it is now; `None` when it was deleted.
    async fn webp_of(&self, hash: ImageHash) -> Result<Option<Bytes>, ImagesError> {
        // A move may be about to remove it where the row still says that it is.
        let _turn = self.0.hashes.turn(hash).await;
        let row = self.0.database.read(move |look| table::find(look, hash));
        let Some(image) = row.await? else {
            return Ok(None);
        };
        let stored = self.0.storage.at(image.place)?;
        Ok(Some(stored.get(ObjectName::image(hash)).await?))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::clock::timestamp::Timestamp;
    use futures_util::poll;
    use porchlight_test_harness::process::built_program;
    use rusqlite::Connection;

    use super::*;
    use crate::clock::Clock;
    use crate::images::row::NewImage;
    use crate::service::Service;
    use crate::settings::Settings;

    fn hash() -> ImageHash {
        ImageHash::from_bytes([1; 16])
    }

    async fn open(folder: &Path) -> Service {
        let mut settings = Settings::default();
        settings.images.helper = Some(built_program());
        let service = Service::open(folder, settings, Clock::system()).await;
        service.expect("a data folder")
    }

    async fn add(images: &Images, place: StorageKind) {
        let new = NewImage {
            image: StoredImage {
                hash: hash(),
                size: 4,
                width: 1,
                height: 1,
                created_at: Timestamp::from_millis(1),
                place,
            },
            sha256: [1; 32],
            frames: 1,
            source_digest: [1; 32],
            source_size: 1,
            source_format: "PNG".into(),
            name: None,
            preview: None,
            album: None,
        };
        let added = images.0.database.write(move |transaction| {
            table::insert(transaction, &new)?;
            Ok::<_, DatabaseError>(())
        });
        added.await.expect("a row");
    }

    async fn thumbhash(images: &Images) -> Option<Vec<u8>> {
        let select = "SELECT thumbhash FROM image";
        let database = &images.0.database;
        let found = database.read(move |look| look.query_row(select, [], |row| row.get(0)));
        found.await.expect("a row")
    }

    #[tokio::test]
    async fn an_image_that_is_moved_meanwhile_is_read_where_it_is_then() {
        let folder = tempfile::tempdir().expect("a folder");
        let service = open(folder.path()).await;
        let images = service.images();
        let disk = StorageKind::Disk;
        let put = images.put_whole(disk, hash(), Bytes::from_static(b"RIFF"));
        put.await.expect("an object");
        // The service makes previews, too: it waits for this image.
        let turn = images.0.hashes.turn(hash()).await;
        add(images, StorageKind::S3).await;
        let mut complete = Box::pin(images.complete(hash()));
        assert!(poll!(&mut complete).is_pending());
        let moved = images.0.database.write(move |transaction| {
            table::put_in(transaction, hash(), disk)?;
            Ok::<_, DatabaseError>(())
        });
        moved.await.expect("a row");
        drop(turn);
        complete.await.expect("an image that does not decode");
        assert_eq!(thumbhash(images).await, Some(Vec::new()));
    }

    #[tokio::test]
    async fn no_preview_is_made_while_other_work_is_done() {
        let folder = tempfile::tempdir().expect("a folder");
        let service = open(folder.path()).await;
        let images = service.images();
        let work = images.0.helpers.busy().await;
        let put = images.put_whole(StorageKind::Disk, hash(), Bytes::from_static(b"RIFF"));
        put.await.expect("an object");
        add(images, StorageKind::Disk).await;
        let find = |look: &Connection| table::without_preview(look, 1);
        let missing = images.0.database.read(find).await.expect("a row");
        let mut failed = HashSet::new();
        let mut complete = Box::pin(images.complete_some(&missing, &mut failed));
        assert!(poll!(&mut complete).is_pending());
        // Who makes a preview has this turn from its first step to its last.
        let turn = poll!(Box::pin(images.0.hashes.turn(hash()))).is_ready();
        assert!(turn, "its preview is being made");
        drop(work);
        complete.await.expect("an empty preview");
        assert_eq!(thumbhash(images).await, Some(Vec::new()));
    }

    #[tokio::test]
    async fn an_image_that_is_lost_is_tried_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let service = open(folder.path()).await;
        let images = service.images();
        add(images, StorageKind::Disk).await;
        let lost = images.complete(hash()).await;
        let why = lost.expect_err("no object");
        assert!(
            matches!(why, ImagesError::Storage(StorageError::Missing(_))),
            "{why}"
        );
        assert_eq!(thumbhash(images).await, None);
    }
}
