//! Repairs what `check` found. No other process may use the data folder
//! meanwhile.
//!
//! A wrong file is moved to `set-aside/` in the data folder, never deleted. A
//! row whose file is unavailable is deleted, with its sources, so that the
//! image can be uploaded again; a copy of the database is kept before.

use std::path::{Path, PathBuf};

use porchlight_api::{ImageHash, Message};
use rusqlite::Transaction;

use super::before_repair;
use super::check;
use super::report::CheckReport;
use super::rows::{self, Expected};
use super::{UpkeepError, database_of};
use crate::database::{Database, DatabaseError};
use crate::fault::{Fault, Problem};
use crate::images::removals::{self, Removal};
use crate::images::{self, WIDTHS, page_index, table, trash_table};
use crate::progress::Progress;
use crate::schema;
use crate::storage::{ObjectName, Storage, TrashFolder};
use crate::storage::{StorageKind, StorageSettings};

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
) -> Result<CheckReport, UpkeepError> {
    let file = database_of(data_folder)?;
    let mut report = check::check(data_folder, settings, false, progress).await?;
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
    let mending = Mending {
        folder: data_folder.to_owned(),
        // Opening sweeps away what uploads left that did not end.
        storage: Storage::open(data_folder, settings)?,
        trash: TrashFolder::of(data_folder),
        database: schema::open(&file).await?,
        served: false,
    };
    let done = mending.mend(&mut report).await;
    mending.database.close().await;
    done.map(|()| report)
}

pub(super) struct Mending {
    pub(super) folder: PathBuf,
    pub(super) storage: Storage,
    pub(super) trash: TrashFolder,
    pub(super) database: Database,
    /// Whether a process serves the folder; it holds the lock of the image that is mended.
    pub(super) served: bool,
}

impl Mending {
    async fn mend(&self, report: &mut CheckReport) -> Result<(), UpkeepError> {
        let taken_back = self.end_what_waits().await?;
        report.waiting = 0;
        // What may turn out to be a missing image comes before those.
        let turn = |fault: &Fault| match fault {
            Fault::Orphan(..) | Fault::Stray(_) => 0,
            Fault::LoneRendition(..) | Fault::PageIndex => 2,
            _ => 1,
        };
        report.problems.sort_by_key(|problem| turn(&problem.fault));
        for problem in &mut report.problems {
            problem.mended = self.mend_one(&problem.fault).await?;
        }
        report.problems.extend(taken_back);
        Ok(())
    }

    async fn mend_one(&self, fault: &Fault) -> Result<Option<String>, UpkeepError> {
        match fault {
            Fault::Database(_) | Fault::Unreadable(..) | Fault::TooLarge(..) => Ok(None),
            Fault::Sources(_) => {
                self.write(|transaction| {
                    let lone = "DELETE FROM source WHERE image NOT IN (SELECT id FROM image)";
                    transaction.execute(lone, []).map(drop)
                })
                .await?;
                Ok(Some("they were taken out".to_owned()))
            }
            Fault::Names(_) => {
                self.write(|transaction| {
                    let wrong = "DELETE FROM alias WHERE image NOT IN (SELECT id FROM image)
                                 OR hash IN (SELECT hash FROM image)";
                    transaction.execute(wrong, []).map(drop)
                })
                .await?;
                Ok(Some("they were taken out".to_owned()))
            }
            Fault::PageIndex => {
                self.write(page_index::rebuild).await?;
                Ok(Some("they were counted anew".to_owned()))
            }
            Fault::Leftover(path) => self.sweep(path).map(Some),
            Fault::Size(hash, size) => {
                let (hash, size) = (*hash, size.cast_signed());
                self.write(move |transaction| {
                    let right = "UPDATE image SET size = ?2 WHERE hash = ?1";
                    let values = rusqlite::params![hash.as_bytes(), size];
                    transaction.execute(right, values).map(drop)
                })
                .await?;
                Ok(Some("its row was put right".to_owned()))
            }
            Fault::Missing(hash) | Fault::Wrong(hash) => self.let_go(*hash).await.map(Some),
            Fault::LoneRendition(hash, place, width)
            | Fault::BrokenRendition(hash, place, width) => {
                let name = ObjectName::rendition(*hash, *width);
                self.rendition(fault, name, *place).await.map(Some)
            }
            Fault::Orphan(hash, place, written) => {
                let done = self.orphan(*hash, *place, *written).await?;
                // It was announced, and is gone by now.
                Ok(Some(done.unwrap_or_else(|| "it was removed".to_owned())))
            }
            Fault::Stray(path) => self.stray(path).await.map(Some),
            Fault::Trash(hash) => self.out_of_trash(*hash).await.map(Some),
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

    /// Leftovers of deletes, and of uploads that never got their row: as at
    /// startup, but for what [`Mending::announced`] brings back.
    async fn end_what_waits(&self) -> Result<Vec<Problem>, UpkeepError> {
        let mut taken_back = Vec::new();
        for removal in self.database.read(removals::all).await? {
            let Removal { hash, place, .. } = removal;
            if removal.announced {
                taken_back.extend(self.announced(hash, place).await?);
            }
            if self.row(hash).await?.is_none_or(|row| row.place != place) {
                // What cannot be reached now waits on; the rest is mended.
                let parts = (&self.database, &self.storage, &self.trash);
                if let Err(error) = images::remove_deleted(parts, hash, place).await {
                    tracing::warn!(%hash, %error, "it could not be removed yet");
                }
                continue;
            }
            self.write(move |transaction| removals::take_out(transaction, hash, place))
                .await?;
        }
        Ok(taken_back)
    }

    fn sweep(&self, path: &Path) -> Result<String, UpkeepError> {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(UpkeepError::File(path.to_owned(), error))
            }
            _ => Ok("it was removed, as the next start would have".to_owned()),
        }
    }

