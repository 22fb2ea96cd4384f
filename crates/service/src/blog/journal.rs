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

/// An id for an adoption: the time when it begins, in digits.
pub(super) fn new_id() -> String {
    let now = Timestamp::now().to_string();
    now.chars().filter(char::is_ascii_digit).collect()
}

/// Keeps a post in a file that is named by the id and a number; it is on the disk when this returns. Blocks.
///
/// # Errors
/// When it cannot be written.
pub(super) fn keep(
    journals: &Path,
    id: &str,
    number: usize,
    post: &ChangedPost,
) -> io::Result<PathBuf> {
    private_files::make_folder(journals)?;
    let entry = journals.join(format!("{id}-{number:06}.json"));
    private_files::write(&entry, &serde_json::to_vec(post)?)?;
    Ok(entry)
}

/// The id and the entries of this adoption, or of the last one that was not undone. Blocks.
///
/// # Errors
/// When there is none.
pub(super) fn find(journals: &Path, id: Option<&str>) -> Result<(String, Vec<PathBuf>), Message> {
    let files = std::fs::read_dir(journals).into_iter().flatten().flatten();
    let names = files.filter_map(|file| file.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.contains(".json")).collect();
    names.sort_unstable();
    let id_of = |name: &String| name.split('-').next().unwrap_or_default().to_owned();
    let mut ids: Vec<String> = names.iter().map(id_of).collect();
    ids.dedup();
    let last = names.iter().rfind(|name| !name.ends_with(UNDONE));
    let found = match id {
        Some(id) => ids.iter().find(|known| *known == id).cloned(),
        None => last.map(id_of),
    };
    let found = found.ok_or_else(|| match id {
        None => crate::detail!("there is no adoption to undo"),
        Some(id) => {
            let ids = ids.join(", ");
            crate::detail!("there is no adoption {id}; there are: {ids}")
        }
    })?;
    let entries = names.iter().filter(|name| id_of(name) == found);
    let entries = entries.map(|name| journals.join(name)).collect();
    Ok((found, entries))
}

/// Marks an entry as undone, as far as it can be; by its id it can be tried again. Blocks.
///
/// # Errors
/// When it cannot be renamed.
pub(super) fn close(entry: &Path) -> io::Result<()> {
    files::rename(entry, entry.with_extension(format!("json.{UNDONE}")))
}
