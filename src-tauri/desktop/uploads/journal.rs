//! The journal of what waits to be uploaded, in the data folder: where the process ends in between,
//! however it ends, the next start continues.
//!
//! `waiting/list` has a line for each: `+7 file:///…` when it joins the queue and
//! `-7` when it has come to an end. What was pasted is a file beside the list
//! until it is stored. What joins is forced to the disk before it is
//! acknowledged. An end is not: where it is lost with a power cut, the next start finds that the
//! picture is stored already.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use porchlight_app::data_dir;
use porchlight_companion::picgo::Picture;
use tauri::Url;

use super::group_commit::{Forcing, sync_folder};
use super::queue::Job;

const FOLDER: &str = "waiting";
const LIST: &str = "list";

/// The list, and the files beside it.
pub(super) struct Waiting {
    folder: PathBuf,
    list: File,
    ids: HashSet<u32>,
    forcing: Arc<Forcing>,
}

impl Waiting {
    /// Goes on with the list of a data folder: `join` gives each picture that
    /// still waits its number of this run. Reads and writes the disk.
    ///
    /// # Errors
    /// When the list cannot be read or written; then nothing is written down.
    pub(super) fn begin(data: &Path, mut join: impl FnMut(&Path) -> u32) -> io::Result<Self> {
        let folder = data.join(FOLDER);
        data_dir::make_closed(&folder)?;
        let list = folder.join(LIST);
        let before = match fs::read(&list) {
            Ok(bytes) => unfinished(&String::from_utf8_lossy(&bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        // What was pasted and is gone was stored: its end was lost.
        let is_there = |path: &PathBuf| path.parent() != Some(&folder) || path.exists();
        let before: Vec<PathBuf> = before.into_iter().filter(is_there).collect();
        // The old list counts until the new one is whole.
        let next = folder.join("list.new");
        File::create(&next)?;
        let opened = OpenOptions::new().append(true).open(&next)?;
        let mut waiting = Self {
            forcing: Arc::new(Forcing::of(opened.try_clone()?, &folder)),
            list: opened,
            folder,
            ids: HashSet::new(),
        };
        let jobs: Vec<Job> = before
            .iter()
            .map(|path| Job {
                id: join(path),
                picture: Picture::File(path.clone()),
            })
            .collect();
        waiting.write(&jobs)?;
        waiting.list.sync_all()?;
        fs::rename(&next, &list)?;
        sync_folder(&waiting.folder)?;
        sync_folder(data)?;
        waiting.sweep(&before.iter().map(PathBuf::as_path).collect());
        Ok(waiting)
    }

    /// Whether a file is one of what was pasted.
    pub(super) fn is_pasted(data: &Path, path: &Path) -> bool {
        path.parent() == Some(&data.join(FOLDER))
    }

    /// Where what was pasted is kept.
    pub(super) fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// Forces what has joined to the disk, without this list being held.
    pub(super) fn forcing(&self) -> Arc<Forcing> {
        Arc::clone(&self.forcing)
    }

    /// Writes down what joins the queue. What has no file is left out.
    pub(super) fn join(&mut self, jobs: &[Job]) {
        if let Err(error) = self.write(jobs) {
            tracing::warn!(%error, "what waits to be uploaded cannot be written down");
        }
    }

    /// Writes down that one has come to an end.
    pub(super) fn end(&mut self, id: u32) {
        if !self.ids.remove(&id) {
            return;
        }
        let written = if self.ids.is_empty() {
            self.list.set_len(0)
        } else {
            self.list.write_all(format!("-{id}\n").as_bytes())
        };
        if let Err(error) = written {
            tracing::warn!(%error, "the end of an upload cannot be written down");
        }
    }

    /// Removes a picture that was pasted and is wanted no more.
    pub(super) fn forget(&self, picture: &Picture) {
        if let Picture::File(path) = picture
            && path.parent() == Some(&self.folder)
            && let Err(error) = fs::remove_file(path)
        {
            tracing::warn!(%error, "what was pasted cannot be removed");
        }
    }

    /// Removes all that was pasted, but for these.
    fn sweep(&self, wanted: &HashSet<&Path>) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()) {
            if path != self.folder.join(LIST) && !wanted.contains(path.as_path()) {
                self.forget(&Picture::File(path));
            }
        }
    }

    fn write(&mut self, jobs: &[Job]) -> io::Result<()> {
        let mut lines = String::new();
        for Job { id, picture } in jobs {
            if let Picture::File(path) = picture
                && let Ok(url) = Url::from_file_path(path)
            {
                lines += &format!("+{id} {url}\n");
                self.ids.insert(*id);
            }
        }
        // One call: what is cut short by the end of the process is its last line.
        self.list.write_all(lines.as_bytes())?;
        self.forcing.written();
        Ok(())
    }
}

/// Keeps what was pasted in a file of this folder; where it is.
///
/// # Errors
/// When it cannot be written.
pub(super) fn keep(folder: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let mut file = tempfile::Builder::new()
        .prefix("pasted-")
        .tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    let (_, path) = file.keep()?;
    Ok(path)
}

/// The files of a list that have come to no end, in their order. A last line
/// that was cut short does not count.
fn unfinished(list: &str) -> Vec<PathBuf> {
    let mut waiting: BTreeMap<u32, PathBuf> = BTreeMap::new();
    for line in list.split_inclusive('\n') {
        let Some(line) = line.strip_suffix('\n') else {
            continue;
        };
        if let Some(id) = line.strip_prefix('-').and_then(|id| id.parse().ok()) {
            waiting.remove(&id);
        } else if let Some((id, url)) = line.strip_prefix('+').and_then(|of| of.split_once(' '))
            && let Ok(id) = id.parse()
            && let Some(path) = Url::parse(url).ok().and_then(|url| url.to_file_path().ok())
        {
            waiting.insert(id, path);
        }
    }
    waiting.into_values().collect()
}

#[cfg(test)]
mod tests;
