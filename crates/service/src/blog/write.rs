//! Writes posts, each whole or not at all, and puts them back.

use std::collections::HashMap;
use std::fs::Metadata;
use std::io::{self, Write as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::journal::{ChangedFile, Journal, Line, Run, reverted};
use super::plan::{Plan, PlannedPost, Source, Stored, rewritten};
use super::reference::LeftFile;
use super::scan::text_of;
use super::site::UNFINISHED;
use crate::error::message::Message;
use crate::files::{self, private_files};
use crate::text::image_hash::ImageHash;

/// The posts of a plan, written.
#[derive(Default)]
pub(super) struct Written {
    /// The id of the journal, where a post changed.
    pub(super) id: Option<String>,
    pub(super) posts: usize,
    pub(super) references: usize,
    pub(super) left: Vec<LeftFile>,
}

/// Writes the addresses of the pictures that are here into the posts; `uploaded` of them are new.
/// `address` makes the address of a picture. Blocks.
///
/// # Errors
/// When the journal cannot be written; the posts after that are as they were.
pub(super) fn write(
    plan: &Plan,
    stored: &HashMap<Source, Stored>,
    uploaded: usize,
    journals: &Path,
    address: impl Fn(ImageHash) -> String,
) -> Result<Written, Message> {
    for file in &plan.unfinished {
        // Another look at it removes it.
        let _ = std::fs::remove_file(file);
    }
    let (mut written, mut journal) = (Written::default(), None);
    for post in &plan.posts {
        let changed = match changed(plan, post, stored, &address) {
            Ok(None) => continue,
            Ok(Some(changed)) => changed,
            Err(why) => {
                written.left.push(left(&post.file, why));
                continue;
            }
        };
        let of_journal = |error: io::Error| {
            crate::detail!("the journal cannot be written, so no post is: {error}")
        };
        let journal = match &mut journal {
            Some(journal) => journal,
            none => {
                none.insert(Journal::begin(journals, &plan.root, uploaded).map_err(of_journal)?)
            }
        };
        let (old, new, file) = changed;
        let references = file
            .changes
            .iter()
            .filter(|change| !change.old.is_empty())
            .count();
        journal.write(&Line::File(file)).map_err(of_journal)?;
        match replace(&plan.root.join(&post.file), &old, &new) {
            Ok(()) => {
                written.id = Some(journal.id.clone());
                written.posts += 1;
                written.references += references;
            }
            Err(why) => written.left.push(left(&post.file, why)),
        }
    }
    Ok(written)
}

fn left(file: &str, why: Message) -> LeftFile {
    LeftFile {
        file: file.to_owned(),
        why,
    }
}

/// The text of a post, before and after; `None` where nothing changes.
fn changed(
    plan: &Plan,
    post: &PlannedPost,
    stored: &HashMap<Source, Stored>,
    address: impl Fn(ImageHash) -> String,
) -> Result<Option<(String, String, ChangedFile)>, Message> {
    let old = text_of(&plan.root.join(&post.file))?;
    if <[u8; 32]>::from(Sha256::digest(&old)) != post.sha256 {
        return Err(crate::detail!("it was changed meanwhile: run it again"));
    }
    let here = post.edits.iter().filter_map(|edit| {
        let stored = stored.get(&edit.source)?;
        let size = plan.choice.responsive.then_some(stored.size);
        Some((&edit.found, address(stored.hash), size))
    });
    let here: Vec<_> = here.collect();
    let edits = here
        .iter()
        .map(|(found, address, size)| (*found, address.as_str(), *size));
    let (new, changes) = rewritten(&old, edits);
    if new == old {
        return Ok(None);
    }
    if reverted(&new, &changes).as_ref() != Some(&old) {
        return Err(crate::detail!(
            "its change could not be undone, so it is not made"
        ));
    }
    let file = ChangedFile {
        file: post.file.clone(),
        before: digest(&old),
        after: digest(&new),
        changes,
    };
    Ok(Some((old, new, file)))
}

fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

/// Puts the new text in the place of the old one, which must still be there at the last moment. The
/// file keeps its rights.
fn replace(file: &Path, old: &str, new: &str) -> Result<(), Message> {
    // Neither it nor a folder of it has become a link.
    if files::full_path(file)? != file {
        return Err(crate::detail!("it leads elsewhere now: run it again"));
    }
    let facts = file.metadata()?;
    if facts.permissions().readonly() {
        return Err(crate::detail!("it is read-only"));
    }
    let folder = file.parent().unwrap_or(Path::new("."));
    let mut part = tempfile::Builder::new()
        .prefix(UNFINISHED.0)
        .suffix(UNFINISHED.1)
        .tempfile_in(folder)?;
    part.write_all(new.as_bytes())?;
    keep_rights(part.as_file(), &facts)?;
    part.as_file().sync_all()?;
    let is_same = || std::fs::read(file).is_ok_and(|now| now == old.as_bytes());
    let is_written = files::retried(part, |part| {
        if !is_same() {
            return Ok(false);
        }
        let named = part.persist(file).map(|_| true);
        named.map_err(|failed| (failed.error, failed.file))
    })?;
    private_files::sync_folder(folder)?;
    match is_written {
        true => Ok(()),
        false => Err(crate::detail!("it was changed meanwhile: run it again")),
    }
}

fn keep_rights(file: &std::fs::File, facts: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        // Only root can, and only root needs it.
        let _ = std::os::unix::fs::fchown(file, Some(facts.uid()), Some(facts.gid()));
    }
    file.set_permissions(facts.permissions())
}

