//! The upload of one image: digest → known there? → sent → recorded.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use porchlight_api::Message;
use porchlight_api::client::{Added, Client, ClientError, SourceLookup};
use porchlight_api::state::State;
use tokio_util::sync::CancellationToken;

use super::ledger::Ledger;
use super::retry::RetryPolicy;
use super::{Event, Found, Stopped};
use crate::opened::Opened;

/// Why a file was not sent, or was rejected.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// It cannot be read.
    #[error("{0}")]
    File(#[from] io::Error),
    /// It is empty.
    #[error("the file is empty")]
    Empty,
    /// The service rejected it.
    #[error(transparent)]
    Service(#[from] ClientError),
    /// It was uploaded, but the next run will not know that.
    #[error("it was taken, but that cannot be written down: {0}")]
    Ledger(io::Error),
    /// Another image's failure stopped the run.
    #[error("it was not tried again, since nothing is any more")]
    Stopped,
}

impl From<&Failure> for Message {
    fn from(failure: &Failure) -> Self {
        match failure {
            Failure::File(error) => error.into(),
            Failure::Empty => Self::FileEmpty,
            Failure::Service(error) => error.into(),
            // Only `porchlight upload` meets these, which prints them.
            Failure::Ledger(_) | Failure::Stopped => Self::text(failure),
        }
    }
}

impl Failure {
    /// Whether there was no answer, or none that can be understood.
    pub(super) fn is_silence(&self) -> bool {
        matches!(
            self,
            Self::Service(
                ClientError::Unreachable { .. }
                    | ClientError::NotUnderstood { .. }
                    | ClientError::NotRunning(_)
            )
        )
    }

    /// Why every other image would fail, too.
    pub(super) fn for_all(&self, silent: bool) -> Option<Stopped> {
        match self {
            Self::Service(ClientError::Refused) => Some(Stopped::Refused),
            Self::Service(
                error @ (ClientError::Token | ClientError::Answered { status: 403, .. }),
            ) => Some(Stopped::Service(error.to_string())),
            Self::Service(error) if silent && self.is_silence() => {
                Some(Stopped::Service(error.to_string()))
            }
            _ => None,
        }
    }
}

/// What remembers the uploads.
#[derive(Debug)]
pub(super) enum Memory {
    /// The service, which can be queried.
    Theirs,
    /// This machine.
    Ours(Arc<Ledger>),
}

/// Uploads images to the service; shared by all workers.
#[derive(Debug)]
pub(super) struct Sender {
    client: Client,
    /// The folder that must contain all files, if one was named.
    folder: Option<PathBuf>,
    memory: Memory,
    retry: RetryPolicy,
    stop: CancellationToken,
    /// The same bytes under two names are sent once: the second waits.
    under_way: State<HashSet<[u8; 32]>>,
}

enum Done {
    Uploaded {
        hash: String,
        bytes: u64,
        stored_bytes: Option<u64>,
    },
    AlreadyThere(String),
}

impl Sender {
    pub(super) fn new(
        client: Client,
        folder: Option<PathBuf>,
        memory: Memory,
        retry: RetryPolicy,
        stop: CancellationToken,
    ) -> Self {
        Self {
            client,
            folder,
            memory,
            retry,
            stop,
            under_way: State::default(),
        }
    }

    /// Whether all uploads have stopped.
    pub(super) fn has_stopped(&self) -> bool {
        self.stop.is_cancelled()
    }

    /// Uploads one file, or skips it.
    pub(super) async fn take(&self, found: Found) -> Event {
        let (file, content_type) = match found {
            Found::Skipped => return Event::Skipped,
            Found::Unreadable { file, cause } => {
                return Event::Failed {
                    file,
                    failure: cause.into(),
                };
            }
            Found::Picture { file, content_type } => (file, content_type),
        };
        match self.bring(&file, content_type).await {
            Ok(Done::Uploaded {
                hash,
                bytes,
                stored_bytes,
            }) => Event::Uploaded {
                file,
                hash,
                bytes,
                stored_bytes,
            },
            Ok(Done::AlreadyThere(hash)) => Event::AlreadyThere { file, hash },
            Err(failure) => Event::Failed { file, failure },
        }
    }

    async fn bring(&self, file: &Path, content_type: &str) -> Result<Done, Failure> {
        let (folder, path) = (self.folder.clone(), file.to_owned());
        let opened = blocking(move || open(folder.as_deref(), &path)).await?;
        let source = Digested::of(opened).await?;
        let _alone = self.alone(source.sha256).await;
        let mut tries = self.retry.tries();
        loop {
            self.retry.quiet_time().await;
            let error = match self.once(file, content_type, &source).await {
                Ok(done) => {
                    self.retry.settled();
                    return Ok(done);
                }
                Err(Failure::Service(error)) => error,
                Err(other) => return Err(other),
            };
            tokio::select! {
                again = tries.again(error) => again?,
                () = self.stop.cancelled() => return Err(Failure::Stopped),
            }
        }
    }

    /// One attempt. It queries first each time: an attempt whose response was
    /// lost may have succeeded.
    async fn once(
        &self,
        file: &Path,
        content_type: &str,
        source: &Digested,
    ) -> Result<Done, Failure> {
        if let Some(hash) = self.known(source).await? {
            return Ok(Done::AlreadyThere(hash));
        }
        let added = send(&self.client, &source.opened, content_type, file).await?;
        // What was sent is what was hashed, unless it was written to.
        if let Memory::Ours(ledger) = &self.memory
            && source.opened.is_unchanged()
        {
            let (Added::Stored { hash, .. } | Added::AlreadyThere { hash }) = &added;
            let (ledger, sha256, hash) = (Arc::clone(ledger), source.sha256, hash.clone());
            blocking(move || ledger.add(sha256, &hash))
                .await
                .map_err(Failure::Ledger)?;
        }
        Ok(match added {
            Added::Stored { hash, size } => Done::Uploaded {
                hash,
                bytes: source.opened.file_version().bytes,
                stored_bytes: size,
            },
            Added::AlreadyThere { hash } => Done::AlreadyThere(hash),
        })
    }

    /// The hash of the image at the service, if the service has it.
    async fn known(&self, source: &Digested) -> Result<Option<String>, ClientError> {
        match &self.memory {
            Memory::Theirs => match self.client.find_source(&source.sha256).await? {
                SourceLookup::Stored(hash) => Ok(Some(hash)),
                SourceLookup::Unknown | SourceLookup::NotOffered => Ok(None),
            },
            Memory::Ours(ledger) => match ledger.find(&source.sha256) {
                // It may have been deleted there since.
                Some(hash) if self.client.has_image(&hash).await? => Ok(Some(hash)),
                _ => Ok(None),
            },
        }
    }

    /// Waits until no other worker is uploading the same bytes.
    async fn alone(&self, sha256: [u8; 32]) -> Alone<'_> {
        let mut others = self.under_way.reader();
        loop {
            let entered = self.under_way.update(|under_way| under_way.insert(sha256));
            // The channel lives as long as this.
            if entered || others.changed().await.is_err() {
                return Alone {
                    under_way: &self.under_way,
                    sha256,
                };
            }
        }
    }
}

