//! Repairs what `check` found. No other process may use the data folder
//! meanwhile.
//!
//! A wrong file is moved to `set-aside/` in the data folder, never deleted. A
//! row whose file is unavailable is deleted, with its sources, so that the
//! image can be uploaded again; a copy of the database is kept before.

use std::path::{Path, PathBuf};

use rusqlite::Transaction;

use super::report::CheckReport;
use super::rows::{self, Expected};
use super::{before_repair, check, database_of};
use crate::db::{Database, DatabaseError};
use crate::error::message::Message;
use crate::images::fault::Fault;
use crate::images::{self, removals, table};
use crate::schema;
use crate::state::progress::Progress;
use crate::storage::{ObjectName, Storage, StorageKind, StorageSettings, TrashFolder};
use crate::text::image_hash::ImageHash;

/// The folder for what was wrong.
const SET_ASIDE: &str = "set-aside";

/// Checks a data folder and repairs its faults; the report contains what was
/// done about each. The caller holds the folder's lock. Where so many images are missing that they
/// may be elsewhere ([`CheckReport::many_missing`]), nothing is changed unless `missing_is_lost`.
///
/// # Errors
/// When it cannot be checked, or a repair fails: what was done until then is
/// valid, and a second run continues.
pub async fn repair(
    data_folder: &Path,
    settings: &StorageSettings,
    missing_is_lost: bool,
    progress: Progress<'_>,
) -> Result<CheckReport, Message> {
    let file = database_of(data_folder)?;
    let mut report = check::check(data_folder, settings, progress).await?;
    let is_damaged = report.any(|fault| matches!(fault, Fault::Database(_)));
    let nothing_to_do = report.problems.is_empty() && report.waiting == 0;
    if is_damaged || nothing_to_do {
        return Ok(report);
    }
    if let (Some((missing, of)), false) = (report.many_missing(), missing_is_lost) {
        let (missing, of) = (missing.into(), of.into());
        report.refused = Some(Message::ManyMissing { missing, of });
        return Ok(report);
    }
    if report.any(|fault| matches!(fault, Fault::Missing(_) | Fault::Wrong(_))) {
        before_repair::keep(data_folder).await?;
    }
    let repair = Repair {
        folder: data_folder.to_owned(),
        // Opening sweeps away what uploads left that did not end.
        storage: Storage::open(data_folder, settings)?,
        trash: TrashFolder::of(data_folder),
        database: schema::open(&file).await?,
    };
    let done = repair.run(&mut report).await;
    repair.database.close().await;
    done.map(|()| report)
}

pub(super) struct Repair {
    pub(super) folder: PathBuf,
    pub(super) storage: Storage,
    pub(super) trash: TrashFolder,
    pub(super) database: Database,
}

impl Repair {
    async fn run(&self, report: &mut CheckReport) -> Result<(), Message> {
        self.finish_deletions().await?;
        report.waiting = 0;
        // What may turn out to be a missing image comes before those.
        let turn = |fault: &Fault| match fault {
            Fault::Orphan(..) => 0,
            _ => 1,
        };
        report.problems.sort_by_key(|problem| turn(&problem.fault));
        for problem in &mut report.problems {
            problem.mended = self.repair_one(&problem.fault).await?;
        }
        Ok(())
    }

    async fn repair_one(&self, fault: &Fault) -> Result<Option<String>, Message> {
        match fault {
            Fault::Database(_) | Fault::Unreadable(..) | Fault::TooLarge(..) => Ok(None),
            Fault::Missing(hash) | Fault::Wrong(hash) => self.remove_row(*hash).await.map(Some),
            Fault::Orphan(hash, place, written) => {
                self.orphan(*hash, *place, *written).await.map(Some)
            }
        }
    }

    pub(super) async fn write(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()> + Send + 'static,
    ) -> Result<(), DatabaseError> {
        self.database
            .write(move |transaction| work(transaction).map_err(DatabaseError::from))
            .await
    }

    /// As at a start.
    async fn finish_deletions(&self) -> Result<(), Message> {
        for (hash, place) in self.database.read(removals::all).await? {
            match self.row(hash).await?.map(|row| row.place) {
                Some(image) if image == place => {
                    self.write(move |transaction| removals::take_out(transaction, hash, place))
                        .await?;
                    continue;
                }
                // They may be one store, which the service finds out.
                Some(image) if image != StorageKind::Disk && place != StorageKind::Disk => continue,
                _ => {}
            }
            // What cannot be reached now waits on; the rest is repaired.
            let parts = (&self.database, &self.storage, &self.trash);
            if let Err(error) = images::remove_deleted(parts, hash, place).await {
                tracing::warn!(%hash, %error, "it could not be removed yet");
            }
        }
        Ok(())
    }

    pub(super) async fn row(&self, hash: ImageHash) -> Result<Option<Expected>, DatabaseError> {
        self.database
            .read(move |connection| rows::of(connection, hash))
            .await
    }

    /// Removes a row whose file is lost, and corrects one that only has another size.
    async fn remove_row(&self, hash: ImageHash) -> Result<String, Message> {
        let Some(row) = self.row(hash).await? else {
            return Ok("its row is gone".to_owned());
        };
        if let Ok(bytes) = check::verify(&self.storage, row).await? {
            let size = (bytes.len() as u64).cast_signed();
            self.write(move |transaction| {
                let right = "UPDATE image SET size = ?2 WHERE hash = ?1";
                let values = rusqlite::params![hash, size];
                transaction.execute(right, values).map(drop)
            })
            .await?;
            return Ok("its row was put right".to_owned());
        }
        let kept = self.set_aside(ObjectName::image(hash), row.place).await?;
        self.storage.at(row.place)?.remove_renditions(hash).await?;
        self.write(move |transaction| table::delete(transaction, hash).map(drop))
            .await?;
        let row = "its row was taken away, the picture can be uploaded again";
        Ok(match kept {
            None => row.to_owned(),
            Some(file) => format!("what is there was moved to {}; {row}", file.display()),
        })
    }

    pub(super) async fn set_aside(
        &self,
        name: ObjectName,
        place: StorageKind,
    ) -> Result<Option<PathBuf>, Message> {
        let file = self.place_for(&name.to_string())?;
        let place = self.storage.at(place)?;
        let there = place.set_aside(name, file.clone()).await?;
        Ok(there.then_some(file))
    }

    /// A free name in the folder for what was wrong.
    pub(super) fn place_for(&self, name: &str) -> Result<PathBuf, Message> {
        let folder = self.folder.join(SET_ASIDE);
        std::fs::create_dir_all(&folder).map_err(Message::at(&folder))?;
        let mut file = folder.join(name);
        let mut number = 1;
        while file.exists() {
            file = folder.join(format!("{name}.{number}"));
            number += 1;
        }
        Ok(file)
    }
}

pub(super) fn moved(file: Option<&Path>) -> String {
    file.map_or_else(
        || "it is gone".to_owned(),
        |file| format!("it was moved to {}", file.display()),
    )
}
