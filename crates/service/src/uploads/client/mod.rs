//! The client of `porchlight upload`: it sends many images to a service that is known as an address and
//! a token, several at once, with retries where that helps, and without resending what the service has,
//! also after a kill.
//!
//! `find` goes through the files, `sender` sends one, `retry` determines when to retry, and `ledger`
//! remembers the uploads to servers that cannot be queried.

mod find;
mod ledger;
mod retry;
mod sender;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::{Mutex, mpsc};
use tokio_util::sync::CancellationToken;

use super::opened::Opened;
use super::send::Source;
use crate::http::client::{Client, ClientError, SourceLookup};
use crate::state::State;
pub use find::{FoundFile, Sources};
use ledger::Ledger;
use retry::RetryPolicy;
use sender::{Outcome, Sender};

/// The SHA-256 of no bytes: a query for it shows whether the path exists.
const OF_NOTHING: [u8; 32] = [
    0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4, 0xc8, 0x99, 0x6f, 0xb9, 0x24,
    0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b, 0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55,
];

/// How many files are listed ahead of those being uploaded.
const AHEAD: usize = 16;

/// What to send, where, and how.
#[derive(Debug, Clone)]
pub struct Order {
    pub source: Sources,
    /// The target. Its time limit is that of one attempt.
    pub client: Client,
    /// How many uploads run at once; at least one.
    pub concurrent: usize,
    /// The number of retries for each.
    pub retries: u32,
    /// The album that new images get.
    pub album: Option<String>,
    /// The folder for the ledger of a server that cannot be queried.
    pub ledgers: PathBuf,
}

/// Why a file was not uploaded.
#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    #[error("{0}")]
    File(#[from] io::Error),
    #[error("the file is empty")]
    Empty,
    /// The service rejected it, or is not there.
    #[error(transparent)]
    Service(#[from] ClientError),
    /// It was uploaded, but the next run will not know that.
    #[error("it was taken, but that cannot be written down: {0}")]
    Ledger(io::Error),
    /// Another image's failure stopped the run.
    #[error("it was not tried again, since nothing is any more")]
    Stopped,
}

#[derive(Debug)]
pub enum Event {
    Uploaded {
        file: PathBuf,
        hash: String,
        /// Its bytes here.
        bytes: u64,
        /// Its bytes there, when that is known.
        stored_bytes: Option<u64>,
    },
    AlreadyThere {
        file: PathBuf,
        hash: String,
    },
    /// It was not sent, or was rejected.
    Failed {
        file: PathBuf,
        failure: UploadError,
    },
    /// A file that is no image.
    Skipped,
}

#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// The token is unknown, or may not upload.
    #[error("the service refused the token: it is wrong, or it may not upload pictures")]
    Refused,
    /// The service cannot be used, or is gone.
    #[error("{0}")]
    Service(String),
    /// The ledger cannot be kept, so what is sent now would be sent again.
    #[error("the list of what was taken cannot be kept in {folder}: {cause}")]
    Ledger { folder: PathBuf, cause: io::Error },
}

/// Sends everything, and reports the outcome of each file. Must be called on a
/// tokio runtime. It can be interrupted at any moment: the next run does not
/// resend what succeeded.
///
/// # Errors
/// When continuing makes no sense; earlier outcomes were reported.
pub async fn run(order: Order, mut report: impl FnMut(Event)) -> Result<(), Stopped> {
    let concurrent = order.concurrent.max(1);
    let retry = RetryPolicy::new(order.retries);
    let ledger = ledger_of(&order, &retry).await?;
    let stop = CancellationToken::new();
    let folder = match &order.source {
        Sources::Folder(folder) => Some(folder.clone()),
        Sources::Files(_) => None,
    };
    let uploads = Uploads {
        sender: Sender {
            client: order.client,
            ledger,
            album: order.album,
            under_way: State::default(),
        },
        folder,
        retry,
        stop: stop.clone(),
    };
    let mut endings = start(Arc::new(uploads), order.source, concurrent);

    let mut silences = 0;
    let mut stopped = None;
    while let Some(ending) = endings.recv().await {
        silences = match &ending {
            Event::Failed { failure, .. } if failure.is_silence() => silences + 1,
            Event::Uploaded { .. } | Event::AlreadyThere { .. } => 0,
            _ => silences,
        };
        if stopped.is_none()
            && let Event::Failed { failure, .. } = &ending
        {
            stopped = failure.for_all(silences >= concurrent * 2);
            if stopped.is_some() {
                stop.cancel();
            }
        }
        report(ending);
    }
    stopped.map_or(Ok(()), Err)
}

