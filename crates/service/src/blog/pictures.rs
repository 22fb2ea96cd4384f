//! Brings the pictures of a plan here, through the upload queue.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::plan::{Plan, Source, Stored};
use super::{Inner, foreign};
use crate::error::message::Message;
use crate::files;
use crate::http::fetch::Fetcher;
use crate::state::progress::Progress;
use crate::uploads::UploadFile;
use crate::uploads::awaited::{NotUploaded, ToUpload};

/// Pictures that are in the queue at once: few, so that others get their turn.
const AT_ONCE: usize = 16;
/// Downloads at once.
const DOWNLOADS: usize = 4;
/// How often a cancellation is looked for.
const LOOK: Duration = Duration::from_millis(500);

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
        let has_web = plan
            .sources
            .iter()
            .any(|source| matches!(source, Source::Web(_)));
        let fetcher = has_web.then(foreign::fetcher).transpose()?;
        let downloads = self.journals.join("downloads");
        // Those of a run that was killed.
        let _ = std::fs::remove_dir_all(&downloads);
        let turns = Semaphore::new(DOWNLOADS);
        let (mut arrived, mut stopped) = (Arrived::default(), None);
        let (mut waiting, mut running) = (plan.sources.iter().enumerate(), FuturesUnordered::new());
        loop {
            while running.len() < AT_ONCE && stopped.is_none() {
                let Some((number, source)) = waiting.next() else {
                    break;
                };
                let folder = downloads.join(number.to_string());
                let fetcher = fetcher.as_ref().zip(Some(&turns));
                running.push(self.bring_one(plan, source, fetcher, folder));
            }
            let done = (arrived.stored.len() + arrived.failed.len()) as u64;
            progress(done, plan.sources.len() as u64)?;
            // What is in the queue is uploaded, also when this function does not wait for it any more.
            let Ok(next) = timeout(LOOK, running.next()).await else {
                continue;
            };
            let Some((source, brought)) = next else {
                break;
            };
            match brought {
                Ok((stored, is_new)) => {
                    arrived.new += usize::from(is_new);
                    arrived.stored.insert(source.clone(), stored);
                }
                Err(NotUploaded { why, is_final }) if is_final => {
                    arrived.failed.insert(source.clone(), why);
                }
                Err(NotUploaded { why, .. }) => {
                    stopped = Some(crate::detail!(
                        "nothing is uploaded: {why}. No post was changed; run it again once that is over"
                    ));
                }
            }
        }
        let _ = std::fs::remove_dir_all(&downloads);
        stopped.map_or(Ok(arrived), Err)
    }

    /// Brings one here; what is elsewhere is downloaded into `folder`, which goes again.
    async fn bring_one<'a>(
        &self,
        plan: &Plan,
        source: &'a Source,
        fetcher: Option<(&Fetcher, &Semaphore)>,
        folder: PathBuf,
    ) -> (&'a Source, Result<(Stored, bool), NotUploaded>) {
        let file = match (source, fetcher) {
            (Source::Web(url), Some((fetcher, turns))) => {
                let _turn = turns.acquire().await;
                let longest = self.uploads.own().images.settings().max_upload_bytes;
                foreign::download(fetcher, url, &folder, longest).await
            }
            (Source::File(file) | Source::Web(file), _) => inside(&plan.root, file),
        };
        let brought = match file {
            Ok(file) => self.upload(UploadFile::File(file)).await,
            Err(why) => Err(refused(why)),
        };
        let _ = std::fs::remove_dir_all(&folder);
        (source, brought)
    }

    /// The image of a file, and whether it is new.
    async fn upload(&self, file: UploadFile) -> Result<(Stored, bool), NotUploaded> {
        let uploaded = self
            .uploads
            .upload_awaited(ToUpload::Named(file), false)
            .await?;
        let image = self.uploads.own().images.find(uploaded.hash).await?;
        let deleted = || refused(crate::detail!("it was deleted meanwhile"));
        let image = image.ok_or_else(deleted)?;
        let size = (image.width, image.height);
        let hash = image.hash;
        Ok((Stored { hash, size }, uploaded.is_new))
    }
}

/// The path of a file that is still in the folder, without links.
fn inside(root: &Path, file: &str) -> Result<PathBuf, Message> {
    let path = root.join(file);
    match files::full_path(&path)? == path && path.is_file() {
        true => Ok(path),
        false => Err(crate::detail!("it leads elsewhere now")),
    }
}

fn refused(why: Message) -> NotUploaded {
    let is_final = true;
    NotUploaded { why, is_final }
}
