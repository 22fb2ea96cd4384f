//! Files that are their owner's alone, since they can hold secrets.

use std::io;
use std::path::Path;

use crate::files::{self, private_files};

/// Puts the text in the file's place, whole or not at all, readable by its
/// owner alone.
///
/// # Errors
/// When the folder cannot be written to.
pub fn write(file: &Path, text: &str) -> io::Result<()> {
    write_where(file, text, || true).map(drop)
}

/// The same where that `still` may be, asked at the last moment; whether it was.
///
/// # Errors
/// As [`write`].
pub fn write_where(file: &Path, text: &str, still: impl Fn() -> bool) -> io::Result<bool> {
    // A link stays a link: what it leads to is replaced.
    let file = files::full_path(file).unwrap_or_else(|_| file.to_owned());
    private_files::write_where(&file, text.as_bytes(), still)
}

/// Lets only the owner run the file.
///
/// # Errors
/// When it is not the owner's to change.
pub fn let_owner_run(file: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o700))
    }
    // What Windows runs depends on a file's name alone.
    #[cfg(not(unix))]
    std::fs::metadata(file).map(drop)
}

/// Takes other people's rights to the file away; whether there were any. It
/// can hold secrets.
///
/// # Errors
/// When it is not the owner's to change.
#[cfg(unix)]
pub fn tighten(file: &Path) -> io::Result<bool> {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    let mode = match std::fs::metadata(file) {
        Ok(about) => about.permissions().mode(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    if mode & 0o077 == 0 {
        return Ok(false);
    }
    std::fs::set_permissions(file, Permissions::from_mode(0o600))?;
    Ok(true)
}

/// On Windows a user's folders are closed to other users already.
#[cfg(not(unix))]
pub fn tighten(_: &Path) -> io::Result<bool> {
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_has_changed_is_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("settings.toml");
        std::fs::write(&file, "by hand").expect("to write");
        assert!(!write_where(&file, "new", || false).expect("to write"));
        assert_eq!(std::fs::read_to_string(&file).expect("to read"), "by hand");
        assert!(write_where(&file, "new", || true).expect("to write"));
        assert_eq!(std::fs::read_to_string(&file).expect("to read"), "new");
        let left = std::fs::read_dir(folder.path()).expect("a folder");
        assert_eq!(left.count(), 1, "nothing else is left behind");
    }

    #[cfg(unix)]
    #[test]
    fn the_file_is_replaced_whole_and_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("settings.toml");
        std::fs::write(&file, "old").expect("to write");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("a mode");
        assert!(tighten(&file).expect("to tighten"));
        assert!(!tighten(&file).expect("tight already"));
        write(&file, "new").expect("to write");
        assert_eq!(std::fs::read_to_string(&file).expect("to read"), "new");
        let mode = std::fs::metadata(&file)
            .expect("a file")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        let left: Vec<_> = std::fs::read_dir(folder.path())
            .expect("a folder")
            .collect();
        assert_eq!(left.len(), 1, "nothing else is left behind");
    }
}
