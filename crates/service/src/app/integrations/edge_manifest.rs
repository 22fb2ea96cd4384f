//! Which files of the Worker's folder `porchlight edge init` wrote, so that it overwrites no other.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::files::private_file;

/// Where the SHA-256 of each written file is.
pub(super) const MANIFEST: &str = "porchlight-manifest.json";

/// The SHA-256 of each file that an earlier run wrote; of an interrupted run, those of before, too.
pub(super) type Manifest = BTreeMap<String, BTreeSet<String>>;

/// The one of a folder; empty where there is none.
pub(super) fn manifest(folder: &Path) -> Manifest {
    let text = std::fs::read(folder.join(MANIFEST)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// Writes it whole.
///
/// # Errors
/// When the file cannot be written.
pub(super) fn write_manifest(file: &Path, manifest: &Manifest) -> io::Result<()> {
    let text = serde_json::to_string_pretty(manifest)?;
    private_file::write(file, &format!("{text}\n"))
}

/// The file of this name where it is there, and neither one that was written by an earlier run and
/// is unchanged nor one with this content already.
pub(super) fn foreign_file(
    folder: &Path,
    name: &str,
    written: &Manifest,
    content: Option<&str>,
) -> Option<PathBuf> {
    let file = folder.join(name);
    let is_ours = match std::fs::read(&file) {
        Ok(there) => {
            let sums = written.get(name);
            content.is_some_and(|content| there == content.as_bytes())
                || sums.is_some_and(|sums| sums.contains(&sum(&there)))
        }
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    (!is_ours).then_some(file)
}

/// The SHA-256 of a content, in hexadecimal digits.
pub(super) fn sum(content: &[u8]) -> String {
    hex::encode(Sha256::digest(content))
}
