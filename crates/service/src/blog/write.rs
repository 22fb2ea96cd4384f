//! Writes posts, each whole or not at all, and puts them back.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::journal::{ChangedPost, Run};
use super::outcome::{Adopted, Undone};
use super::plan::{Edits, Plan, Source, Stored, rewritten};
use super::reference::LeftFile;
use super::scan::text_of;
use crate::error::message::Message;
use crate::files::{self, private_files};
use crate::text::image_hash::ImageHash;

/// Writes the addresses of the pictures that are here into the posts, and notes that in what was
/// `adopted`. `address` makes the address of a picture. Blocks.
pub(super) fn write(
    plan: &Plan,
    stored: &HashMap<Source, Stored>,
    journals: &Path,
    address: impl Fn(ImageHash) -> String,
    adopted: &mut Adopted,
) {
    for file in &plan.unfinished {
        // Another look at it removes it.
        let _ = std::fs::remove_file(file);
    }
    let mut run: Option<Run> = None;
    for (number, edits) in plan.edits().enumerate() {
        let file = edits[0].0.place.file.as_str();
        let (changed, references) = match changed(plan, &edits, stored, &address) {
            Ok((changed, _)) if changed.before == changed.after => continue,
            Ok(changed) => changed,
            Err(why) => {
                adopted.left.push(LeftFile::new(file, why));
                continue;
            }
        };
        let begin = || Run::begin(journals, &plan.root, adopted.uploaded);
        let kept = run.take().map_or_else(begin, Ok).and_then(|begun| {
            let begun = run.insert(begun);
            begun.keep(journals, number, &changed)?;
            Ok(begun.id.clone())
        });
        let id = match kept {
            Ok(id) => id,
            Err(error) => {
                let why = crate::detail!("its journal cannot be written: {error}");
                adopted.left.push(LeftFile::new(file, why));
                continue;
            }
        };
        match replace(&plan.root.join(file), &changed.before, &changed.after) {
            Ok(()) => {
                adopted.id = Some(id);
                adopted.posts += 1;
                adopted.references += references;
            }
            Err(why) => adopted.left.push(LeftFile::new(file, why)),
        }
    }
}

/// A post, before and after, and how many addresses change.
fn changed(
    plan: &Plan,
    edits: &Edits<'_>,
    stored: &HashMap<Source, Stored>,
    address: impl Fn(ImageHash) -> String,
) -> Result<(ChangedPost, usize), Message> {
    let post = edits[0].0;
    let before = text_of(&plan.root.join(&post.place.file))?;
    if <[u8; 32]>::from(Sha256::digest(&before)) != post.post {
        return Err(crate::detail!("it was changed meanwhile: run it again"));
    }
    let here = edits.iter().filter_map(|(reference, source)| {
        let stored = stored.get(source)?;
        let size = plan.choice.responsive.then_some(stored.size);
        Some((&reference.written, address(stored.hash), size))
    });
    let (after, references) = rewritten(&before, here);
    let file = post.place.file.clone();
    let changed = ChangedPost {
        file,
        before,
        after,
    };
    Ok((changed, references))
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

/// Puts the posts of a run back that have not been edited since. What could not be read or written now can
/// be put back later. Blocks.
///
/// # Errors
/// When its journal cannot be read or written.
pub(super) fn undo(mut run: Run, journals: &Path) -> Result<Undone, Message> {
    let (mut restored, mut left) = (Vec::new(), Vec::new());
    run.undone = true;
    for post in run.posts(journals)? {
        let post = post?;
        let path = run.folder.join(&post.file);
        match text_of(&path) {
            Ok(text) if text == post.after => match replace(&path, &post.after, &post.before) {
                Ok(()) => restored.push(post.file),
                Err(why) => {
                    run.undone = false;
                    left.push(LeftFile::new(&post.file, why));
                }
            },
            // It was not written, or was put back before.
            Ok(text) if text == post.before => {}
            Ok(_) => {
                let why = crate::detail!("it was edited since, and is left as it is");
                left.push(LeftFile::new(&post.file, why));
            }
            Err(why) => {
                // One that was deleted will not come back, but for those of a drive that is away.
                run.undone &= run.folder.is_dir() && !path.exists();
                left.push(LeftFile::new(&post.file, why));
            }
        }
    }
    run.write(journals)?;
    Ok(Undone {
        restored,
        left,
        id: run.id,
        folder: run.folder,
        uploaded: run.uploaded,
    })
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