/// Puts the files of a run back that have not been edited since; those that were, and why others were
/// not. Blocks.
pub(super) fn undo(run: &Run) -> (Vec<String>, Vec<LeftFile>) {
    let (mut restored, mut kept) = (Vec::new(), Vec::new());
    for file in &run.files {
        match put_back(&run.folder.join(&file.file), file) {
            Ok(true) => restored.push(file.file.clone()),
            // It was not written, or was put back before.
            Ok(false) => {}
            Err(why) => kept.push(left(&file.file, why)),
        }
    }
    (restored, kept)
}

fn put_back(path: &Path, file: &ChangedFile) -> Result<bool, Message> {
    let text = text_of(path)?;
    let now = digest(&text);
    if now == file.before {
        return Ok(false);
    }
    let edited = || crate::detail!("it was edited since, and is left as it is");
    if now != file.after {
        return Err(edited());
    }
    let old = reverted(&text, &file.changes).filter(|old| digest(old) == file.before);
    replace(path, &text, &old.ok_or_else(edited)?)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let full = files::full_path(folder.path()).expect("a folder");
        (folder, full)
    }

    #[test]
    fn a_file_that_was_saved_meanwhile_is_not_replaced() {
        let (_folder, full) = folder();
        let post = full.join("a.md");
        std::fs::write(&post, "saved by an editor").expect("to write");
        assert!(replace(&post, "what was read", "new").is_err());
        assert_eq!(
            std::fs::read_to_string(&post).expect("a file"),
            "saved by an editor"
        );
        assert_eq!(std::fs::read_dir(&full).expect("a folder").count(), 1);
        replace(&post, "saved by an editor", "new").expect("replaced");
        assert_eq!(std::fs::read_to_string(&post).expect("a file"), "new");
        assert_eq!(std::fs::read_dir(&full).expect("a folder").count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_has_become_a_link_is_not_replaced() {
        let (_folder, full) = folder();
        std::fs::write(full.join("other.md"), "text").expect("to write");
        let post = full.join("a.md");
        std::os::unix::fs::symlink("other.md", &post).expect("a link");
        assert!(replace(&post, "text", "new").is_err());
        assert_eq!(
            std::fs::read_to_string(full.join("other.md")).expect("a file"),
            "text"
        );
    }
}
