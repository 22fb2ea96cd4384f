//! Sends one file to a target: read → known there? → stored → confirmed. Every upload goes through
//! it: those of the queue, of `porchlight upload` and of editors.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;

use super::kind;
use super::ledger::Ledger;
use crate::http::client::{Added, ClientError, SourceLookup};
use crate::state::State;
use crate::uploads::opened::Opened;
use crate::uploads::target::{Source, Target, UploadError};

impl Source {
    /// An open file; its type and its name are those of `path`.
    pub(crate) fn new(opened: Opened, path: Option<&Path>) -> Self {
        let name = path.and_then(Path::file_name);
        Self {
            opened,
            content_type: path.and_then(kind::by_name).unwrap_or(kind::UNKNOWN),
            name: name.map(|name| name.to_string_lossy().into_owned()),
            sent: Arc::new(|_| {}),
        }
    }
}

#[derive(Debug, Clone)]
pub enum UploadFile {
    File(PathBuf),
    Bytes(Bytes),
}

impl UploadFile {
    /// Opens it; links are followed. Blocks.
    ///
    /// # Errors
    /// When it cannot be opened, or is no regular file.
    pub(crate) fn open(self) -> io::Result<Source> {
        Ok(match self {
            Self::File(file) => Source::new(Opened::named(&file)?, Some(&file)),
            Self::Bytes(bytes) => Source::new(Opened::in_memory(bytes), None),
        })
    }
}

/// An upload that succeeded: the target has the image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadOutcome {
    pub hash: String,
    pub already_there: bool,
    /// The SHA-256 of the source.
    pub sha256: [u8; 32],
    /// The bytes of the image there, when that is known.
    pub stored_bytes: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum EarlierUploads<'a> {
    /// The target, which is asked.
    Target,
    /// This machine.
    Ledger(&'a Arc<Ledger>),
    /// Nothing; the target may notice them itself.
    Nothing,
}

/// Sends files to one target. Shared by all uploads to it.
pub(crate) struct Sender {
    target: Target,
    /// The same bytes under two names are sent once: the second waits.
    under_way: State<HashSet<[u8; 32]>>,
}

impl Sender {
    pub(crate) fn new(target: Target) -> Self {
        Self {
            target,
            under_way: State::default(),
        }
    }

    pub(crate) fn target(&self) -> &Target {
        &self.target
    }

    /// One attempt. It asks first each time: an attempt whose response was lost may have succeeded.
    /// The caller compares the version of the file before and after.
    ///
    /// # Errors
    /// See [`UploadError`].
    pub(crate) async fn send(
        &self,
        source: Source,
        earlier: EarlierUploads<'_>,
    ) -> Result<UploadOutcome, UploadError> {
        let opened = source.opened.clone();
        if opened.file_version().bytes == 0 {
            return Err(UploadError::Empty);
        }
        let received = self.target.receive(source).await?;
        let sha256 = received.sha256();
        let _turn = self.turn(sha256).await;
        let outcome = |hash, already_there, stored_bytes| UploadOutcome {
            hash,
            already_there,
            sha256,
            stored_bytes,
        };
        if let Some(hash) = self.known(sha256, earlier).await? {
            return Ok(outcome(hash, true, None));
        }
        let stored = match received.store().await? {
            Added::Stored { hash, size } => outcome(hash, false, size),
            Added::AlreadyThere { hash } => outcome(hash, true, None),
        };
        match earlier {
            // What was sent is what was hashed, unless it was written to.
            EarlierUploads::Ledger(ledger) if opened.is_unchanged() => {
                let (ledger, hash) = (Arc::clone(ledger), stored.hash.clone());
                let added = tokio::task::spawn_blocking(move || ledger.add(sha256, &hash)).await;
                let added = added.map_err(io::Error::other).flatten();
                added.map_err(UploadError::Ledger)?;
            }
            _ => {}
        }
        Ok(stored)
    }

    /// The hash of the image at the target, if the target has it. An image that was uploaded before
    /// may have been deleted since.
    async fn known(
        &self,
        sha256: [u8; 32],
        earlier: EarlierUploads<'_>,
    ) -> Result<Option<String>, ClientError> {
        let remembered = match earlier {
            EarlierUploads::Nothing => None,
            EarlierUploads::Ledger(ledger) => ledger.find(&sha256),
            EarlierUploads::Target => match self.target.look_up(sha256).await? {
                SourceLookup::Stored { hash } => return Ok(Some(hash)),
                SourceLookup::Unknown | SourceLookup::NotOffered => None,
            },
        };
        match remembered {
            Some(hash) if self.target.has_image(&hash).await? => Ok(Some(hash)),
            _ => Ok(None),
        }
    }

    /// Waits until no other upload of the same bytes is under way.
    async fn turn(&self, sha256: [u8; 32]) -> Turn<'_> {
        let mut others = self.under_way.reader();
        loop {
            let entered = self.under_way.update(|under_way| under_way.insert(sha256));
            // The channel lives as long as this.
            if entered || others.changed().await.is_err() {
                return Turn {
                    under_way: &self.under_way,
                    sha256,
                };
            }
        }
    }
}

/// Held while the bytes are being uploaded.
struct Turn<'s> {
    under_way: &'s State<HashSet<[u8; 32]>>,
    sha256: [u8; 32],
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.under_way
            .update(|under_way| under_way.remove(&self.sha256));
    }
}
