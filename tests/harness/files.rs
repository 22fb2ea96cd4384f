//! The content of a folder, to compare before and after, and programs to run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Every file below the folder, sorted, and no socket; none when there is no such folder.
pub fn below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return files,
        entries => entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display())),
    };
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(below(&path));
        } else if path.is_file() || path.is_symlink() {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The names of the image files below a data folder, without `.webp`.
pub fn stored_hashes(data_dir: &Path) -> Vec<String> {
    let files = below(&data_dir.join("images"));
    files
        .iter()
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into())
        .collect()
}

/// The bytes of every file that holds what the owner would miss: the database
/// and the images, not the logs and the lock.
pub fn precious(data_dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = below(&data_dir.join("images"));
    files.extend(["porchlight.db", "settings.toml"].map(|name| data_dir.join(name)));
    files.retain(|path| path.is_file());
    files
        .into_iter()
        .map(|path| (path.clone(), std::fs::read(path).expect("readable")))
        .collect()
}

/// Asserts that the permissions of a file or folder are these. On Windows there are none: who may read
/// a file follows from its folder.
pub fn assert_mode(path: &Path, mode: u32) {
    let about =
        std::fs::metadata(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    #[cfg(unix)]
    {
        let is = std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o777;
        assert_eq!(is, mode, "{} {is:o}", path.display());
    }
    #[cfg(not(unix))]
    let _ = (about, mode);
}

/// Writes a shell script that can be run at once.
///
/// Another process writes it. While this one has it open for writing, a program that another test
/// starts at that moment has it open, too, until that program runs, and meanwhile the system does not
/// run the script ("Text file busy").
#[cfg(unix)]
pub fn script(file: &Path, lines: &str) {
    const WRITE: &str = "printf '#!/bin/sh\\n%s' \"$2\" >\"$1\" && chmod 755 \"$1\"";
    let mut write = std::process::Command::new("/bin/sh");
    write.args(["-c", WRITE, "sh"]).arg(file).arg(lines);
    let written = write.status().expect("a shell");
    assert!(written.success(), "{}: {written}", file.display());
}
