//! Reads everything: each stored file against its row, and the database
//! against the files.
//!
//! Uploads and deletes may happen concurrently. A row is committed after its
//! file is stored and deleted before its file is removed, so an apparent fault
//! is checked again, row first, before it is reported.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use rusqlite::Connection;

use super::report::CheckReport;
use super::rows::{self, Expected};
use super::{database_of, digest};
use crate::db::{DatabaseError, ReadOnly};
use crate::error::message::Message;
use crate::images::fault::Fault;
use crate::images::table;
use crate::schema;
use crate::state::progress::Progress;
use crate::storage::{
    ListedObject, ObjectName, Storage, StorageError, StorageKind, StorageSettings,
};
use crate::text::image_hash::ImageHash;

/// Objects read and hashed at once.
const AT_ONCE: usize = 4;

/// Checks a data folder, also beside the process that serves it.
///
/// # Errors
/// When it cannot be checked at all.
pub async fn check(
    data_folder: &Path,
    settings: &StorageSettings,
    progress: Progress<'_>,
) -> Result<CheckReport, Message> {
    let database = schema::open_read_only(&database_of(data_folder)?).await?;
    let storage = Storage::beside(data_folder, settings)?;
    let mut report = CheckReport::default();
    look_at_database(&database, &mut report).await?;
    if !report.problems.is_empty() {
        // A damaged database is no reference for the files.
        return Ok(report);
    }
    must_reach(&database, settings).await?;
    let found = look_through(&database, &storage, settings).await?;
    look_at_rows(&database, &storage, progress, &mut report).await?;
    look_at_objects(&database, &storage, found, &mut report).await?;
    Ok(report)
}

async fn look_at_database(
    database: &ReadOnly,
    report: &mut CheckReport,
) -> Result<(), DatabaseError> {
    let findings = database
        .read(|connection| {
            connection
                .prepare("PRAGMA integrity_check(20)")?
                .query_map([], |row| row.get::<_, String>(0))?
                .collect::<rusqlite::Result<Vec<_>>>()
        })
        .await;
    match findings {
        Ok(findings) => {
            for line in findings.into_iter().filter(|line| line != "ok") {
                report.add(Fault::Database(line));
            }
        }
        Err(DatabaseError::Failed(error)) => report.add(Fault::Database(error.to_string())),
        Err(error) => return Err(error),
    }
    Ok(())
}

/// That each store is known that images are in.
pub(super) async fn must_reach(
    database: &ReadOnly,
    settings: &StorageSettings,
) -> Result<(), Message> {
    for kind in StorageKind::REMOTE {
        if settings.uses(kind) {
            continue;
        }
        match database
            .read(move |look| table::count_in(look, kind))
            .await?
        {
            0 => {}
            count => return Err(crate::storage::elsewhere(kind, count)),
        }
    }
    Ok(())
}

/// Everything that is in storage now. A store over the network is not listed where no
/// row refers to it.
async fn look_through(
    database: &ReadOnly,
    storage: &Storage,
    settings: &StorageSettings,
) -> Result<Vec<(StorageKind, ListedObject)>, Message> {
    let mut places = vec![StorageKind::Disk];
    for kind in StorageKind::REMOTE {
        let has_rows = database.read(move |look| table::refers_to(look, kind));
        if settings.kind == kind || has_rows.await? && storage.at(kind).is_ok() {
            places.push(kind);
        }
    }
    let mut all = Vec::new();
    for place in places {
        let found = storage.at(place)?.look_through().await?;
        all.extend(found.into_iter().map(|found| (place, found)));
    }
    Ok(all)
}

async fn look_at_rows(
    database: &ReadOnly,
    storage: &Storage,
    progress: Progress<'_>,
    report: &mut CheckReport,
) -> Result<(), Message> {
    let total = database.read(rows::count).await?;
    let (mut done, mut last) = (0, None);
    loop {
        let next = database
            .read(move |connection| rows::after(connection, last))
            .await?;
        let Some(end) = next.last() else {
            return Ok(());
        };
        last = Some(end.hash);
        let mut looks = stream::iter(next)
            .map(|row| look_at_row(database, storage, row))
            .buffered(AT_ONCE);
        while let Some(look) = looks.next().await {
            match look? {
                RowCheck::Right(size) => {
                    report.images += 1;
                    report.bytes += size;
                }
                RowCheck::Gone => {}
                RowCheck::Faulty(fault) => report.add(fault),
            }
            done += 1;
            progress(done, total.max(done))?;
        }
    }
}

