//! File modes on Unix.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::OnceLock;

use rustix::fs::{Mode, RawMode};
use rustix::process::{geteuid, umask};

/// The permission bits of group and others.
const OTHERS: u32 = 0o077;
/// A folder with this file is a data folder, whatever else is in it. One that Porchlight makes is
/// closed from the start, by the umask.
const MARK: &str = "porchlight.db";
/// A folder with this bit is shared by all users, as `/tmp` is.
const STICKY: u32 = 0o1000;

/// The umask of this process.
const CLOSED: Mode = Mode::from_raw_mode(0o077);
/// The umask that this process was started with.
static BEFORE: OnceLock<Mode> = OnceLock::new();

/// Denies group and others access to new files and folders, unless their mode is set explicitly.
pub fn close_new_files() {
    let _ = BEFORE.set(umask(CLOSED));
}

/// The umask that this process was started with, in octal digits.
pub fn former_mask() -> String {
    let before = BEFORE.get().copied().unwrap_or(CLOSED);
    format!("{:o}", before.as_raw_mode())
}

/// Sets the umask of this process and of what it starts to these octal digits.
pub fn set_mask(digits: &str) {
    if let Ok(mask) = RawMode::from_str_radix(digits, 8) {
        umask(Mode::from_raw_mode(mask));
    }
}

/// Runs `work` with the umask that this process was started with, for programs that create files of
/// their own. Files that other threads create meanwhile are in the data folder, which is
/// restricted.
pub fn with_former_mask<T>(work: impl FnOnce() -> T) -> T {
    let Some(before) = BEFORE.get() else {
        return work();
    };
    let ours = umask(*before);
    let done = work();
    umask(ours);
    done
}

/// A new folder is closed by the umask already.
pub fn close_new_folder(_: &Path) {}

/// Closes a data folder to other users of this machine, who then reach nothing in it, and reports in the
/// log whether they could and whether they still can. A folder that others use, too, is left as it is.
pub fn close_data_folder(folder: &Path) {
    let Ok(about) = fs::metadata(folder) else {
        return;
    };
    let name = folder.display();
    if about.uid() != geteuid().as_raw() {
        tracing::warn!("{name} belongs to another user, who can read what is in it");
    }
    if about.mode() & OTHERS == 0 {
        return;
    }
    if about.mode() & STICKY != 0 || !folder.join(MARK).is_file() {
        tracing::warn!(
            "other users can access {name}: its permissions are not changed, since it is not for \
             Porchlight alone"
        );
        return;
    }
    let closed = fs::set_permissions(folder, Permissions::from_mode(about.mode() & 0o700))
        // Some file systems have no modes and report no error.
        .and_then(|()| fs::metadata(folder))
        .and_then(|now| match now.mode() & OTHERS {
            0 => Ok(()),
            _ => Err(io::Error::other("its file system keeps no modes")),
        });
    match closed {
        Ok(()) => tracing::warn!("other users could read {name}; it is closed to them now"),
        Err(error) => tracing::warn!("other users can read {name}: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("it is there").mode() & 0o777
    }

    #[test]
    fn a_folder_that_is_not_for_porchlight_alone_is_left_as_it_is() {
        for (mode_before, names, expected) in [
            (0o755, &["porchlight.lock", "report.odt"][..], 0o755),
            (0o755, &["porchlight.db", "report.odt"], 0o700),
            (0o1777, &["porchlight.db"], 0o777),
        ] {
            let data = tempfile::tempdir().expect("a folder");
            for name in names {
                fs::write(data.path().join(name), "").expect("a file");
                let open = Permissions::from_mode(0o644);
                fs::set_permissions(data.path().join(name), open).expect("a mode");
            }
            let before = Permissions::from_mode(mode_before);
            fs::set_permissions(data.path(), before).expect("a mode");
            close_data_folder(data.path());
            assert_eq!(mode(data.path()), expected, "{names:?}");
            assert_eq!(mode(&data.path().join(names[0])), 0o644, "{names:?}");
        }
    }
}
