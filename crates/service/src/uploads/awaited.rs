//! Uploads that somebody waits for: an editor needs the address in its answer.

use std::io;

use super::table::State;
use super::window::{UploadState, UploadTrouble};
use super::{UploadFile, Uploads};
use crate::error::message::Message;
use crate::images::Incoming;
use crate::text::image_hash::ImageHash;

/// The image of an upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Awaited {
    pub(crate) hash: ImageHash,
    pub(crate) already_there: bool,
}

impl Uploads {
    /// Keeps what has arrived until it is uploaded.
    ///
    /// # Errors
    /// When its file cannot be moved.
    pub(crate) async fn keep(&self, arrived: Incoming) -> io::Result<UploadFile> {
        let file = self.0.pasted.new_file()?;
        arrived.move_to(&file).await?;
        self.0.pasted.sync();
        Ok(UploadFile::Kept(file))
    }

    /// Uploads this one before all that wait. What cannot be uploaded now is taken out of the queue:
    /// whoever waits for it learns why, and sends it again.
    ///
    /// # Errors
    /// Why it is no image.
    pub(crate) async fn upload_awaited(&self, source: UploadFile) -> Result<Awaited, Message> {
        // Subscribed before reading: a change in between is not missed.
        let mut changed = self.changes();
        let joined = self.join(None, vec![source], true);
        let joined = self.0.taking.track_future(joined).await;
        let [id] = joined[..] else {
            return Err(crate::detail!("it could not be read"));
        };
        let ids = vec![i64::from(id)];
        let image = |hash, already_there| Awaited {
            hash,
            already_there,
        };
        loop {
            let row = self.rows_of(&[id]).await?.pop();
            match row.map(|row| row.progress) {
                Some(UploadState::Done { hash, .. }) => return Ok(image(hash, false)),
                Some(UploadState::Duplicate { hash, .. }) => return Ok(image(hash, true)),
                Some(UploadState::Failed { trouble }) => {
                    self.0.not_queued.lock().remove(&id);
                    self.forget(State::Failed, Some(ids)).await?;
                    self.0.work.notify_one();
                    self.changed();
                    return Err(reason(trouble));
                }
                Some(UploadState::Waiting { why: Some(why) }) => {
                    self.cancel(Some(id)).await?;
                    // Unless it is under way again.
                    if self.rows_of(&[id]).await?.is_empty() {
                        return Err(why);
                    }
                }
                Some(UploadState::Waiting { why: None } | UploadState::Working { .. }) => {}
                None => return Err(crate::detail!("it was cancelled in the window")),
            }
            if changed.changed().await.is_err() {
                return Err(crate::detail!("Porchlight ends"));
            }
        }
    }
}

fn reason(trouble: UploadTrouble) -> Message {
    match trouble {
        UploadTrouble::TooLarge => crate::detail!("it has more bytes or pixels than are allowed"),
        UploadTrouble::NotAPicture => crate::detail!("it is not a picture that is read here"),
        UploadTrouble::Broken => crate::detail!("the picture is broken"),
        UploadTrouble::Storage => crate::detail!("it could not be stored"),
        UploadTrouble::Unreadable | UploadTrouble::NotAFile | UploadTrouble::TooMany => {
            crate::detail!("it could not be read")
        }
    }
}
