//! The journal of an adoption: each post as it was and as it is, written before the post is. So each can
//! be put back, also after a kill.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::clock::timestamp::Timestamp;
use crate::error::message::Message;
use crate::files::private_files;

/// An adoption: a folder among the journals, with this and a file for each post.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Run {
    /// The time when it began, in digits.
    pub(super) id: String,
    /// Whose posts these are.
    pub(super) folder: PathBuf,
    /// How many pictures came here.
    pub(super) uploaded: usize,
    pub(super) undone: bool,
}

/// A post that an adoption has changed.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ChangedPost {
    /// From the folder on.
    pub(super) file: String,
    pub(super) before: String,
    pub(super) after: String,
}

impl Run {
    /// Begins one in a folder of journals. Blocks.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn begin(journals: &Path, folder: &Path, uploaded: usize) -> io::Result<Self> {
        let now = Timestamp::now().to_string();
        let run = Self {
            id: now.chars().filter(char::is_ascii_digit).collect(),
            folder: folder.to_owned(),
            uploaded,
            undone: false,
        };
        private_files::make_folder(&journals.join(&run.id))?;
        run.write(journals)?;
        Ok(run)
    }

    /// Writes what is known of it. Blocks.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn write(&self, journals: &Path) -> io::Result<()> {
        let file = journals.join(&self.id).join("run.json");
        private_files::write(&file, &serde_json::to_vec(self)?)
    }

    /// Keeps a post; it is on the disk when this returns.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn keep(
        &self,
        journals: &Path,
        number: usize,
        post: &ChangedPost,
    ) -> io::Result<()> {
        let file = journals
            .join(&self.id)
            .join(format!("post-{number:06}.json"));
        private_files::write(&file, &serde_json::to_vec(post)?)
    }

    /// The posts that it has changed, or was about to, one at a time.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(super) fn posts(
        &self,
        journals: &Path,
    ) -> io::Result<impl Iterator<Item = io::Result<ChangedPost>> + use<>> {
        let files = std::fs::read_dir(journals.join(&self.id))?;
        let files: io::Result<Vec<_>> = files.map(|file| Ok(file?.path())).collect();
        let mut files = files?;
        let is_post = |name: &OsStr| name.to_string_lossy().starts_with("post-");
        files.retain(|file| file.file_name().is_some_and(is_post));
        files.sort_unstable();
        let read = |file: PathBuf| Ok(serde_json::from_slice(&std::fs::read(file)?)?);
        Ok(files.into_iter().map(read))
    }

    /// The run of this id, or the last one that changed a post and was not undone. Blocks.
    ///
    /// # Errors
    /// When there is none, or its journal cannot be read.
    pub(super) fn find(journals: &Path, id: Option<&str>) -> Result<Self, Message> {
        let files = std::fs::read_dir(journals).into_iter().flatten().flatten();
        let is_id = |name: &OsStr| name.to_string_lossy().bytes().all(|c| c.is_ascii_digit());
        let files = files.filter(|file| is_id(&file.file_name()));
        let read = |file: PathBuf| Ok(serde_json::from_slice(&std::fs::read(file)?)?);
        let runs = files.map(|file| read(file.path().join("run.json")));
        let runs: io::Result<Vec<Self>> = runs.collect();
        let mut runs = runs?;
        runs.sort_unstable_by(|one, other| other.id.cmp(&one.id));
        let ids: Vec<String> = runs.iter().map(|run| run.id.clone()).collect();
        let is_it = |run: &Self| match id {
            Some(id) => run.id == id,
            None => {
                !run.undone
                    && run
                        .posts(journals)
                        .is_ok_and(|mut posts| posts.next().is_some())
            }
        };
        let run = runs.into_iter().find(is_it);
        run.ok_or_else(|| match (id, ids.as_slice()) {
            (None, _) => crate::detail!("there is no adoption to undo"),
            (Some(id), []) => crate::detail!("there is no adoption {id}; there are: none"),
            (Some(id), ids) => {
                let ids = ids.join(", ");
                crate::detail!("there is no adoption {id}; there are: {ids}")
            }
        })
    }
}
