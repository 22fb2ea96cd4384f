//! Takes a self-contained backup while the service runs: a snapshot of the
//! database, and its images.
//!
//! An image that is deleted while the backup is taken is not in it, and its row
//! is removed from the copy.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use rusqlite::Connection;
use serde::Serialize;
use tokio::sync::mpsc;

use super::archive::{self, DATABASE, Ending, SECRETS, Writer};
use super::report::as_sentence;
use super::rows::{self, Expected};
use super::{check, database_of, on_a_worker};
use crate::db::{DatabaseError, ReadOnly};
use crate::error::message::{Message, Parameter};
use crate::images::fault::{Fault, Problem};
use crate::images::table;
use crate::state::progress::Progress;
use crate::storage::{Storage, StorageSettings};
use crate::text::image_hash::ImageHash;
use crate::{files, schema, uploads};

/// How many images may wait in memory to be written.
const WAITING: usize = 4;

/// Options of a backup.
#[derive(Debug, Clone)]
pub struct BackupOptions {
    /// The file to make.
    pub file: PathBuf,
    /// Whether a file that is there already is replaced.
    pub force: bool,
    /// Whether the settings and the app's own secrets go in.
    pub with_secrets: bool,
}

/// What is in a backup.
#[derive(Debug, Serialize)]
pub struct BackupReport {
    /// Images.
    pub images: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Files with secrets that are in it.
    pub secrets: Vec<String>,
    /// Files with secrets that were left out.
    pub left_out: Vec<String>,
    /// Images that could not be taken along.
    pub problems: Vec<Problem>,
    /// Why it cannot be restored; `None` where it can.
    #[serde(serialize_with = "as_sentence")]
    pub not_restorable: Option<Message>,
}

/// Takes a backup of a data folder, also while a process serves it.
///
/// # Errors
/// When there is none in the end; the file is not made then.
pub async fn backup(
    data_folder: &Path,
    settings: &StorageSettings,
    options: &BackupOptions,
    progress: Progress<'_>,
) -> Result<BackupReport, Message> {
    let database = schema::open_read_only(&database_of(data_folder)?).await?;
    let storage = Storage::beside(data_folder, settings)?;
    check::must_reach(&database, settings).await?;
    if options.file.exists() && !options.force {
        return Err(crate::detail!(
            "{} is there already: choose another name, or say --force",
            options.file.display()
        ));
    }
    let folder = match options.file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    // Beside the file, so that it is on the same disk; both have mode 0600 or
    // are in a folder of mode 0700.
    let scratch = tempfile::tempdir_in(&folder).map_err(Message::at(&folder))?;
    let copy = scratch.path().join(DATABASE);
    database.copy_to(&copy).await?;
    let half_written = tempfile::NamedTempFile::new_in(&folder).map_err(Message::at(&folder))?;

    let images_of = schema::open_read_only(&copy).await?;
    let (send, images) = mpsc::channel(WAITING);
    let writing = tokio::task::spawn_blocking({
        let file = options.file.clone();
        move || write_images(half_written, images).map_err(Message::at(&file))
    });
    let gathered = gather(&database, &storage, &images_of, send, progress).await;
    // Windows removes no file that is open.
    images_of.close().await;
    let writer = writing
        .await
        .map_err(|error| Message::about(&options.file, error.to_string()))??;
    let Gathered {
        mut report,
        left_out,
    } = gathered?;

    let (is_in, is_out): (Vec<&str>, Vec<&str>) = SECRETS
        .into_iter()
        .filter(|name| data_folder.join(name).is_file())
        .partition(|_| options.with_secrets);
    report.secrets = is_in.iter().map(ToString::to_string).collect();
    report.left_out = is_out.iter().map(ToString::to_string).collect();

    let (options, data_folder, images) = (options.clone(), data_folder.to_owned(), report.images);
    let foreign = on_a_worker(&folder.clone(), move || {
        let foreign = take_out(&copy, &left_out).map_err(DatabaseError::from)?;
        let failed = || Message::at(&options.file);
        let mut writer = writer;
        for name in is_in {
            let file = data_folder.join(name);
            writer.add_file(name, &file).map_err(failed())?;
        }
        let ending = Ending {
            images,
            database: archive::digest_of(&copy)?,
        };
        writer.add_file(DATABASE, &copy).map_err(failed())?;
        let file = writer.end(&ending).map_err(failed())?;
        file.as_file().sync_all().map_err(failed())?;
        let kept = files::retried(file, |file| {
            let kept = if options.force {
                file.persist(&options.file)
            } else {
                file.persist_noclobber(&options.file)
            };
            kept.map_err(|failed| (failed.error, failed.file))
        });
        kept.map_err(failed())?;
        #[cfg(unix)]
        std::fs::File::open(&folder)
            .and_then(|folder| folder.sync_all())
            .map_err(failed())?;
        Ok(foreign)
    })
    .await?;
    let foreign = foreign.map(Parameter::from);
    report.not_restorable = foreign.map(|name| crate::detail!("this backup cannot be restored, since {name} in the database is not Porchlight's: remove it and take another backup"));
    Ok(report)
}

