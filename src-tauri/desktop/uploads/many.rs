//! Many files at once may be a mistake, such as the wrong folder: the owner confirms them.

use std::path::PathBuf;

use porchlight_companion::picgo::Picture;
use tauri::{Manager as _, WebviewWindow, async_runtime};

use super::dropped::{self, Dropped};
use crate::desktop::dialogs::{confirmed, phrases};
use crate::desktop::i18n::with;

/// More files than this are confirmed.
const MANY: usize = 50;

/// Whether all of these pictures, with the files in folders, are meant.
pub(super) async fn are_meant(window: &WebviewWindow, pictures: &[Picture]) -> bool {
    let paths = pictures.iter().filter_map(|picture| match picture {
        Picture::File(path) => Some(path.clone()),
        Picture::Bytes(_) => None,
    });
    let paths: Vec<PathBuf> = paths.collect();
    let count = async_runtime::spawn_blocking(move || count(paths)).await;
    match count {
        Ok(count) if count > MANY => {
            let text = phrases(window.app_handle()).many_files;
            confirmed(window, with(text, count)).await
        }
        // Where it cannot be counted, the upload itself says why.
        _ => true,
    }
}

/// Counts the files, with those in folders.
fn count(paths: Vec<PathBuf>) -> usize {
    let count = |one: &Dropped| match one {
        Dropped::Rest(count) => *count,
        _ => 1,
    };
    dropped::gather(paths).iter().map(count).sum()
}
