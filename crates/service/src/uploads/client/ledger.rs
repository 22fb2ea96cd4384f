//! The uploads to a server of the plain interface, recorded on this machine,
//! since such a server cannot be queried: a line for each image, with the
//! SHA-256 of the source and the hash there.
//!
//! Lines are only ever added, each in one write that is synced before the image
//! counts as done, so a kill loses nothing that was answered.
//! `scripts/upload.sh` keeps the same file.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};

/// The ledger of one server.
#[derive(Debug)]
pub(crate) struct Ledger {
    file: Mutex<File>,
    taken: Mutex<HashMap<[u8; 32], String>>,
}

/// Where the ledger of the server at this address is, below `folder`.
pub(super) fn place(folder: &Path, base: &str) -> PathBuf {
    let name = hex::encode(Sha256::digest(base.as_bytes()));
    folder.join(format!("{name}.ledger"))
}

impl Ledger {
    /// Opens the ledger of the server at `base`, and makes it where there is
    /// none yet.
    ///
    /// # Errors
    /// When the folder or the file cannot be made, read or written.
    pub(super) fn open(folder: &Path, base: &str) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let path = place(folder, base);
        let mut file = File::options()
            .create(true)
            .read(true)
            .append(true)
            .open(path)?;
        let taken = read(&file)?;
        let length = file.seek(SeekFrom::End(0))?;
        if length == 0 {
            file.write_all(format!("# pictures that {base} has taken\n").as_bytes())?;
        } else {
            // A line that was cut off by a crash does not merge with the next
            // one.
            file.seek(SeekFrom::Start(length - 1))?;
            let mut last = [0];
            file.read_exact(&mut last)?;
            if last != *b"\n" {
                file.write_all(b"\n")?;
            }
        }
        Ok(Self {
            file: Mutex::new(file),
            taken: Mutex::new(taken),
        })
    }

    /// The hash of the image from the source with this digest; `None` when it was not uploaded yet.
    pub(super) fn find(&self, sha256: &[u8; 32]) -> Option<String> {
        let taken = self.taken.lock();
        taken.get(sha256).cloned()
    }

    /// Records an upload. Blocks until that is on the disk.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn add(&self, sha256: [u8; 32], hash: &str) -> io::Result<()> {
        let line = format!("{} {hash}\n", hex::encode(sha256));
        let mut file = self.file.lock();
        file.write_all(line.as_bytes())?;
        file.sync_data()?;
        let mut taken = self.taken.lock();
        taken.insert(sha256, hash.to_owned());
        Ok(())
    }
}

/// The whole lines; a later one counts more.
fn read(file: &File) -> io::Result<HashMap<[u8; 32], String>> {
    let mut taken = HashMap::new();
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        if let Some((sha256, hash)) = parsed(&line) {
            taken.insert(sha256, hash);
        }
        line.clear();
    }
    Ok(taken)
}

fn parsed(line: &[u8]) -> Option<([u8; 32], String)> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (digest, hash) = line.split_once(' ')?;
    let mut sha256 = [0; 32];
    hex::decode_to_slice(digest, &mut sha256).ok()?;
    // Earlier versions wrote `-` when the server had named no image: it is unknown whether it has
    // one.
    let is_one = !hash.is_empty() && hash.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_one.then(|| (sha256, hash.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "https://light.example.blog";

    #[test]
    fn entries_are_found_by_the_next_run_only_for_their_server() {
        let folder = tempfile::tempdir().expect("a folder");
        let ledger = Ledger::open(folder.path(), BASE).expect("a ledger");
        ledger.add([1; 32], "ab12").expect("added");
        assert_eq!(ledger.find(&[1; 32]).as_deref(), Some("ab12"));
        drop(ledger);
        let ledger = Ledger::open(folder.path(), BASE).expect("a ledger");
        assert_eq!(ledger.find(&[1; 32]).as_deref(), Some("ab12"));
        assert_eq!(ledger.find(&[2; 32]), None);
        let other = Ledger::open(folder.path(), "https://other.example").expect("a ledger");
        assert_eq!(other.find(&[1; 32]), None);
    }

    #[test]
    fn a_line_that_was_cut_off_costs_that_line_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let whole = format!("{} ab12\n", hex::encode([1; 32]));
        let cut = format!("{} ab", hex::encode([2; 32]));
        fs::write(place(folder.path(), BASE), whole + &cut).expect("a file");
        let ledger = Ledger::open(folder.path(), BASE).expect("a ledger");
        assert_eq!(ledger.find(&[1; 32]).as_deref(), Some("ab12"));
        assert_eq!(ledger.find(&[2; 32]), None, "its hash is not whole");
        ledger.add([3; 32], "cd34").expect("added");
        drop(ledger);
        let ledger = Ledger::open(folder.path(), BASE).expect("a ledger");
        assert_eq!(ledger.find(&[3; 32]).as_deref(), Some("cd34"));
    }

    #[test]
    fn an_image_without_a_hash_from_the_server_is_not_recorded() {
        let folder = tempfile::tempdir().expect("a folder");
        let unnamed = format!("{} -\n{} \n", hex::encode([1; 32]), hex::encode([2; 32]));
        fs::write(place(folder.path(), BASE), unnamed).expect("a file");
        let ledger = Ledger::open(folder.path(), BASE).expect("a ledger");
        assert_eq!(ledger.find(&[1; 32]), None);
        assert_eq!(ledger.find(&[2; 32]), None);
    }
}
