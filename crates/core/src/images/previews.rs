//! Makes the previews of images that were stored before there were any, one at a time and slowly. Each
//! is written at once, so a restart continues where the last run ended.

use std::collections::HashSet;
use std::time::Duration;

use porchlight_api::ImageHash;
use rusqlite::params;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::convert::{self, ConvertError};
use super::table::{self, StoredImage};
use super::worker_pool::Reservation;
use super::{Images, ImagesError, page_index};
use crate::database::DatabaseError;
use crate::storage::{ObjectName, StorageError, StorageKind};

/// As many are made before the pages of the snapshot that show them are written again.
const AT_ONCE: u32 = 200;
/// How much longer than its work each pause is: the work takes a fortieth of a core.
const PAUSE: u32 = 40;
/// The shortest pause where images are elsewhere: each is a request there.
const REMOTE_PAUSE: Duration = Duration::from_secs(10);
/// How long other work, and storage that fails, are waited for.
const WAIT: Duration = Duration::from_secs(1);
const WAIT_FOR_STORAGE: Duration = Duration::from_secs(5 * 60);
/// So many failures in a row are those of the storage, and not of these images.
const FAILED_IN_A_ROW: u32 = 5;

impl Images {
    /// Makes what is missing while nothing else is worked on, until there is nothing left.
    pub(crate) async fn complete_previews(&self, stop: CancellationToken) {
        let complete = async {
            let mut failed = HashSet::new();
            while let Err(error) = self.complete_all(&mut failed).await {
                tracing::warn!(%error, "the previews of images cannot be made now");
                sleep(WAIT_FOR_STORAGE).await;
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
            self.complete_some(&images, failed).await?;
            let written = self.0.database.write(move |transaction| {
                for image in images {
                    let newest = -image.created_at.as_millis();
                    page_index::changed(transaction, (newest, image.hash.as_bytes()))?;
                }
                Ok::<_, DatabaseError>(())
            });
            written.await?;
            self.changed();
        }
    }

    async fn complete_some(
        &self,
        images: &[StoredImage],
        failed: &mut HashSet<ImageHash>,
    ) -> Result<(), ImagesError> {
        let mut in_a_row = 0;
        for image in images {
            while !self.0.workers.is_idle() {
                sleep(WAIT).await;
            }
            let began = Instant::now();
            match self.complete(*image).await {
                Ok(()) => in_a_row = 0,
                Err(error @ ImagesError::Database(_)) => return Err(error),
                Err(error) => {
                    failed.insert(image.hash);
                    in_a_row += 1;
                    if in_a_row == FAILED_IN_A_ROW {
                        return Err(error);
                    }
                    tracing::warn!(hash = %image.hash, %error, "an image has no preview yet");
                }
            }
            let pause = began.elapsed() * PAUSE;
            sleep(match image.place {
                StorageKind::Disk => pause,
                _ => pause.max(REMOTE_PAUSE),
            })
            .await;
        }
        Ok(())
    }

    async fn complete(&self, image: StoredImage) -> Result<(), ImagesError> {
        let stored = self.0.storage.at(image.place)?;
        let preview = match stored.get(ObjectName::image(image.hash)).await {
            Ok(webp) => {
                let options = self.convert_options();
                let work = move |memory: &mut Reservation| {
                    memory.change_to(convert::inspect(&webp, &options)?.memory)?;
                    convert::preview(&webp)
                };
                self.0.workers.work_in_steps(image.size, work).await
            }
            Err(StorageError::Missing(what)) => Err(ConvertError::Invalid(what)),
            Err(error) => return Err(error.into()),
        };
        if let Err(error) = &preview {
            tracing::warn!(hash = %image.hash, %error, "an image has no preview");
        }
        let preview = preview.ok();
        let written = self.0.database.write(move |transaction| {
            let colour = preview.as_ref().map(|preview| preview.colour);
            let thumbhash = preview.map_or_else(Vec::new, |preview| preview.thumbhash);
            transaction.execute(
                "UPDATE image SET colour = ?2, thumbhash = ?3 WHERE hash = ?1 AND thumbhash IS NULL",
                params![image.hash.as_bytes(), colour, thumbhash],
            )?;
            Ok::<_, DatabaseError>(())
        });
        Ok(written.await?)
    }
}
