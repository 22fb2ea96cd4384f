//! Which files are uploaded: those that were named, or those below a folder
//! that look like images.

use std::io;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::uploads::kind;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sources {
    /// Every file below this folder that looks like an image, hidden ones too;
    /// links are not followed.
    Folder(PathBuf),
    /// These files, whatever they look like.
    Files(Vec<PathBuf>),
}

#[derive(Debug)]
pub enum FoundFile {
    /// It is to be uploaded.
    Picture {
        file: PathBuf,
        content_type: &'static str,
    },
    /// It does not look like an image, or is no file.
    Skipped,
    /// It, or a folder, cannot be read.
    Unreadable { file: PathBuf, cause: io::Error },
}

impl Sources {
    /// Lists all of them. Blocks while it reads.
    pub fn files(&self) -> Box<dyn Iterator<Item = FoundFile> + Send + '_> {
        match self {
            Self::Files(files) => Box::new(files.iter().map(|file| named(file))),
            Self::Folder(folder) => Box::new(below(folder)),
        }
    }
}

/// A file given by name is always tried.
fn named(file: &Path) -> FoundFile {
    match std::fs::metadata(file) {
        Ok(about) if about.is_file() => FoundFile::Picture {
            content_type: kind::by_name(file).unwrap_or(kind::UNKNOWN),
            file: file.to_owned(),
        },
        Ok(about) => FoundFile::Unreadable {
            file: file.to_owned(),
            cause: io::Error::other(if about.is_dir() {
                "this is a folder: name it with --folder"
            } else {
                "this is no regular file"
            }),
        },
        Err(cause) => FoundFile::Unreadable {
            file: file.to_owned(),
            cause,
        },
    }
}

fn below(folder: &Path) -> impl Iterator<Item = FoundFile> + Send + '_ {
    WalkDir::new(folder)
        .into_iter()
        .filter_map(move |entry| match entry {
            Ok(entry) if entry.file_type().is_dir() => None,
            // A pipe would be waited for, and a device read without an end.
            Ok(entry) if !entry.file_type().is_file() => Some(FoundFile::Skipped),
            Ok(entry) => Some(looked_at(entry.into_path())),
            Err(error) => Some(FoundFile::Unreadable {
                file: error.path().unwrap_or(folder).to_owned(),
                cause: error.into(),
            }),
        })
}

fn looked_at(file: PathBuf) -> FoundFile {
    if let Some(content_type) = kind::by_name(&file) {
        return FoundFile::Picture { file, content_type };
    }
    match kind::by_first_bytes(&file) {
        Ok(Some(content_type)) => FoundFile::Picture { file, content_type },
        Ok(None) => FoundFile::Skipped,
        Err(cause) => FoundFile::Unreadable { file, cause },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(source: &Sources) -> (Vec<String>, usize) {
        let mut pictures = Vec::new();
        let mut skipped = 0;
        for found in source.files() {
            match found {
                FoundFile::Picture { file, .. } => {
                    let name = file.file_name().expect("a name").to_string_lossy();
                    pictures.push(name.into_owned());
                }
                FoundFile::Skipped => skipped += 1,
                FoundFile::Unreadable { file, cause } => panic!("{file:?}: {cause}"),
            }
        }
        pictures.sort();
        (pictures, skipped)
    }

    #[test]
    fn images_are_found_by_name_or_content_and_the_rest_is_skipped() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at(".hidden/deep")).expect("folders");
        std::fs::write(at(".hidden/deep/a.jpg"), "").expect("a file");
        std::fs::write(at("no-ending"), b"\x89PNG\r\n\x1a\n...").expect("a file");
        std::fs::write(at("notes.txt"), "BMW").expect("a file");
        let source = Sources::Folder(folder.path().to_owned());
        let found = names(&source);
        assert_eq!(found.0, ["a.jpg", "no-ending"]);
        assert_eq!(found.1, 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_below_a_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let elsewhere = tempfile::tempdir().expect("a folder");
        std::fs::write(elsewhere.path().join("a.jpg"), "").expect("a file");
        let link = |from: &str, to: &Path| {
            std::os::unix::fs::symlink(to, folder.path().join(from)).expect("a link");
        };
        link("folder", elsewhere.path());
        link("b.jpg", &elsewhere.path().join("a.jpg"));
        link("round", folder.path());
        let found = names(&Sources::Folder(folder.path().to_owned()));
        assert_eq!(found, (Vec::new(), 3));
    }
}
