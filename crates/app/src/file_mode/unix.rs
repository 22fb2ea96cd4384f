//! File modes on Unix.

use std::fs::{self, DirEntry, Metadata, Permissions, ReadDir};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::OnceLock;

use rustix::fs::{Mode, RawMode};
use rustix::process::{geteuid, umask};

/// The permission bits of group and others.
const OTHERS: u32 = 0o077;
/// Files and folders of Porchlight in a data folder. Others are left as they are.
const OURS: [&str; 19] = [
    "companion.lock",
    "editors",
    "handed",
    "images",
    "incoming",
    "logs",
    "own-tokens.json",
    "pasted",
    "porchlight.lock",
    "presence-shown",
    "presence.json",
    "renditions",
    "repair-wanted",
    "running.json",
    "set-aside",
    "settings.toml",
    "uploads",
    "waiting",
    "window.json",
];
/// Beginnings of the names of others: databases with what is kept beside them, and what a
/// restore makes.
const OURS_BEGIN: [&str; 5] = [
    "before-restore-",
    "outbox.",
    "porchlight.db",
    "readers.db",
    "restoring",
];
/// A folder with one of these is a data folder, whatever else is in it.
const MARKS: [&str; 3] = ["outbox.db", "porchlight.db", "settings.toml"];
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

/// Files of a data folder that other users could read.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    /// The number of files and folders that are restricted now.
    closed: u64,
    /// Files that could not be restricted, and how many more.
    open: Option<(String, u64)>,
}

/// Closes a data folder and what is in it to other users of this machine, and says in
/// the log what was open and what stays so. Links are not followed. A folder that others
/// use, too, is left as it is.
pub fn close_data_folder(folder: &Path) {
    let mut found = Found::default();
    let about = fs::metadata(folder).ok();
    let open = about.as_ref().filter(|about| about.mode() & OTHERS != 0);
    if open.is_some_and(|about| about.mode() & STICKY != 0 || !is_data_folder(folder)) {
        tracing::warn!(
            "other users can access {}: its permissions are not changed, since it is not for \
             Porchlight alone",
            folder.display()
        );
        return;
    }
    found.look_at_entries(folder);
    // Last, so that the next start completes one that was killed.
    found.close(folder);
    let folder = folder.display();
    let is_foreign = |about: &Metadata| about.uid() != geteuid().as_raw();
    if about.as_ref().is_some_and(is_foreign) {
        tracing::warn!("{folder} belongs to another user, who can read what is in it");
    }
    let closed = found.closed;
    if about.is_some_and(|about| about.mode() & OTHERS != 0) && closed > 0 {
        tracing::warn!(
            "other users could read {folder}; {closed} files and folders are closed to them now"
        );
    } else if closed > 0 {
        tracing::info!("{closed} files and folders in {folder} are for their owner alone now");
    }
    if let Some((first, more)) = found.open {
        let more = if more > 0 {
            format!(", and {more} more")
        } else {
            String::new()
        };
        tracing::warn!("other users can read files of {folder}: {first}{more}");
    }
}

/// Whether the folder is Porchlight's: a new one has its lock and its log by now.
fn is_data_folder(folder: &Path) -> bool {
    let all_ours = |entries: ReadDir| entries.flatten().all(|entry| is_ours(&entry));
    MARKS.iter().any(|name| folder.join(name).is_file()) || fs::read_dir(folder).is_ok_and(all_ours)
}

/// Whether Porchlight gives this name to a file or folder of a data folder.
fn is_ours(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    OURS.contains(&&*name)
        || OURS_BEGIN
            .iter()
            .any(|beginning| name.starts_with(*beginning))
}

impl Found {
    fn look_at_entries(&mut self, folder: &Path) {
        let Ok(entries) = fs::read_dir(folder) else {
            return self.stays(folder, &"it cannot be listed");
        };
        for entry in entries.flatten().filter(is_ours) {
            self.close_entry(&entry);
        }
    }

    fn close_entry(&mut self, entry: &DirEntry) {
        match entry.metadata() {
            Ok(about) if about.is_file() => self.close_found(&entry.path(), &about),
            Ok(about) if about.is_dir() => self.close_all(&entry.path(), &about),
            _ => {}
        }
    }

