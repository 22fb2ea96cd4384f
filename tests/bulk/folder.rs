//! Folders with names of every kind.

use std::ffi::OsString;
use std::path::Path;

use crate::harness::pictures;

/// A small image that no other call has made.
pub(crate) fn picture() -> Vec<u8> {
    pictures::jpeg(&pictures::scene(pictures::next_seed(), 48, 32))
}

/// A folder with this many images.
pub(crate) fn of_pictures(number: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for place in 0..number {
        let file = folder.path().join(format!("{place:03}.jpg"));
        std::fs::write(file, picture()).expect("a file");
    }
    folder
}

/// Names that break those who quote badly.
pub(crate) const ODD_NAMES: &[&[u8]] = &[
    b"plain.jpg",
    b"two  spaces .JPG",
    b" leading and trailing .jpg",
    b"-rf.jpg",
    b"--folder.jpg",
    b"@file.jpg",
    b"semi;colon,comma;type=text.jpg",
    b"quo\"te's.jpg",
    b"back\\slash\\.jpg",
    b"line\nbreak.jpg",
    b"carriage\rreturn\ttab.jpg",
    b"$(touch x) `y` $HOME *.jpg",
    b"percent %s %0a.jpg",
    b"\xff\xfe not text.jpg",
    "\u{96ea} \u{1f3ee} \u{202e}.jpg".as_bytes(),
    b"\x1b[2Jescape.jpg",
    b".hidden.jpg",
    b".jpg",
    b"no ending",
    b"wrong ending.txt",
];

/// A folder with a different image under each odd name, one deep below hidden
/// folders, and files that are no images. Returns how many are images, and how
/// many are to be skipped.
pub(crate) fn odd(folder: &Path) -> (u64, u64) {
    let mut pictures = 0;
    let mut add = |folder: &Path, name: &[u8]| {
        if let Some(name) = file_name(name) {
            std::fs::write(folder.join(name), picture()).expect("a file");
            pictures += 1;
        }
    };
    ODD_NAMES.iter().for_each(|name| add(folder, name));
    // Wine finds the full path of no longer name.
    let long = if cfg!(windows) { 200 } else { 251 };
    add(folder, &[b"n".repeat(long).as_slice(), b".jpg"].concat());
    let deep = if cfg!(windows) {
        ".deep/er/-x"
    } else {
        ".deep/er \n/-x"
    };
    let deep = folder.join(deep);
    std::fs::create_dir_all(&deep).expect("folders");
    add(&deep, b"a.jpg");

    std::fs::write(folder.join("notes.md"), "no picture").expect("a file");
    std::fs::write(folder.join("nothing"), "").expect("a file");
    (pictures, 2 + links_and_a_pipe(folder))
}

/// The name, where the system allows it.
#[cfg(unix)]
fn file_name(name: &[u8]) -> Option<OsString> {
    Some(std::os::unix::ffi::OsStringExt::from_vec(name.to_vec()))
}

#[cfg(windows)]
fn file_name(name: &[u8]) -> Option<OsString> {
    let name = std::str::from_utf8(name).ok()?;
    let is_forbidden = |letter: char| letter < ' ' || "\"*/:<>?\\|".contains(letter);
    (!name.contains(is_forbidden)).then(|| name.into())
}

/// What is no file, and how many of it there are.
#[cfg(unix)]
fn links_and_a_pipe(folder: &Path) -> u64 {
    std::os::unix::fs::symlink(folder, folder.join("round")).expect("a link");
    std::os::unix::fs::symlink(folder.join("plain.jpg"), folder.join("link.jpg")).expect("a link");
    let pipe = std::process::Command::new("mkfifo")
        .arg(folder.join("pipe.jpg"))
        .status();
    assert!(pipe.expect("mkfifo").success());
    3
}

/// On Windows links are for administrators.
#[cfg(windows)]
fn links_and_a_pipe(_: &Path) -> u64 {
    0
}