/// Sends a file, which is at the path `name`, without querying whether the service has it.
///
/// # Errors
/// When it cannot be read, or the service rejects it.
pub(crate) async fn send(
    client: &Client,
    file: &Opened,
    content_type: &str,
    name: &Path,
) -> Result<Added, ClientError> {
    let bytes = file.file_version().bytes;
    client
        .add_image(file.stream(), bytes, content_type, Some(name))
        .await
}

fn open(folder: Option<&Path>, file: &Path) -> io::Result<Opened> {
    match folder {
        None => Opened::named(file),
        Some(folder) => {
            let below = file.strip_prefix(folder).map_err(io::Error::other)?;
            Opened::inside(folder, below)
        }
    }
}

/// Held while the bytes are being uploaded.
struct Alone<'s> {
    under_way: &'s State<HashSet<[u8; 32]>>,
    sha256: [u8; 32],
}

impl Drop for Alone<'_> {
    fn drop(&mut self) {
        self.under_way
            .update(|under_way| under_way.remove(&self.sha256));
    }
}

/// A file and the digest of its bytes.
pub(crate) struct Digested {
    pub(crate) sha256: [u8; 32],
    pub(crate) opened: Opened,
}

impl Digested {
    /// Reads the whole file.
    ///
    /// # Errors
    /// When it cannot be read, or there is nothing in it.
    pub(crate) async fn of(opened: Opened) -> Result<Self, Failure> {
        if opened.file_version().bytes == 0 {
            return Err(Failure::Empty);
        }
        let digest = move || {
            let sha256 = opened.sha256()?;
            Ok(Self { sha256, opened })
        };
        Ok(blocking(digest).await?)
    }
}

/// Work on files, beside the threads that serve connections.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(io::Error::other)?
}
