//! The copies of the database that repairs keep before they remove rows.

use std::path::{Path, PathBuf};

use super::{database_of, on_a_worker};
use crate::clock::timestamp::Timestamp;
use crate::error::message::Message;
use crate::schema;

/// How the name of a copy begins; the time of the repair follows, in milliseconds.
const BEGIN: &str = "porchlight.db.before-repair-";
/// A copy that is being written.
const HALF_WRITTEN: &str = "porchlight.db.before-repair.part";
/// So many of the newest copies stay.
const MOST: usize = 3;

/// Keeps a copy of the database beside it, and removes the oldest of more than three.
///
/// # Errors
/// When the disk or the database fails; nothing must be removed then.
pub(super) async fn keep(folder: &Path) -> Result<(), Message> {
    let database = schema::open_read_only(&database_of(folder)?).await?;
    let half_written = folder.join(HALF_WRITTEN);
    match std::fs::remove_file(&half_written) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Message::about(&half_written, error));
        }
        _ => {}
    }
    database.copy_to(&half_written).await?;
    let file = folder.join(format!("{BEGIN}{}", Timestamp::now().as_millis()));
    let folder = folder.to_owned();
    on_a_worker(&half_written.clone(), move || {
        let kept = || {
            // Windows syncs only what may be written.
            let copy = std::fs::File::options().write(true).open(&half_written)?;
            copy.sync_all()?;
            crate::files::rename(&half_written, &file)?;
            if cfg!(unix) {
                std::fs::File::open(&folder)?.sync_all()?;
            }
            for old in copies(&folder)?.iter().skip(MOST) {
                std::fs::remove_file(old)?;
            }
            Ok(())
        };
        kept().map_err(Message::at(&file))
    })
    .await
}

/// The copies that repairs have kept in a data folder, the newest first.
///
/// # Errors
/// When the folder cannot be read.
pub fn copies(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files: Vec<(u64, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let time = name.to_str().and_then(|name| name.strip_prefix(BEGIN));
        if let Some(time) = time.and_then(|time| time.parse().ok()) {
            files.push((time, entry.path()));
        }
    }
    files.sort_unstable_by(|one, other| other.cmp(one));
    Ok(files.into_iter().map(|(_, file)| file).collect())
}
