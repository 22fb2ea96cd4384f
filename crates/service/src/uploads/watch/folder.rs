//! One watched folder: its own thread walks it, looks at the files that events name, queues those that
//! are complete, and notices when the folder disappears and comes back. A disk that does not answer
//! blocks only this thread.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use notify::RecursiveMode;
use rusqlite::Transaction;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::candidates::{Candidates, version_of};
use super::events::{ARE_LOST_IN_SILENCE, ARE_RECURSIVE, Changed, Events, Watcher};
use super::ignored::Scope;
use super::settings::WatchSettings;
use super::staged;
use crate::db::DatabaseError;
use crate::error::message::Message;
use crate::files;
use crate::files::network;
use crate::text;
use crate::uploads::Uploads;
use crate::uploads::opened::FileVersion;
use crate::uploads::table::{self, Version};
use crate::uploads::window::FolderState;

/// How often the identity of the folder is checked.
const CHECK_EVERY: Duration = Duration::from_secs(2);
/// How often a folder is walked whose changes the system does not report.
const POLL_EVERY: Duration = Duration::from_secs(5);
/// How often any other is: for lost events.
const WALK_EVERY: Duration = Duration::from_secs(600);
/// How soon a folder is walked after an event, where the system can drop the ones that follow.
const AFTER_AN_EVENT: Duration = Duration::from_secs(2);
/// After a walk there is none for this many times as long as it took.
const REST_PER_WALK: u32 = 4;
/// The same for walks that only follow events: most of them find nothing that was lost.
const REST_AFTER_EVENTS: u32 = 20;
/// How many files are compared with the queue at once.
const CHUNK: usize = 256;
/// While this many files are waited for, no more are listed.
const MOST: usize = 10_000;
/// Before a queue that could not be read or written is tried again.
const QUEUE_PAUSE: Duration = Duration::from_secs(5);

pub(super) struct Folder {
    /// Its number among the watched folders.
    pub(super) number: usize,
    /// As the owner wrote it.
    pub(super) folder: PathBuf,
    pub(super) settings: WatchSettings,
    /// Nothing in it is uploaded.
    pub(super) data_folder: PathBuf,
    /// Files that exist at the first walk are not wanted.
    pub(super) leave_existing: bool,
    pub(super) uploads: Uploads,
    pub(super) stop: CancellationToken,
    pub(super) runtime: Handle,
    pub(super) candidates: Candidates,
    /// Whether a walk is over: at the first one, files that a killed process left under a name of ours
    /// get theirs back.
    pub(super) is_walked: bool,
    /// Events named more files than can be waited for: a walk finds them.
    pub(super) is_behind: bool,
}

/// A folder that is there.
struct Attached {
    identity: Identity,
    scope: Scope,
    /// `None` when the system reports nothing.
    watcher: Option<Watcher>,
    /// Why the folder is polled.
    polled: Option<Message>,
    next_walk: Instant,
    /// How long the last walk took.
    took: Duration,
}

/// Distinguishes a folder from another one in its place.
#[derive(Debug, PartialEq, Eq)]
struct Identity(u64, u64);

/// It is to stop.
struct Over;

