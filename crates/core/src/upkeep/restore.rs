//! Brings a backup back to an empty data folder.
//!
//! Everything is unpacked and verified in a separate folder inside the data
//! folder; only then it is moved to its place, the database last. A failure
//! before that leaves the data folder unchanged.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use porchlight_api::{ImageHash, Message, Parameter};
use rusqlite::Connection;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::archive::{
    self, DATABASE, ENDING, Ending, FORMAT, OPENING, OWN_TOKENS, Opening, SECRETS,
};
use super::{Cancelled, Progress, UpkeepError, on_a_worker, rows};
use crate::database::{Database, DatabaseError, schema};
use crate::images::table;
use crate::settings::{StorageKind, StorageSettings};
use crate::storage::{ObjectName, Storage};

/// What may be in a folder that counts as empty.
const NOTHING: [&str; 3] = ["porchlight.lock", "logs", "settings.toml"];
/// Opening and ending are small; a backup that claims more is none.
const LONGEST_NOTE: u64 = 64 * 1024;
/// The maximum size of a settings or tokens file, in bytes: it is read into memory.
const LONGEST_SETTINGS: u64 = 1024 * 1024;

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
    pub(super) scratch: TempDir,
    data_folder: PathBuf,
    images: HashMap<ImageHash, [u8; 32]>,
    pub(super) secrets: Vec<String>,
}

/// Unpacks a backup next to where it belongs and verifies all of it. The
/// caller holds the lock of the data folder, which must be empty. Dropped, it
/// ends with the next file and leaves nothing behind.
///
/// # Errors
/// When the folder is not empty, or the backup is not whole; nothing is
/// changed then.
pub async fn unpack(
    file: &Path,
    data_folder: &Path,
    progress: Progress<'_>,
) -> Result<Unpacked, UpkeepError> {
    must_be_empty(data_folder)?;
    let scratch = tempfile::Builder::new()
        .prefix("restoring-")
        .tempdir_in(data_folder)
        .map_err(UpkeepError::file(data_folder))?;
    let archive = file.to_owned();
    let stop = CancellationToken::new();
    let _stops_when_dropped = stop.clone().drop_guard();
    // The folder goes along: dropped here, it would be removed while it is written to.
    let (scratch, read) = on_a_worker(file, move || {
        let read = read_archive(&archive, scratch.path(), &stop)?;
        Ok((scratch, read))
    })
    .await?;
    for name in &read.secrets {
        if data_folder.join(name).exists() {
            return Err(UpkeepError::NotEmpty(data_folder.to_owned(), name.clone()));
        }
    }
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
        let file = self.scratch.path().join("settings.toml");
        file.is_file().then_some(file)
    }

    /// The file of the app's own secrets that was in the backup.
    #[must_use]
    pub fn own_tokens_file(&self) -> Option<PathBuf> {
        let file = self.scratch.path().join(OWN_TOKENS);
        file.is_file().then_some(file)
    }

    /// Moves everything to its place: the images into the folder, or into the
    /// object store that the settings name. The database comes last; until
    /// then there is nothing that a service would serve.
    ///
    /// # Errors
    /// When the disk or the object store fails.
    pub async fn put_in_place(
        self,
        settings: &StorageSettings,
        progress: Progress<'_>,
    ) -> Result<RestoreReport, UpkeepError> {
        self.put_rows_right(settings.kind).await?;
        let from = self.scratch.path().join("images");
        let total = self.images.len() as u64;
        if settings.kind == StorageKind::S3 {
            let storage = Storage::beside(&self.data_folder, settings)?.at(settings.kind)?;
            for (done, hash) in self.images.keys().enumerate() {
                let file = self.scratch.path().join(archive::image_path(*hash));
                let bytes = fs::read(&file).map_err(UpkeepError::file(&file))?;
                let name = ObjectName::image(*hash);
                storage.put(name, Bytes::from(bytes)).await?;
                progress(done as u64 + 1, total)?;
            }
        } else if from.is_dir() {
            for folder in fs::read_dir(&from).map_err(UpkeepError::file(&from))? {
                sync(&folder.map_err(UpkeepError::file(&from))?.path())?;
            }
            sync(&from)?;
            let to = self.data_folder.join("images");
            fs::rename(&from, &to).map_err(UpkeepError::file(&to))?;
        }
        for name in self.secrets.iter().map(String::as_str).chain([DATABASE]) {
            sync(&self.data_folder)?;
            let to = self.data_folder.join(name);
            fs::rename(self.scratch.path().join(name), &to).map_err(UpkeepError::file(&to))?;
        }
        sync(&self.data_folder)?;
        Ok(RestoreReport {
            images: total,
            secrets: self.secrets,
        })
    }
}

