//! Images as files: `images/ab/<hash>.webp`, renditions beside them in
//! `renditions/ab/<hash>.w640.webp`.
//!
//! Files are written atomically: under another name, synced, renamed, and the
//! folder synced.

use std::fs::{self, File};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::StreamExt as _;
use tokio_util::io::ReaderStream;

use super::{ByteStream, ListedObject, ObjectName, StorageError};
use crate::clock::timestamp::Timestamp;
use crate::error::message::{Message, is_full};
use crate::files;

/// How much of a file is read at once while it is streamed.
const CHUNK: usize = 64 * 1024;

#[derive(Clone)]
pub(crate) struct Disk(Arc<Folders>);

struct Folders {
    images: PathBuf,
    renditions: PathBuf,
    half_written: PathBuf,
    next: AtomicU64,
}

impl Disk {
    pub(super) fn beside(data_folder: &Path) -> Self {
        Self(Arc::new(Folders {
            images: data_folder.join("images"),
            renditions: data_folder.join("renditions"),
            half_written: data_folder.join("images").join("half-written"),
            next: AtomicU64::new(0),
        }))
    }

    pub(super) fn open(data_folder: &Path) -> Result<Self, Message> {
        let disk = Self::beside(data_folder);
        let folders = &disk.0;
        for folder in [&folders.images, &folders.renditions, &folders.half_written] {
            fs::create_dir_all(folder).map_err(|error| super::unusable(folder, &error))?;
        }
        sweep(&folders.half_written)
            .map_err(|error| super::unusable(&folders.half_written, &error))?;
        Ok(disk)
    }

    pub(super) async fn look_through(&self) -> Result<Vec<ListedObject>, StorageError> {
        let disk = self.clone();
        on_a_worker(move || {
            let mut found = Vec::new();
            for root in [&disk.0.images, &disk.0.renditions] {
                disk.look_into(root, &mut found)
                    .map_err(|error| StorageError::Failed(error.into()))?;
            }
            Ok(found)
        })
        .await
    }

    fn look_into(&self, folder: &Path, found: &mut Vec<ListedObject>) -> io::Result<()> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        for entry in entries {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                if path != self.0.half_written {
                    self.look_into(&path, found)?;
                }
                continue;
            }
            let name = entry.file_name();
            let name = name.to_str().and_then(ObjectName::parse);
            found.push(match name {
                Some(name) if self.path(name) == path => {
                    let written = entry
                        .metadata()
                        .ok()
                        .and_then(|about| about.modified().ok());
                    ListedObject::Object(name, written.and_then(timestamp))
                }
                _ => ListedObject::Foreign,
            });
        }
        Ok(())
    }

    pub(super) async fn set_aside(
        &self,
        name: ObjectName,
        file: PathBuf,
    ) -> Result<bool, StorageError> {
        let path = self.path(name);
        on_a_worker(move || match files::rename(&path, &file) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(failure("move aside", &path, &error)),
        })
        .await
    }

    pub(super) fn path(&self, name: ObjectName) -> PathBuf {
        let root = if name.width.is_none() {
            &self.0.images
        } else {
            &self.0.renditions
        };
        let name = name.to_string();
        root.join(&name[..2]).join(name)
    }

    pub(super) async fn put(&self, name: ObjectName, bytes: Bytes) -> Result<(), StorageError> {
        let disk = self.clone();
        on_a_worker(move || {
            let number = disk.0.next.fetch_add(1, Ordering::Relaxed);
            let half_written = disk.0.half_written.join(format!("{name}.{number}"));
            let path = disk.path(name);
            write_whole(&half_written, &path, &bytes).map_err(|error| {
                // The next start removes what cannot be removed now.
                let _ = fs::remove_file(&half_written);
                failure("write", &path, &error)
            })
        })
        .await
    }

    /// The object's bytes on disk; `None` when it is not there.
    pub(super) async fn size(&self, name: ObjectName) -> Result<Option<u64>, StorageError> {
        let path = self.path(name);
        on_a_worker(move || match fs::metadata(&path) {
            Ok(found) => Ok(Some(found.len())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failure("look at", &path, &error)),
        })
        .await
    }

    pub(super) async fn get(&self, name: ObjectName) -> Result<Bytes, StorageError> {
        let path = self.path(name);
        on_a_worker(move || match fs::read(&path) {
            Ok(bytes) => Ok(Bytes::from(bytes)),
            Err(error) => Err(failure("read", &path, &error)),
        })
        .await
    }

    pub(super) async fn stream(
        &self,
        name: ObjectName,
        range: Range<u64>,
    ) -> Result<ByteStream, StorageError> {
        let path = self.path(name);
        let length = range.end - range.start;
        let file = on_a_worker(move || {
            let mut file = File::open(&path).map_err(|error| failure("read", &path, &error))?;
            file.seek(SeekFrom::Start(range.start))
                .map_err(|error| failure("read", &path, &error))?;
            Ok(tokio::fs::File::from_std(file))
        })
        .await?;
        let part = tokio::io::AsyncReadExt::take(file, length);
        Ok(ReaderStream::with_capacity(part, CHUNK).boxed())
    }

    /// All renditions, with their sizes in bytes and their last use by their
    /// files' times.
    pub(crate) async fn renditions(
        &self,
    ) -> Result<Vec<(ObjectName, u64, Timestamp)>, StorageError> {
        let disk = self.clone();
        on_a_worker(move || {
            let mut found = Vec::new();
            disk.look_into(&disk.0.renditions, &mut found)
                .map_err(|error| failure("look through", &disk.0.renditions, &error))?;
            let copies = found.into_iter().filter_map(|found| match found {
                ListedObject::Object(name, Some(written)) => {
                    let size = fs::metadata(disk.path(name)).ok()?.len();
                    Some((name, size, written))
                }
                _ => None,
            });
            Ok(copies.collect())
        })
        .await
    }

    /// Sets the file's time to its last use.
    pub(crate) async fn touch(
        &self,
        name: ObjectName,
        used: Timestamp,
    ) -> Result<(), StorageError> {
        let path = self.path(name);
        on_a_worker(move || {
            let since = Duration::from_millis(used.as_millis().unsigned_abs());
            File::options()
                .write(true)
                .open(&path)
                .and_then(|file| file.set_modified(SystemTime::UNIX_EPOCH + since))
                .map_err(|error| failure("touch", &path, &error))
        })
        .await
    }

    /// Removes one object; a missing one is no error. The removal is not
    /// synced: for what can be made again.
    pub(crate) async fn remove_one(&self, name: ObjectName) -> Result<(), StorageError> {
        let path = self.path(name);
        on_a_worker(move || match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(failure("remove", &path, &error))
            }
            _ => Ok(()),
        })
        .await
    }

    /// # Errors
    /// When the folder of the images is missing or empty: that of a drive that is not connected must not
    /// count as one whose images are gone.
    pub(crate) async fn check_is_connected(&self) -> Result<(), StorageError> {
        let folder = self.0.images.clone();
        on_a_worker(move || {
            let first = fs::read_dir(&folder).map(|mut entries| entries.next());
            match first {
                Ok(Some(_)) => Ok(()),
                Ok(None) => Err(io::ErrorKind::NotFound.into()),
                Err(error) => Err(error),
            }
            .map_err(|error| failure("look through", &folder, &error))
        })
        .await
    }

    /// Removes objects of one folder; a missing one is no error.
    pub(super) async fn remove_all(&self, names: &[ObjectName]) -> Result<(), StorageError> {
        let paths: Vec<PathBuf> = names.iter().map(|name| self.path(*name)).collect();
        on_a_worker(move || {
            let failed = |error| failure("remove", &paths[0], &error);
            remove_for_good(&paths).map_err(failed)
        })
        .await
    }
}

