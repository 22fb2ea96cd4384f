//! Which files below a watched folder are ignored, by their names.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Where images go with `watch.after = "archive"`, in the watched folder.
pub(super) const ARCHIVE: &str = "porchlight-archive";

/// Endings of files that are not complete.
const UNFINISHED: [&[u8]; 5] = [b"part", b"crdownload", b"tmp", b"partial", b"download"];

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
        !below.iter().any(is_hidden) && !is_unfinished(path)
    }
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

fn is_unfinished(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default().as_encoded_bytes();
    UNFINISHED
        .iter()
        .any(|unfinished| unfinished.eq_ignore_ascii_case(ending))
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
    fn unfinished_hidden_and_own_files_are_ignored() {
        for name in [
            "a.png",
            "trip/day 1/a.PNG",
            "a",
            "part",
            "porchlight-archive.png",
        ] {
            assert!(holds(true, name), "{name}");
        }
        for name in [
            "a.png.part",
            "a.CRDOWNLOAD",
            "a.tmp",
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
