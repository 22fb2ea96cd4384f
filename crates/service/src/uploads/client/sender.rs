//! Sends one file to a service over HTTP: hashed → known there? → stored → confirmed.

use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::sync::Arc;

use tokio::task::spawn_blocking;

use super::UploadError;
use super::ledger::Ledger;
use crate::http::client::{Added, Client, ClientError, SourceLookup};
use crate::state::State;
use crate::uploads::send::Source;

/// An upload that succeeded: the service has the image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) hash: String,
    pub(super) already_there: bool,
    /// The bytes of the image there, when that is known.
    pub(super) stored_bytes: Option<u64>,
}

/// Sends files to one service. Shared by all uploads to it.
pub(super) struct Sender {
    pub(super) client: Client,
    /// For a service that cannot be queried for its images.
    pub(super) ledger: Option<Arc<Ledger>>,
    /// The album that new images get.
    pub(super) album: Option<String>,
    /// The same bytes under two names are sent once: the second waits.
    pub(super) under_way: State<HashSet<[u8; 32]>>,
}

impl Sender {
    /// One attempt with a file of this declared type. It asks first each time: an attempt whose
    /// response was lost may have succeeded.
    ///
    /// # Errors
    /// See [`UploadError`].
    pub(super) async fn send(
        &self,
        mut source: Source,
        content_type: &'static str,
    ) -> Result<Outcome, UploadError> {
        let length = source.opened.file_version().bytes;
        if length == 0 {
            return Err(UploadError::Empty);
        }
        let hashed = spawn_blocking(move || source.opened.sha256().map(|sha256| (sha256, source)));
        let (sha256, source) = hashed.await.map_err(io::Error::other)??;
        let _turn = self.turn(sha256).await;
        let outcome = |hash, already_there, stored_bytes| Outcome {
            hash,
            already_there,
            stored_bytes,
        };
        if let Some(hash) = self.known(sha256).await? {
            return Ok(outcome(hash, true, None));
        }
        let (name, album) = (source.name.as_deref().map(Path::new), self.album.as_deref());
        let added = self
            .client
            .add_image(source.bytes(), length, content_type, name, album);
        let stored = match added.await? {
            Added::Stored { hash, size } => outcome(hash, false, size),
            Added::AlreadyThere { hash } => outcome(hash, true, None),
        };
        // What was sent is what was hashed, unless it was written to.
        if let Some(ledger) = &self.ledger
            && source.opened.is_unchanged()
        {
            let (ledger, hash) = (Arc::clone(ledger), stored.hash.clone());
            let added = spawn_blocking(move || ledger.add(sha256, &hash)).await;
            let added = added.map_err(io::Error::other).flatten();
            added.map_err(UploadError::Ledger)?;
        }
        Ok(stored)
    }

    /// The hash of the image at the service, if the service has it. An image that was uploaded before
    /// may have been deleted since.
    async fn known(&self, sha256: [u8; 32]) -> Result<Option<String>, ClientError> {
        let Some(ledger) = &self.ledger else {
            return Ok(match self.client.find_source(&sha256).await? {
                SourceLookup::Stored { hash } => Some(hash),
                SourceLookup::Unknown | SourceLookup::NotOffered => None,
            });
        };
        match ledger.find(&sha256) {
            Some(hash) if self.client.has_image(&hash).await? => Ok(Some(hash)),
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
