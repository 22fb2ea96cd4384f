//! Repairs what `check` found, beside the readers and the uploads of the service that has the folder.
//!
//! A wrong file is moved to `set-aside/` in the data folder, never deleted. A
//! row whose file is unavailable is deleted, with its sources, so that the
//! image can be uploaded again; a copy of the database is kept before.

use std::path::{Path, PathBuf};

use rusqlite::Transaction;

use super::report::CheckReport;
use super::rows::{self, Expected};
use super::{before_repair, check};
use crate::db::DatabaseError;
use crate::error::message::Message;
use crate::images::fault::Fault;
use crate::images::{Images, table};
use crate::storage::{ObjectName, StorageKind};
use crate::text::image_hash::ImageHash;

/// The folder for what was wrong.
const SET_ASIDE: &str = "set-aside";

/// Repairs the faults of a check of this data folder; the report then contains what was done about
/// each. Where so many images are missing that they may be elsewhere
/// ([`CheckReport::many_missing`]), nothing is changed unless `missing_is_lost`. A damaged database is
/// left as it is.
///
/// # Errors
/// When a repair fails: what was done until then is valid, and a second run continues.
pub async fn repair(
    images: &Images,
    data_folder: &Path,
    report: &mut CheckReport,
    missing_is_lost: bool,
) -> Result<(), Message> {
    if !report.has_work() {
        return Ok(());
    }
    if let (Some((missing, of)), false) = (report.many_missing(), missing_is_lost) {
        let (missing, of) = (missing.into(), of.into());
        report.refused = Some(Message::ManyMissing { missing, of });
        return Ok(());
    }
    if report.any(|fault| matches!(fault, Fault::Missing(_) | Fault::Wrong(_))) {
        before_repair::keep(data_folder).await?;
    }
    let repair = Repair {
        folder: data_folder.to_owned(),
        images: images.clone(),
    };
    repair.run(report).await
}

pub(super) struct Repair {
    pub(super) folder: PathBuf,
    pub(super) images: Images,
}

impl Repair {
    async fn run(&self, report: &mut CheckReport) -> Result<(), Message> {
        // What cannot be reached now waits on; the rest is repaired.
        if let Err(error) = self.images.remove_what_is_left().await {
            tracing::warn!(%error, "deleted images could not be removed yet");
        }
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
            Fault::Missing(hash) | Fault::Wrong(hash) => {
                let _held = self.images.hold(*hash).await;
                self.remove_row(*hash).await.map(Some)
            }
            Fault::Orphan(hash, place, written) => {
                let _held = self.images.hold(*hash).await;
                self.orphan(*hash, *place, *written).await.map(Some)
            }
        }
    }

    pub(super) async fn write(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()> + Send + 'static,
    ) -> Result<(), DatabaseError> {
        self.images
            .database()
            .write(move |transaction| work(transaction).map_err(DatabaseError::from))
            .await
    }

    pub(super) async fn row(&self, hash: ImageHash) -> Result<Option<Expected>, DatabaseError> {
        self.images
            .database()
            .read(move |connection| rows::of(connection, hash))
            .await
    }

    /// Removes a row whose file is lost, and corrects one that only has another size.
    async fn remove_row(&self, hash: ImageHash) -> Result<String, Message> {
        let Some(row) = self.row(hash).await? else {
            return Ok("its row is gone".to_owned());
        };
        let storage = self.images.storage();
        let verified = check::verify(storage, row).await?;
        if let Err(Fault::Unreadable(..)) = &verified {
            return Ok("it cannot be read now, and stays".to_owned());
        }
        if let Ok(bytes) = verified {
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
        storage.at(row.place)?.remove_renditions(hash).await?;
        let database = self.images.database();
        let removed = database.write(move |transaction| {
            let aliases = table::aliases(transaction, hash)?;
            table::delete(transaction, hash)?;
            Ok::<_, DatabaseError>(aliases)
        });
        self.images.was_repaired(hash, &removed.await?);
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
        let place = self.images.storage().at(place)?;
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
