//! What editors and screenshot tools upload that know PicGo: files by their paths, and the images on the
//! clipboard. `router::routes::picgo` answers them.

mod deletions;
mod paths;
pub mod settings;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;
use tokio::time::timeout;

pub use self::deletions::Deletions;
pub(crate) use self::deletions::UploadedItem;
pub(crate) use self::paths::files_at;
use super::awaited::{Awaited, NotUploaded, ToUpload};
use super::send::OwnImages;
use super::{UploadFile, Uploads};
use crate::error::message::Message;

/// How long the clipboard is waited for.
const CLIPBOARD_WITHIN: Duration = Duration::from_secs(10);

/// The images on the clipboard.
pub type Clipboard = Arc<dyn Fn() -> Result<Vec<UploadFile>, Message> + Send + Sync>;

/// What the routes of editors need.
pub struct PicGo {
    uploads: Uploads,
    /// What callers must send; `None` accepts programs without one.
    secret: Option<SecretString>,
    clipboard: Clipboard,
    clipboard_within: Duration,
    /// For the one thread that reads the clipboard.
    clipboard_turn: Arc<Semaphore>,
    /// `None` where nothing is deleted: without a secret.
    deletions: Option<Deletions>,
}

impl PicGo {
    pub fn new(
        uploads: Uploads,
        secret: Option<SecretString>,
        clipboard: Clipboard,
        deletions: Option<Deletions>,
    ) -> Self {
        Self {
            uploads,
            secret,
            clipboard,
            clipboard_within: CLIPBOARD_WITHIN,
            clipboard_turn: Arc::new(Semaphore::new(1)),
            deletions,
        }
    }

    #[cfg(test)]
    pub(crate) fn with_clipboard_within(mut self, limit: Duration) -> Self {
        self.clipboard_within = limit;
        self
    }

    /// Where it uploads to.
    pub(crate) fn own(&self) -> &OwnImages {
        self.uploads.own()
    }

    pub(crate) fn deletions(&self) -> Option<&Deletions> {
        self.deletions.as_ref()
    }

    /// The secret that callers must send, if there is one.
    pub(crate) fn secret(&self) -> Option<&SecretString> {
        self.secret.as_ref()
    }

    /// Whether one of these is the secret, or none is needed. Digests are compared, so that the time
    /// does not depend on the secret.
    pub(crate) fn admits<'a>(&self, mut sent: impl Iterator<Item = &'a str>) -> bool {
        self.secret.as_ref().is_none_or(|secret| {
            let wanted = Sha256::digest(secret.expose_secret());
            sent.any(|one| Sha256::digest(one) == wanted)
        })
    }

    /// What is on the clipboard.
    ///
    /// # Errors
    /// Why there is nothing, in a sentence.
    pub(crate) async fn clipboard(&self) -> Result<Vec<UploadFile>, String> {
        let clipboard = Arc::clone(&self.clipboard);
        let turn = Arc::clone(&self.clipboard_turn).acquire_owned();
        // The program that the clipboard's content belongs to may never answer.
        let read = timeout(self.clipboard_within, async {
            let turn = turn.await;
            let read = tokio::task::spawn_blocking(move || {
                // Held even when the request is cancelled: no second thread waits.
                let _turn = turn;
                clipboard().map_err(|why| why.to_string())
            });
            read.await.map_err(|error| error.to_string())?
        });
        let too_late = |_| Err("the clipboard could not be read in time".to_owned());
        read.await.unwrap_or_else(too_late)
    }

    /// Uploads a picture through the queue, before all that wait.
    ///
    /// # Errors
    /// What is answered. For a file on this machine it is the same for every reason, so that a caller
    /// cannot find out which files exist.
    pub(crate) async fn send(&self, picture: ToUpload) -> Result<Awaited, String> {
        let file: Option<PathBuf> = match &picture {
            ToUpload::Named(UploadFile::File(file)) => Some(file.clone()),
            _ => None,
        };
        let sent = match &file {
            // A folder would be all of its files.
            Some(file) if !tokio::fs::metadata(file).await.is_ok_and(|it| it.is_file()) => {
                Err(crate::detail!("it is no file, or is not there").into())
            }
            _ => self.uploads.upload_awaited(picture, true).await,
        };
        sent.map_err(|NotUploaded { why, .. }| match file {
            Some(file) => {
                tracing::warn!("an upload of an editor failed: {file:?}: {why}");
                // Escaped: a name can contain invisible and bidirectional characters.
                format!("{file:?} was not uploaded: Porchlight's log says why")
            }
            None => {
                tracing::warn!("an upload of an editor failed: {why}");
                format!("the picture was not uploaded: {why}")
            }
        })
    }
}
