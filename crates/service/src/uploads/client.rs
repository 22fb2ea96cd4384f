//! The client of `porchlight upload`: it sends many images to a service that is known as an address and
//! a token, several at once, with retries where that helps, and without resending what the service has,
//! also after a kill.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::{self, Stream};
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use walkdir::WalkDir;

use super::kind;
use super::opened::Opened;
use super::send::Source;
use crate::clock::backoff::Backoff;
use crate::http::client::{Added, Client, ClientError, SourceLookup};
use crate::state::State;

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
    let sender = Sender {
        client: order.client,
        ledger: ledger.map(Arc::new),
        album: order.album,
        turns: Mutex::default(),
        folder,
        retry,
        stop: stop.clone(),
    };
    let files = listed(order.source).take_until(stop.cancelled());
    let outcomes = files.map(|found| sender.take(found));
    let mut outcomes = pin!(outcomes.buffer_unordered(concurrent));

    let mut silences = 0;
    let mut stopped = None;
    while let Some(outcome) = outcomes.next().await {
        silences = match &outcome {
            Event::Failed { failure, .. } if failure.is_silence() => silences + 1,
            Event::Uploaded { .. } | Event::AlreadyThere { .. } => 0,
            _ => silences,
        };
        if stopped.is_none()
            && let Event::Failed { failure, .. } = &outcome
        {
            stopped = failure.for_all(silences >= concurrent * 2);
            if stopped.is_some() {
                stop.cancel();
            }
        }
        report(outcome);
    }
    stopped.map_or(Ok(()), Err)
}

