//! Brings the pictures of a plan here, through the upload queue.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use tokio::time::timeout;

use super::plan::{Plan, Source, Stored};
use super::{Inner, foreign};
use crate::db::DatabaseError;
use crate::error::message::Message;
use crate::files::private_files;
use crate::http::fetch::Fetcher;
use crate::state::progress::Progress;
use crate::text::image_hash::ImageHash;
use crate::uploads::UploadFile;
use crate::uploads::window::{Upload, UploadState, UploadTrouble};

/// Files that are in the queue at once: few, so that others get their turn and little is known of each.
const AT_ONCE: usize = 16;
/// Downloads at once.
const DOWNLOADS: usize = 4;
/// How long these may be in the queue, behind what others have put there.
const WITHIN: Duration = Duration::from_secs(10 * 60);

/// The pictures of a plan.
#[derive(Default)]
pub(super) struct Arrived {
    pub(super) stored: HashMap<Source, Stored>,
    pub(super) failed: HashMap<Source, Message>,
    /// How many of the stored were not here before.
    pub(super) new: usize,
}

impl Inner {
    /// Uploads the files of a plan and downloads what is elsewhere. What fails is in the result.
    ///
    /// # Errors
    /// When the owner cancels it, or nothing can be stored.
    pub(super) async fn bring(
        &self,
        plan: &Plan,
        progress: Progress<'_>,
    ) -> Result<Arrived, Message> {
        let mut arrived = Arrived::default();
        let sources: Vec<&Source> = plan.sources.iter().collect();
        let is_elsewhere = |source: &&Source| matches!(source, Source::Web(_));
        let fetcher = match sources.iter().any(is_elsewhere) {
            true => Some(foreign::fetcher()?),
            false => None,
        };
        let downloads = self.journals.join("downloads");
        // Those of a run that was killed.
        let _ = std::fs::remove_dir_all(&downloads);
        for batch in sources.chunks(AT_ONCE) {
            let waiting = batch.iter().enumerate().map(|(number, source)| {
                let folder = downloads.join(number.to_string());
                self.file_of(plan, source, fetcher.as_ref(), folder)
            });
            let waiting: Vec<_> = waiting.collect();
            let ready = stream::iter(waiting).buffered(DOWNLOADS);
            let ready: Vec<Result<PathBuf, Message>> = ready.collect().await;
            let mut files = Vec::new();
            for (source, file) in batch.iter().zip(ready) {
                match file {
                    Ok(file) => files.push(((*source).clone(), file)),
                    Err(why) => drop(arrived.failed.insert((*source).clone(), why)),
                }
            }
            let uploaded = self.upload(files, &mut arrived).await;
            let _ = std::fs::remove_dir_all(&downloads);
            uploaded?;
            let done = arrived.stored.len() + arrived.failed.len();
            progress(done as u64, sources.len() as u64)?;
        }
        Ok(arrived)
    }

    /// The file of a picture; one that is elsewhere is downloaded into `folder`.
    async fn file_of(
        &self,
        plan: &Plan,
        source: &Source,
        fetcher: Option<&Fetcher>,
        folder: PathBuf,
    ) -> Result<PathBuf, Message> {
        match (source, fetcher) {
            (Source::Web(url), Some(fetcher)) => {
                private_files::make_folder(&folder)?;
                let longest = self.uploads.own().images.settings().max_upload_bytes;
                foreign::download(fetcher, url, &folder, longest).await
            }
            (Source::File(file) | Source::Web(file), _) => inside(&plan.root, file),
        }
    }

    async fn upload(
        &self,
        files: Vec<(Source, PathBuf)>,
        arrived: &mut Arrived,
    ) -> Result<(), Message> {
        let taken = files.iter().map(|(_, file)| UploadFile::File(file.clone()));
        let ids = self.uploads.take(taken.collect()).await;
        if ids.len() != files.len() {
            return Err(crate::detail!(
                "the upload queue could not be written: the log says why"
            ));
        }
        let mut ended: HashMap<u32, Upload> = self
            .ended(&ids)
            .await?
            .into_iter()
            .map(|row| (row.id, row))
            .collect();
        for ((source, file), id) in files.into_iter().zip(ids) {
            // A folder in the place of a file would have been taken for the files in it.
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let row = ended.remove(&id).filter(|row| row.name == name);
            let progress = row.map(|row| row.progress);
            let is_new = matches!(progress, Some(UploadState::Done { .. }));
            let stored = match progress {
                Some(UploadState::Done { hash, .. } | UploadState::Duplicate { hash, .. }) => {
                    let stored = self.stored(hash).await?;
                    stored.ok_or_else(|| crate::detail!("it was deleted meanwhile"))
                }
                Some(UploadState::Failed { trouble }) => Err(reason(trouble)),
                _ => Err(crate::detail!("it was taken off the list of uploads")),
            };
            match stored {
                Ok(stored) => {
                    arrived.new += usize::from(is_new);
                    arrived.stored.insert(source, stored);
                }
                Err(why) => drop(arrived.failed.insert(source, why)),
            }
        }
        Ok(())
    }

    async fn stored(&self, hash: ImageHash) -> Result<Option<Stored>, DatabaseError> {
        let image = self.uploads.own().images.find(hash).await?;
        Ok(image.map(|image| Stored {
            hash: image.hash,
            size: (image.width, image.height),
        }))
    }

    /// Waits until these are uploaded.
    ///
    /// # Errors
    /// Why none of them was, after some minutes. What is in the queue stays there.
    async fn ended(&self, ids: &[u32]) -> Result<Vec<Upload>, Message> {
        if let Ok(ended) = timeout(WITHIN, self.uploads.ended(ids.to_vec())).await {
            return Ok(ended);
        }
        let rows = self.uploads.rows_of(ids).await?;
        let mut reasons = rows.into_iter().filter_map(|row| match row.progress {
            UploadState::Waiting { why } => why,
            _ => None,
        });
        let why = reasons
            .next()
            .unwrap_or_else(|| crate::detail!("it takes too long"));
        Err(crate::detail!(
            "nothing is uploaded: {why}. No post was changed; run it again once that is over"
        ))
    }
}

/// The path of a file that is still in the folder, without links.
fn inside(root: &Path, file: &str) -> Result<PathBuf, Message> {
    let path = root.join(file);
    let full = crate::files::full_path(&path)?;
    match full == path {
        true => Ok(path),
        false => Err(crate::detail!("it leads elsewhere now")),
    }
}

fn reason(trouble: UploadTrouble) -> Message {
    match trouble {
        UploadTrouble::Unreadable => crate::detail!("it cannot be read"),
        UploadTrouble::NotAFile => crate::detail!("it is no file"),
        UploadTrouble::TooLarge => crate::detail!("it is larger than the settings allow"),
        UploadTrouble::NotAPicture => {
            crate::detail!("it is no picture of a format that can be read")
        }
        UploadTrouble::Broken => crate::detail!("it is damaged"),
        UploadTrouble::TooMany | UploadTrouble::Storage => crate::detail!("it could not be stored"),
    }
}