fn timestamp(time: SystemTime) -> Option<Timestamp> {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis())
        .ok()
        .map(Timestamp::from_millis)
}

pub(super) fn write_whole(half_written: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    if !folder.is_dir() {
        fs::create_dir_all(folder)?;
        sync_folder(folder.parent().unwrap_or(folder))?;
    }
    let mut file = File::create_new(half_written)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    drop(file);
    files::rename(half_written, path)?;
    sync_folder(folder)
}

/// Removes files of one folder. A missing one is removed already, but perhaps by an earlier attempt
/// that was interrupted: the folder is synced anyway.
fn remove_for_good(paths: &[PathBuf]) -> io::Result<()> {
    for path in paths {
        match fs::remove_file(path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    match paths.first().and_then(|path| path.parent()) {
        Some(folder) if folder.is_dir() => sync_folder(folder),
        _ => Ok(()),
    }
}

/// Makes a rename or a removal durable. Only Unix can open a folder for that; elsewhere the file
/// system does it by itself.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()
    } else {
        Ok(())
    }
}

/// Whether a data folder holds images on disk.
pub(crate) fn holds_images(data_folder: &Path) -> bool {
    let files = |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten();
    files(data_folder.join("images"))
        .filter(|entry| entry.file_name().len() == 2)
        .any(|subfolder| {
            files(subfolder.path())
                .any(|entry| entry.path().extension().is_some_and(|e| e == "webp"))
        })
}

/// Removes what an earlier run had not finished writing.
pub(crate) fn sweep(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // A folder in it does not belong to the service.
        if !entry.file_type()?.is_dir() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

pub(super) async fn on_a_worker<R: Send + 'static>(
    work: impl FnOnce() -> Result<R, StorageError> + Send + 'static,
) -> Result<R, StorageError> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|error| {
            Err(StorageError::Failed(crate::detail!(
                "a disk worker broke: {error}"
            )))
        })
}

/// `what` was not done to that file or folder.
pub(super) fn failure(what: &str, path: &Path, error: &io::Error) -> StorageError {
    let is_read = what == "read";
    let message = crate::detail!("Porchlight cannot {what} {}: {error}", path.display());
    match error.kind() {
        _ if is_full(error) => StorageError::Full(message),
        io::ErrorKind::NotFound if is_read => StorageError::Missing(path.display().to_string()),
        _ => StorageError::Failed(message),
    }
}
