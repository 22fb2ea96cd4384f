//! Checks, repairs, backs up and restores a data folder.
//!
//! All of it works from the data folder alone, so that it can run beside the
//! process that serves the folder (`check`, `backup`) or while none does.

pub mod beside;
pub mod import;

use std::path::{Path, PathBuf};

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use crate::error::message::Message;

mod archive;
mod authority;
mod backup;
mod before_repair;
mod check;
mod orphan;
mod repair;
mod replaced;
mod report;
mod restore;
mod rows;
mod unpack;

pub use crate::images::fault::{Fault, Problem};
pub use crate::state::progress::{Cancelled, Progress};
pub use authority::Authority;
pub use backup::{BackupOptions, BackupReport, backup};
pub use before_repair::copies as copies_before_repairs;
pub use check::check;
pub use repair::repair;
pub use replaced::{forget_readers, take_uploads};
pub use report::CheckReport;
pub use restore::{RestoreReport, Unpacked, unpack};

/// There is no database in this folder.
pub fn nothing_there(data_folder: &Path) -> Message {
    crate::detail!(
        "there is no Porchlight in {} yet: run `porchlight serve` or the tray app first",
        data_folder.display()
    )
}

/// The database of a data folder, which must be there.
fn database_of(data_folder: &Path) -> Result<PathBuf, Message> {
    let file = crate::schema::database_file(data_folder);
    if file.is_file() {
        Ok(file)
    } else {
        Err(nothing_there(data_folder))
    }
}

/// The SHA-256 of the bytes, computed off the async threads.
async fn digest(bytes: Bytes) -> Result<[u8; 32], Message> {
    on_a_worker(Path::new("an image"), move || {
        Ok(Sha256::digest(&bytes).into())
    })
    .await
}

/// Runs what takes the processor or the disk for long on a thread for that.
async fn on_a_worker<R: Send + 'static>(
    path: &Path,
    work: impl FnOnce() -> Result<R, Message> + Send + 'static,
) -> Result<R, Message> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(Message::about(path, error.to_string())),
    }
}
