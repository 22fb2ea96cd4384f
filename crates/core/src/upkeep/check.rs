//! Reads everything: each stored file against its row, and the database
//! against the files.
//!
//! Uploads and deletes may go on meanwhile. A row is committed after its file
//! is there and goes before its file goes, and `removal` names every object
//! that comes or goes; so whatever looks wrong is looked at once more, row
//! first, before it is told.

use std::collections::HashSet;
use std::path::Path;

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use porchlight_api::ImageHash;
use rusqlite::{Connection, OptionalExtension as _};
use sha2::{Digest as _, Sha256};

use super::fault::{Fault, Report};
use super::{Progress, UpkeepError, database_of, on_a_worker};
use crate::database::{DatabaseError, ReadOnly};
use crate::images::convert::{self, Apart, ConvertOptions};
use crate::images::shelf;
use crate::settings::StorageSettings;
use crate::storage::{Found, ObjectName, Storage, StorageError};

/// So many rows are read at once.
const BATCH: u32 = 1_000;
/// So many objects are read and digested at once.
const AT_ONCE: usize = 4;

/// What a row says about its object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Expected {
    pub(super) hash: ImageHash,
    pub(super) sha256: [u8; 32],
    pub(super) size: u64,
}

/// Checks a data folder. `served` says whether a process serves it: what such
/// a process is about to finish is nothing wrong.
///
/// # Errors
/// When it cannot be checked at all.
pub async fn check(
    data_folder: &Path,
    settings: &StorageSettings,
    served: bool,
    progress: Progress<'_>,
) -> Result<Report, UpkeepError> {
    let database = ReadOnly::open(&database_of(data_folder)?).await?;
    let storage = Storage::beside(data_folder, settings)?;
    let mut report = Report::default();
    look_at_database(&database, &mut report).await?;
    if !report.problems.is_empty() {
        // What a damaged database says about the files is worth nothing.
        return Ok(report);
    }
    if !served {
        leftovers(data_folder, &mut report)?;
    }
    let found = storage.look_through().await?;
    look_at_rows(&database, &storage, progress, &mut report).await?;
    look_at_objects(&database, &storage, found, &mut report).await?;
    look_at_order(&database, &mut report).await?;
    Ok(report)
}

async fn look_at_database(database: &ReadOnly, report: &mut Report) -> Result<(), DatabaseError> {
    let told = database
        .read(|connection| {
            connection
                .prepare("PRAGMA integrity_check(20)")?
                .query_map([], |row| row.get::<_, String>(0))?
                .collect::<rusqlite::Result<Vec<_>>>()
        })
        .await;
    match told {
        Ok(told) => {
            for line in told.into_iter().filter(|line| line != "ok") {
                report.add(Fault::Database(line));
            }
        }
        Err(DatabaseError::Failed(error)) => report.add(Fault::Database(error.to_string())),
        Err(error) => return Err(error),
    }
    Ok(())
}

async fn look_at_order(database: &ReadOnly, report: &mut Report) -> Result<(), DatabaseError> {
    let (sources, slots, shelves) = database
        .read(|connection| {
            let sources: i64 = connection.query_row(
                "SELECT count(*) FROM pragma_foreign_key_check",
                [],
                |row| row.get(0),
            )?;
            // A slot is unique, so these three make them 0, 1, 2 and so on.
            let slots: bool = connection.query_row(
                "SELECT coalesce(min(slot), 0) = 0 AND coalesce(max(slot) + 1, 0) = count(*)
                 FROM image",
                [],
                |row| row.get(0),
            )?;
            Ok((sources.unsigned_abs(), slots, shelf::is_right(connection)?))
        })
        .await?;
    if sources > 0 {
        report.add(Fault::Sources(sources));
    }
    if !slots {
        report.add(Fault::Slots);
    }
    if !shelves {
        report.add(Fault::Shelves);
    }
    Ok(())
}

fn leftovers(data_folder: &Path, report: &mut Report) -> Result<(), UpkeepError> {
    for folder in ["images/half-written", "incoming"] {
        let folder = data_folder.join(folder);
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(UpkeepError::File(folder, error)),
        };
        for entry in entries {
            let entry = entry.map_err(UpkeepError::file(&folder))?;
            report.add(Fault::Leftover(entry.path()));
        }
    }
    Ok(())
}

/// The next rows after this hash, in the order of their hashes.
pub(super) fn rows_after(
    connection: &Connection,
    after: Option<ImageHash>,
) -> rusqlite::Result<Vec<Expected>> {
    let after = after.map_or_else(Vec::new, |hash| hash.as_bytes().to_vec());
    connection
        .prepare_cached(
            "SELECT hash, sha256, size FROM image WHERE hash > ?1 ORDER BY hash LIMIT ?2",
        )?
        .query_map(rusqlite::params![after, BATCH], expected)?
        .collect()
}

fn expected(row: &rusqlite::Row<'_>) -> rusqlite::Result<Expected> {
    Ok(Expected {
        hash: ImageHash::from_bytes(row.get(0)?),
        sha256: row.get(1)?,
        size: row.get::<_, i64>(2)?.unsigned_abs(),
    })
}

/// What the row of an image says now; `None` when it has none.
pub(super) async fn row_now(
    database: &ReadOnly,
    hash: ImageHash,
) -> Result<Option<Expected>, DatabaseError> {
    database
        .read(move |connection| {
            connection
                .prepare_cached("SELECT hash, sha256, size FROM image WHERE hash = ?1")?
                .query_row([hash.as_bytes()], expected)
                .optional()
        })
        .await
}

/// How many images there are.
pub(super) fn count(connection: &Connection) -> rusqlite::Result<u64> {
    connection
        .query_row("SELECT count(*) FROM image", [], |row| row.get::<_, i64>(0))
        .map(i64::unsigned_abs)
}