fn write_images(
    file: tempfile::NamedTempFile,
    mut images: mpsc::Receiver<(ImageHash, Bytes)>,
) -> std::io::Result<Writer<tempfile::NamedTempFile>> {
    let mut writer = Writer::start(file)?;
    while let Some((hash, bytes)) = images.blocking_recv() {
        writer.add(&archive::image_path(hash), &bytes)?;
    }
    Ok(writer)
}

struct Gathered {
    report: BackupReport,
    left_out: Vec<ImageHash>,
}

/// Sends every image of the copy that is whole to be written.
async fn gather(
    database: &ReadOnly,
    storage: &Storage,
    copy: &ReadOnly,
    send: mpsc::Sender<(ImageHash, Bytes)>,
    progress: Progress<'_>,
) -> Result<Gathered, Message> {
    let total = copy.read(rows::count).await?;
    let mut report = BackupReport {
        images: 0,
        bytes: 0,
        secrets: Vec::new(),
        left_out: Vec::new(),
        problems: Vec::new(),
        not_restorable: None,
    };
    let (mut left_out, mut last, mut done) = (Vec::new(), None, 0);
    loop {
        let next = copy.read(move |c| rows::after(c, last)).await?;
        let Some(end) = next.last() else {
            return Ok(Gathered { report, left_out });
        };
        last = Some(end.hash);
        for row in next {
            match look_at(database, storage, row).await? {
                Ok(bytes) => {
                    report.images += 1;
                    report.bytes += bytes.len() as u64;
                    if send.send((row.hash, bytes)).await.is_err() {
                        // The writer has failed and returns its error.
                        return Ok(Gathered { report, left_out });
                    }
                }
                Err(fault) => {
                    left_out.push(row.hash);
                    report.problems.extend(fault.map(|fault| Problem {
                        fault,
                        mended: None,
                    }));
                }
            }
            done += 1;
            progress(done, total)?;
        }
    }
}

/// The bytes of an image; else what is wrong with it, or nothing when it was
/// deleted after the copy was made.
async fn look_at(
    database: &ReadOnly,
    storage: &Storage,
    row: Expected,
) -> Result<Result<Bytes, Option<Fault>>, Message> {
    let fault = match check::verify(storage, row).await? {
        Ok(bytes) => return Ok(Ok(bytes)),
        Err(fault) => fault,
    };
    // Deleted, and perhaps uploaded again since; or moved to the other storage.
    let Some(row) = rows::now(database, row.hash).await? else {
        return Ok(Err(None));
    };
    match check::verify(storage, row).await? {
        Ok(bytes) => Ok(Ok(bytes)),
        Err(_) if rows::now(database, row.hash).await?.is_none() => Ok(Err(None)),
        Err(_) => Ok(Err(Some(fault))),
    }
}

/// Takes the rows of images that are not in the backup out of the copy, and what is only
/// about the folder it came from. Returns what `restore` will refuse in it.
fn take_out(copy: &Path, left_out: &[ImageHash]) -> rusqlite::Result<Option<String>> {
    let mut connection = Connection::open(copy)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // What the owner has deleted must not be in free pages either.
    connection.pragma_update(None, "secure_delete", true)?;
    schema::drop_litestream(&connection)?;
    let foreign = schema::difference(&connection)?;
    let transaction = connection.transaction()?;
    for hash in left_out {
        table::delete(&transaction, *hash)?;
    }
    transaction.execute_batch("DELETE FROM removal; DELETE FROM trash;")?;
    transaction.execute_batch(uploads::table::FORGET_ALL)?;
    // Their place is decided when they are restored.
    transaction.execute("UPDATE image SET place = 0 WHERE place <> 0", [])?;
    // Last: it has the hashes of all that was changed and deleted.
    transaction.execute_batch("DELETE FROM image_change;")?;
    transaction.commit()?;
    Ok(foreign)
}