    /// A restricted folder is not scanned: other users cannot reach its content.
    fn close_all(&mut self, folder: &Path, about: &Metadata) {
        if about.mode() & OTHERS == 0 {
            return;
        }
        let Ok(entries) = fs::read_dir(folder) else {
            return self.stays(folder, &"it cannot be listed");
        };
        for entry in entries.flatten() {
            self.close_entry(&entry);
        }
        self.close_found(folder, about);
    }

    fn close(&mut self, path: &Path) {
        match fs::metadata(path) {
            Ok(about) => self.close_found(path, &about),
            Err(error) => self.stays(path, &error),
        }
    }

    fn close_found(&mut self, path: &Path, about: &Metadata) {
        let mode = about.mode();
        if mode & OTHERS == 0 {
            return;
        }
        let closed = fs::set_permissions(path, Permissions::from_mode(mode & 0o700))
            // Some file systems have no modes and report no error.
            .and_then(|()| fs::metadata(path))
            .and_then(|now| match now.mode() & OTHERS {
                0 => Ok(()),
                _ => Err(io::Error::other("its file system keeps no modes")),
            });
        match closed {
            Ok(()) => self.closed += 1,
            Err(error) => self.stays(path, &error),
        }
    }

    fn stays(&mut self, path: &Path, why: &dyn std::fmt::Display) {
        match &mut self.open {
            Some((_, more)) => *more += 1,
            None => self.open = Some((format!("{} ({why})", path.display()), 0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("it is there").mode() & 0o777
    }

    #[test]
    fn an_open_folder_is_restricted_with_our_files_in_it() {
        let home = tempfile::tempdir().expect("a folder");
        let data = home.path().join("data");
        let at = |name: &str| data.join(name);
        for folder in ["images/ab", "before-restore-1/images", "mine"] {
            fs::create_dir_all(at(folder)).expect("a folder");
        }
        let files = [
            "porchlight.db",
            "readers.db-journal",
            "images/ab/x.webp",
            "before-restore-1/images/y",
            "run.sh",
        ];
        for file in files {
            fs::write(at(file), "").expect("a file");
            fs::set_permissions(at(file), Permissions::from_mode(0o644)).expect("a mode");
        }
        fs::set_permissions(at("run.sh"), Permissions::from_mode(0o755)).expect("a mode");
        let outside = home.path().join("outside");
        fs::write(&outside, "").expect("a file");
        fs::set_permissions(&outside, Permissions::from_mode(0o644)).expect("a mode");
        std::os::unix::fs::symlink(&outside, at("link")).expect("a link");
        for folder in ["", "images", "images/ab", "before-restore-1", "mine"] {
            fs::set_permissions(at(folder), Permissions::from_mode(0o755)).expect("a mode");
        }
        close_data_folder(&data);
        for (name, expected) in [
            ("", 0o700),
            ("porchlight.db", 0o600),
            ("readers.db-journal", 0o600),
            ("run.sh", 0o755),
            ("images", 0o700),
            ("images/ab", 0o700),
            ("images/ab/x.webp", 0o600),
            ("before-restore-1", 0o700),
            ("before-restore-1/images/y", 0o600),
            ("mine", 0o755),
        ] {
            assert_eq!(mode(&at(name)), expected, "{name}");
        }
        assert_eq!(mode(&outside), 0o644, "a link is not followed");
        let mut again = Found::default();
        again.look_at_entries(&data);
        assert_eq!(again, Found::default());
    }

    #[test]
    fn a_folder_that_is_not_for_porchlight_alone_is_left_as_it_is() {
        for (mode_before, names, expected) in [
            (0o755, &["porchlight.lock", "logs"][..], 0o700),
            (0o755, &["porchlight.lock", "report.odt"], 0o755),
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
            let ours = if expected == 0o700 { 0o600 } else { 0o644 };
            assert_eq!(mode(&data.path().join(names[0])), ours, "{names:?}");
        }
    }

    #[test]
    fn what_cannot_be_closed_is_named_and_the_rest_is_counted() {
        let mut found = Found::default();
        for name in ["a", "b", "c"] {
            found.close(&Path::new("/nowhere").join(name));
        }
        let (first, more) = found.open.expect("named");
        assert!(first.starts_with("/nowhere/a ("), "{first}");
        assert_eq!(more, 2);
    }
}
