//! Uploads that somebody waits for: an editor needs the address in its answer.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::timeout;

use super::table::State;
use super::window::{UploadState, UploadTrouble};
use super::{UploadFile, Uploads};
use crate::error::message::Message;
use crate::files;
use crate::images::Incoming;
use crate::state::StateReader;
use crate::state::detach::run_to_completion;
use crate::text::image_hash::ImageHash;

/// How long the caller of one that goes first waits at most.
const LONGEST: Duration = Duration::from_secs(300);

/// The image of an upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Awaited {
    pub(crate) hash: ImageHash,
    pub(crate) is_new: bool,
}

/// Why an upload did not become an image.
#[derive(Debug)]
pub(crate) struct NotUploaded {
    pub(crate) why: Message,
    /// It never will; otherwise none can be stored now.
    pub(crate) is_final: bool,
}

impl<E: Into<Message>> From<E> for NotUploaded {
    fn from(error: E) -> Self {
        let (why, is_final) = (error.into(), false);
        Self { why, is_final }
    }
}

pub(crate) type Outcome = Result<Awaited, NotUploaded>;

/// What somebody waits for.
pub(crate) enum ToUpload {
    Named(UploadFile),
    /// A part of a form.
    Arrived(Box<Incoming>),
}

impl Uploads {
    /// Uploads this one, behind all that wait or before them. What cannot be uploaded now is taken out of
    /// the queue: the caller gets the reason, and sends it again.
    ///
    /// # Errors
    /// Why it is no image, or none yet.
    pub(crate) async fn upload_awaited(&self, what: ToUpload, go_first: bool) -> Outcome {
        // Subscribed before reading: a change in between is not missed.
        let mut changed = self.changes();
        let uploads = self.clone();
        // Also for a caller who is gone: a file without a row would be uploaded at the next start.
        let joined = run_to_completion(async move {
            let source = match what {
                ToUpload::Named(source) => source,
                ToUpload::Arrived(arrived) => UploadFile::Kept(uploads.keep(*arrived).await?),
            };
            Ok::<_, io::Error>(uploads.join(None, vec![source], go_first).await)
        });
        let [id] = joined.await?[..] else {
            return refused(crate::detail!("it could not be read"));
        };
        let longest = if go_first { LONGEST } else { Duration::MAX };
        let ended = timeout(longest, self.outcome_of(id, &mut changed)).await;
        ended.unwrap_or_else(|_| Err(crate::detail!("it takes too long, and goes on").into()))
    }

    /// Keeps what has arrived until it is uploaded; its file.
    async fn keep(&self, arrived: Incoming) -> io::Result<PathBuf> {
        let pasted = self.0.pasted.clone();
        let kept = move |arrived: &Path| {
            let file = pasted.new_file()?;
            files::rename(arrived, &file)?;
            pasted.sync().map(|()| file)
        };
        arrived.move_by(kept).await
    }

    async fn outcome_of(&self, id: u32, changed: &mut StateReader<()>) -> Outcome {
        loop {
            // Its row and its file are not settled before.
            let is_under_way = || self.in_progress().contains(&i64::from(id));
            if !is_under_way() {
                let image = |hash, is_new| Ok(Awaited { hash, is_new });
                let row = self.rows_of(&[id]).await?.pop();
                match row.map(|row| row.progress) {
                    Some(UploadState::Done { hash, .. }) => return image(hash, true),
                    Some(UploadState::Duplicate { hash, .. }) => return image(hash, false),
                    Some(UploadState::Failed { trouble }) => {
                        self.0.not_queued.lock().remove(&id);
                        self.forget(State::Failed, Some(vec![i64::from(id)]))
                            .await?;
                        self.0.work.notify_one();
                        self.changed();
                        return refused(reason(trouble));
                    }
                    Some(UploadState::Waiting { why: Some(why) }) => {
                        self.cancel(Some(id)).await?;
                        if !is_under_way() {
                            return Err(why.into());
                        }
                    }
                    Some(UploadState::Waiting { why: None } | UploadState::Working { .. }) => {}
                    None => return refused(crate::detail!("it was cancelled in the window")),
                }
            }
            if changed.changed().await.is_err() {
                return Err(crate::detail!("Porchlight ends").into());
            }
        }
    }
}

fn refused(why: Message) -> Outcome {
    let is_final = true;
    Err(NotUploaded { why, is_final })
}

fn reason(trouble: UploadTrouble) -> Message {
    match trouble {
        UploadTrouble::TooLarge => crate::detail!("it has more bytes or pixels than are allowed"),
        UploadTrouble::NotAPicture => crate::detail!("it is not a picture that is read here"),
        UploadTrouble::Broken => crate::detail!("the picture is broken"),
        _ => crate::detail!("it could not be read or stored"),
    }
}
