//! A file to send: opened once, so that the same file is compared, hashed and sent, even if its
//! path changes later.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;
#[cfg(windows)]
use std::path::PathBuf;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use bytes::Bytes;
use futures_util::stream::{self, Stream};
use sha2::{Digest as _, Sha256};

#[cfg(windows)]
use crate::files;
#[cfg(target_os = "linux")]
use crate::files::network;

/// The number of bytes that are read at once.
const CHUNK: usize = 64 * 1024;

/// A file's size and the time of its last change, which identify a version of it without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileVersion {
    /// In bytes.
    pub(crate) bytes: u64,
    /// In nanoseconds since 1970; 0 where it is unknown.
    pub(crate) changed: i64,
}

impl FileVersion {
    pub(crate) fn of(about: &Metadata) -> Self {
        let since = about
            .modified()
            .ok()
            .and_then(|changed| changed.duration_since(UNIX_EPOCH).ok());
        let nanoseconds = since.and_then(|since| i64::try_from(since.as_nanos()).ok());
        Self {
            bytes: about.len(),
            changed: nanoseconds.unwrap_or(0),
        }
    }

    /// The current version of a file.
    ///
    /// # Errors
    /// When its metadata cannot be read.
    pub(crate) fn now(file: &Path) -> io::Result<Self> {
        Ok(Self::of(&fs::metadata(file)?))
    }
}

/// An open regular file, as it was when it was opened.
#[derive(Debug, Clone)]
pub(crate) struct Opened {
    file: Arc<File>,
    file_version: FileVersion,
}

