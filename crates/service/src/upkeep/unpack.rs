//! Reads the archive of a backup into a folder.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read, Write as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;

use super::archive::{self, DATABASE, ENDING, Ending, FORMAT, OPENING, Opening, SECRETS};
use crate::error::message::{Message, Parameter};
use crate::text::image_hash::ImageHash;

/// Opening and ending are small; a backup that claims more is none.
const LONGEST_NOTE: u64 = 64 * 1024;
/// The maximum size of a settings or tokens file, in bytes: it is read into memory.
const LONGEST_SETTINGS: u64 = 1024 * 1024;

/// The maximum number of files in a backup: two million images, and what is beside them. Their names
/// are held in memory. Fewer in tests.
const MOST_FILES: usize = if cfg!(test) { 50 } else { 2_000_010 };
/// The maximum size of an image, in bytes: it may be read into memory.
const LARGEST_IMAGE: u64 = 512 * 1024 * 1024;
/// The maximum size of the database, in bytes.
const LARGEST_DATABASE: u64 = 64 * 1024 * 1024 * 1024;

/// What an archive was found to hold; its files are in the scratch folder.
pub(super) struct Archive {
    pub(super) images: HashMap<ImageHash, [u8; 32]>,
    pub(super) secrets: Vec<String>,
}

/// Why a backup is not restored.
pub(super) fn not_restorable(file: &Path, why: &Message) -> Message {
    crate::detail!(
        "{} is no backup that can be restored: {why}; nothing was restored",
        file.display()
    )
}

/// Unpacks an archive to the scratch folder, and verifies its form; cancelled, it ends with the next
/// file.
///
/// # Errors
/// When it is not whole, or the disk fails.
pub(super) fn read_archive(
    file: &Path,
    scratch: &Path,
    stop: &CancellationToken,
) -> Result<Archive, Message> {
    let opened = File::open(file).map_err(Message::at(file))?;
    let refused = |why: Message| not_restorable(file, &why);
    // The reader reports a tar that ends early or is none.
    let broken = |error: io::Error| refused(error.into());
    let length = opened.metadata().map_err(Message::at(file))?.len();
    let mut announced = 0_u64;
    let mut tar = tar::Archive::new(io::BufReader::new(opened));
    let mut images = HashMap::new();
    let mut secrets = Vec::new();
    let mut seen = HashSet::new();
    let mut ending: Option<Ending> = None;
    // Raw: otherwise the reader holds the content of long names and extended headers in memory
    // before their type can be refused here. A backup has neither.
    for entry in tar.entries().map_err(broken)?.raw(true) {
        if stop.is_cancelled() {
            return Err(Message::Cancelled);
        }
        let mut entry = entry.map_err(broken)?;
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let named = || Parameter::quoted(&path);
        if entry.header().entry_type() != tar::EntryType::Regular {
            return Err(refused(crate::detail!(
                "{path} in it is no plain file",
                path = named()
            )));
        }
        if seen.len() == MOST_FILES {
            return Err(refused(crate::detail!(
                "there are more than {count} files in it",
                count = MOST_FILES
            )));
        }
        if !seen.insert(path.clone()) {
            return Err(refused(crate::detail!(
                "{path} is in it twice",
                path = named()
            )));
        }
        if ending.is_some() {
            return Err(refused(crate::detail!(
                "{path} comes after its end",
                path = named()
            )));
        }
        let is_first = seen.len() == 1;
        if is_first != (path == OPENING) {
            return Err(refused(crate::detail!(
                "it does not begin as a backup does"
            )));
        }
        match path.as_str() {
            OPENING => {
                let opening: Opening = note(&mut entry).map_err(broken)?;
                if opening.format != FORMAT {
                    let version = opening.version;
                    return Err(refused(crate::detail!(
                        "it is of Porchlight {version}, and newer"
                    )));
                }
            }
            ENDING => ending = Some(note(&mut entry).map_err(broken)?),
            name => {
                let image = archive::image_of(name);
                let is_secret = SECRETS.contains(&name);
                if image.is_none() && !is_secret && name != DATABASE {
                    return Err(refused(crate::detail!(
                        "{path} belongs in no backup",
                        path = named()
                    )));
                }
                let largest = match image {
                    Some(_) => LARGEST_IMAGE,
                    None if is_secret => LONGEST_SETTINGS,
                    None => LARGEST_DATABASE,
                };
                if entry.size() > largest {
                    return Err(refused(crate::detail!(
                        "{path} in it is too large",
                        path = named()
                    )));
                }
                announced += entry.size();
                if announced > length {
                    return Err(refused(crate::detail!("it was cut short")));
                }
                let to = scratch.join(name);
                let digest = write_out(&mut entry, &to).map_err(|error| {
                    // The archive's own end, or the disk's.
                    if error.kind() == io::ErrorKind::UnexpectedEof {
                        refused(crate::detail!("it was cut short"))
                    } else {
                        Message::about(&to, error)
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
        return Err(refused(crate::detail!("it was cut short")));
    };
    let database = scratch.join(DATABASE);
    if !database.is_file() {
        return Err(refused(crate::detail!("there is no database in it")));
    }
    let found = Ending {
        images: images.len() as u64,
        database: archive::digest_of(&database)?,
    };
    if found != ending {
        return Err(refused(crate::detail!(
            "what is in it is not what was put in"
        )));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_with_too_many_or_too_large_files_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let name = |number: usize| {
            let hash = ImageHash::from_bytes((number as u128).to_be_bytes());
            archive::image_path(hash)
        };
        let image = |tar: &mut tar::Builder<File>, number, size, bytes: &[u8]| {
            let mut header = tar::Header::new_gnu();
            header.set_size(size);
            tar.append_data(&mut header, name(number), bytes)
        };
        let refused = |file: &str, size, count| {
            let file = folder.path().join(file);
            let mut writer = archive::Writer::start(File::create(&file).expect("a file"));
            let tar = &mut writer.as_mut().expect("a start").tar;
            for number in 0..count {
                image(tar, number, size, b"x").expect("an image");
            }
            tar.finish().expect("an end");
            let scratch = tempfile::tempdir().expect("a folder");
            let read = read_archive(&file, scratch.path(), &CancellationToken::new());
            match read {
                Ok(_) => panic!("it was not refused"),
                Err(error) => error.to_string(),
            }
        };
        let why = refused("many.tar", 1, MOST_FILES + 1);
        assert!(why.contains("more than 50 files"), "{why}");
        let why = refused("large.tar", LARGEST_IMAGE + 1, 1);
        assert!(why.contains("too large"), "{why}");
    }
}
