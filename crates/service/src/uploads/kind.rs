//! Which files look like images: by their extension, or by their first bytes.
//! The service decides what a file really is.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// The number of first bytes that are inspected.
const FIRST_BYTES: usize = 32;

/// Extensions of image files, and their types.
const ENDINGS: &[(&str, &str)] = &[
    ("apng", "image/apng"),
    ("avif", "image/avif"),
    ("bmp", "image/bmp"),
    ("dib", "image/bmp"),
    ("gif", "image/gif"),
    ("heic", "image/heic"),
    ("heif", "image/heif"),
    ("ico", "image/x-icon"),
    ("jfif", "image/jpeg"),
    ("jpe", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("jxl", "image/jxl"),
    ("png", "image/png"),
    ("qoi", "image/qoi"),
    ("svg", "image/svg+xml"),
    ("tif", "image/tiff"),
    ("tiff", "image/tiff"),
    ("webp", "image/webp"),
];

/// The type of anything else.
pub(crate) const UNKNOWN: &str = "application/octet-stream";

/// The extensions of image files, in lower case.
pub(crate) fn endings() -> impl Iterator<Item = &'static str> {
    ENDINGS.iter().map(|(ending, _)| *ending)
}

pub(crate) fn by_name(file: &Path) -> Option<&'static str> {
    // Of `.jpg` the ending is all there is; that is a name, too.
    let name = file.file_name()?.as_encoded_bytes();
    let dot = name.iter().rposition(|byte| *byte == b'.')?;
    let ending = &name[dot + 1..];
    ENDINGS
        .iter()
        .find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(ending))
        .map(|(_, content_type)| *content_type)
}

/// The image type by the file's first bytes.
///
/// # Errors
/// When the file cannot be read.
pub(crate) fn by_first_bytes(file: &Path) -> io::Result<Option<&'static str>> {
    let mut first_bytes = Vec::with_capacity(FIRST_BYTES);
    File::open(file)?
        .take(FIRST_BYTES as u64)
        .read_to_end(&mut first_bytes)?;
    Ok(of_bytes(&first_bytes))
}

fn of_bytes(bytes: &[u8]) -> Option<&'static str> {
    let at = |place: usize, part: &[u8]| {
        bytes
            .get(place..)
            .is_some_and(|rest| rest.starts_with(part))
    };
    let brand = |brands: &[&[u8]]| at(4, b"ftyp") && brands.iter().any(|brand| at(8, brand));
    let found = if at(0, b"\xff\xd8\xff") {
        "image/jpeg"
    } else if at(0, b"\x89PNG\r\n\x1a\n") {
        "image/png"
    } else if at(0, b"GIF87a") || at(0, b"GIF89a") {
        "image/gif"
    } else if at(0, b"RIFF") && at(8, b"WEBP") {
        "image/webp"
    } else if at(0, b"II*\0") || at(0, b"MM\0*") || at(0, b"II+\0") || at(0, b"MM\0+") {
        "image/tiff"
    } else if at(0, b"qoif") {
        "image/qoi"
    } else if at(0, b"\xff\x0a") || at(0, b"\0\0\0\x0cJXL \r\n\x87\n") {
        "image/jxl"
    } else if brand(&[b"avif", b"avis"]) {
        "image/avif"
    } else if brand(&[
        b"heic", b"heix", b"heim", b"heis", b"hevc", b"mif1", b"msf1",
    ]) {
        "image/heic"
    // Many texts start with these two letters; the length of the second header
    // is distinctive.
    } else if at(0, b"BM") && at(6, &[0; 4]) && at(15, &[0; 3]) {
        "image/bmp"
    } else if at(0, b"\0\0\x01\0") && bytes.get(4).is_some_and(|count| *count > 0) {
        "image/x-icon"
    } else {
        return None;
    };
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_case_and_by_their_last_ending() {
        for (name, expected) in [
            ("a.JPG", Some("image/jpeg")),
            (".png", Some("image/png")),
            ("a.tar.webp", Some("image/webp")),
            ("png", None),
            ("a.png.txt", None),
            ("a.", None),
        ] {
            assert_eq!(by_name(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn a_text_is_no_image_whatever_its_first_bytes() {
        for text in [
            "",
            "BM",
            "BMW builds cars and motorcycles.",
            "GIF",
            "II",
            "RIFF",
        ] {
            assert_eq!(of_bytes(text.as_bytes()), None, "{text:?}");
        }
        assert_eq!(of_bytes(&[0; 32]), None);
    }
}
