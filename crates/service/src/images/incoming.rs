//! An upload in progress: written to a file as it arrives, so that many slow
//! uploads need no memory, and hashed on the way.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use tokio::fs::File;
use tokio::io::AsyncWriteExt as _;

use super::{IngestError, names};
use crate::error::message::is_full;

/// The folder of uploads in progress; emptied at every start.
#[derive(Clone)]
pub(super) struct IncomingFolder {
    folder: PathBuf,
    next: Arc<AtomicU64>,
}

impl IncomingFolder {
    pub(super) fn open(data_folder: &Path) -> io::Result<Self> {
        let folder = data_folder.join("incoming");
        fs::create_dir_all(&folder)?;
        crate::storage::sweep(&folder)?;
        Ok(Self {
            folder,
            next: Arc::default(),
        })
    }

    /// Starts an upload of at most `limit` bytes.
    pub(super) async fn start(&self, limit: u64) -> Result<Incoming, IngestError> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(number.to_string());
        let file = File::create_new(&path)
            .await
            .map_err(|error| trouble(&path, &error))?;
        Ok(Incoming {
            source: SourceFile { path },
            file,
            digest: Sha256::new(),
            size: 0,
            limit,
            name: None,
            album: None,
        })
    }
}

/// An upload in progress. Dropped before [`Incoming::finish`], it leaves
/// nothing behind.
pub struct Incoming {
    source: SourceFile,
    file: File,
    digest: Sha256,
    size: u64,
    limit: u64,
    name: Option<String>,
    album: Option<String>,
}

/// A complete upload.
pub(super) struct Source {
    pub(super) file: SourceFile,
    pub(super) digest: [u8; 32],
    pub(super) size: u64,
    /// That of its file, cleaned.
    pub(super) name: Option<String>,
    pub(super) album: Option<String>,
}

/// The file of an upload; removed on drop of its last reference.
pub(super) struct SourceFile {
    path: PathBuf,
}

impl SourceFile {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for SourceFile {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(path = %self.path.display(), %error, "an upload's file stays until the next start");
        }
    }
}

impl Incoming {
    /// Writes the next bytes.
    ///
    /// # Errors
    /// [`IngestError::TooLarge`] beyond the limit, and errors of the disk.
    pub async fn write(&mut self, chunk: &Bytes) -> Result<(), IngestError> {
        self.size += chunk.len() as u64;
        if self.size > self.limit {
            return Err(IngestError::TooLarge);
        }
        self.digest.update(chunk);
        self.file
            .write_all(chunk)
            .await
            .map_err(|error| trouble(&self.source.path, &error))
    }

    /// What its file is called, with or without folders. The image gets the name if it is new.
    pub fn set_file_name(&mut self, file: &str) {
        self.name = names::of_file(file);
    }

    /// The album that the image gets if it is new, as [`crate::text::album`] cleans it.
    pub fn set_album(&mut self, album: Option<String>) {
        self.album = album;
    }

    /// The SHA-256 of the bytes so far.
    #[must_use]
    pub fn sha256(&self) -> [u8; 32] {
        self.digest.clone().finalize().into()
    }

    /// Bytes so far.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Forces its bytes to the disk, and has `moved` move its file, on a thread that may block.
    ///
    /// # Errors
    /// When they cannot be written, and those of `moved`.
    pub(crate) async fn move_by<T: Send + 'static>(
        mut self,
        moved: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        self.file.flush().await?;
        self.file.sync_all().await?;
        let (source, file) = (self.source, self.file.into_std().await);
        let moved = tokio::task::spawn_blocking(move || {
            // Windows moves no open file.
            drop(file);
            moved(&source.path)
        });
        moved.await.map_err(io::Error::other)?
    }

    pub(super) async fn finish(mut self) -> Result<Source, IngestError> {
        self.file
            .flush()
            .await
            .map_err(|error| trouble(&self.source.path, &error))?;
        Ok(Source {
            file: self.source,
            digest: self.digest.finalize().into(),
            size: self.size,
            name: self.name,
            album: self.album,
        })
    }
}

fn trouble(path: &Path, error: &io::Error) -> IngestError {
    let why = format!("cannot write {}: {error}", path.display()).into();
    match is_full(error) {
        true => IngestError::StorageFull(why),
        false => IngestError::Storage(why),
    }
}
