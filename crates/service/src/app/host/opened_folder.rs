//! What a process opens that works for a data folder: the settings, the folder, its lock and the
//! log.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use super::instance_file;
use crate::app::tokens::app_tokens;
use crate::error::message::Message;
use crate::files::lock_file::LockFile;
use crate::files::{data_dir, file_mode};
use crate::log as logging;
use crate::log::LogGuard;
use crate::settings::layers::{Layers, Reading};

/// The settings, and what ends last.
pub(super) struct OpenedFolder {
    pub(super) layers: Layers,
    /// The settings file.
    pub(super) text: String,
    pub(super) reading: Reading,
    pub(super) folder: PathBuf,
    pub(super) last: Last,
}

/// The log and the lock, which go last.
pub(super) struct Last {
    _log: LogGuard,
    _lock: LockFile,
}

impl OpenedFolder {
    /// Reads the settings, makes the folder where it is not there, locks it and starts the log.
    ///
    /// # Errors
    /// When the settings are wrong ([`Message::Settings`]; nothing has been made yet), the folder is
    /// held by another process, or it cannot be used.
    pub(super) fn open(
        place: &Path,
        set: Vec<String>,
        listen: Option<SocketAddr>,
    ) -> Result<Self, Message> {
        let layers = Layers::of_this_process(place, set, listen);
        let text = layers.file_text()?;
        let reading = layers.read_with(&text)?;
        let filter = logging::filter()?;
        raise_fd_limit();
        app_tokens::for_this_run()?;
        let folder = data_dir::make(place)?;
        let lock = data_dir::lock(&folder)?;
        instance_file::withdraw(&folder);
        let log = logging::start(&folder.join("logs"), filter)?;
        for warning in &reading.warnings {
            tracing::warn!("{warning}");
        }
        if !layers.file_is_named {
            layers.close_to_others();
        }
        file_mode::close_data_folder(&folder);
        Ok(Self {
            layers,
            text,
            reading,
            folder,
            last: Last {
                _log: log,
                _lock: lock,
            },
        })
    }
}

/// Raises the limit on open files and connections of this process to the most that it may ask for.
/// Many systems begin with 1024; the service takes about that many connections, and needs files
/// besides. Where the system refuses, the limit stays as it is.
#[cfg(unix)]
fn raise_fd_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    /// What macOS grants where it calls the limit infinite.
    const GRANTED_BY_ALL: u64 = 10_240;

    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    // `None` is no limit, which is as far as it goes.
    if current.is_none() || current == maximum {
        return;
    }
    let to = |current| setrlimit(Resource::Nofile, Rlimit { current, maximum });
    if to(maximum).is_err() && current < Some(GRANTED_BY_ALL) {
        // It stays as it was; the service works, with fewer connections.
        let _ = to(Some(GRANTED_BY_ALL));
    }
}

/// Nothing to do: this system has no such limit.
#[cfg(not(unix))]
fn raise_fd_limit() {}
