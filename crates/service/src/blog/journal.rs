//! The journal of adoptions: each post as it was and as it is, written before the post is. So each can be
//! put back, also after a kill.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::clock::timestamp::Timestamp;
use crate::error::message::Message;
use crate::files::{self, private_files};

/// The ending of an entry that was undone, as far as it can be.
const UNDONE: &str = "undone";

/// A post that an adoption has changed: a file in the folder of journals.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ChangedPost {
    /// The folder of the blog.
    pub(super) folder: PathBuf,
    /// From the folder on.
    pub(super) file: String,
    /// How many pictures came here with the adoption.
    pub(super) uploaded: usize,
    pub(super) before: String,
    pub(super) after: String,
}

impl ChangedPost {
    /// Reads an entry. Blocks.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn read(entry: &Path) -> io::Result<Self> {
        Ok(serde_json::from_slice(&std::fs::read(entry)?)?)
    }
}

/// That of an adoption, whose entries begin with its id.
pub(super) struct Journal {
    folder: PathBuf,
    /// The time when it began, in digits.
    pub(super) id: String,
    entries: usize,
}

impl Journal {
    pub(super) fn new(folder: &Path) -> Self {
        let now = Timestamp::now().to_string();
        Self {
            folder: folder.to_owned(),
            id: now.chars().filter(char::is_ascii_digit).collect(),
            entries: 0,
        }
    }

    /// Keeps a post; it is on the disk when this returns. Its entry. Blocks.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn keep(&mut self, post: &ChangedPost) -> io::Result<PathBuf> {
        private_files::make_folder(&self.folder)?;
        let entry = self
            .folder
            .join(format!("{}-{:06}.json", self.id, self.entries));
        private_files::write(&entry, &serde_json::to_vec(post)?)?;
        self.entries += 1;
        Ok(entry)
    }

    /// The id and the entries of this adoption, or of the last one that was not undone. Blocks.
    ///
    /// # Errors
    /// When there is none.
    pub(super) fn find(folder: &Path, id: Option<&str>) -> Result<(String, Vec<PathBuf>), Message> {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let names = files.filter_map(|file| file.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| name.contains(".json")).collect();
        names.sort_unstable();
        let id_of = |name: &String| name.split('-').next().unwrap_or_default().to_owned();
        let mut ids: Vec<String> = names.iter().map(id_of).collect();
        ids.dedup();
        let is_left = |name: &&String| !name.ends_with(UNDONE);
        let found = match id {
            Some(id) => ids.iter().find(|known| *known == id).cloned(),
            None => names.iter().rfind(is_left).map(id_of),
        };
        let found = found.ok_or_else(|| match id {
            None => crate::detail!("there is no adoption to undo"),
            Some(id) => {
                let ids = if ids.is_empty() {
                    "none".to_owned()
                } else {
                    ids.join(", ")
                };
                crate::detail!("there is no adoption {id}; there are: {ids}")
            }
        })?;
        let entries = names.iter().filter(|name| id_of(name) == found);
        let entries = entries.map(|name| folder.join(name)).collect();
        Ok((found, entries))
    }

    /// Marks an entry as undone, as far as it can be; by its id it can be tried again. Blocks.
    ///
    /// # Errors
    /// When it cannot be renamed.
    pub(super) fn close(entry: &Path) -> io::Result<()> {
        files::rename(entry, entry.with_extension(format!("json.{UNDONE}")))
    }
}
