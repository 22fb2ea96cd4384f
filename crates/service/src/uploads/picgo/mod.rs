//! What editors and screenshot tools upload that know PicGo: files by their paths, and the images on the
//! clipboard. `router::routes::picgo` answers them.

mod deletions;
mod paths;
pub mod settings;

use std::io;
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
use super::UploadFile;
use super::opened::Opened;
use super::send::{OwnImages, SendError, Sent, Source};
use crate::error::message::Message;

/// How long the clipboard is waited for.
const CLIPBOARD_WITHIN: Duration = Duration::from_secs(10);

/// The images on the clipboard.
pub type Clipboard = Arc<dyn Fn() -> Result<Vec<UploadFile>, Message> + Send + Sync>;

/// What the routes of editors need.
pub struct PicGo {
    own: OwnImages,
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
        own: OwnImages,
        secret: Option<SecretString>,
        clipboard: Clipboard,
        deletions: Option<Deletions>,
    ) -> Self {
        Self {
            own,
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
        &self.own
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

    /// Uploads a picture. It goes to the images at once and not through the queue: the caller waits for
    /// its address.
    ///
    /// # Errors
    /// What is answered. For a file on this machine it is the same for every reason, so that a caller
    /// cannot find out which files exist.
    pub(crate) async fn send(&self, picture: UploadFile) -> Result<Sent, String> {
        let file: Option<PathBuf> = match &picture {
            UploadFile::File(file) => Some(file.clone()),
            UploadFile::Bytes(_) => None,
        };
        let sent = async {
            let source = tokio::task::spawn_blocking(|| open(picture)).await;
            self.own.send(source.map_err(io::Error::other)??).await
        };
        sent.await.map_err(|error| match file {
            Some(file) => {
                tracing::warn!("an upload of an editor failed: {file:?}: {error}");
                // Escaped: a name can contain invisible and bidirectional characters.
                format!("{file:?} was not uploaded: Porchlight's log says why")
            }
            None => not_uploaded(&error),
        })
    }
}

/// Why bytes were not uploaded.
pub(crate) fn not_uploaded(error: &SendError) -> String {
    tracing::warn!("an upload of an editor failed: {error}");
    format!("the picture was not uploaded: {error}")
}

/// Opens it; links are followed. Blocks.
///
/// # Errors
/// When it cannot be opened, or is no regular file.
fn open(picture: UploadFile) -> io::Result<Source> {
    Ok(match picture {
        UploadFile::File(file) => Source::new(Opened::named(&file)?, Some(&file)),
        UploadFile::Bytes(bytes) => Source::new(Opened::in_memory(bytes), None),
    })
}
