//! The scanner of one watched folder: its own thread that receives events,
//! scans the folder, and notices when it disappears and comes back. A disk that
//! does not answer blocks only this thread.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use notify::{Config, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::mpsc;

use super::attributes::is_left_alone;
use super::events::{self, FileEvents, FolderEvent};
use super::ignored::Scope;
use super::staged;
use crate::error::message::Message;
use crate::files;
use crate::files::network;
use crate::uploads::Uploads;
use crate::uploads::opened::FileVersion;
use crate::uploads::window::FolderState;

/// How often the identity of the folder is checked.
const CHECK_EVERY: Duration = Duration::from_secs(2);
/// How often a folder is scanned whose changes the system does not report.
const POLL_EVERY: Duration = Duration::from_secs(5);
/// How often any other is: for lost events.
const SCAN_EVERY: Duration = Duration::from_secs(600);
/// How soon a folder is scanned after an event, where the system can drop the ones that follow.
const AFTER_AN_EVENT: Duration = Duration::from_secs(2);
/// After a scan there is none for this many times as long as it took.
const REST_PER_SCAN: u32 = 4;
/// The same for scans that only follow events: most of them find nothing that was lost.
const REST_AFTER_EVENTS: u32 = 20;
/// How many files are passed on at once.
const CHUNK: usize = 256;

/// Whether the system watches subfolders by itself, and misses none.
const RECURSIVE_WATCHES: bool = !cfg!(target_os = "linux");

/// Whether events that are too many for the system's buffer are lost in silence. `notify` 8.2 for Windows
/// reports neither a flag nor an error then. At least one event came before those that were lost, so a
/// scan follows each event.
const LOSES_EVENTS: bool = cfg!(windows);

/// Commands to the thread.
#[derive(Debug)]
pub(super) enum Command {
    /// Scan this folder: it is new.
    Folder(PathBuf),
    /// Scan everything: something was missed.
    Everything,
    Stop,
}

#[derive(Debug)]
pub(super) enum ScanEvent {
    Files {
        folder: usize,
        files: Vec<(PathBuf, FileVersion)>,
        /// They existed before the folder was watched, and are not wanted.
        unwanted: bool,
    },
    FirstScanDone {
        folder: usize,
    },
    /// Earlier events of this folder may be wrong.
    Distrust {
        folder: usize,
    },
}

pub(super) struct Scanner {
    /// Its number among the watched folders.
    pub(super) number: usize,
    /// The folder as the owner wrote it.
    pub(super) folder: PathBuf,
    pub(super) recursive: bool,
    pub(super) poll: bool,
    pub(super) own: Vec<PathBuf>,
    /// At the first scan, files that a killed process left under a name of ours get theirs back.
    pub(super) restore_names: bool,
    /// Files that exist at the first scan are not wanted.
    pub(super) leave_existing: bool,
    pub(super) events: Arc<FileEvents>,
    pub(super) found: mpsc::Sender<ScanEvent>,
    pub(super) uploads: Uploads,
}

/// A folder that is there.
struct Attached {
    identity: Identity,
    scope: Scope,
    /// `None` when the system reports nothing.
    watcher: Option<RecommendedWatcher>,
    /// Why the folder is polled.
    polled: Option<Message>,
    next_scan: Instant,
    /// Events bring no scan before.
    rests_until: Instant,
}

impl Attached {
    /// A scan is done; the next is due after this time.
    fn scanned(&mut self, began: Instant, now: Instant, every: Duration) {
        let took = now - began;
        self.rests_until = now + took * REST_AFTER_EVENTS;
        self.next_scan = now + every.max(took * REST_PER_SCAN);
    }

    /// The system reported something, and may have lost something else.
    fn scan_soon(&mut self, now: Instant) {
        let soon = (now + AFTER_AN_EVENT).max(self.rests_until);
        self.next_scan = self.next_scan.min(soon);
    }
}

/// What the callback of the events sets for the thread.
#[derive(Debug, Default)]
struct EventFlags {
    /// Something was missed, and a scan is on its way.
    missed: AtomicBool,
    /// There was an event since the thread looked last.
    some: AtomicBool,
}

/// Distinguishes a folder from another one in its place.
#[derive(Debug, PartialEq, Eq)]
struct Identity(u64, u64);

/// The receiver is gone.
struct Over;

