//! Gives what root makes in a user's data folder to that user, who could not write it otherwise.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Gid, Mode, OFlags, Stat, Uid, chownat, fstat, openat, statat,
};
use rustix::process::geteuid;

/// Gives the entries of `folder` that belong to root to its owner, where this process is root and
/// the owner is not. `folder` may be a link; no link in it is followed, since the owner could put one
/// there meanwhile.
pub(super) fn give(folder: &Path) -> io::Result<()> {
    if !geteuid().is_root() {
        return Ok(());
    }
    let folder = open(CWD, folder, OFlags::empty())?;
    let owner = fstat(&folder)?;
    if owner.st_uid != 0 {
        give_entries(&folder, &owner)?;
    }
    Ok(())
}

fn open(
    within: impl std::os::fd::AsFd,
    name: impl rustix::path::Arg,
    flags: OFlags,
) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(within, name, flags, Mode::empty())?)
}

fn give_entries(folder: &OwnedFd, owner: &Stat) -> io::Result<()> {
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if [c".", c".."].contains(&name) {
            continue;
        }
        let found = match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(rustix::io::Errno::NOENT) => continue,
            found => found?,
        };
        let is_folder = FileType::from_raw_mode(found.st_mode) == FileType::Directory;
        // A second link may belong to a file elsewhere.
        if found.st_uid == 0 && (is_folder || found.st_nlink == 1) {
            let (user, group) = (Uid::from_raw(owner.st_uid), Gid::from_raw(owner.st_gid));
            let no_link = AtFlags::SYMLINK_NOFOLLOW;
            chownat(folder, name, Some(user), Some(group), no_link)?;
        }
        if is_folder {
            give_entries(&open(folder, name, OFlags::NOFOLLOW)?, owner)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt as _, chown, lchown, symlink};

    use super::*;

    #[test]
    fn files_made_by_root_belong_to_the_folders_owner_and_no_link_is_followed() {
        if !geteuid().is_root() {
            return;
        }
        let place = tempfile::tempdir().expect("a folder");
        let elsewhere = place.path().join("elsewhere");
        let folder = place.path().join("data");
        fs::create_dir_all(folder.join("images/ab")).expect("folders");
        fs::create_dir(&elsewhere).expect("a folder");
        let of = |path: &Path| fs::symlink_metadata(path).expect("a file").uid();
        for file in ["images/ab/one.webp", "others.db", "linked"] {
            fs::write(folder.join(file), "").expect("a file");
        }
        fs::write(elsewhere.join("secret"), "").expect("a file");
        fs::hard_link(elsewhere.join("secret"), folder.join("second")).expect("a link");
        symlink(&elsewhere, folder.join("out")).expect("a link");
        lchown(folder.join("others.db"), Some(77), Some(77)).expect("to chown");
        give(&folder).expect("nothing to do");
        assert_eq!(of(&folder.join("linked")), 0, "the folder is root's");
        chown(&folder, Some(4321), Some(4321)).expect("to chown");
        give(&folder).expect("given");
        for file in ["images", "images/ab", "images/ab/one.webp", "linked", "out"] {
            assert_eq!(of(&folder.join(file)), 4321, "{file}");
        }
        assert_eq!(of(&folder.join("others.db")), 77);
        assert_eq!(of(&elsewhere), 0);
        assert_eq!(of(&elsewhere.join("secret")), 0);
    }

    #[test]
    fn a_data_folder_that_is_reached_by_a_link_is_followed() {
        if !geteuid().is_root() {
            return;
        }
        let place = tempfile::tempdir().expect("a folder");
        let (folder, link) = (place.path().join("data"), place.path().join("link"));
        fs::create_dir(&folder).expect("a folder");
        chown(&folder, Some(4321), Some(4321)).expect("to chown");
        fs::write(folder.join("porchlight.db"), "").expect("a file");
        symlink(&folder, &link).expect("a link");
        give(&link).expect("given");
        let of = |path: &Path| fs::symlink_metadata(path).expect("a file").uid();
        assert_eq!(of(&folder.join("porchlight.db")), 4321);
        assert_eq!(of(&link), 0, "the link itself is not in the folder");
    }
}