/// Lists the files, a few ahead of those being uploaded.
fn listed(source: Sources) -> impl Stream<Item = FoundFile> {
    let (found, files) = mpsc::channel(AHEAD);
    spawn_blocking(move || {
        // It ends when nothing is uploaded any more.
        let _ = source
            .files()
            .try_for_each(|file| found.blocking_send(file));
    });
    stream::unfold(files, async |mut files| Some((files.recv().await?, files)))
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

/// The ledger of a service that cannot be queried for its images.
async fn ledger_of(order: &Order, retry: &RetryPolicy) -> Result<Option<Ledger>, Stopped> {
    let mut tries = retry.tries();
    // A query for no bytes shows whether the path exists.
    let of_nothing = Sha256::digest([]).into();
    let failed = loop {
        match order.client.find_source(&of_nothing).await {
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
        .map(Some)
        .map_err(|cause| Stopped::Ledger { folder, cause })
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sources {
    /// Every file below this folder that looks like an image, hidden ones too;
    /// links are not followed.
    Folder(PathBuf),
    /// These files, whatever they look like.
    Files(Vec<PathBuf>),
}

#[derive(Debug)]
pub enum FoundFile {
    /// It is to be uploaded.
    Picture {
        file: PathBuf,
        content_type: &'static str,
    },
    /// It does not look like an image, or is no file.
    Skipped,
    /// It, or a folder, cannot be read.
    Unreadable { file: PathBuf, cause: io::Error },
}

impl Sources {
    /// Lists all of them. Blocks while it reads.
    pub fn files(&self) -> Box<dyn Iterator<Item = FoundFile> + Send + '_> {
        match self {
            Self::Files(files) => Box::new(files.iter().map(|file| named(file))),
            Self::Folder(folder) => Box::new(below(folder)),
        }
    }
}

/// A file given by name is always tried.
fn named(file: &Path) -> FoundFile {
    match std::fs::metadata(file) {
        Ok(about) if about.is_file() => FoundFile::Picture {
            content_type: kind::by_name(file).unwrap_or(kind::UNKNOWN),
            file: file.to_owned(),
        },
        Ok(about) => FoundFile::Unreadable {
            file: file.to_owned(),
            cause: io::Error::other(if about.is_dir() {
                "this is a folder: name it with --folder"
            } else {
                "this is no regular file"
            }),
        },
        Err(cause) => FoundFile::Unreadable {
            file: file.to_owned(),
            cause,
        },
    }
}

fn below(folder: &Path) -> impl Iterator<Item = FoundFile> + Send + '_ {
    WalkDir::new(folder)
        .into_iter()
        .filter_map(move |entry| match entry {
            Ok(entry) if entry.file_type().is_dir() => None,
            // A pipe would be waited for, and a device read without an end.
            Ok(entry) if !entry.file_type().is_file() => Some(FoundFile::Skipped),
            Ok(entry) => Some(looked_at(entry.into_path())),
            Err(error) => Some(FoundFile::Unreadable {
                file: error.path().unwrap_or(folder).to_owned(),
                cause: error.into(),
            }),
        })
}

fn looked_at(file: PathBuf) -> FoundFile {
    if let Some(content_type) = kind::by_name(&file) {
        return FoundFile::Picture { file, content_type };
    }
    match kind::by_first_bytes(&file) {
        Ok(Some(content_type)) => FoundFile::Picture { file, content_type },
        Ok(None) => FoundFile::Skipped,
        Err(cause) => FoundFile::Unreadable { file, cause },
    }
}

/// Sends files to one service. Shared by all uploads to it.
struct Sender {
    client: Client,
    /// For a service that cannot be queried for its images.
    ledger: Option<Arc<Ledger>>,
    /// The album that new images get.
    album: Option<String>,
    /// The same bytes under two names are sent once: the second waits.
    turns: Mutex<HashMap<[u8; 32], Arc<tokio::sync::Mutex<()>>>>,
    /// The folder that must contain all files, if one was named.
    folder: Option<PathBuf>,
    retry: RetryPolicy,
    stop: CancellationToken,
}

impl Sender {
    async fn take(&self, found: FoundFile) -> Event {
        let (file, content_type) = match found {
            FoundFile::Skipped => return Event::Skipped,
            FoundFile::Unreadable { file, cause } => {
                let failure = cause.into();
                return Event::Failed { file, failure };
            }
            FoundFile::Picture { file, content_type } => (file, content_type),
        };
        match self.upload(&file, content_type).await {
            Ok((Added::Stored { hash, size }, bytes)) => Event::Uploaded {
                file,
                hash,
                bytes,
                stored_bytes: size,
            },
            Ok((Added::AlreadyThere { hash }, _)) => Event::AlreadyThere { file, hash },
            Err(failure) => Event::Failed { file, failure },
        }
    }

    /// Uploads one file with retries; its size is given back, too.
    async fn upload(
        &self,
        file: &Path,
        content_type: &'static str,
    ) -> Result<(Added, u64), UploadError> {
        let (folder, path) = (self.folder.clone(), file.to_owned());
        let opened = spawn_blocking(move || open(folder.as_deref(), &path)).await;
        let opened = opened.map_err(io::Error::other)??;
        let bytes = opened.file_version().bytes;
        let source = Source::new(opened, Some(file));
        let mut tries = self.retry.tries();
        loop {
            tokio::select! {
                () = self.retry.quiet_time() => {}
                () = self.stop.cancelled() => return Err(UploadError::Stopped),
            }
            let error = match self.send(source.clone(), content_type).await {
                Ok(added) => {
                    self.retry.settled();
                    return Ok((added, bytes));
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

    /// One attempt with a file of this declared type: hashed → known there? → stored. It asks first each
    /// time: an attempt whose response was lost may have succeeded.
    async fn send(&self, source: Source, content_type: &'static str) -> Result<Added, UploadError> {
        let length = source.opened.file_version().bytes;
        if length == 0 {
            return Err(UploadError::Empty);
        }
        let hashed = spawn_blocking(move || source.opened.sha256().map(|sha256| (sha256, source)));
        let (sha256, source) = hashed.await.map_err(io::Error::other)??;
        let turn = Arc::clone(self.turns.lock().entry(sha256).or_default());
        let _turn = turn.lock().await;
        if let Some(hash) = self.known(sha256).await? {
            return Ok(Added::AlreadyThere { hash });
        }
        let (name, album) = (source.name.as_deref().map(Path::new), self.album.as_deref());
        let added = self
            .client
            .add_image(source.bytes(), length, content_type, name, album)
            .await?;
        // What was sent is what was hashed, unless it was written to.
        if let Some(ledger) = &self.ledger
            && source.opened.is_unchanged()
        {
            let (Added::Stored { hash, .. } | Added::AlreadyThere { hash }) = &added;
            let (ledger, hash) = (Arc::clone(ledger), hash.clone());
            let recorded = spawn_blocking(move || ledger.add(sha256, &hash)).await;
            let recorded = recorded.map_err(io::Error::other).flatten();
            recorded.map_err(UploadError::Ledger)?;
        }
        Ok(added)
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
}

/// Between attempts without a `Retry-After`.
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(500), Duration::from_secs(60));

/// The longest `Retry-After` that is honoured.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(3_600);

/// Callers with the same `Retry-After` are spread over this time.
const SPREAD: Duration = Duration::from_millis(250);

/// When an upload that failed is tried again, and how long all uploads wait before that: a server's
/// `Retry-After` for one of them applies to all.
#[derive(Debug)]
struct RetryPolicy {
    retries: u32,
    /// No calls before then.
    quiet_until: State<Instant>,
    /// The number of conclusive answers.
    settled: AtomicU64,
}

#[derive(Debug)]
struct Tries<'p> {
    retry: &'p RetryPolicy,
    failures: u32,
    settled_before: u64,
}

impl RetryPolicy {
    fn new(retries: u32) -> Self {
        Self {
            retries,
            quiet_until: State::new(Instant::now()),
            settled: AtomicU64::new(0),
        }
    }

    fn tries(&self) -> Tries<'_> {
        Tries {
            retry: self,
            failures: 0,
            settled_before: self.settled.load(Ordering::Relaxed),
        }
    }

    fn settled(&self) {
        self.settled.fetch_add(1, Ordering::Relaxed);
    }

    /// Completes when the server may be called.
    async fn quiet_time(&self) {
        loop {
            let until = self.quiet_until.get();
            if until <= Instant::now() {
                return;
            }
            // It may have been extended in between.
            tokio::time::sleep_until(until).await;
        }
    }
}

impl Tries<'_> {
    /// Waits after a failure until the retry is due.
    ///
    /// # Errors
    /// The failure, when a retry would not help, or none is left.
    async fn again(&mut self, error: ClientError) -> Result<(), ClientError> {
        if !may_pass(&error) {
            return Err(error);
        }
        // While other uploads succeed, a rate limit is no failure.
        let settled = self.retry.settled.load(Ordering::Relaxed);
        let crowded = matches!(error, ClientError::Wait { .. }) && settled != self.settled_before;
        self.settled_before = settled;
        if !crowded {
            self.failures += 1;
        }
        if self.failures > self.retry.retries {
            return Err(error);
        }
        if let Some(wait) = error.retry_after() {
            let until = Instant::now() + wait.min(LONGEST_RETRY_AFTER);
            self.retry
                .quiet_until
                .update(|quiet_until| *quiet_until = until.max(*quiet_until));
            self.retry.quiet_time().await;
            tokio::time::sleep(SPREAD.mul_f64(rand::random())).await;
        } else {
            let longest = BACKOFF.after(self.failures);
            // At least half of it, so that it does grow.
            let part = 0.5 + rand::random::<f64>() / 2.0;
            tokio::time::sleep(longest.mul_f64(part)).await;
        }
        Ok(())
    }
}

/// Whether the same call may succeed a little later.
fn may_pass(error: &ClientError) -> bool {
    match error {
        ClientError::Unreachable { .. }
        | ClientError::Wait { .. }
        | ClientError::NotUnderstood { .. }
        | ClientError::NotRunning(_) => true,
        // 408: the body stopped coming.
        ClientError::Answered { status, .. } | ClientError::Own { status, .. } => {
            *status >= 500 || *status == 408
        }
        ClientError::Refused | ClientError::Token => false,
    }
}

/// The uploads to a server of the plain interface, recorded on this machine, since such a server cannot
/// be queried: a line for each image, with the SHA-256 of the source and the hash there.
///
/// Lines are only ever added, each in one write that is synced before the image counts as done, so a kill
/// loses nothing that was answered. `scripts/upload.sh` keeps the same file.
#[derive(Debug)]
struct Ledger {
    file: Mutex<File>,
    taken: Mutex<HashMap<[u8; 32], String>>,
}

/// Where the ledger of the server at this address is, below `folder`.
fn place(folder: &Path, base: &str) -> PathBuf {
    let name = hex::encode(Sha256::digest(base.as_bytes()));
    folder.join(format!("{name}.ledger"))
}

impl Ledger {
    /// Opens the ledger of the server at `base`, and makes it where there is
    /// none yet.
    ///
    /// # Errors
    /// When the folder or the file cannot be made, read or written.
    fn open(folder: &Path, base: &str) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let path = place(folder, base);
        let mut file = File::options()
            .create(true)
            .read(true)
            .append(true)
            .open(path)?;
        let taken = read(&file)?;
        let length = file.seek(SeekFrom::End(0))?;
        if length == 0 {
            file.write_all(format!("# pictures that {base} has taken\n").as_bytes())?;
        } else {
            // A line that was cut off by a crash does not merge with the next
            // one.
            file.seek(SeekFrom::Start(length - 1))?;
            let mut last = [0];
            file.read_exact(&mut last)?;
            if last != *b"\n" {
                file.write_all(b"\n")?;
            }
        }
        Ok(Self {
            file: Mutex::new(file),
            taken: Mutex::new(taken),
        })
    }

    /// The hash of the image from the source with this digest; `None` when it was not uploaded yet.
    fn find(&self, sha256: &[u8; 32]) -> Option<String> {
        let taken = self.taken.lock();
        taken.get(sha256).cloned()
    }

    /// Records an upload. Blocks until that is on the disk.
    ///
    /// # Errors
    /// When it cannot be written.
    fn add(&self, sha256: [u8; 32], hash: &str) -> io::Result<()> {
        let line = format!("{} {hash}\n", hex::encode(sha256));
        let mut file = self.file.lock();
        file.write_all(line.as_bytes())?;
        file.sync_data()?;
        let mut taken = self.taken.lock();
        taken.insert(sha256, hash.to_owned());
        Ok(())
    }
}

/// The whole lines; a later one counts more.
fn read(file: &File) -> io::Result<HashMap<[u8; 32], String>> {
    let mut taken = HashMap::new();
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        if let Some((sha256, hash)) = parsed(&line) {
            taken.insert(sha256, hash);
        }
        line.clear();
    }
    Ok(taken)
}

fn parsed(line: &[u8]) -> Option<([u8; 32], String)> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (digest, hash) = line.split_once(' ')?;
    let mut sha256 = [0; 32];
    hex::decode_to_slice(digest, &mut sha256).ok()?;
    let is_one = !hash.is_empty() && hash.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_one.then(|| (sha256, hash.to_owned()))
}

#[cfg(test)]
mod tests;
