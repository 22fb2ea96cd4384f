//! Paths as bytes, so that a name that is no text comes back as it was.

use std::path::{Path, PathBuf};

/// The path's own bytes; on Windows its UTF-16 words, low byte first.
#[cfg(unix)]
pub(super) fn to_bytes(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt as _;
    path.as_os_str().as_bytes().to_vec()
}

/// The path that [`to_bytes`] was given.
#[cfg(unix)]
pub(super) fn from_bytes(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;
    std::ffi::OsString::from_vec(bytes).into()
}

/// The path's own bytes; on Windows its UTF-16 words, low byte first.
#[cfg(windows)]
pub(super) fn to_bytes(path: &Path) -> Vec<u8> {
    use std::os::windows::ffi::OsStrExt as _;
    let words = path.as_os_str().encode_wide();
    words.flat_map(u16::to_le_bytes).collect()
}

/// The path that [`to_bytes`] was given.
#[cfg(windows)]
pub(super) fn from_bytes(bytes: Vec<u8>) -> PathBuf {
    use std::os::windows::ffi::OsStringExt as _;
    let words: Vec<u16> = bytes
        .chunks_exact(2)
        .map(|word| u16::from_le_bytes([word[0], word[1]]))
        .collect();
    std::ffi::OsString::from_wide(&words).into()
}