impl Opened {
    /// Opens a file that the user named; links are followed. Blocks.
    ///
    /// # Errors
    /// When it cannot be opened, or is no regular file.
    pub(crate) fn named(file: &Path) -> io::Result<Self> {
        // Checked first: opening a pipe can block indefinitely.
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("this is no regular file"));
        }
        Self::of(File::open(file)?)
    }

    /// Opens the file at the path `below` a folder. No part of that path may be
    /// a link, so the file is inside the folder. Blocks.
    ///
    /// # Errors
    /// When it cannot be opened; what is a link or no regular file counts as
    /// not found.
    pub(crate) fn inside(folder: &Path, below: &Path) -> io::Result<Self> {
        let file = open_inside(folder, below)?;
        if file.metadata()?.is_file() {
            Self::of(file)
        } else {
            Err(io::ErrorKind::NotFound.into())
        }
    }

    fn of(file: File) -> io::Result<Self> {
        Ok(Self {
            file_version: FileVersion::of(&file.metadata()?),
            file: Arc::new(file),
        })
    }

    pub(crate) fn file_version(&self) -> FileVersion {
        self.file_version
    }

    /// Whether it is unchanged since then.
    pub(crate) fn is_unchanged(&self) -> bool {
        let now = self.file.metadata();
        now.is_ok_and(|now| FileVersion::of(&now) == self.file_version)
    }

    /// The SHA-256 of its bytes. Reads all of it, and blocks.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn sha256(&self) -> io::Result<[u8; 32]> {
        let (mut sha256, mut offset) = (Sha256::new(), 0);
        loop {
            let chunk = self.read(offset)?;
            if chunk.is_empty() {
                return Ok(sha256.finalize().into());
            }
            sha256.update(&chunk);
            offset += chunk.len() as u64;
        }
    }

    /// Its bytes from the start. Several streams are independent of each other.
    pub(crate) fn stream(&self) -> impl Stream<Item = io::Result<Bytes>> + Send + use<> {
        stream::try_unfold((self.clone(), 0), |(opened, offset)| async move {
            let reading = opened.clone();
            let read = tokio::task::spawn_blocking(move || reading.read(offset));
            let chunk = read.await.map_err(io::Error::other)??;
            let next = offset + chunk.len() as u64;
            Ok((!chunk.is_empty()).then_some((chunk, (opened, next))))
        })
    }

    /// The bytes from there on, up to [`CHUNK`]; none at the end.
    fn read(&self, offset: u64) -> io::Result<Bytes> {
        let mut chunk = vec![0; CHUNK];
        loop {
            match read_at(&self.file, &mut chunk, offset) {
                Ok(read) => {
                    chunk.truncate(read);
                    return Ok(chunk.into());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

#[cfg(unix)]
fn read_at(file: &File, chunk: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, chunk, offset)
}

#[cfg(windows)]
fn read_at(file: &File, chunk: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, chunk, offset)
}

/// Opens one path component after the other: links are never followed, not even when one replaces a
/// folder concurrently.
#[cfg(unix)]
fn open_inside(folder: &Path, below: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open, openat};
    use rustix::io::Errno;

    let read = OFlags::RDONLY | OFlags::CLOEXEC;
    let mut at = open(folder, read | OFlags::DIRECTORY, Mode::empty())?;
    let mut parts = below.components().peekable();
    while let Some(part) = parts.next() {
        let std::path::Component::Normal(name) = part else {
            break;
        };
        // Otherwise opening a pipe would block.
        let kind = match parts.peek() {
            Some(_) => OFlags::DIRECTORY,
            None => OFlags::NONBLOCK,
        };
        let flags = read | kind | OFlags::NOFOLLOW;
        at = openat(&at, name, flags, Mode::empty()).map_err(|error| match error {
            Errno::LOOP | Errno::NOTDIR | Errno::NXIO => io::ErrorKind::NotFound.into(),
            error => io::Error::from(error),
        })?;
        if parts.peek().is_none() {
            return Ok(at.into());
        }
    }
    Err(io::ErrorKind::NotFound.into())
}

/// The place of the open file is compared, so that no link leads out of the folder, not even one that
/// replaces a folder concurrently. A file that a program has open for writing is not opened; once it is,
/// programs may write to it again, which [`Opened::is_unchanged`] finds out.
#[cfg(windows)]
fn open_inside(folder: &Path, below: &Path) -> io::Result<File> {
    let file = folder.join(below);
    drop(open_complete(&file)?);
    let file = File::open(file)?;
    // Both in the form of the system.
    match place_of(&file)?.starts_with(fs::canonicalize(folder)?) {
        true => Ok(file),
        false => Err(io::ErrorKind::NotFound.into()),
    }
}

/// The full path of an open file, without links.
#[cfg(windows)]
#[allow(unsafe_code, reason = "the standard library has no such call")]
fn place_of(file: &File) -> io::Result<PathBuf> {
    use std::ffi::OsString;
    use std::os::windows::ffi::OsStringExt as _;
    use std::os::windows::io::AsRawHandle as _;
    use windows::Win32::Foundation::HANDLE;
    use windows::Win32::Storage::FileSystem::{
        GETFINALPATHNAMEBYHANDLE_FLAGS, GetFinalPathNameByHandleW,
    };
    /// The longest path of Windows, in UTF-16 units.
    const LONGEST_PATH: usize = 32_768;
    let mut path = vec![0; LONGEST_PATH];
    // A normalised path that begins with a drive.
    let form = GETFINALPATHNAMEBYHANDLE_FLAGS(0);
    // SAFETY: the handle is open for as long as the file is borrowed, and the length is the slice's.
    let length =
        unsafe { GetFinalPathNameByHandleW(HANDLE(file.as_raw_handle()), &mut path, form) };
    match path.get(..length as usize) {
        Some(path) if length > 0 => Ok(OsString::from_wide(path).into()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Opens a file that no program has open for writing.
#[cfg(windows)]
fn open_complete(file: &Path) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt as _;
    /// `FILE_SHARE_READ` and `FILE_SHARE_DELETE`, of the Windows API.
    const NOT_FOR_WRITING: u32 = 0x1 | 0x4;
    let mut options = File::options();
    options.read(true).share_mode(NOT_FOR_WRITING).open(file)
}

/// Whether a program still has the file open for writing. A copy has its whole size from the start
/// there, so that two looks at it can be the same. Blocks.
#[cfg(windows)]
pub(crate) fn is_being_written(file: &Path) -> bool {
    open_complete(file).is_err_and(|error| files::is_shared_wrongly(&error))
}

/// While this is held no program can open the file to write to it; it can be moved. Blocks.
///
/// # Errors
/// When it cannot be opened, also since a program has it open for writing.
#[cfg(windows)]
pub(crate) fn keep_from_writers(file: &Path) -> io::Result<impl Sized> {
    open_complete(file)
}

/// Other systems cannot.
#[cfg(not(windows))]
pub(crate) fn keep_from_writers(_: &Path) -> io::Result<impl Sized> {
    Ok(())
}

/// Whether a program still has the file open for writing: the system gives no read lease then (`fcntl`
/// of the Linux manual). It gives none of other users' files either, nor on networks, where the refusal is
/// the same; there a file is complete when its size and its time no longer change. Blocks.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "no safe wrapper has leases")]
pub(crate) fn is_being_written(file: &Path) -> bool {
    use std::os::fd::AsRawFd as _;
    use std::os::unix::fs::OpenOptionsExt as _;

    /// Of `fcntl.h`; the crate lacks it.
    const F_SETSIG: libc::c_int = 10;
    // Not a link or a pipe that has come in its place.
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let opened = File::options().read(true).custom_flags(flags).open(file);
    let Some(opened) = opened.ok().filter(|_| !network::is_shared(file)) else {
        return false;
    };
    // SAFETY: the descriptor is open, and both commands take a number.
    let refused = unsafe {
        // A program that opens the file meanwhile waits until it is closed here. The signal for that is
        // one that is ignored: the default one would end this process.
        libc::fcntl(opened.as_raw_fd(), F_SETSIG, libc::SIGURG);
        libc::fcntl(opened.as_raw_fd(), libc::F_SETLEASE, libc::F_RDLCK) == -1
    };
    refused && io::Error::last_os_error().kind() == io::ErrorKind::WouldBlock
}

/// Other systems do not say; there it is complete when its size and its time no longer change.
#[cfg(not(any(windows, target_os = "linux")))]
pub(crate) fn is_being_written(_: &Path) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use futures_util::TryStreamExt as _;

    use super::*;

    async fn bytes_of(opened: &Opened) -> Vec<u8> {
        let parts: Vec<Bytes> = opened.stream().try_collect().await.expect("the bytes");
        parts.concat()
    }

    #[tokio::test]
    async fn the_opened_file_is_sent_even_if_it_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let secret = tempfile::NamedTempFile::new().expect("a file");
        fs::write(secret.path(), "a secret").expect("a file");
        let file = folder.path().join("a.png");
        let picture = "a picture".repeat(20_000);
        fs::write(&file, &picture).expect("a file");
        let opened = Opened::inside(folder.path(), Path::new("a.png")).expect("opened");
        fs::remove_file(&file).expect("our file");
        symlink(secret.path(), &file).expect("a link");
        let digest: [u8; 32] = Sha256::digest(&picture).into();
        assert_eq!(opened.sha256().expect("read"), digest);
        let (one, other) = tokio::join!(bytes_of(&opened), bytes_of(&opened));
        assert_eq!(one, picture.as_bytes());
        assert_eq!(other, picture.as_bytes());
        assert!(opened.is_unchanged());
    }

    #[test]
    fn no_link_is_followed_out_of_the_folder_and_a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let elsewhere = tempfile::tempdir().expect("a folder");
        fs::write(elsewhere.path().join("a.png"), "a secret").expect("a file");
        fs::create_dir(folder.path().join("real")).expect("a folder");
        fs::write(folder.path().join("real/a.png"), "a picture").expect("a file");
        symlink(elsewhere.path(), folder.path().join("linked")).expect("a link");
        symlink(
            elsewhere.path().join("a.png"),
            folder.path().join("link.png"),
        )
        .expect("a link");
        // By the command, since rustix has no such call on macOS.
        let pipe = std::process::Command::new("mkfifo")
            .arg(folder.path().join("pipe.png"))
            .status();
        assert!(pipe.expect("mkfifo").success());
        let inside = |below: &str| Opened::inside(folder.path(), Path::new(below));
        assert!(inside("real/a.png").is_ok());
        for below in [
            "linked/a.png",
            "link.png",
            "pipe.png",
            "real",
            "",
            "..",
            "real/../real/a.png",
            "/etc/passwd",
            "gone.png",
        ] {
            let error = inside(below).expect_err(below);
            assert_eq!(error.kind(), io::ErrorKind::NotFound, "{below}");
        }
    }
}

#[cfg(all(test, windows))]
mod windows_tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn no_link_is_followed_out_of_the_folder() {
        let home = tempfile::tempdir().expect("a folder");
        let folder = home.path().join("folder");
        fs::create_dir_all(folder.join("real")).expect("a folder");
        fs::write(folder.join("real/a.png"), "a picture").expect("a file");
        let secret = home.path().join("a.png");
        fs::write(&secret, "a secret").expect("a file");
        // Wine makes no junctions: there the path does not exist.
        let link = [folder.join("linked"), home.path().to_owned()];
        let command = Command::new("cmd")
            .args(["/c", "mklink", "/J"])
            .args(link)
            .output();
        command.expect("it starts");
        let inside = |below: &Path| Opened::inside(&folder, below);
        assert!(inside(Path::new(r"real\a.png")).is_ok());
        for below in [
            r"linked\a.png",
            r"..\a.png",
            r"real\..\..\a.png",
            "gone.png",
        ] {
            let error = inside(Path::new(below)).expect_err(below);
            assert_eq!(error.kind(), io::ErrorKind::NotFound, "{below}");
        }
        assert!(inside(&secret).is_err());
    }
}
