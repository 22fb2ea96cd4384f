//! The folder `trash/` of the data folder: the bytes of deleted images, as `<hash>.webp`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bytes::Bytes;

use super::disk::{failure, on_a_worker, sync_folder, write_whole};
use super::{ObjectName, ObjectPlace, StorageError};
use crate::files;
use crate::text::image_hash::ImageHash;

const ENDING: &str = "webp";
const HALF_WRITTEN: &str = "part";

/// The folder; cheap to clone. It is made when something comes into it.
#[derive(Debug, Clone)]
pub(crate) struct TrashFolder(PathBuf);

/// What became of the bytes of a deleted image.
#[derive(Debug)]
pub(crate) enum Taken {
    /// They are in the folder.
    Kept,
    /// There are none.
    Missing,
    /// They cannot be kept on this computer, or their place does not give them, for this reason.
    NotKept(StorageError),
}

impl TrashFolder {
    pub(crate) fn of(data_folder: &Path) -> Self {
        Self(data_folder.join("trash"))
    }

    /// The file of a deleted image.
    pub(crate) fn file(&self, hash: ImageHash) -> PathBuf {
        self.0.join(format!("{hash}.{ENDING}"))
    }

    /// Whether the bytes of this image are in it.
    pub(crate) async fn holds(&self, hash: ImageHash) -> Result<bool, StorageError> {
        let file = self.file(hash);
        on_a_worker(move || {
            file.try_exists().or_else(|error| match error.kind() {
                // A file has the folder's name.
                io::ErrorKind::NotADirectory => Ok(false),
                _ => Err(failure("look at", &file, &error)),
            })
        })
        .await
    }

    /// Brings the bytes of a deleted image here. On the disk they leave their place; elsewhere they
    /// are copied, and stay to be removed. What is here already is kept.
    ///
    /// # Errors
    /// When their place cannot be read.
    pub(crate) async fn take(
        &self,
        place: &ObjectPlace,
        hash: ImageHash,
    ) -> Result<Taken, StorageError> {
        match self.holds(hash).await {
            Ok(true) => return Ok(Taken::Kept),
            Ok(false) => {}
            Err(why) => return Ok(Taken::NotKept(why)),
        }
        let (file, name) = (self.file(hash), ObjectName::image(hash));
        let kept = match place {
            ObjectPlace::Disk(disk) => {
                let from = disk.path(name);
                on_a_worker(move || {
                    let moved = moved(&from, &file);
                    moved.map_err(|error| match error.kind() {
                        io::ErrorKind::NotFound if !from.exists() => {
                            StorageError::Missing(name.to_string())
                        }
                        _ => failure("move aside", &from, &error),
                    })
                })
                .await
            }
            ObjectPlace::Remote(store) => {
                let bytes = match store.get(name).await {
                    Err(StorageError::Missing(_)) => return Ok(Taken::Missing),
                    Err(why @ StorageError::Refused(_)) => return Ok(Taken::NotKept(why)),
                    bytes => bytes?,
                };
                on_a_worker(move || {
                    let half_written = file.with_extension(HALF_WRITTEN);
                    // One of a run that ended while it was written.
                    let _ = fs::remove_file(&half_written);
                    write_whole(&half_written, &file, &bytes).map_err(|error| {
                        let _ = fs::remove_file(&half_written);
                        failure("write", &file, &error)
                    })
                })
                .await
            }
        };
        Ok(match kept {
            Ok(()) => Taken::Kept,
            Err(StorageError::Missing(_)) => Taken::Missing,
            Err(why) => Taken::NotKept(why),
        })
    }