impl Scanner {
    /// Starts the thread; its commands are executed in order.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(super) fn start(self) -> io::Result<Sender<Command>> {
        let (commands, orders) = std::sync::mpsc::channel();
        let own = commands.clone();
        std::thread::Builder::new()
            .name("watched folder".to_owned())
            .spawn(move || {
                // It ends on a command, or when the receiver is gone.
                let _ = self.run(&own, &orders);
            })?;
        Ok(commands)
    }

    fn run(mut self, own: &Sender<Command>, orders: &Receiver<Command>) -> Result<(), Over> {
        let flags = Arc::new(EventFlags::default());
        let mut attached: Option<Attached> = None;
        loop {
            if flags.some.swap(false, Ordering::AcqRel)
                && LOSES_EVENTS
                && let Some(there) = &mut attached
            {
                there.scan_soon(Instant::now());
            }
            match identity(&self.folder) {
                Ok(identity) => match &mut attached {
                    Some(there) if there.identity == identity => {
                        if there.next_scan <= Instant::now() {
                            self.everything(there)?;
                        }
                    }
                    _ => {
                        self.send(ScanEvent::Distrust {
                            folder: self.number,
                        })?;
                        // The old one first: it may be of the same path.
                        drop(attached.take());
                        match self.attach(identity, own, &flags) {
                            Ok(mut there) => {
                                self.everything(&mut there)?;
                                attached = Some(there);
                            }
                            Err(error) => self.missing(&error),
                        }
                    }
                },
                Err(error) => {
                    attached = None;
                    self.missing(&error);
                }
            }
            match orders.recv_timeout(CHECK_EVERY) {
                Ok(Command::Folder(folder)) => {
                    if let Some(there) = &mut attached {
                        self.scan(there, folder)?;
                    }
                }
                Ok(Command::Everything) => {
                    flags.missed.store(false, Ordering::Release);
                    self.send(ScanEvent::Distrust {
                        folder: self.number,
                    })?;
                    if let Some(there) = &mut attached {
                        self.everything(there)?;
                    }
                }
                Ok(Command::Stop) | Err(RecvTimeoutError::Disconnected) => return Err(Over),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn attach(
        &self,
        identity: Identity,
        own: &Sender<Command>,
        flags: &Arc<EventFlags>,
    ) -> io::Result<Attached> {
        let root = files::full_path(&self.folder)?;
        let full = |folder: &PathBuf| files::full_path(folder).unwrap_or_else(|_| folder.clone());
        let scope = Scope {
            recursive: self.recursive,
            own: self.own.iter().map(full).collect(),
            root,
        };
        let mut polled = if self.poll {
            Some(crate::detail!("as the settings say"))
        } else {
            network::is_shared(&scope.root).then_some(crate::detail!("it is on a network"))
        };
        let watcher = match self.listen(&scope, own.clone(), Arc::clone(flags)) {
            Ok(watcher) => Some(watcher),
            Err(error) => {
                polled = Some(why_no_events(&error));
                None
            }
        };
        Ok(Attached {
            identity,
            scope,
            watcher,
            polled,
            next_scan: Instant::now(),
            rests_until: Instant::now(),
        })
    }

    fn listen(
        &self,
        scope: &Scope,
        own: Sender<Command>,
        flags: Arc<EventFlags>,
    ) -> notify::Result<RecommendedWatcher> {
        let (number, events, below) = (self.number, Arc::clone(&self.events), scope.clone());
        // Once until the scan, however often it occurs.
        let missed = Arc::clone(&flags);
        let something_missed = move |own: &Sender<Command>| {
            if !missed.missed.swap(true, Ordering::AcqRel) {
                let _ = own.send(Command::Everything);
            }
        };
        let handle = move |event: notify::Result<notify::Event>| {
            flags.some.store(true, Ordering::Release);
            match events::read(event) {
                FolderEvent::Files(event, files) => {
                    for file in files.into_iter().filter(|file| below.holds(file)) {
                        if !events.keep(number, file, event) {
                            something_missed(&own);
                        }
                    }
                }
                FolderEvent::Folder(folders) if below.recursive => {
                    for folder in folders.into_iter().filter(|folder| below.holds(folder)) {
                        let _ = own.send(Command::Folder(folder));
                    }
                }
                FolderEvent::Missed => something_missed(&own),
                FolderEvent::Folder(_) | FolderEvent::Nothing => {}
            }
        };
        let config = Config::default().with_follow_symlinks(false);
        let mut watcher = RecommendedWatcher::new(handle, config)?;
        let mode = if RECURSIVE_WATCHES && scope.recursive {
            RecursiveMode::Recursive
        } else {
            RecursiveMode::NonRecursive
        };
        watcher.watch(&scope.root, mode)?;
        Ok(watcher)
    }

    fn everything(&mut self, there: &mut Attached) -> Result<(), Over> {
        let began = Instant::now();
        let root = there.scope.root.clone();
        self.scan(there, root)?;
        self.restore_names = false;
        if std::mem::take(&mut self.leave_existing) {
            self.send(ScanEvent::FirstScanDone {
                folder: self.number,
            })?;
        }
        let every = if there.polled.is_some() {
            POLL_EVERY
        } else {
            SCAN_EVERY
        };
        there.scanned(began, Instant::now(), every);
        self.show(there);
        // What waits can be uploaded again.
        self.uploads.0.work.notify_one();
        Ok(())
    }

    /// The system does not report all changes.
    fn poll_from_now_on(&self, there: &mut Attached, why: Message) {
        if there.polled.is_none() {
            there.polled = Some(why);
            there.next_scan = there.next_scan.min(Instant::now() + POLL_EVERY);
            self.show(there);
        }
    }

    fn show(&self, there: &Attached) {
        let state = match &there.polled {
            None => FolderState::Watched,
            Some(_) => FolderState::Polled,
        };
        self.uploads
            .folder_is(self.number, state, there.polled.clone());
    }

    fn missing(&self, error: &io::Error) {
        self.uploads
            .folder_is(self.number, FolderState::Missing, Some(error.into()));
    }

    /// Scans a folder and, if recursive, those inside it.
    fn scan(&self, there: &mut Attached, folder: PathBuf) -> Result<(), Over> {
        let mut folders = vec![folder];
        while let Some(folder) = folders.pop() {
            // First watched, then scanned: nothing is missed in between.
            if !RECURSIVE_WATCHES
                && let Some(watcher) = &mut there.watcher
                && let Err(error) = watcher.watch(&folder, RecursiveMode::NonRecursive)
                && !matches!(error.kind, notify::ErrorKind::PathNotFound)
            {
                self.poll_from_now_on(there, why_no_events(&error));
            }
            if self.restore_names {
                staged::restore_all(&folder);
            }
            let (files, inside) = match entries(&folder, &there.scope) {
                Ok(entries) => entries,
                Err(error) => {
                    tracing::debug!(folder = %folder.display(), %error, "a folder is skipped");
                    continue;
                }
            };
            if there.scope.recursive {
                folders.extend(inside);
            }
            for chunk in files.chunks(CHUNK) {
                self.send(ScanEvent::Files {
                    folder: self.number,
                    files: chunk.to_vec(),
                    unwanted: self.leave_existing,
                })?;
            }
        }
        Ok(())
    }

    fn send(&self, found: ScanEvent) -> Result<(), Over> {
        self.found.blocking_send(found).map_err(|_| Over)
    }
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
        // Of a link itself, not of what it points to; gone again is no matter.
        let Ok(about) = entry.metadata() else {
            continue;
        };
        if about.is_dir() {
            folders.push(path);
        } else if about.is_file() && about.len() > 0 && !is_left_alone(&about) {
            files.push((path, FileVersion::of(&about)));
        }
    }
    files.sort_by(|(one, one_stamp), (other, other_stamp)| {
        (one_stamp.changed, one).cmp(&(other_stamp.changed, other))
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
    fn a_scan_follows_events_but_the_last_one_may_rest() {
        let now = Instant::now();
        let seconds = Duration::from_secs;
        let mut there = Attached {
            identity: Identity(0, 0),
            scope: Scope {
                recursive: true,
                own: Vec::new(),
                root: PathBuf::new(),
            },
            watcher: None,
            polled: None,
            next_scan: now + SCAN_EVERY,
            rests_until: now,
        };
        there.scan_soon(now);
        assert_eq!(there.next_scan, now + AFTER_AN_EVENT);
        // Events that go on do not put it off.
        there.scan_soon(now + seconds(1));
        assert_eq!(there.next_scan, now + AFTER_AN_EVENT);
        // After a scan of two seconds they bring none for forty.
        there.scanned(now, now + seconds(2), SCAN_EVERY);
        there.scan_soon(now + seconds(3));
        assert_eq!(there.next_scan, now + seconds(42));
        // One that is so long is followed by the regular one.
        there.scanned(now, now + seconds(60), SCAN_EVERY);
        there.scan_soon(now + seconds(61));
        assert_eq!(there.next_scan, now + seconds(60) + SCAN_EVERY);
    }
}
