//! Reads everything: each stored file against its row, and the database
//! against the files.
//!
//! Uploads and deletes may happen concurrently. A row is committed after its
//! file is stored and deleted before its file is removed, and `removal` lists
//! every object in transition; so an apparent fault is checked again, row
//! first, before it is reported.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use porchlight_api::ImageHash;
use rusqlite::Connection;

use super::report::CheckReport;
use super::rows::{self, Expected};
use super::{UpkeepError, check_trash, database_of, digest};
use crate::database::{DatabaseError, ReadOnly};
use crate::fault::Fault;
use crate::images::{page_index, table};
use crate::progress::Progress;
use crate::schema;
use crate::storage::{
    ListedObject, ObjectName, ObjectPlace, OpenStorageError, Storage, StorageError, StorageKind,
    StorageSettings,
};
use porchlight_convert::Stored;

/// Objects read and hashed at once.
const AT_ONCE: usize = 4;

/// Checks a data folder. `served` is whether a process serves it: what such a
/// process is about to finish is not a fault.
///
/// # Errors
/// When it cannot be checked at all.
pub async fn check(
    data_folder: &Path,
    settings: &StorageSettings,
    served: bool,
    progress: Progress<'_>,
) -> Result<CheckReport, UpkeepError> {
    let database = schema::open_read_only(&database_of(data_folder)?).await?;
    let storage = Storage::beside(data_folder, settings)?;
    let mut report = CheckReport::default();
    look_at_database(&database, &mut report).await?;
    if !report.problems.is_empty() {
        // A damaged database is no reference for the files.
        return Ok(report);
    }
    must_reach(&database, &storage).await?;
    if !served {
        leftovers(data_folder, &mut report)?;
    }
    let found = look_through(&database, &storage, settings).await?;
    look_at_rows(&database, &storage, progress, &mut report).await?;
    look_at_objects(&database, &storage, found, &mut report).await?;
    check_trash::look_at(data_folder, &database, served, &mut report).await?;
    look_at_order(&database, &mut report).await?;
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

/// Aliases that lead to no image.
const WRONG_NAMES: &str = "SELECT count(*) FROM alias
    WHERE image NOT IN (SELECT id FROM image) OR hash IN (SELECT hash FROM image)";

/// That each store is known that images are in.
pub(super) async fn must_reach(database: &ReadOnly, storage: &Storage) -> Result<(), UpkeepError> {
    for kind in storage.undescribed() {
        match database
            .read(move |look| table::count_in(look, kind))
            .await?
        {
            0 => {}
            count => return Err(OpenStorageError::Elsewhere(kind, count).into()),
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
) -> Result<Vec<(StorageKind, ListedObject)>, UpkeepError> {
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

async fn look_at_order(database: &ReadOnly, report: &mut CheckReport) -> Result<(), DatabaseError> {
    let (sources, names, page_index) = database
        .read(|connection| {
            let count = |query| connection.query_row(query, [], |row| row.get::<_, i64>(0));
            let sources = count("SELECT count(*) FROM pragma_foreign_key_check('source')")?;
            let names = count(WRONG_NAMES)?;
            let counts = (sources.unsigned_abs(), names.unsigned_abs());
            Ok((counts.0, counts.1, page_index::is_right(connection)?))
        })
        .await?;
    if sources > 0 {
        report.add(Fault::Sources(sources));
    }
    if names > 0 {
        report.add(Fault::Names(names));
    }
    if !page_index {
        report.add(Fault::PageIndex);
    }
    Ok(())
}

fn leftovers(data_folder: &Path, report: &mut CheckReport) -> Result<(), UpkeepError> {
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

async fn look_at_rows(
    database: &ReadOnly,
    storage: &Storage,
    progress: Progress<'_>,
    report: &mut CheckReport,
) -> Result<(), UpkeepError> {
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
) -> Result<RowCheck, UpkeepError> {
    if verify(storage, row).await?.is_ok() {
        return Ok(RowCheck::Right(row.size));
    }
    // A delete takes the row first and the file after it: once more.
    let Some(row) = rows::now(database, row.hash).await? else {
        return Ok(RowCheck::Gone);
    };
    match verify(storage, row).await? {
        Ok(_) => Ok(RowCheck::Right(row.size)),
        Err(_) if rows::now(database, row.hash).await? != Some(row) => Ok(RowCheck::Gone),
        Err(fault) => Ok(RowCheck::Faulty(fault)),
    }
}

/// The bytes of an image, when they match its row.
pub(super) async fn verify(
    storage: &Storage,
    row: Expected,
) -> Result<Result<Bytes, Fault>, UpkeepError> {
    let hash = row.hash;
    let place = storage.at(row.place)?;
    let bytes = match place.get(ObjectName::image(hash)).await {
        Ok(bytes) => bytes,
        Err(StorageError::Missing(_)) => return Ok(Err(Fault::Missing(hash))),
        Err(error) => return Ok(Err(Fault::Unreadable(hash, error.into()))),
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

async fn look_at_objects(
    database: &ReadOnly,
    storage: &Storage,
    found: Vec<(StorageKind, ListedObject)>,
    report: &mut CheckReport,
) -> Result<(), UpkeepError> {
    let known: HashMap<ImageHash, StorageKind> = database
        .read(|connection| {
            connection
                .prepare("SELECT hash, place FROM image")?
                .query_map([], |row| {
                    let hash = ImageHash::from_bytes(row.get(0)?);
                    Ok((hash, table::place_of(row.get(1)?)))
                })?
                .collect()
        })
        .await?;
    let mut waiting = HashSet::new();
    for (place, found) in found {
        let (name, written) = match found {
            ListedObject::Foreign => {
                report.foreign += 1;
                continue;
            }
            ListedObject::Stray(path) => {
                report.add(Fault::Stray(path));
                continue;
            }
            ListedObject::Object(name, written) => (name, written),
        };
        let hash = name.hash;
        let mut has_row = known.get(&hash) == Some(&place);
        let storage = storage.at(place)?;
        if !has_row {
            // The file first and the row after it: a delete takes them the other
            // way round, an upload brings them so.
            let is_there = exists(&storage, name).await?;
            let (row, removal) = database
                .read(move |c| row_or_removal(c, hash, place))
                .await?;
            has_row = row;
            if !row && removal {
                waiting.insert(hash);
                continue;
            }
            // The Worker may be bound to the bucket of the object store: then it is the image.
            let remote = |place: &StorageKind| *place != StorageKind::Disk;
            if !row && remote(&place) && known.get(&hash).is_some_and(remote) {
                report.foreign += 1;
                continue;
            }
            if !(row || is_there && exists(&storage, name).await?) {
                continue;
            }
        }
        match name.width {
            None if !has_row => report.add(Fault::Orphan(hash, place, written)),
            None => {}
            Some(width) if !has_row => report.add(Fault::LoneRendition(hash, place, width)),
            Some(width) => {
                report.renditions += 1;
                if is_broken(&storage, name).await? {
                    report.add(Fault::BrokenRendition(hash, place, width));
                }
            }
        }
    }
    report.waiting = waiting.len() as u64;
    Ok(())
}

/// Whether an image has a row for this place, and whether its object is
/// announced as being added or removed.
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
        .query_row(
            rusqlite::params![hash.as_bytes(), table::number_of(place)],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
}

async fn exists(storage: &ObjectPlace, name: ObjectName) -> Result<bool, UpkeepError> {
    match storage.get(name).await {
        Ok(_) => Ok(true),
        Err(StorageError::Missing(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// No digest of a rendition is kept: that its frame is whole must do.
async fn is_broken(storage: &ObjectPlace, name: ObjectName) -> Result<bool, UpkeepError> {
    match storage.get(name).await {
        Ok(bytes) => Ok(Stored::of(&bytes).is_none()),
        Err(StorageError::Missing(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