enum RowCheck {
    Right(u64),
    /// Deleted in the meantime.
    Gone,
    Faulty(Fault),
}

async fn look_at_row(
    database: &ReadOnly,
    storage: &Storage,
    row: Expected,
) -> Result<RowCheck, Message> {
    let is_right = |row: Expected, verified: Result<Bytes, Fault>| match verified {
        Ok(bytes) if bytes.len() as u64 == row.size => Ok(RowCheck::Right(row.size)),
        Ok(_) => Err(Fault::Wrong(row.hash)),
        Err(fault) => Err(fault),
    };
    if let Ok(right) = is_right(row, verify(storage, row).await?) {
        return Ok(right);
    }
    // A delete takes the row first and the file after it: once more.
    let Some(row) = rows::now(database, row.hash).await? else {
        return Ok(RowCheck::Gone);
    };
    match is_right(row, verify(storage, row).await?) {
        Ok(right) => Ok(right),
        Err(_) if rows::now(database, row.hash).await? != Some(row) => Ok(RowCheck::Gone),
        Err(fault) => Ok(RowCheck::Faulty(fault)),
    }
}

/// The bytes of an image, when they are those that were stored.
pub(super) async fn verify(
    storage: &Storage,
    row: Expected,
) -> Result<Result<Bytes, Fault>, Message> {
    let hash = row.hash;
    let place = storage.at(row.place)?;
    let bytes = match place.get(ObjectName::image(hash)).await {
        Ok(bytes) => bytes,
        Err(StorageError::Missing(_)) => return Ok(Err(Fault::Missing(hash))),
        Err(error) => return Ok(Err(Fault::Unreadable(hash, error.into()))),
    };
    let digest = digest(bytes.clone()).await?;
    Ok(if digest == row.sha256 {
        Ok(bytes)
    } else {
        Err(Fault::Wrong(hash))
    })
}

async fn look_at_objects(
    database: &ReadOnly,
    storage: &Storage,
    found: Vec<(StorageKind, ListedObject)>,
    report: &mut CheckReport,
) -> Result<(), Message> {
    let known: HashMap<ImageHash, StorageKind> = database
        .read(|connection| {
            connection
                .prepare("SELECT hash, place FROM image")?
                .query_map([], |row| {
                    let hash = row.get(0)?;
                    Ok((hash, row.get(1)?))
                })?
                .collect()
        })
        .await?;
    let mut waiting = HashSet::new();
    for (place, found) in found {
        let ListedObject::Object(name, written) = found else {
            report.foreign += 1;
            continue;
        };
        let hash = name.hash;
        // Narrower copies are made again when they are asked for.
        if name.width.is_some() || known.get(&hash) == Some(&place) {
            continue;
        }
        // The file first and the row after it: a delete takes them the other way round, an upload
        // brings them so.
        let storage = storage.at(place)?;
        let is_there = storage.size(name).await?.is_some();
        let (row, removal) = database
            .read(move |c| row_or_removal(c, hash, place))
            .await?;
        // The Worker may be bound to the bucket of the object store: then it is the image.
        let remote = |place: &StorageKind| *place != StorageKind::Disk;
        if !row && removal {
            waiting.insert(hash);
        } else if !row && remote(&place) && known.get(&hash).is_some_and(remote) {
            report.foreign += 1;
        } else if !row && is_there && storage.size(name).await?.is_some() {
            report.add(Fault::Orphan(hash, place, written));
        }
    }
    report.waiting = waiting.len() as u64;
    Ok(())
}

/// Whether an image has a row for this place, and whether its object is
/// being removed.
fn row_or_removal(
    connection: &Connection,
    hash: ImageHash,
    place: StorageKind,
) -> rusqlite::Result<(bool, bool)> {
    connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM image WHERE hash = ?1 AND place = ?2),
                    EXISTS (SELECT 1 FROM removal WHERE hash = ?1 AND place = ?2)",
        )?
        .query_row(rusqlite::params![hash, place], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
}