    pub(super) async fn row(&self, hash: ImageHash) -> Result<Option<Expected>, DatabaseError> {
        self.database
            .read(move |connection| rows::of(connection, hash))
            .await
    }

    /// Takes away a row whose file cannot be had.
    async fn let_go(&self, hash: ImageHash) -> Result<String, UpkeepError> {
        let Some(row) = self.row(hash).await? else {
            return Ok("its row is gone".to_owned());
        };
        if check::verify(&self.storage, row).await?.is_ok() {
            return Ok("its file was found under another name and is back".to_owned());
        }
        let mut kept = Vec::new();
        let renditions = WIDTHS.map(|width| ObjectName::rendition(hash, width));
        for name in [ObjectName::image(hash)].into_iter().chain(renditions) {
            kept.extend(self.set_aside(name, row.place).await?);
        }
        self.write(move |transaction| table::delete(transaction, hash).map(drop))
            .await?;
        let row = "its row was taken away, the picture can be uploaded again";
        Ok(match kept.first() {
            None => row.to_owned(),
            Some(file) => format!("what is there was moved to {}; {row}", file.display()),
        })
    }

    /// Takes a deleted image out of the trash whose bytes are not what they were.
    async fn out_of_trash(&self, hash: ImageHash) -> Result<String, UpkeepError> {
        let from = self.trash.file(hash);
        let mut file = None;
        if from.exists() {
            let to = self.place_for(&ObjectName::image(hash).to_string())?;
            porchlight_api::files::rename(&from, &to).map_err(UpkeepError::file(&from))?;
            file = Some(to);
        }
        self.write(move |transaction| trash_table::take_out(transaction, hash))
            .await?;
        Ok(match file {
            None => "it was taken out of the trash".to_owned(),
            Some(file) => format!(
                "its file was moved to {}, and it was taken out of the trash",
                file.display()
            ),
        })
    }

    async fn rendition(
        &self,
        fault: &Fault,
        name: ObjectName,
        place: StorageKind,
    ) -> Result<String, UpkeepError> {
        let lone = matches!(fault, Fault::LoneRendition(..));
        let row = self.row(name.hash).await?;
        if lone && row.is_some_and(|row| row.place == place) {
            return Ok("its image is back".to_owned());
        }
        let file = self.set_aside(name, place).await?;
        Ok(moved(file.as_deref()))
    }

    pub(super) async fn set_aside(
        &self,
        name: ObjectName,
        place: StorageKind,
    ) -> Result<Option<PathBuf>, UpkeepError> {
        let file = self.place_for(&name.to_string())?;
        let place = self.storage.at(place)?;
        let there = place.set_aside(name, file.clone()).await?;
        Ok(there.then_some(file))
    }

    /// A free name in the folder for what was wrong.
    pub(super) fn place_for(&self, name: &str) -> Result<PathBuf, UpkeepError> {
        let folder = self.folder.join(SET_ASIDE);
        std::fs::create_dir_all(&folder).map_err(UpkeepError::file(&folder))?;
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