impl Unpacked {
    /// Updates the rows to the new location of the images. A source without an image could later be
    /// matched to another image, and an object that another data folder wanted removed may belong
    /// to an image here.
    async fn put_rows_right(&self, place: StorageKind) -> Result<(), UpkeepError> {
        let database = Database::open(&self.scratch.path().join(DATABASE)).await?;
        let noted = database.write(move |transaction| {
            let note = "UPDATE image SET place = ?1 WHERE place <> ?1";
            transaction.execute(note, [table::number_of(place)])?;
            transaction.execute_batch(
                "DELETE FROM source WHERE image NOT IN (SELECT id FROM image);
                 DELETE FROM removal;",
            )?;
            Ok::<_, DatabaseError>(())
        });
        let noted = noted.await;
        database.close().await;
        Ok(noted?)
    }
}

fn sync(folder: &Path) -> Result<(), UpkeepError> {
    if cfg!(unix) {
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(UpkeepError::file(folder))?;
    }
    Ok(())
}

fn must_be_empty(folder: &Path) -> Result<(), UpkeepError> {
    for entry in fs::read_dir(folder).map_err(UpkeepError::file(folder))? {
        let name = entry.map_err(UpkeepError::file(folder))?.file_name();
        let name = name.to_string_lossy().into_owned();
        if !NOTHING.contains(&name.as_str()) {
            return Err(UpkeepError::NotEmpty(folder.to_owned(), name));
        }
    }
    Ok(())
}

/// What an archive was found to hold; its files are in the scratch folder.
struct Archive {
    images: HashMap<ImageHash, [u8; 32]>,
    secrets: Vec<String>,
}

fn read_archive(
    file: &Path,
    scratch: &Path,
    stop: &CancellationToken,
) -> Result<Archive, UpkeepError> {
    let opened = File::open(file).map_err(UpkeepError::file(file))?;
    let refused = |why: Message| UpkeepError::Refused(file.to_owned(), why);
    // The reader reports a tar that ends early or is none.
    let broken = |error: io::Error| refused(error.into());
    let mut tar = tar::Archive::new(io::BufReader::new(opened));
    let mut images = HashMap::new();
    let mut secrets = Vec::new();
    let mut seen = HashSet::new();
    let mut ending: Option<Ending> = None;
    for entry in tar.entries().map_err(broken)? {
        if stop.is_cancelled() {
            return Err(UpkeepError::Cancelled);
        }
        let mut entry = entry.map_err(broken)?;
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let named = || Parameter::quoted(&path);
        if entry.header().entry_type() != tar::EntryType::Regular {
            return Err(refused(Message::BackupNoPlainFile { path: named() }));
        }
        if !seen.insert(path.clone()) {
            return Err(refused(Message::BackupTwice { path: named() }));
        }
        if ending.is_some() {
            return Err(refused(Message::BackupAfterEnd { path: named() }));
        }
        let is_first = seen.len() == 1;
        if is_first != (path == OPENING) {
            return Err(refused(Message::BackupStart));
        }
        match path.as_str() {
            OPENING => {
                let opening: Opening = note(&mut entry).map_err(broken)?;
                if opening.format != FORMAT {
                    let version = opening.version.into();
                    return Err(refused(Message::BackupNewer { version }));
                }
            }
            ENDING => ending = Some(note(&mut entry).map_err(broken)?),
            name => {
                let image = archive::image_of(name);
                let is_secret = SECRETS.contains(&name);
                if image.is_none() && !is_secret && name != DATABASE {
                    return Err(refused(Message::BackupForeign { path: named() }));
                }
                if is_secret && entry.size() > LONGEST_SETTINGS {
                    return Err(refused(Message::BackupTooLarge { path: named() }));
                }
                let to = scratch.join(name);
                let digest = write_out(&mut entry, &to).map_err(|error| {
                    // The archive's own end, or the disk's.
                    if error.kind() == io::ErrorKind::UnexpectedEof {
                        refused(Message::BackupCutShort)
                    } else {
                        UpkeepError::File(to.clone(), error)
                    }
                })?;
                if let Some(hash) = image {
                    images.insert(hash, digest);
                } else if is_secret {
                    secrets.push(path);
                }
            }
        }
    }
    let Some(ending) = ending else {
        return Err(refused(Message::BackupCutShort));
    };
    let database = scratch.join(DATABASE);
    if !database.is_file() {
        return Err(refused(Message::BackupNoDatabase));
    }
    let found = Ending {
        images: images.len() as u64,
        database: archive::digest_of(&database)?,
    };
    if found != ending {
        return Err(refused(Message::BackupChanged));
    }
    Ok(Archive { images, secrets })
}