    /// Puts the bytes of an image in a place. From the disk's they leave the folder; otherwise they
    /// stay, to be removed when the image has its row.
    ///
    /// # Errors
    /// When they are not here, or the place does not take them.
    pub(crate) async fn give_back(
        &self,
        place: &ObjectPlace,
        hash: ImageHash,
    ) -> Result<(), StorageError> {
        let (file, name) = (self.file(hash), ObjectName::image(hash));
        match place {
            ObjectPlace::Disk(disk) => {
                let to = disk.path(name);
                on_a_worker(move || {
                    moved(&file, &to).map_err(|error| failure("write", &to, &error))
                })
                .await
            }
            ObjectPlace::Remote(store) => store.put(name, self.read(hash).await?).await,
        }
    }

    /// The bytes of a deleted image.
    ///
    /// # Errors
    /// When they are not here, or cannot be read.
    pub(crate) async fn read(&self, hash: ImageHash) -> Result<Bytes, StorageError> {
        let file = self.file(hash);
        on_a_worker(move || match fs::read(&file) {
            Ok(bytes) => Ok(bytes.into()),
            Err(error) => Err(failure("read", &file, &error)),
        })
        .await
    }

    /// Removes the bytes of an image, also half-written ones; whether there were any.
    pub(crate) async fn remove(&self, hash: ImageHash) -> Result<bool, StorageError> {
        let file = self.file(hash);
        on_a_worker(move || {
            let mut removed = false;
            for file in [file.with_extension(HALF_WRITTEN), file] {
                match fs::remove_file(&file) {
                    Ok(()) => removed = true,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(failure("remove", &file, &error)),
                }
            }
            Ok(removed)
        })
        .await
    }

    /// The files of images in it, also half-written ones. Other files are left out.
    pub(crate) async fn files(&self) -> Result<Vec<PathBuf>, StorageError> {
        let folder = self.0.clone();
        on_a_worker(move || {
            let failed = |error| failure("look through", &folder, &error);
            let mut files = Vec::new();
            let entries = match fs::read_dir(&folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(files),
                entries => entries.map_err(failed)?,
            };
            for entry in entries {
                let path = entry.map_err(failed)?.path();
                if image_of(&path).is_some() {
                    files.push(path);
                }
            }
            Ok(files)
        })
        .await
    }

    /// The images whose bytes are in it, also half-written ones.
    pub(crate) async fn all(&self) -> Result<Vec<ImageHash>, StorageError> {
        let files = self.files().await?;
        Ok(files.iter().filter_map(|file| image_of(file)).collect())
    }
}

/// The image of a file in the folder; `None` where it is another's file.
fn image_of(file: &Path) -> Option<ImageHash> {
    let ending = file.extension()?;
    let is_ours = ending == ENDING || ending == HALF_WRITTEN;
    file.file_stem()?.to_str()?.parse().ok().filter(|_| is_ours)
}

/// Moves a file into a folder, durably, also one of another file system.
fn moved(from: &Path, to: &Path) -> io::Result<()> {
    let folder = to.parent().unwrap_or(to);
    if !folder.is_dir() {
        fs::create_dir_all(folder)?;
        sync_folder(folder.parent().unwrap_or(folder))?;
    }
    match files::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let half_written = to.with_extension(HALF_WRITTEN);
            let _ = fs::remove_file(&half_written);
            write_whole(&half_written, to, &fs::read(from)?).inspect_err(|_| {
                let _ = fs::remove_file(&half_written);
            })?;
            fs::remove_file(from)?;
        }
        renamed => renamed?,
    }
    sync_folder(folder)?;
    sync_folder(from.parent().unwrap_or(from))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    #[test]
    fn a_file_is_moved_to_another_file_system() {
        let here = tempfile::tempdir().expect("a folder");
        let there = tempfile::tempdir_in("/dev/shm").expect("a folder");
        let device = |folder: &Path| fs::metadata(folder).expect("a folder").dev();
        assert_ne!(device(here.path()), device(there.path()));
        let (from, to) = (here.path().join("a.webp"), there.path().join("ab/a.webp"));
        fs::write(&from, b"an image").expect("a file");
        moved(&from, &to).expect("moved");
        assert!(!from.exists());
        assert_eq!(fs::read(to).expect("a file"), b"an image");
    }
}
