//! Many files at once may be a mistake, such as the wrong folder: the owner confirms them.

use std::path::PathBuf;

use porchlight_companion::picgo::Picture;
use tauri::async_runtime;

use super::dropped::{self, Dropped};

/// More files than this are confirmed.
pub(super) const MANY: usize = 50;

/// How many files these pictures are, with those in folders; `None` where they need no confirmation.
pub(super) async fn many(pictures: &[Picture]) -> Option<usize> {
    let paths = pictures.iter().filter_map(|picture| match picture {
        Picture::File(path) => Some(path.clone()),
        Picture::Bytes(_) => None,
    });
    let paths: Vec<PathBuf> = paths.collect();
    let count = async_runtime::spawn_blocking(move || count(paths)).await;
    // Where it cannot be counted, the upload itself says why.
    count.ok().filter(|count| *count > MANY)
}

/// Counts the files that would be taken.
fn count(paths: Vec<PathBuf>) -> usize {
    let gathered = dropped::gather(paths);
    let files = gathered
        .iter()
        .filter(|one| matches!(one, Dropped::File(..)));
    files.count()
}