impl Folder {
    /// Starts the thread, which ends soon after the stop.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(super) fn start(mut self) -> io::Result<()> {
        let (events, batches) = Events::new();
        let thread = std::thread::Builder::new().name("watched folder".to_owned());
        thread.spawn(move || {
            let Err(Over) = self.run(&events, &batches);
        })?;
        Ok(())
    }

    fn run(
        &mut self,
        events: &Events,
        batches: &Receiver<Vec<Changed>>,
    ) -> Result<std::convert::Infallible, Over> {
        let mut attached: Option<Attached> = None;
        loop {
            self.go_on()?;
            let missed = events.take_missed() || std::mem::take(&mut self.is_behind);
            match identity(&self.folder) {
                Ok(identity) => {
                    if attached.as_ref().is_none_or(|it| it.identity != identity) {
                        // The old one first: it may be of the same path.
                        drop(attached.take());
                        match self.attach(identity, events) {
                            Ok(there) => attached = Some(there),
                            Err(error) => self.missing(&error),
                        }
                    }
                }
                Err(error) => {
                    attached = None;
                    self.missing(&error);
                }
            }
            if let Some(there) = &mut attached
                && (missed || there.next_walk <= Instant::now())
            {
                self.walk_all(there)?;
            }
            self.queue_complete(attached.as_ref().map(|there| &there.scope))?;
            let due = self.candidates.next_due();
            let wait = due.map(|due| due.saturating_duration_since(Instant::now()));
            let wait = wait.map_or(CHECK_EVERY, |wait| wait.min(CHECK_EVERY));
            // It keeps a sender itself, so this fails when the time is over.
            let Ok(batch) = batches.recv_timeout(wait) else {
                continue;
            };
            let Some(there) = &mut attached else { continue };
            if ARE_LOST_IN_SILENCE && !batch.is_empty() {
                let soon = AFTER_AN_EVENT.max(there.took * REST_AFTER_EVENTS);
                there.next_walk = there.next_walk.min(Instant::now() + soon);
            }
            if self.candidates.len() + batch.len() > MOST {
                self.is_behind = true;
                continue;
            }
            self.look_at(there, batch)?;
        }
    }

    fn go_on(&self) -> Result<(), Over> {
        match self.stop.is_cancelled() {
            true => Err(Over),
            false => Ok(()),
        }
    }

    fn attach(&self, identity: Identity, events: &Events) -> io::Result<Attached> {
        let full = |folder: &Path| files::full_path(folder).unwrap_or_else(|_| folder.to_owned());
        let scope = Scope {
            root: files::full_path(&self.folder)?,
            recursive: self.settings.recursive,
            own: vec![full(&self.data_folder)],
        };
        let polled = match self.settings.poll {
            true => Some(crate::detail!("as the settings say")),
            false => {
                let is_shared = network::is_shared(&scope.root);
                is_shared.then_some(crate::detail!("it is on a network"))
            }
        };
        let (watcher, polled) = match events.watch(&scope) {
            Ok(watcher) => (Some(watcher), polled),
            Err(error) => (None, Some(why_no_events(&error))),
        };
        Ok(Attached {
            identity,
            scope,
            watcher,
            polled,
            next_walk: Instant::now(),
            took: Duration::ZERO,
        })
    }

    /// Looks at the paths of events.
    fn look_at(&mut self, there: &mut Attached, batch: Vec<Changed>) -> Result<(), Over> {
        let (mut complete, mut others) = (Vec::new(), Vec::new());
        for Changed { path, is_complete } in batch {
            tracing::debug!(path = %path.display(), is_complete, "a file event");
            if fs::symlink_metadata(&path).is_ok_and(|about| about.is_dir()) {
                if there.scope.recursive {
                    self.walk(there, path)?;
                }
            } else if let Some(version) = version_of(&path) {
                let found = if is_complete {
                    &mut complete
                } else {
                    &mut others
                };
                found.push((path, version));
            }
        }
        self.find(&there.scope, complete, true)?;
        self.find(&there.scope, others, false)
    }

    /// Waits for those of these files that have no row in this version.
    fn find(
        &mut self,
        scope: &Scope,
        found: Vec<(PathBuf, FileVersion)>,
        is_complete: bool,
    ) -> Result<(), Over> {
        if found.is_empty() {
            return Ok(());
        }
        let unseen = self.until_done(|| {
            let found = found.clone();
            self.uploads.read(move |look| table::unseen(look, found))
        })?;
        if self.leave_existing {
            let others = self.versions(scope, unseen);
            return self.write(move |change| table::put(change, &[], &others));
        }
        for (file, version) in unseen {
            self.candidates.add(file, version, is_complete);
        }
        Ok(())
    }

    /// Queues the files that are complete.
    fn queue_complete(&mut self, scope: Option<&Scope>) -> Result<(), Over> {
        let Some(scope) = scope else {
            self.candidates = Candidates::default();
            return Ok(());
        };
        let complete = self.candidates.take_complete();
        let pictures = self.versions(scope, complete.pictures);
        let others = self.versions(scope, complete.others);
        if pictures.is_empty() && others.is_empty() {
            return Ok(());
        }
        self.write(move |change| table::put(change, &pictures, &others))?;
        self.uploads.0.work.notify_one();
        Ok(())
    }

    fn versions(&self, scope: &Scope, files: Vec<(PathBuf, FileVersion)>) -> Vec<Version> {
        let version = |(file, file_version): (PathBuf, _)| Version {
            folder: self.folder.clone(),
            album: self
                .settings
                .albums
                .then(|| album(&scope.root, &file))
                .flatten(),
            file,
            file_version,
        };
        files.into_iter().map(version).collect()
    }

    fn walk_all(&mut self, there: &mut Attached) -> Result<(), Over> {
        let began = Instant::now();
        let is_whole = self.walk(there, there.scope.root.clone())?;
        self.is_walked = true;
        if self.leave_existing && is_whole {
            self.leave_existing = false;
            let folder = self.folder.clone();
            self.write(move |change| table::know_folder(change, &folder).map(drop))?;
        }
        let every = match there.polled {
            Some(_) => POLL_EVERY,
            None => WALK_EVERY,
        };
        there.took = began.elapsed();
        there.next_walk = Instant::now() + every.max(there.took * REST_PER_WALK);
        self.show(there);
        // What waits can be uploaded again.
        self.uploads.0.work.notify_one();
        Ok(())
    }

    /// Walks a folder and, if recursive, those inside it. `false` when one of them cannot be read.
    fn walk(&mut self, there: &mut Attached, folder: PathBuf) -> Result<bool, Over> {
        let (mut folders, mut is_whole) = (vec![folder], true);
        while let Some(folder) = folders.pop() {
            // First watched, then listed: nothing is missed in between.
            if !ARE_RECURSIVE
                && let Some(watcher) = &mut there.watcher
                && let Err(error) = watcher.watch(&folder, RecursiveMode::NonRecursive)
                && !matches!(error.kind, notify::ErrorKind::PathNotFound)
            {
                self.poll_from_now_on(there, why_no_events(&error));
            }
            if !self.is_walked {
                staged::restore_all(&folder);
            }
            let (files, inside) = match entries(&folder, &there.scope) {
                Ok(entries) => entries,
                Err(error) => {
                    tracing::debug!(folder = %folder.display(), %error, "a folder is skipped");
                    is_whole = false;
                    continue;
                }
            };
            if there.scope.recursive {
                folders.extend(inside);
            }
            for chunk in files.chunks(CHUNK) {
                self.find(&there.scope, chunk.to_vec(), false)?;
                self.queue_complete(Some(&there.scope))?;
                while self.candidates.len() > MOST {
                    self.go_on()?;
                    std::thread::sleep(Duration::from_millis(50));
                    self.queue_complete(Some(&there.scope))?;
                }
            }
            self.go_on()?;
        }
        Ok(is_whole)
    }

    /// The system does not report all changes.
    fn poll_from_now_on(&self, there: &mut Attached, why: Message) {
        if there.polled.is_none() {
            there.polled = Some(why);
            there.next_walk = there.next_walk.min(Instant::now() + POLL_EVERY);
            self.show(there);
        }
    }

    fn show(&self, there: &Attached) {
        if self.stop.is_cancelled() {
            return;
        }
        let state = match &there.polled {
            None => FolderState::Watched,
            Some(_) => FolderState::Polled,
        };
        self.uploads
            .folder_is(self.number, state, there.polled.clone());
    }

    fn missing(&self, error: &io::Error) {
        // Another watch may have begun since.
        if self.stop.is_cancelled() {
            return;
        }
        self.uploads
            .folder_is(self.number, FolderState::Missing, Some(error.into()));
    }

    /// Writes to the queue: what is not written down would be forgotten.
    fn write(
        &self,
        work: impl Fn(&Transaction<'_>) -> rusqlite::Result<()> + Clone + Send + 'static,
    ) -> Result<(), Over> {
        self.until_done(|| {
            let (work, stop) = (work.clone(), self.stop.clone());
            // Another watch may have begun since.
            self.uploads.write(move |change| match stop.is_cancelled() {
                true => Ok(()),
                false => work(change),
            })
        })
    }

    /// Tries until the queue answers, or it is to stop.
    fn until_done<T, F>(&self, work: impl Fn() -> F) -> Result<T, Over>
    where
        F: Future<Output = Result<T, DatabaseError>>,
    {
        loop {
            self.go_on()?;
            let error = match self.runtime.block_on(work()) {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            self.uploads.trouble(Some(error.into()));
            let until = Instant::now() + QUEUE_PAUSE;
            while Instant::now() < until {
                self.go_on()?;
                std::thread::sleep(Duration::from_millis(100));
            }
        }
    }
}

/// The album of a file below a watched folder: the name of the subfolder that it is in, however deep.
fn album(root: &Path, file: &Path) -> Option<String> {
    let mut names = file.strip_prefix(root).ok()?.iter();
    let (subfolder, _) = (names.next()?, names.next()?);
    let name = text::one_line(&subfolder.to_string_lossy(), text::LONGEST_ALBUM);
    (!name.is_empty()).then_some(name)
}

type Entries = (Vec<(PathBuf, FileVersion)>, Vec<PathBuf>);

/// The files of one folder that count, oldest first, and the folders in it.
fn entries(folder: &Path, scope: &Scope) -> io::Result<Entries> {
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder)?.flatten() {
        let path = entry.path();
        if !scope.holds(&path) {
            continue;
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            folders.push(path);
        } else if let Some(version) = version_of(&path) {
            files.push((path, version));
        }
    }
    files.sort_by(|(one, before), (other, after)| {
        (before.changed, one).cmp(&(after.changed, other))
    });
    Ok((files, folders))
}

