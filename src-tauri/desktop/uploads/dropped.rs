//! What a drop on the window holds: the files themselves, and those in dropped
//! folders. Links inside a folder are not followed and hidden files are left
//! alone; a file or a link that was dropped by itself was meant.

use std::fs;
use std::path::{Path, PathBuf};

use porchlight_api::window::UploadTrouble;

/// Files taken from one drop. Whoever has more uses `porchlight upload`.
const MOST_FILES: usize = 10_000;
/// Folders within folders that are looked into.
const DEEPEST: usize = 32;

/// Something that was dropped, or lay in a folder that was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Dropped {
    /// A file, and its size in bytes.
    File(PathBuf, u64),
    /// What cannot be uploaded, and why.
    Not(PathBuf, UploadTrouble),
    /// This many more than one drop may hold.
    Rest(usize),
}

/// The files of a drop, each folder's in the order of their names. Reads the
/// disk and blocks.
pub(super) fn gather(paths: Vec<PathBuf>) -> Vec<Dropped> {
    gather_up_to(MOST_FILES, paths)
}

/// What was found until there was no more room, and how much more there was.
struct Found {
    kept: Vec<Dropped>,
    most: usize,
    rest: usize,
}

impl Found {
    fn push(&mut self, one: Dropped) {
        if self.kept.len() < self.most {
            self.kept.push(one);
        } else {
            self.rest += 1;
        }
    }

    fn len(&self) -> usize {
        self.kept.len() + self.rest
    }
}

fn gather_up_to(most: usize, paths: Vec<PathBuf>) -> Vec<Dropped> {
    let mut found = Found {
        kept: Vec::new(),
        most,
        rest: 0,
    };
    for path in paths {
        match fs::metadata(&path) {
            Err(_) => found.push(Dropped::Not(path, UploadTrouble::Unreadable)),
            Ok(facts) if facts.is_file() => found.push(Dropped::File(path, facts.len())),
            Ok(facts) if facts.is_dir() => {
                let before = found.len();
                look_into(&path, 0, &mut found);
                if found.len() == before {
                    found.push(Dropped::Not(path, UploadTrouble::NotAFile));
                }
            }
            Ok(_) => found.push(Dropped::Not(path, UploadTrouble::NotAFile)),
        }
    }
    let Found { mut kept, rest, .. } = found;
    if rest > 0 {
        tracing::warn!(taken = most, rest, "more files than one drop may hold");
        kept.push(Dropped::Rest(rest));
    }
    kept
}

fn look_into(folder: &Path, depth: usize, found: &mut Found) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(_) => {
            found.push(Dropped::Not(folder.to_owned(), UploadTrouble::Unreadable));
            return;
        }
    };
    let mut entries: Vec<_> = entries.filter_map(Result::ok).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        // Of the link itself, not of what it points to.
        match entry.metadata() {
            Ok(facts) if facts.is_file() => found.push(Dropped::File(entry.path(), facts.len())),
            Ok(facts) if facts.is_dir() && depth < DEEPEST => {
                look_into(&entry.path(), depth + 1, found);
            }
            Ok(_) => {}
            Err(_) => found.push(Dropped::Not(entry.path(), UploadTrouble::Unreadable)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(found: &[Dropped]) -> Vec<String> {
        let name = |path: &Path| {
            path.file_name()
                .map(|name| name.to_string_lossy().into_owned())
        };
        found
            .iter()
            .filter_map(|one| match one {
                Dropped::File(path, _) => name(path),
                Dropped::Not(path, trouble) => {
                    name(path).map(|name| format!("{name}: {trouble:?}"))
                }
                Dropped::Rest(count) => Some(format!("{count} more")),
            })
            .collect()
    }

    #[test]
    fn a_folder_gives_its_files_and_those_of_its_folders() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder.path().join("trip/day 1")).expect("folders");
        for file in [
            "trip/b.png",
            "trip/a.png",
            "trip/day 1/光.jpg",
            "trip/.hidden.png",
        ] {
            fs::write(folder.path().join(file), b"12345").expect("a file");
        }
        let found = gather(vec![folder.path().join("trip")]);
        assert_eq!(names(&found), ["a.png", "b.png", "光.jpg"]);
        assert!(matches!(found[0], Dropped::File(_, 5)));
    }

    #[test]
    fn what_is_too_much_for_one_drop_is_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        for file in ["a.png", "b.png", "c.png", "d.png"] {
            fs::write(folder.path().join(file), b"1").expect("a file");
        }
        let dropped = || vec![folder.path().to_owned(), folder.path().join("a.png")];
        assert_eq!(
            names(&gather_up_to(2, dropped())),
            ["a.png", "b.png", "3 more"]
        );
        assert_eq!(gather_up_to(5, dropped()).len(), 5);
    }

    #[test]
    fn what_is_no_file_is_named_and_the_rest_goes_on() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("empty")).expect("a folder");
        fs::write(folder.path().join("a.png"), b"1").expect("a file");
        let dropped = ["empty", "gone.png", "a.png"].map(|name| folder.path().join(name));
        assert_eq!(
            names(&gather(dropped.into())),
            ["empty: NotAFile", "gone.png: Unreadable", "a.png"]
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_inside_a_folder_lead_nowhere() {
        let folder = tempfile::tempdir().expect("a folder");
        let inside = folder.path().join("inside");
        fs::create_dir(&inside).expect("a folder");
        fs::write(folder.path().join("secret.png"), b"1").expect("a file");
        fs::write(inside.join("own.png"), b"1").expect("a file");
        std::os::unix::fs::symlink("../secret.png", inside.join("link.png")).expect("a link");
        std::os::unix::fs::symlink("..", inside.join("round")).expect("a link");
        assert_eq!(names(&gather(vec![inside.clone()])), ["own.png"]);
        assert_eq!(names(&gather(vec![inside.join("link.png")])), ["link.png"]);
    }
}
