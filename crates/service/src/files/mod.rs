//! Names and paths of files where Windows differs: what is open there keeps its name, and a full path
//! has a prefix that people do not know.

pub mod data_dir;
pub mod executable;
pub mod file_mode;
pub mod lock_file;
pub mod network;
pub mod private_file;
pub mod private_files;
#[cfg(windows)]
pub mod windows;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// The pauses between the attempts, in milliseconds: a second in all.
const PAUSES: [u64; 7] = [10, 20, 40, 80, 160, 320, 370];
/// `ERROR_ACCESS_DENIED` and `ERROR_SHARING_VIOLATION`: another program has the file open.
const IN_USE: [i32; 2] = [5, 32];
/// The second of them; the first has other reasons, too.
const SHARING_VIOLATION: i32 = 32;

/// Renames a file or a folder; a file takes the place of another. On Windows it is tried for a second
/// while another program has one of them open. Blocks.
///
/// # Errors
/// The error of the system.
pub fn rename(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
    retried((), |()| fs::rename(&from, &to).map_err(|error| (error, ())))
}

/// Has `name` give this file its name; where it cannot, it hands the file back. On Windows it is tried
/// for a second while another program has one of them open: virus scanners, indexers and backups open
/// what was just written. Blocks.
///
/// # Errors
/// The last error.
pub fn retried<F, T>(
    mut file: F,
    mut name: impl FnMut(F) -> Result<T, (io::Error, F)>,
) -> io::Result<T> {
    for pause in PAUSES {
        match name(file) {
            Err((error, back)) if is_in_use(&error) => file = back,
            done => return done.map_err(|(error, _)| error),
        }
        thread::sleep(Duration::from_millis(pause));
    }
    name(file).map_err(|(error, _)| error)
}

fn is_in_use(error: &io::Error) -> bool {
    cfg!(windows)
        && error
            .raw_os_error()
            .is_some_and(|code| IN_USE.contains(&code))
}

/// Whether a file could not be opened since another program has it open in a way that excludes this.
/// False on other systems than Windows.
#[must_use]
pub fn is_shared_wrongly(error: &io::Error) -> bool {
    cfg!(windows) && error.raw_os_error() == Some(SHARING_VIOLATION)
}

/// The full path of what is there, without links. On Windows it begins like other paths: with `C:\` or
/// `\\server\`, not with `\\?\`, which people do not know and some programs refuse. Blocks.
///
/// # Errors
/// As [`fs::canonicalize`].
pub fn full_path(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    #[cfg(windows)]
    {
        // It leaves the paths that are too long, and those on other computers.
        let path = dunce::canonicalize(path)?;
        let server = path
            .to_str()
            .and_then(|text| text.strip_prefix(r"\\?\UNC\"));
        Ok(match server {
            Some(server) => PathBuf::from(format!(r"\\{server}")),
            None => path,
        })
    }
    #[cfg(not(windows))]
    fs::canonicalize(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_that_does_not_pass_is_reported_at_once() {
        let mut attempts = 0;
        let failed = retried((), |()| {
            attempts += 1;
            fs::rename("/no/such/file", "/no/such/other").map_err(|error| (error, ()))
        });
        let failed = failed.expect_err("there is no such file");
        assert_eq!(failed.kind(), io::ErrorKind::NotFound);
        assert_eq!(attempts, 1);
    }

    #[test]
    fn a_full_path_has_no_prefix() {
        let folder = std::env::temp_dir();
        let full = full_path(&folder).expect("a folder");
        assert!(full.is_absolute());
        assert!(!full.to_string_lossy().starts_with(r"\\?\"), "{full:?}");
        assert_eq!(full_path(&full).expect("a folder"), full);
    }

    #[cfg(windows)]
    #[test]
    fn a_file_that_another_program_has_open_for_a_moment_is_replaced() {
        use std::os::windows::fs::OpenOptionsExt as _;

        let folder = std::env::temp_dir().join(format!("porchlight-rename-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let (new, old) = (folder.join("new"), folder.join("old"));
        fs::write(&new, "new").expect("a file");
        fs::write(&old, "old").expect("a file");
        // As a virus scanner reads it: no program may remove or rename it.
        let held = fs::File::options()
            .read(true)
            .share_mode(1)
            .open(&old)
            .expect("a file");
        let blocked = fs::rename(&new, &old).expect_err("it is open");
        assert!(is_in_use(&blocked), "{blocked}");
        let reader = thread::spawn(move || {
            thread::sleep(Duration::from_millis(150));
            drop(held);
        });
        rename(&new, &old).expect("renamed");
        reader.join().expect("it ends");
        assert_eq!(fs::read_to_string(&old).expect("a file"), "new");
        fs::remove_dir_all(&folder).expect("our folder");
    }
}
