//! Reads what is in the trash: each copy of a deleted image against its row, and the folder against
//! the rows.

use std::path::Path;

use porchlight_api::ImageHash;

use super::report::CheckReport;
use super::{UpkeepError, digest, on_a_worker};
use crate::database::{DatabaseError, ReadOnly};
use crate::fault::Fault;
use crate::storage::TrashFolder;

/// A deleted image whose bytes must be in the folder: none of its objects waits to be removed.
type Row = (ImageHash, [u8; 32]);

/// Adds to the report what is wrong. `served` is whether a process serves the folder: it removes what
/// has no row.
pub(super) async fn look_at(
    data_folder: &Path,
    database: &ReadOnly,
    served: bool,
    report: &mut CheckReport,
) -> Result<(), UpkeepError> {
    let trash = TrashFolder::of(data_folder);
    if !trash.is_there() {
        return Ok(());
    }
    for (hash, sha256) in rows(database).await? {
        if digest_of(&trash, hash).await? == Some(sha256) {
            continue;
        }
        // It may have been put back meanwhile.
        if rows(database).await?.contains(&(hash, sha256))
            && digest_of(&trash, hash).await? != Some(sha256)
        {
            report.add(Fault::Trash(hash));
        }
    }
    if !served {
        let known = database.read(|look| {
            look.prepare("SELECT hash FROM trash")?
                .query_map([], |row| row.get(0).map(ImageHash::from_bytes))?
                .collect::<rusqlite::Result<Vec<_>>>()
        });
        let known = known.await?;
        for path in trash.files().await? {
            if !known.iter().any(|hash| trash.file(*hash) == path) {
                report.add(Fault::Leftover(path));
            }
        }
    }
    Ok(())
}

async fn rows(database: &ReadOnly) -> Result<Vec<Row>, DatabaseError> {
    let rows = database.read(|look| {
        look.prepare_cached(
            "SELECT hash, sha256 FROM trash WHERE NOT EXISTS
                 (SELECT 1 FROM removal
                  WHERE removal.hash = trash.hash AND removal.place = trash.place)",
        )?
        .query_map([], |row| {
            Ok((ImageHash::from_bytes(row.get(0)?), row.get(1)?))
        })?
        .collect()
    });
    rows.await
}

/// The SHA-256 of a file in the folder; `None` where it is missing.
async fn digest_of(trash: &TrashFolder, hash: ImageHash) -> Result<Option<[u8; 32]>, UpkeepError> {
    let file = trash.file(hash);
    let read = on_a_worker(&file.clone(), move || match std::fs::read(&file) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(UpkeepError::File(file, error)),
    })
    .await?;
    match read {
        Some(bytes) => Ok(Some(digest(bytes.into()).await?)),
        None => Ok(None),
    }
}