struct Uploads {
    sender: Sender,
    /// The folder that must contain all files, if one was named.
    folder: Option<PathBuf>,
    retry: RetryPolicy,
    stop: CancellationToken,
}

impl Uploads {
    async fn take(&self, found: FoundFile) -> Event {
        let (file, content_type) = match found {
            FoundFile::Skipped => return Event::Skipped,
            FoundFile::Unreadable { file, cause } => {
                return Event::Failed {
                    file,
                    failure: cause.into(),
                };
            }
            FoundFile::Picture { file, content_type } => (file, content_type),
        };
        match self.upload(&file, content_type).await {
            Ok((outcome, bytes)) if !outcome.already_there => Event::Uploaded {
                file,
                hash: outcome.hash,
                bytes,
                stored_bytes: outcome.stored_bytes,
            },
            Ok((Outcome { hash, .. }, _)) => Event::AlreadyThere { file, hash },
            Err(failure) => Event::Failed { file, failure },
        }
    }

    /// Uploads one file with retries; its size is given back, too.
    async fn upload(
        &self,
        file: &Path,
        content_type: &'static str,
    ) -> Result<(Outcome, u64), UploadError> {
        let (folder, path) = (self.folder.clone(), file.to_owned());
        let opened = tokio::task::spawn_blocking(move || open(folder.as_deref(), &path)).await;
        let opened = opened.map_err(io::Error::other)??;
        let bytes = opened.file_version().bytes;
        let source = Source::new(opened, Some(file));
        let mut tries = self.retry.tries();
        loop {
            self.retry.quiet_time().await;
            let error = match self.sender.send(source.clone(), content_type).await {
                Ok(outcome) => {
                    self.retry.settled();
                    return Ok((outcome, bytes));
                }
                Err(UploadError::Service(error)) => error,
                Err(other) => return Err(other),
            };
            tokio::select! {
                again = tries.again(error) => again?,
                () = self.stop.cancelled() => return Err(UploadError::Stopped),
            }
        }
    }
}

impl UploadError {
    /// Whether there was no answer, or none that can be understood.
    fn is_silence(&self) -> bool {
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
    fn for_all(&self, silent: bool) -> Option<Stopped> {
        let Self::Service(error) = self else {
            return None;
        };
        match error {
            ClientError::Refused => Some(Stopped::Refused),
            ClientError::Token | ClientError::Answered { status: 403, .. } => {
                Some(Stopped::Service(error.to_string()))
            }
            error if silent && self.is_silence() => Some(Stopped::Service(error.to_string())),
            _ => None,
        }
    }
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

/// Lists files and uploads them with this many workers; returns the outcomes.
fn start(uploads: Arc<Uploads>, source: Sources, concurrent: usize) -> mpsc::Receiver<Event> {
    let (found, files) = mpsc::channel(AHEAD);
    tokio::task::spawn_blocking(move || {
        for file in source.files() {
            // All workers have stopped.
            if found.blocking_send(file).is_err() {
                break;
            }
        }
    });
    let files = Arc::new(Mutex::new(files));
    let (ended, endings) = mpsc::channel(concurrent);
    for _ in 0..concurrent {
        let (uploads, files, ended) = (Arc::clone(&uploads), Arc::clone(&files), ended.clone());
        tokio::spawn(async move {
            while !uploads.stop.is_cancelled() {
                let next = files.lock().await.recv().await;
                let Some(next) = next else { break };
                if ended.send(uploads.take(next).await).await.is_err() {
                    break;
                }
            }
        });
    }
    endings
}

/// The ledger of a service that cannot be queried for its images.
async fn ledger_of(order: &Order, retry: &RetryPolicy) -> Result<Option<Arc<Ledger>>, Stopped> {
    let mut tries = retry.tries();
    let failed = loop {
        match order.client.find_source(&OF_NOTHING).await {
            Ok(SourceLookup::Stored { .. } | SourceLookup::Unknown) => return Ok(None),
            Ok(SourceLookup::NotOffered) => break None,
            Err(error) => {
                if let Err(error) = tries.again(error).await {
                    break Some(error);
                }
            }
        }
    };
    match failed {
        // Some servers fail on every path that they do not know.
        None | Some(ClientError::Answered { .. }) => {}
        Some(error) => return Err(Stopped::Service(error.to_string())),
    }
    let folder = order.ledgers.clone();
    Ledger::open(&folder, &order.client.base())
        .map(|ledger| Some(Arc::new(ledger)))
        .map_err(|cause| Stopped::Ledger { folder, cause })
}