fn identity(folder: &Path) -> io::Result<Identity> {
    let about = fs::metadata(folder)?;
    if !about.is_dir() {
        return Err(io::Error::other(crate::detail!("it is no folder")));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        Ok(Identity(about.dev(), about.ino()))
    }
    // Not the time when it was made: a new folder of the same name gets that of the one before.
    #[cfg(windows)]
    {
        let opened = winapi_util::Handle::from_path_any(folder)?;
        let about = winapi_util::file::information(opened)?;
        Ok(Identity(about.volume_serial_number(), about.file_index()))
    }
}

fn why_no_events(error: &notify::Error) -> Message {
    match error.kind {
        notify::ErrorKind::MaxFilesWatch => {
            crate::detail!("the system watches no more folders (fs.inotify.max_user_watches)")
        }
        _ => {
            let why = error.to_string();
            crate::detail!("the system does not report file changes: {why}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_album_is_the_name_of_the_subfolder() {
        let of = |file: &str| album(Path::new("/p"), &Path::new("/p").join(file));
        assert_eq!(of("a.png"), None);
        assert_eq!(of("trip/a.png").as_deref(), Some("trip"));
        assert_eq!(of(" My  trip /day 1/a.png").as_deref(), Some("My  trip"));
        let long = format!("{}/a.png", "灯".repeat(80));
        assert_eq!(of(&long), Some("灯".repeat(64)));
        assert_eq!(of("\u{7}/a.png"), None);
    }
}