async fn look_at_rows(
    database: &ReadOnly,
    storage: &Storage,
    progress: Progress<'_>,
    report: &mut Report,
) -> Result<(), UpkeepError> {
    let total = database.read(count).await?;
    let (mut done, mut last) = (0, None);
    loop {
        let rows = database
            .read(move |connection| rows_after(connection, last))
            .await?;
        let Some(end) = rows.last() else {
            return Ok(());
        };
        last = Some(end.hash);
        let mut looks = stream::iter(rows)
            .map(|row| look_at_row(database, storage, row))
            .buffered(AT_ONCE);
        while let Some(look) = looks.next().await {
            match look? {
                Look::Right(size) => {
                    report.images += 1;
                    report.bytes += size;
                }
                Look::Gone => {}
                Look::Faulty(fault) => report.add(fault),
            }
            done += 1;
            progress(done, total.max(done));
        }
    }
}

enum Look {
    Right(u64),
    /// Deleted in the meantime.
    Gone,
    Faulty(Fault),
}

async fn look_at_row(
    database: &ReadOnly,
    storage: &Storage,
    row: Expected,
) -> Result<Look, UpkeepError> {
    if verify(storage, row).await?.is_ok() {
        return Ok(Look::Right(row.size));
    }
    // A delete takes the row first and the file after it: once more.
    let Some(row) = row_now(database, row.hash).await? else {
        return Ok(Look::Gone);
    };
    match verify(storage, row).await? {
        Ok(_) => Ok(Look::Right(row.size)),
        Err(_) if row_now(database, row.hash).await? != Some(row) => Ok(Look::Gone),
        Err(fault) => Ok(Look::Faulty(fault)),
    }
}

/// The bytes of an image, when they are what its row says.
pub(super) async fn verify(
    storage: &Storage,
    row: Expected,
) -> Result<Result<Bytes, Fault>, UpkeepError> {
    let hash = row.hash;
    let bytes = match storage.get(ObjectName::image(hash)).await {
        Ok(bytes) => bytes,
        Err(StorageError::Missing(_)) => return Ok(Err(Fault::Missing(hash))),
        Err(error) => return Ok(Err(Fault::Unreadable(hash, error.to_string()))),
    };
    let digest = digest(bytes.clone()).await?;
    Ok(if digest != row.sha256 {
        Err(Fault::Wrong(hash))
    } else if bytes.len() as u64 != row.size {
        Err(Fault::Size(hash, bytes.len() as u64))
    } else {
        Ok(bytes)
    })
}

/// The SHA-256 of the bytes, worked out where that holds nobody up.
pub(super) async fn digest(bytes: Bytes) -> Result<[u8; 32], UpkeepError> {
    on_a_worker(Path::new("an image"), move || {
        Ok(Sha256::digest(&bytes).into())
    })
    .await
}

async fn look_at_objects(
    database: &ReadOnly,
    storage: &Storage,
    found: Vec<Found>,
    report: &mut Report,
) -> Result<(), UpkeepError> {
    let known: HashSet<ImageHash> = database
        .read(|connection| {
            connection
                .prepare("SELECT hash FROM image")?
                .query_map([], |row| row.get(0).map(ImageHash::from_bytes))?
                .collect()
        })
        .await?;
    let mut waiting = HashSet::new();
    for found in found {
        let (name, written) = match found {
            Found::Foreign => {
                report.foreign += 1;
                continue;
            }
            Found::Stray(path) => {
                report.add(Fault::Stray(path));
                continue;
            }
            Found::Object(name, written) => (name, written),
        };
        let hash = name.hash;
        let mut has_row = known.contains(&hash);
        if !has_row {
            // The file first and the row after it: a delete takes them the other
            // way round, an upload brings them so.
            let is_there = exists(storage, name).await?;
            let (row, removal) = database.read(move |c| row_or_removal(c, hash)).await?;
            has_row = row;
            if !row && removal {
                waiting.insert(hash);
                continue;
            }
            if !(row || is_there && exists(storage, name).await?) {
                continue;
            }
        }
        match name.width {
            None if !has_row => report.add(Fault::Orphan(hash, written)),
            None => {}
            Some(width) if !has_row => report.add(Fault::LoneRendition(hash, width)),
            Some(width) => {
                report.renditions += 1;
                if is_broken(storage, name).await? {
                    report.add(Fault::BrokenRendition(hash, width));
                }
            }
        }
    }
    report.waiting = waiting.len() as u64;
    Ok(())
}

/// Whether an image has a row, and whether its object is announced to come or
/// to go.
fn row_or_removal(connection: &Connection, hash: ImageHash) -> rusqlite::Result<(bool, bool)> {
    connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM image WHERE hash = ?1),
                    EXISTS (SELECT 1 FROM removal WHERE hash = ?1)",
        )?
        .query_row([hash.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?)))
}

async fn exists(storage: &Storage, name: ObjectName) -> Result<bool, UpkeepError> {
    match storage.get(name).await {
        Ok(_) => Ok(true),
        Err(StorageError::Missing(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// No digest of a narrower copy is kept: that its frame is whole must do.
async fn is_broken(storage: &Storage, name: ObjectName) -> Result<bool, UpkeepError> {
    match storage.get(name).await {
        Ok(bytes) => Ok(convert::inspect(&bytes, &WITHOUT_LIMITS).is_err()),
        Err(StorageError::Missing(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// For what is stored already: the limits of today are for what comes in.
pub(super) const WITHOUT_LIMITS: ConvertOptions = ConvertOptions {
    quality: 80,
    max_pixels: u64::MAX,
    max_animation_pixels: u64::MAX,
    // What is stored is WebP.
    apart: Apart::Nowhere,
};
