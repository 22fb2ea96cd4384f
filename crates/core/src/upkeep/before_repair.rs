//! The copies of the database that repairs keep before they remove rows, and what a later repair
//! finds in them: an image with its names, sources and times, once its file is back.

use std::path::{Path, PathBuf};

use porchlight_api::{ImageHash, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{UpkeepError, database_of, on_a_worker};
use crate::database::DatabaseError;
use crate::images::former::FormerImage;
use crate::images::table::{self, NewImage, StoredImage};
use crate::schema;
use crate::storage::StorageKind;

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
pub(super) async fn keep(folder: &Path) -> Result<(), UpkeepError> {
    let database = schema::open_read_only(&database_of(folder)?).await?;
    let half_written = folder.join(HALF_WRITTEN);
    match std::fs::remove_file(&half_written) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(UpkeepError::File(half_written, error));
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
            porchlight_api::files::rename(&half_written, &file)?;
            if cfg!(unix) {
                std::fs::File::open(&folder)?.sync_all()?;
            }
            for old in copies(&folder)?.iter().skip(MOST) {
                std::fs::remove_file(old)?;
            }
            Ok(())
        };
        kept().map_err(UpkeepError::file(&file))
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

/// What the newest of these copies that has this image has of it. One that cannot be opened is left
/// out, with a warning.
///
/// # Errors
/// When a copy cannot be read.
pub(super) async fn find(
    copies: &[PathBuf],
    hash: ImageHash,
    sha256: [u8; 32],
) -> Result<Option<FormerImage>, DatabaseError> {
    for file in copies {
        match schema::open_read_only(file).await {
            Ok(copy) => {
                let found = copy.read(move |look| former(look, hash, sha256)).await?;
                if found.is_some() {
                    return Ok(found);
                }
            }
            Err(error) => tracing::warn!(%error, "a copy of the database is not searched"),
        }
    }
    Ok(None)
}

fn former(
    connection: &Connection,
    hash: ImageHash,
    sha256: [u8; 32],
) -> rusqlite::Result<Option<FormerImage>> {
    let image = connection
        .query_row(
            "SELECT size, width, height, frames, created_at, source_size, source_format, name,
                    colour, thumbhash, album
             FROM image LEFT JOIN image_name ON image_name.image = image.id
             WHERE hash = ?1 AND sha256 = ?2",
            params![hash.as_bytes(), sha256],
            |row| {
                Ok(NewImage {
                    image: StoredImage {
                        hash,
                        size: row.get::<_, i64>(0)?.unsigned_abs(),
                        width: row.get(1)?,
                        height: row.get(2)?,
                        created_at: Timestamp::from_millis(row.get(4)?),
                        place: StorageKind::default(),
                    },
                    sha256,
                    frames: row.get(3)?,
                    source_digest: sha256,
                    source_size: row.get::<_, i64>(5)?.unsigned_abs(),
                    source_format: row.get::<_, String>(6)?.into(),
                    name: row.get(7)?,
                    preview: table::preview(row, 8)?,
                    album: row.get(10)?,
                })
            },
        )
        .optional()?;
    let Some(mut image) = image else {
        return Ok(None);
    };
    let sources = connection
        .prepare("SELECT digest FROM source JOIN image ON image.id = source.image WHERE hash = ?1")?
        .query_map([hash.as_bytes()], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    if let Some(source) = sources.first() {
        image.source_digest = *source;
    }
    Ok(Some(FormerImage {
        image,
        sources,
        aliases: table::aliases(connection, hash)?,
    }))
}