fn note<T: serde::de::DeserializeOwned>(entry: &mut impl Read) -> io::Result<T> {
    Ok(serde_json::from_reader(entry.take(LONGEST_NOTE))?)
}

/// Writes an entry to a new file that only its owner can read; its SHA-256.
fn write_out(entry: &mut tar::Entry<'_, impl Read>, to: &Path) -> io::Result<[u8; 32]> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(to)?;
    let mut digest = Sha256::new();
    let mut chunk = vec![0; 256 * 1024];
    let mut left = entry.size();
    loop {
        let read = entry.read(&mut chunk)?;
        if read == 0 {
            break;
        }
        left = left.saturating_sub(read as u64);
        digest.update(&chunk[..read]);
        file.write_all(&chunk[..read])?;
    }
    if left > 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    file.sync_all()?;
    Ok(digest.finalize().into())
}

/// The database must name exactly the images that are there, with their bytes.
async fn match_database(
    archive: &Path,
    file: &Path,
    found: &Archive,
    progress: Progress<'_>,
) -> Result<(), UpkeepError> {
    let refused = |why: Message| UpkeepError::Refused(archive.to_owned(), why);
    // Before anything is written to it: a trigger would run.
    match on_a_worker(file, compare_schema(file)).await? {
        Ok(None) => {}
        Ok(Some(name)) => {
            let name = name.into();
            return Err(refused(Message::BackupSchema { name }));
        }
        Err(error) => {
            let why = DatabaseError::from(error).into();
            return Err(refused(Message::BackupDatabaseFails { why }));
        }
    }
    // A database of an earlier version is migrated here.
    let database = Database::open(file)
        .await
        .map_err(|error| refused(error.about(Message::BackupDatabase.into())))?;
    let matched = match_rows(&database, found, progress).await;
    database.close().await;
    matched.map_err(|why| match why {
        Message::Cancelled => UpkeepError::Cancelled,
        why => refused(why),
    })
}

/// Runs [`schema::difference`] after the tables of litestream are removed.
fn compare_schema(
    file: &Path,
) -> impl FnOnce() -> Result<rusqlite::Result<Option<String>>, UpkeepError> + Send + 'static {
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
    let unreadable = |why: Parameter| Message::BackupDatabaseFails { why };
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
            let name = || ObjectName::image(row.hash).to_string().into();
            match found.images.get(&row.hash) {
                None => return Err(Message::BackupMissing { name: name() }),
                Some(digest) if *digest != row.sha256 => {
                    return Err(Message::BackupWrong { name: name() });
                }
                Some(_) => done += 1,
            }
            progress(done, total).map_err(|Cancelled| Message::Cancelled)?;
        }
    }
    if done == total {
        Ok(())
    } else {
        Err(Message::BackupRowless)
    }
}
