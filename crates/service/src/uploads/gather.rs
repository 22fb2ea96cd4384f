//! What is to be added: images and files, with the files in folders. Links inside a folder are not
//! followed and hidden files are left alone; a file or a link that was named by itself was meant.

use std::fs;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use tokio::task::spawn_blocking;

use super::pasted::Pasted;
use super::table::NewFile;
use super::window::UploadTrouble;
use super::{UploadFile, file_name};

/// What an image is called that was copied out of a program.
pub(super) const PASTED: &str = "clipboard.png";
/// Files taken from one drop. Whoever has more uses `porchlight upload`.
const MOST_FILES: usize = 10_000;
/// Folders within folders that are looked into.
const DEEPEST: usize = 32;

/// The files of these, each folder's in the order of their names, up to this many. Reads the disk and
/// blocks.
fn gather_up_to(most: usize, paths: Vec<PathBuf>) -> Gathered {
    let mut found = Gathered {
        new: Vec::new(),
        most,
        rest: 0,
    };
    for path in paths {
        match fs::metadata(&path) {
            Err(_) => found.push(path, Err(UploadTrouble::Unreadable)),
            Ok(facts) if facts.is_file() => found.push(path, Ok(facts.len())),
            Ok(facts) if facts.is_dir() => {
                let before = found.len();
                found.look_into(&path, 0);
                if found.len() == before {
                    found.push(path, Err(UploadTrouble::NotAFile));
                }
            }
            Ok(_) => found.push(path, Err(UploadTrouble::NotAFile)),
        }
    }
    if found.rest > 0 {
        tracing::warn!(
            taken = most,
            rest = found.rest,
            "more files than one drop may hold"
        );
    }
    found
}

/// What was found until there was no more room, and how much more there was.
pub(super) struct Gathered {
    pub(super) new: Vec<New>,
    most: usize,
    pub(super) rest: usize,
}

impl Gathered {
    /// A file with its size, or what cannot be uploaded.
    fn push(&mut self, path: PathBuf, size: Result<u64, UploadTrouble>) {
        if self.new.len() < self.most {
            let bytes = size.unwrap_or_default();
            self.new.push(New::of(path, bytes, size.err()));
        } else {
            self.rest += 1;
        }
    }

    fn len(&self) -> usize {
        self.new.len() + self.rest
    }

    fn look_into(&mut self, folder: &Path, depth: usize) {
        let Ok(entries) = fs::read_dir(folder) else {
            return self.push(folder.to_owned(), Err(UploadTrouble::Unreadable));
        };
        let mut entries: Vec<_> = entries.filter_map(Result::ok).collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            // Of the link itself, not of what it points to.
            match entry.metadata() {
                Ok(facts) if facts.is_file() => self.push(entry.path(), Ok(facts.len())),
                Ok(facts) if facts.is_dir() && depth < DEEPEST => {
                    self.look_into(&entry.path(), depth + 1);
                }
                Ok(_) => {}
                Err(_) => self.push(entry.path(), Err(UploadTrouble::Unreadable)),
            }
        }
    }
}

/// A file that is to be added.
pub(super) struct New {
    pub(super) file: NewFile,
    pub(super) name: String,
    /// What it came from, to add it again.
    pub(super) source: Option<UploadFile>,
    /// It was pasted, and its bytes could not be written.
    pub(super) is_not_kept: bool,
}

impl New {
    fn of(path: PathBuf, bytes: u64, trouble: Option<UploadTrouble>) -> Self {
        Self {
            name: file_name(&path),
            source: Some(UploadFile::File(path.clone())),
            file: NewFile {
                file: path,
                bytes,
                trouble,
            },
            is_not_kept: false,
        }
    }

    /// Files that were left out: only their row is shown.
    pub(super) fn left_out(name: String) -> Self {
        Self {
            name,
            source: None,
            ..Self::of(PathBuf::new(), 0, None)
        }
    }

