//! What is to be added: pictures and files, with the files in folders.

use std::path::PathBuf;

use porchlight_api::window::{UploadState, UploadTrouble};
use porchlight_companion::added_files::{AddedFiles, NewFile};
use porchlight_companion::picgo::Picture;

use super::dropped::{self, Dropped};
use super::{PASTED, Words, file_name};
use crate::desktop::i18n::with;

/// A file that is to be added.
pub(super) struct New {
    pub(super) file: NewFile,
    pub(super) name: String,
    /// What it came from, to add it again.
    pub(super) picture: Option<Picture>,
    /// It was pasted, and its bytes could not be written.
    pub(super) is_not_kept: bool,
}

impl New {
    fn of(path: PathBuf, bytes: u64, trouble: Option<UploadTrouble>) -> Self {
        Self {
            name: file_name(&path),
            picture: Some(Picture::File(path.clone())),
            file: NewFile {
                file: path,
                bytes,
                trouble,
            },
            is_not_kept: false,
        }
    }

    /// More files than one drop may hold.
    pub(super) fn left_out(count: usize, words: &Words) -> Self {
        Self {
            name: with(words.more_files, count),
            picture: None,
            ..Self::of(PathBuf::new(), 0, Some(UploadTrouble::TooMany))
        }
    }

    /// What was pasted is kept in a file until it is uploaded.
    fn pasted(picture: Picture, bytes: &[u8], files: Option<&AddedFiles>) -> Self {
        let kept = files.and_then(|files| {
            let kept = files.keep(bytes);
            kept.inspect_err(|error| tracing::error!(%error, "what was pasted cannot be kept"))
                .ok()
        });
        let (is_not_kept, trouble) = match kept {
            Some(_) => (false, None),
            None => (true, Some(UploadTrouble::Storage)),
        };
        Self {
            name: PASTED.to_owned(),
            picture: Some(picture),
            is_not_kept,
            ..Self::of(kept.unwrap_or_default(), bytes.len() as u64, trouble)
        }
    }
}

/// The state of a row that waits, or has failed.
pub(super) fn state_of(trouble: Option<UploadTrouble>) -> UploadState {
    trouble.map_or(UploadState::Waiting { why: None }, |trouble| {
        UploadState::Failed { trouble }
    })
}

/// What the pictures are, with the files in folders. Reads and writes the disk, and blocks.
pub(super) fn gather(
    pictures: Vec<Picture>,
    files: Option<&AddedFiles>,
    words: &Words,
) -> Vec<New> {
    let (mut paths, mut new) = (Vec::new(), Vec::new());
    for picture in pictures {
        match picture {
            Picture::File(path) => paths.push(path),
            Picture::Bytes(ref bytes) => {
                let bytes = bytes.clone();
                new.push(New::pasted(picture, &bytes, files));
            }
        }
    }
    new.extend(dropped::gather(paths).into_iter().map(|one| match one {
        Dropped::File(path, size) => New::of(path, size, None),
        Dropped::Not(path, trouble) => New::of(path, 0, Some(trouble)),
        Dropped::Rest(count) => New::left_out(count, words),
    }));
    new
}
