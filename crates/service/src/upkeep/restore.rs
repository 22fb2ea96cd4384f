//! Brings a backup back to an empty data folder.
//!
//! Everything is unpacked and verified in a separate folder inside the data
//! folder; only then it is moved to its place, the database last. A failure
//! before that leaves the data folder unchanged.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use rusqlite::Connection;
use serde::Serialize;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::archive::{self, DATABASE, OWN_TOKENS, SETTINGS};
use super::authority::{self, Authority};
use super::unpack::{Archive, not_restorable, read_archive};
use super::{on_a_worker, rows};
use crate::clock::timestamp::Timestamp;
use crate::db::{Database, DatabaseError};
use crate::edge;
use crate::error::message::{Message, Parameter};
use crate::state::progress::{Cancelled, Progress};
use crate::storage::{ObjectName, Storage, StorageKind, StorageSettings};
use crate::text::image_hash::ImageHash;
use crate::{files, presence, schema, uploads};

/// What may be in a folder that counts as empty.
const NOTHING: [&str; 3] = ["porchlight.lock", "logs", SETTINGS];

/// What was restored.
#[derive(Debug, Serialize)]
pub struct RestoreReport {
    /// Images.
    pub images: u64,
    /// Files with secrets that were in the backup.
    pub secrets: Vec<String>,
}

/// A backup that was unpacked and found whole, beside its place. Dropped
/// before [`Unpacked::put_in_place`], it leaves nothing behind.
pub struct Unpacked {
    scratch: TempDir,
    data_folder: PathBuf,
    images: HashMap<ImageHash, [u8; 32]>,
    secrets: Vec<String>,
}

/// Unpacks a backup next to where it belongs and verifies all of it. The
/// caller holds the lock of the data folder, which must be empty.
///
/// # Errors
/// When the folder is not empty, the backup is not whole, or `stop` is
/// cancelled, which ends it with the next file; nothing is changed then.
pub async fn unpack(
    file: &Path,
    data_folder: &Path,
    progress: Progress<'_>,
    stop: &CancellationToken,
) -> Result<Unpacked, Message> {
    must_be_empty(data_folder)?;
    let scratch = tempfile::Builder::new()
        .prefix("restoring-")
        .tempdir_in(data_folder)
        .map_err(Message::at(data_folder))?;
    let (archive, folder, stop) = (file.to_owned(), scratch.path().to_owned(), stop.clone());
    let read = on_a_worker(file, move || read_archive(&archive, &folder, &stop)).await?;
    match_database(file, &scratch.path().join(DATABASE), &read, progress).await?;
    Ok(Unpacked {
        scratch,
        data_folder: data_folder.to_owned(),
        images: read.images,
        secrets: read.secrets,
    })
}

impl Unpacked {
    /// How many images are in it.
    #[must_use]
    pub fn images(&self) -> u64 {
        self.images.len() as u64
    }

    /// Files with secrets that are in it.
    #[must_use]
    pub fn secrets(&self) -> &[String] {
        &self.secrets
    }

    /// The settings file that was in the backup.
    #[must_use]
    pub fn settings_file(&self) -> Option<PathBuf> {
        let file = self.scratch.path().join(SETTINGS);
        file.is_file().then_some(file)
    }

    /// Replaces the settings file of the backup; without a text, there is none.
    ///
    /// # Errors
    /// When the disk fails; the backup must not be restored then.
    pub fn replace_settings(&mut self, text: Option<&str>) -> Result<(), Message> {
        let file = self.scratch.path().join(SETTINGS);
        self.secrets.retain(|name| name != SETTINGS);
        let replaced = match text {
            Some(text) => {
                self.secrets.push(SETTINGS.to_owned());
                write_private(&file, text)
            }
            None => remove(&file),
        };
        replaced.map_err(Message::at(&file))
    }

    /// Moves everything to its place: the images into the folder, or into the
    /// object store that the settings name. The database comes last; until
    /// then there is nothing that a service would serve.
    ///
    /// Reports and presence of the backup are over in any case, and none of its uploads waits. Its settings file must not replace
    /// another one, unless it was given to [`Unpacked::replace_settings`].
    ///
    /// # Errors
    /// When there is a settings file already, or the disk or the object store fails.
    pub async fn put_in_place(
        mut self,
        settings: &StorageSettings,
        authority: Authority<'_>,
        progress: Progress<'_>,
    ) -> Result<RestoreReport, Message> {
        match authority {
            Authority::Backup => self.must_not_replace()?,
            Authority::Folder(_) => {
                let own = self.scratch.path().join(OWN_TOKENS);
                remove(&own).map_err(Message::at(&own))?;
                self.secrets.retain(|name| name != OWN_TOKENS);
            }
        }
        let total = self.images.len() as u64;
        if settings.kind != StorageKind::Disk {
            let storage = Storage::beside(&self.data_folder, settings)?.at(settings.kind)?;
            for (done, hash) in self.images.keys().enumerate() {
                let file = self.scratch.path().join(archive::image_path(*hash));
                let bytes = fs::read(&file).map_err(Message::at(&file))?;
                let name = ObjectName::image(*hash);
                storage.put(name, Bytes::from(bytes)).await?;
                progress(done as u64 + 1, total)?;
            }
        }
        // After the upload to a store, which takes long: a token may be revoked meanwhile.
        self.put_rows_right(settings.kind, authority).await?;
        let from = self.scratch.path().join("images");
        if settings.kind == StorageKind::Disk && from.is_dir() {
            for folder in fs::read_dir(&from).map_err(Message::at(&from))? {
                sync(&folder.map_err(Message::at(&from))?.path())?;
            }
            sync(&from)?;
            let to = self.data_folder.join("images");
            files::rename(&from, &to).map_err(Message::at(&to))?;
        }
        for name in self.secrets.iter().map(String::as_str).chain([DATABASE]) {
            sync(&self.data_folder)?;
            let to = self.data_folder.join(name);
            files::rename(self.scratch.path().join(name), &to).map_err(Message::at(&to))?;
        }
        sync(&self.data_folder)?;
        Ok(RestoreReport {
            images: total,
            secrets: self.secrets,
        })
    }