    /// What was pasted is kept in a file until it is uploaded.
    fn pasted(bytes: &Bytes, pasted: &Pasted) -> Self {
        let kept = pasted.keep(bytes);
        let kept =
            kept.inspect_err(|error| tracing::error!(%error, "what was pasted cannot be kept"));
        Self {
            name: PASTED.to_owned(),
            source: Some(UploadFile::Bytes(bytes.clone())),
            is_not_kept: kept.is_err(),
            ..Self::of(kept.unwrap_or_default(), bytes.len() as u64, None)
        }
    }
}

/// What these are, with the files in folders. Reads and writes the disk, and blocks.
pub(super) fn gather(sources: Vec<UploadFile>, pasted: &Pasted) -> Gathered {
    let (mut paths, mut new) = (Vec::new(), Vec::new());
    for source in sources {
        match source {
            UploadFile::File(path) => paths.push(path),
            UploadFile::Bytes(bytes) => new.push(New::pasted(&bytes, pasted)),
            UploadFile::Kept(path) => {
                let bytes = fs::metadata(&path).map_or(0, |facts| facts.len());
                new.push(New::of(path, bytes, None));
            }
        }
    }
    let mut found = gather_up_to(MOST_FILES, paths);
    new.append(&mut found.new);
    Gathered { new, ..found }
}

/// More files than this at once may be a mistake, such as the wrong folder: they are confirmed.
pub(super) const MANY: usize = 50;

/// How many files these are, with those in folders; `None` where they need no confirmation.
pub(super) async fn many(sources: &[UploadFile]) -> Option<usize> {
    let paths = sources.iter().filter_map(|source| match source {
        UploadFile::File(path) => Some(path.clone()),
        UploadFile::Bytes(_) | UploadFile::Kept(_) => None,
    });
    let paths: Vec<PathBuf> = paths.collect();
    let count = spawn_blocking(move || {
        let new = gather_up_to(MOST_FILES, paths).new;
        new.iter().filter(|new| new.file.trouble.is_none()).count()
    });
    // Where it cannot be counted, the upload itself shows why.
    count.await.ok().filter(|count| *count > MANY)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of what one drop of at most so many files is, and how many more there were.
    fn names(most: usize, paths: Vec<PathBuf>) -> (Vec<String>, usize) {
        let Gathered { new, rest, .. } = gather_up_to(most, paths);
        let name = |new: &New| match new.file.trouble {
            None => new.name.clone(),
            Some(trouble) => format!("{}: {trouble:?}", new.name),
        };
        (new.iter().map(name).collect(), rest)
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
        let dropped = || vec![folder.path().join("trip")];
        assert_eq!(names(9, dropped()).0, ["a.png", "b.png", "光.jpg"]);
        assert_eq!(gather_up_to(9, dropped()).new[0].file.bytes, 5);
    }

    #[test]
    fn files_beyond_the_limit_of_a_drop_are_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        for file in ["a.png", "b.png", "c.png", "d.png"] {
            fs::write(folder.path().join(file), b"1").expect("a file");
        }
        let dropped = || vec![folder.path().to_owned(), folder.path().join("a.png")];
        let (kept, rest) = names(2, dropped());
        assert_eq!(
            (kept, rest),
            (vec!["a.png".to_owned(), "b.png".to_owned()], 3)
        );
        let (kept, rest) = names(5, dropped());
        assert_eq!((kept.len(), rest), (5, 0));
    }

    #[test]
    fn a_dropped_item_that_is_no_file_is_named_and_the_rest_is_uploaded() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("empty")).expect("a folder");
        fs::write(folder.path().join("a.png"), b"1").expect("a file");
        let dropped = ["empty", "gone.png", "a.png"].map(|name| folder.path().join(name));
        assert_eq!(
            names(9, dropped.into()).0,
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
        assert_eq!(names(9, vec![inside.clone()]).0, ["own.png"]);
        assert_eq!(names(9, vec![inside.join("link.png")]).0, ["link.png"]);
    }
}
