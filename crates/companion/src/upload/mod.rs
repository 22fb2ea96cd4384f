//! Sends many images to a service that is known as an address and a token:
//! several at once, with retries where that helps, and without resending what
//! the service has, also after a kill. Journey 2 of a whole folder.
//!
//! `find` goes through the files, `item` takes one of them there, `retry`
//! determines when to retry, and `ledger` remembers the uploads to servers that
//! cannot be queried.

mod find;
pub(crate) mod item;
pub(crate) mod kind;
mod ledger;
pub(crate) mod retry;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use porchlight_api::client::{Client, ClientError, SourceLookup};
use tokio::sync::{Mutex, mpsc};
use tokio_util::sync::CancellationToken;

pub use find::{Found, Source};
pub use item::Failure;
use item::{Memory, Sender};
use ledger::Ledger;
use retry::RetryPolicy;

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
    /// The images.
    pub source: Source,
    /// The target. Its time limit is that of one attempt.
    pub client: Client,
    /// How many uploads run at once; at least one.
    pub concurrent: usize,
    /// The number of retries for each.
    pub retries: u32,
    /// The folder for the ledger of a server that cannot be queried.
    pub ledgers: PathBuf,
}

/// The outcome of one file.
#[derive(Debug)]
pub enum Event {
    /// It is stored now.
    Uploaded {
        /// The file.
        file: PathBuf,
        /// Its hash there.
        hash: String,
        /// Its bytes here.
        bytes: u64,
        /// Its bytes there, when that is known.
        stored_bytes: Option<u64>,
    },
    /// It was there before.
    AlreadyThere {
        /// The file.
        file: PathBuf,
        /// Its hash there.
        hash: String,
    },
    /// It was not sent, or was rejected.
    Failed {
        /// The file.
        file: PathBuf,
        /// Why.
        failure: Failure,
    },
    /// A file that is no image.
    Skipped,
}

/// Why the run stopped.
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
    Ledger {
        /// Its folder.
        folder: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
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
    let memory = memory_of(&order, &retry).await?;
    let stop = CancellationToken::new();
    let folder = match &order.source {
        Source::Folder(folder) => Some(folder.clone()),
        Source::Files(_) => None,
    };
    let sender = Sender::new(order.client, folder, memory, retry, stop.clone());
    let mut endings = start(Arc::new(sender), order.source, concurrent);

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

/// Lists files and uploads them with this many workers; returns the outcomes.
fn start(sender: Arc<Sender>, source: Source, concurrent: usize) -> mpsc::Receiver<Event> {
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
        let (sender, files, ended) = (Arc::clone(&sender), Arc::clone(&files), ended.clone());
        tokio::spawn(async move {
            while !sender.has_stopped() {
                let next = files.lock().await.recv().await;
                let Some(next) = next else { break };
                if ended.send(sender.take(next).await).await.is_err() {
                    break;
                }
            }
        });
    }
    endings
}

/// Determines whether the service can be queried for its images.
async fn memory_of(order: &Order, retry: &RetryPolicy) -> Result<Memory, Stopped> {
    let mut tries = retry.tries();
    let failed = loop {
        match order.client.find_source(&OF_NOTHING).await {
            Ok(SourceLookup::Stored(_) | SourceLookup::Unknown) => return Ok(Memory::Theirs),
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
        .map(|ledger| Memory::Ours(Arc::new(ledger)))
        .map_err(|cause| Stopped::Ledger { folder, cause })
}
