//! Writes posts, each whole or not at all, and puts them back.

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::journal::{self, ChangedPost};
use super::pictures::Arrived;
use super::plan::{Plan, rewritten};
use super::reference::{PostProblem, Reference};
use super::scan::text_of;
use super::window::{Adopted, Undone};
use crate::error::message::Message;
use crate::files::{self, private_files};

/// Writes the addresses of the pictures that are here into the posts, and notes that in what was
/// `adopted`. Blocks.
pub(super) fn write(plan: &Plan, arrived: &Arrived, journals: &Path, adopted: &mut Adopted) {
    let id = journal::new_id();
    for (number, edits) in plan.edits().enumerate() {
        let keep = |post: &ChangedPost| journal::keep(journals, &id, number, post);
        match write_post(plan, &edits, arrived, adopted.uploaded, keep) {
            Ok(0) => {}
            Ok(references) => {
                adopted.id = Some(id.clone());
                adopted.posts += 1;
                adopted.references += references;
            }
            Err(why) => adopted.left.push(PostProblem::new(&edits[0].file, why)),
        }
    }
}

/// Writes a post, which `keep` puts into the journal before; how many addresses changed.
fn write_post(
    plan: &Plan,
    edits: &[&Reference],
    arrived: &Arrived,
    uploaded: usize,
    keep: impl FnOnce(&ChangedPost) -> io::Result<PathBuf>,
) -> Result<usize, Message> {
    let (folder, file) = (plan.site.root.clone(), edits[0].file.clone());
    let path = folder.join(&file);
    let before = text_of(&path)?;
    if <[u8; 32]>::from(Sha256::digest(&before)) != edits[0].post {
        return Err(crate::detail!("it was changed meanwhile: run it again"));
    }
    let here = edits.iter().filter_map(|one| {
        let (image, _) = arrived.get(&one.target)?.as_ref().ok()?;
        let size = plan
            .choice
            .responsive
            .then_some((image.width, image.height));
        Some((&one.written, plan.address_of(image.hash), size))
    });
    let (after, references) = rewritten(&before, here);
    if before == after {
        return Ok(0);
    }
    let post = ChangedPost {
        folder,
        file,
        uploaded,
        before,
        after,
    };
    let kept = keep(&post);
    let entry = kept.map_err(|error| crate::detail!("its journal cannot be written: {error}"))?;
    replace(&path, &post.before, &post.after).inspect_err(|_| {
        // There is nothing to undo.
        let _ = std::fs::remove_file(entry);
    })?;
    Ok(references)
}

/// Puts the new text in the place of the old one, which must still be there at the last moment. The
/// file keeps its rights.
fn replace(file: &Path, old: &str, new: &str) -> Result<(), Message> {
    // Neither it nor a folder of it has become a link.
    if files::full_path(file)? != file {
        return Err(crate::detail!("it leads elsewhere now: run it again"));
    }
    // What a kill has left of it.
    private_files::remove_unfinished(file)?;
    let facts = file.metadata()?;
    if facts.permissions().readonly() {
        return Err(crate::detail!("it is read-only"));
    }
    let is_same = || std::fs::read(file).is_ok_and(|now| now == old.as_bytes());
    let rights = |file: &File| keep_rights(file, &facts);
    match private_files::write_as(file, new.as_bytes(), rights, is_same)? {
        true => Ok(()),
        false => Err(crate::detail!("it was changed meanwhile: run it again")),
    }
}

fn keep_rights(file: &File, facts: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        // Only root can, and only root needs it.
        let _ = std::os::unix::fs::fchown(file, Some(facts.uid()), Some(facts.gid()));
    }
    file.set_permissions(facts.permissions())
}

/// Puts the posts of an adoption back that have not been edited since; those of the last one that was not
/// undone, where no `id` is given. What could not be read or written now can be put back later. Blocks.
///
/// # Errors
/// When there is none, or its journal cannot be read or written.
pub(super) fn undo(journals: &Path, id: Option<&str>) -> Result<Undone, Message> {
    let (id, entries) = journal::find(journals, id)?;
    let mut undone = Undone {
        id,
        ..Undone::default()
    };
    for entry in entries {
        let post: ChangedPost = serde_json::from_slice(&std::fs::read(&entry)?)
            .map_err(|error| crate::detail!("its journal cannot be read: {error}"))?;
        let path = post.folder.join(&post.file);
        let (why, is_final) = match text_of(&path) {
            Ok(text) if text == post.after => match replace(&path, &post.after, &post.before) {
                Ok(()) => {
                    undone.restored.push(post.file.clone());
                    (None, true)
                }
                Err(why) => (Some(why), false),
            },
            // It was not written, or was put back before.
            Ok(text) if text == post.before => (None, true),
            Ok(_) => {
                let why = crate::detail!("it was edited since, and is left as it is");
                (Some(why), true)
            }
            // One that was deleted will not come back, but for those of a drive that is away.
            Err(why) => (Some(why), post.folder.is_dir() && !path.exists()),
        };
        let left = why.map(|why| PostProblem::new(post.file, why));
        undone.left.extend(left);
        undone.folder = post.folder.display().to_string();
        undone.uploaded = post.uploaded;
        if is_final {
            journal::close(&entry)?;
        }
    }
    Ok(undone)
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
