//! Brings the pictures of a plan here, through the upload queue.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use tokio::time::timeout;

use super::plan::Plan;
use super::reference::Target;
use super::{Inner, foreign};
use crate::error::message::Message;
use crate::files;
use crate::http::fetch::Fetcher;
use crate::images::StoredImage;
use crate::state::progress::Progress;
use crate::uploads::UploadFile;
use crate::uploads::awaited::{NotUploaded, ToUpload};

/// Pictures that are in the queue or downloaded at once: few, so that others get their turn.
const AT_ONCE: usize = 8;
/// How often a cancellation is looked for.
const LOOK: Duration = Duration::from_millis(500);

/// The images of a plan and whether each was not here before, or why they did not come.
pub(super) type Arrived = HashMap<Target, Result<(StoredImage, bool), Message>>;

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
        let is_web = |source: &Target| matches!(source, Target::Foreign { .. });
        let has_web = plan.sources.iter().any(is_web);
        let fetcher = has_web.then(foreign::fetcher).transpose()?;
        let downloads = self.journals.join("downloads");
        // Those of a run that was killed or cancelled.
        let _ = std::fs::remove_dir_all(&downloads);
        let bring = |(number, source): (usize, Target)| {
            let folder = downloads.join(number.to_string());
            let fetcher = fetcher.as_ref();
            async move {
                let picture = self.bring_one(plan, &source, fetcher, folder).await;
                (source, picture)
            }
        };
        let sources = stream::iter(plan.sources.clone().into_iter().enumerate());
        let mut brought = sources.map(bring).buffer_unordered(AT_ONCE);
        let mut arrived = Arrived::new();
        loop {
            progress(arrived.len() as u64, plan.sources.len() as u64)?;
            // What is in the queue is uploaded, also when this function does not wait for it any more.
            let Ok(next) = timeout(LOOK, brought.next()).await else {
                continue;
            };
            let (source, picture) = match next {
                Some((
                    _,
                    Err(NotUploaded {
                        why,
                        is_final: false,
                    }),
                )) => {
                    return Err(crate::detail!(
                        "nothing is uploaded: {why}. No post was changed; run it again once that is over"
                    ));
                }
                Some((source, picture)) => (source, picture.map_err(|refused| refused.why)),
                None => break,
            };
            arrived.insert(source, picture);
        }
        let _ = std::fs::remove_dir_all(&downloads);
        Ok(arrived)
    }

    /// Brings one here; what is elsewhere is downloaded into `folder`, which goes again.
    async fn bring_one(
        &self,
        plan: &Plan,
        source: &Target,
        fetcher: Option<&Fetcher>,
        folder: PathBuf,
    ) -> Result<(StoredImage, bool), NotUploaded> {
        let images = &self.uploads.own().images;
        let refused = |why| NotUploaded {
            why,
            is_final: true,
        };
        let brought = async {
            let file = match (source, fetcher) {
                (Target::Foreign { url, .. }, Some(fetcher)) => {
                    let longest = images.settings().max_upload_bytes;
                    foreign::download(fetcher, url, &folder, longest).await
                }
                (Target::Local { picture }, _) => inside(plan.site.path(picture)),
                _ => Err(crate::detail!("it is no picture that can be brought here")),
            };
            let file = ToUpload::Named(UploadFile::File(file.map_err(refused)?));
            self.uploads.upload_awaited(file, false).await
        };
        let brought = brought.await;
        let _ = std::fs::remove_dir_all(&folder);
        let brought = brought?;
        let image = images.find(brought.hash).await?;
        let image = image.ok_or_else(|| refused(crate::detail!("it was deleted meanwhile")))?;
        Ok((image, brought.is_new))
    }
}

/// A file that is still in the folder, without links.
fn inside(path: PathBuf) -> Result<PathBuf, Message> {
    match files::full_path(&path)? == path && path.is_file() {
        true => Ok(path),
        false => Err(crate::detail!("it leads elsewhere now")),
    }
}