    fn must_not_replace(&self) -> Result<(), Message> {
        let mut there = self.secrets.iter();
        match there.find(|name| self.data_folder.join(name).exists()) {
            Some(name) => Err(not_empty(&self.data_folder, name)),
            None => Ok(()),
        }
    }

    /// Updates the rows to the new data folder and location of the images. A source without an image could later be
    /// matched to another image, and an object that another data folder wanted removed may belong
    /// to an image here.
    async fn put_rows_right(
        &self,
        place: StorageKind,
        authority: Authority<'_>,
    ) -> Result<(), Message> {
        let file = self.scratch.path().join(DATABASE);
        if let Authority::Folder(folder) = authority {
            authority::take(&file, folder).await?;
        }
        let database = schema::open(&file).await?;
        let now = Timestamp::now();
        let noted = database.write(move |transaction| {
            let note = "UPDATE image SET place = ?1 WHERE place <> ?1";
            transaction.execute(note, [place])?;
            transaction.execute_batch(
                "DELETE FROM source WHERE image NOT IN (SELECT id FROM image);
                 DELETE FROM removal;
                 DELETE FROM trash;",
            )?;
            transaction.execute_batch(uploads::table::FORGET_ALL)?;
            presence::table::end_all(transaction, now)?;
            // The machine that the backup is of may still tell the Worker what readers see.
            edge::table::rename(transaction)?;
            Ok::<_, DatabaseError>(())
        });
        let noted = noted.await;
        database.close().await;
        Ok(noted?)
    }
}

fn write_private(file: &Path, text: &str) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(file)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn sync(folder: &Path) -> Result<(), Message> {
    if cfg!(unix) {
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(Message::at(folder))?;
    }
    Ok(())
}

fn not_empty(folder: &Path, name: &str) -> Message {
    crate::detail!(
        "{} is not empty, there is {name}: a backup is only restored to an empty folder",
        folder.display()
    )
}

fn must_be_empty(folder: &Path) -> Result<(), Message> {
    for entry in fs::read_dir(folder).map_err(Message::at(folder))? {
        let name = entry.map_err(Message::at(folder))?.file_name();
        let name = name.to_string_lossy().into_owned();
        if !NOTHING.contains(&name.as_str()) {
            return Err(not_empty(folder, &name));
        }
    }
    Ok(())
}

/// The database must name exactly the images that are there, with their bytes.
async fn match_database(
    archive: &Path,
    file: &Path,
    found: &Archive,
    progress: Progress<'_>,
) -> Result<(), Message> {
    let refused = |why: Message| not_restorable(archive, &why);
    // Before anything is written to it: a trigger would run.
    match on_a_worker(file, compare_schema(file)).await? {
        Ok(None) => {}
        Ok(Some(name)) => {
            return Err(refused(crate::detail!(
                "its database has a foreign schema: {name}"
            )));
        }
        Err(error) => {
            let why = DatabaseError::from(error);
            return Err(refused(crate::detail!("its database: {why}")));
        }
    }
    // A database of an earlier version is migrated here.
    let database = schema::open(file).await.map_err(|error| {
        refused(match error {
            Message::DatabaseNewer { .. } => crate::detail!(
                "its database was written by a newer version of Porchlight: install that version"
            ),
            other => crate::detail!("its database: {other}"),
        })
    })?;
    let matched = match_rows(&database, found, progress).await;
    database.close().await;
    matched.map_err(|why| match why {
        Message::Cancelled => why,
        why => refused(why),
    })
}

/// Runs [`schema::difference`] after the tables of litestream are removed.
fn compare_schema(
    file: &Path,
) -> impl FnOnce() -> Result<rusqlite::Result<Option<String>>, Message> + Send + 'static {
    let file = file.to_owned();
    move || {
        Ok(Connection::open(file).and_then(|connection| {
            schema::drop_litestream(&connection)?;
            schema::difference(&connection)
        }))
    }
}

async fn match_rows(
    database: &Database,
    found: &Archive,
    progress: Progress<'_>,
) -> Result<(), Message> {
    let unreadable = |why: Parameter| crate::detail!("its database: {why}");
    let result: String = database
        .read(|connection| connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)))
        .await
        .map_err(|error| unreadable(error.into()))?;
    if result != "ok" {
        return Err(unreadable(result.into()));
    }
    let (mut last, mut done) = (None, 0);
    let total = found.images.len() as u64;
    loop {
        let next = database
            .read(move |connection| rows::after(connection, last))
            .await
            .map_err(|error| unreadable(error.into()))?;
        let Some(end) = next.last() else { break };
        last = Some(end.hash);
        for row in next {
            let name = || ObjectName::image(row.hash).to_string();
            match found.images.get(&row.hash) {
                None => return Err(crate::detail!("{name} is missing in it", name = name())),
                Some(digest) if *digest != row.sha256 => {
                    return Err(crate::detail!(
                        "{name} in it is not what was stored",
                        name = name()
                    ));
                }
                Some(_) => done += 1,
            }
            progress(done, total).map_err(|Cancelled| Message::Cancelled)?;
        }
    }
    if done == total {
        Ok(())
    } else {
        Err(crate::detail!(
            "there are pictures in it that its database does not know"
        ))
    }
}
