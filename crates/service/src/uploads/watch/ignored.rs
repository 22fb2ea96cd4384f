//! Which files below a watched folder are ignored, by their names.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Where images go with `watch.after = "archive"`, in the watched folder.
pub(super) const ARCHIVE: &str = "porchlight-archive";

/// Where files are while they are put away, in the folder of each.
pub(super) const STAGED: &str = "porchlight-uploaded";

/// Endings of downloads and of copies in progress, and of backups.
const ENDINGS: [&str; 24] = [
    // Browsers.
    "part",
    "partial",
    "crdownload",
    "download",
    "opdownload",
    // Download programs: WinSCP, Xunlei, Baidu, uTorrent, qBittorrent, BitComet, FlashGet, aria2 and others.
    "filepart",
    "xltd",
    "td",
    "downloading",
    "!ut",
    "!qb",
    "bc!",
    "jc!",
    "aria2",
    "fdmdownload",
    "dctmp",
    "dtapart",
    // Programs that save in two steps.
    "tmp",
    "temp",
    "swp",
    // Backups.
    "bak",
    "backup",
    "old",
    "orig",
];

/// What is watched below one folder, and what is not.
#[derive(Debug, Clone)]
pub(super) struct Scope {
    /// The folder itself, free of links.
    pub(super) root: PathBuf,
    /// Whether the folders inside it count.
    pub(super) recursive: bool,
    /// Folders of the app's own, free of links.
    pub(super) own: Vec<PathBuf>,
}

impl Scope {
    /// Whether the file, or the folder, is not ignored.
    pub(super) fn holds(&self, path: &Path) -> bool {
        let Ok(below) = path.strip_prefix(&self.root) else {
            return false;
        };
        if self.own.iter().any(|own| path.starts_with(own)) {
            return false;
        }
        let mut names = below.iter();
        let top = names.next();
        if top == Some(OsStr::new(ARCHIVE)) || (!self.recursive && names.next().is_some()) {
            return false;
        }
        !below.iter().any(is_ignored)
    }
}

fn is_ignored(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    bytes.starts_with(b".")
        || bytes.starts_with(b"~$")
        || bytes.ends_with(b"~")
        || bytes == STAGED.as_bytes()
        || has_ending(name)
}

fn has_ending(name: &OsStr) -> bool {
    let ending = Path::new(name).extension().unwrap_or_default();
    ENDINGS
        .iter()
        .any(|ignored| ending.eq_ignore_ascii_case(ignored))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(recursive: bool) -> Scope {
        Scope {
            root: PathBuf::from("/home/.me/pictures"),
            recursive,
            own: vec![PathBuf::from("/home/.me/pictures/light")],
        }
    }

    fn holds(recursive: bool, name: &str) -> bool {
        scope(recursive).holds(&PathBuf::from("/home/.me/pictures").join(name))
    }

    #[test]
    fn unfinished_hidden_and_own_files_and_backups_are_ignored() {
        for name in [
            "a.png",
            "a~1.png",
            "~a.png",
            "temp.png",
            "bak",
            "trip/day 1/a.PNG",
            "a",
            "part",
            "porchlight-archive.png",
            "porchlight-uploaded.png",
        ] {
            assert!(holds(true, name), "{name}");
        }
        for name in [
            "a.png.part",
            "a.CRDOWNLOAD",
            "a.tmp",
            "a.png~",
            "a.png.~1~",
            "~$a.png",
            "a.png.bak",
            "a.png.BAK",
            "a.png.orig",
            "a.png.xltd",
            "a.png.baiduyun.p.downloading",
            "a.png.filepart",
            "a.png.opdownload",
            "a.png.!ut",
            "a.png.temp",
            "a.png.download/a.png",
            "trip~/a.png",
            "trip/porchlight-uploaded/a.png",
            ".a.png",
            ".thumbnails/a.png",
            "trip/.trashed/a.png",
            "porchlight-archive/a.png",
            "light/images/ab/abcd.webp",
        ] {
            assert!(!holds(true, name), "{name}");
        }
        assert!(!scope(true).holds(Path::new("/home/.me/a.png")));
    }

    #[test]
    fn without_subfolders_only_the_folder_itself_counts() {
        assert!(holds(false, "a.png"));
        assert!(!holds(false, "trip/a.png"));
    }
}
