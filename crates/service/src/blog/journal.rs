//! The journal of an adoption: what was replaced in which file, written before the file is. So each
//! file can be put back, also after a kill.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::plan::Change;
use crate::clock::timestamp::Timestamp;
use crate::error::message::Message;
use crate::files::private_files;

const ENDING: &str = "jsonl";

/// A line of a journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    /// The first one: whose files these are, and how many pictures came here.
    Begun {
        folder: PathBuf,
        at: Timestamp,
        uploaded: usize,
    },
    /// A file that is about to be written.
    File(ChangedFile),
    /// It was put back, as far as that was possible.
    Undone,
}

/// What is done to a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ChangedFile {
    /// From the folder on.
    pub(super) file: String,
    /// SHA-256, in hexadecimal digits.
    pub(super) before: String,
    pub(super) after: String,
    pub(super) changes: Vec<Change>,
}

/// A journal that is being written.
pub(super) struct Journal {
    pub(super) id: String,
    file: File,
}

/// A journal that was read.
pub(super) struct Run {
    pub(super) id: String,
    pub(super) folder: PathBuf,
    pub(super) uploaded: usize,
    pub(super) files: Vec<ChangedFile>,
    pub(super) undone: bool,
}

impl Journal {
    /// Begins one in a folder of journals. Its id is the time, to the millisecond. Blocks.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn begin(journals: &Path, folder: &Path, uploaded: usize) -> io::Result<Self> {
        private_files::make_folder(journals)?;
        let at = Timestamp::now();
        let id: String = at
            .to_string()
            .chars()
            .filter(char::is_ascii_digit)
            .collect();
        let file = journals.join(format!("{id}.{ENDING}"));
        let file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .open(file)?;
        let mut journal = Self { id, file };
        let folder = folder.to_owned();
        journal.write(&Line::Begun {
            folder,
            at,
            uploaded,
        })?;
        private_files::sync_folder(journals)?;
        Ok(journal)
    }

    /// Adds a line; it is on the disk when this returns.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn write(&mut self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        self.file.write_all(text.as_bytes())?;
        self.file.sync_data()
    }
}

impl Run {
    /// The run of this id, or the last one that changed a file and was not undone. Blocks.
    ///
    /// # Errors
    /// When there is none, or its journal cannot be read.
    pub(super) fn find(journals: &Path, id: Option<&str>) -> Result<Self, Message> {
        let ids = ids(journals);
        if let Some(id) = id {
            return match ids.iter().any(|known| known == id) {
                true => Self::read(journals, id),
                false => Err(crate::detail!(
                    "there is no adoption {id}; there are: {}",
                    if ids.is_empty() {
                        "none".to_owned()
                    } else {
                        ids.join(", ")
                    }
                )),
            };
        }
        for id in ids.iter().rev() {
            let run = Self::read(journals, id)?;
            if !run.files.is_empty() && !run.undone {
                return Ok(run);
            }
        }
        Err(crate::detail!("there is no adoption to undo"))
    }

    fn read(journals: &Path, id: &str) -> Result<Self, Message> {
        let file = journals.join(format!("{id}.{ENDING}"));
        let text = std::fs::read_to_string(&file)
            .map_err(|error| Message::about(file.display().to_string(), Message::from(&error)))?;
        let mut run = Self {
            id: id.to_owned(),
            folder: PathBuf::new(),
            uploaded: 0,
            files: Vec::new(),
            undone: false,
        };
        // A kill may have cut a line off: its file was not written yet.
        for line in text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
        {
            match line {
                Line::Begun {
                    folder, uploaded, ..
                } => (run.folder, run.uploaded) = (folder, uploaded),
                Line::File(file) => run.files.push(file),
                Line::Undone => run.undone = true,
            }
        }
        Ok(run)
    }

    /// Notes that it was undone. Blocks.
    ///
    /// # Errors
    /// When its journal cannot be written.
    pub(super) fn is_undone(&self, journals: &Path) -> io::Result<()> {
        let file = journals.join(format!("{}.{ENDING}", self.id));
        let mut file = OpenOptions::new().append(true).open(file)?;
        // Behind a line that a kill has cut off.
        file.write_all(b"\n")?;
        let id = self.id.clone();
        Journal { id, file }.write(&Line::Undone)
    }
}

/// The ids of all journals, the oldest first.
fn ids(journals: &Path) -> Vec<String> {
    let files = std::fs::read_dir(journals).into_iter().flatten().flatten();
    let names = files.filter_map(|file| file.file_name().into_string().ok());
    let ids = names.filter_map(|name| {
        name.strip_suffix(&format!(".{ENDING}"))
            .map(ToOwned::to_owned)
    });
    let mut ids: Vec<String> = ids.collect();
    ids.sort_unstable();
    ids
}

/// The text from before the changes; `None` where it does not have them.
pub(super) fn reverted(text: &str, changes: &[Change]) -> Option<String> {
    let (mut old, mut done) = (String::with_capacity(text.len()), 0);
    for change in changes {
        old.push_str(text.get(done..change.at)?);
        done = change.at + change.new.len();
        if text.get(change.at..done)? != change.new {
            return None;
        }
        old.push_str(&change.old);
    }
    old.push_str(text.get(done..)?);
    Some(old)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(file: &str) -> Line {
        Line::File(ChangedFile {
            file: file.to_owned(),
            before: "1".to_owned(),
            after: "2".to_owned(),
            changes: Vec::new(),
        })
    }

    #[test]
    fn a_line_that_a_kill_has_cut_off_is_left_out_and_what_comes_after_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let journals = folder.path().join("blog");
        let mut journal = Journal::begin(&journals, Path::new("/blog"), 3).expect("begun");
        journal.write(&changed("a.md")).expect("written");
        journal
            .file
            .write_all(b"{\"file\":{\"file\":\"b.m")
            .expect("written");
        let run = Run::find(&journals, None).expect("a run");
        assert_eq!((run.uploaded, run.files.len(), run.undone), (3, 1, false));
        run.is_undone(&journals).expect("noted");
        assert!(Run::read(&journals, &run.id).expect("a run").undone);
        assert!(Run::find(&journals, None).is_err());
    }
}
