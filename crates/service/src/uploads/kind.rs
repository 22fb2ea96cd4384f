//! Which files look like images: by their extension, or by their first bytes.
//! The service decides what a file really is.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use porchlight_convert::SourceFormat;

/// The number of first bytes that are inspected.
const FIRST_BYTES: usize = 512;

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
    of_ending(&name[dot + 1..])
}

fn of_ending(ending: &[u8]) -> Option<&'static str> {
    let mut known = ENDINGS.iter();
    let found = known.find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(ending));
    found.map(|(_, content_type)| *content_type)
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
    let ending = match SourceFormat::of(bytes).ok()? {
        SourceFormat::JpegXl => "jxl".to_owned(),
        format => format.name().to_lowercase(),
    };
    of_ending(ending.as_bytes())
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
