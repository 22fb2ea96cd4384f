//! The names of images: what their files were called, or what the owner wrote. They are the
//! alternative texts of links. Only the owner's window reads them; no answer to readers has them.

use rusqlite::{Transaction, params};

use super::Images;
use crate::db::DatabaseError;
use crate::db::query::Query as _;
use crate::text::image_hash::ImageHash;
use crate::text::{LONGEST_NAME, one_line};

/// `folded` is the name in lower case, which the search compares.
pub(crate) const CREATE: &str = "
    CREATE TABLE image_name (
        image INTEGER PRIMARY KEY REFERENCES image (id) ON DELETE CASCADE,
        name TEXT NOT NULL,
        folded TEXT NOT NULL
    ) STRICT;
";

/// The longest ending that is cut off.
const LONGEST_ENDING: usize = 5;
/// What programs call an image that has no name, in lower case.
const NO_NAMES: [&str; 5] = ["image", "picture", "blob", "file", "upload"];
/// How the names of such images begin.
const NO_NAMES_BEGIN: [&str; 2] = ["clipboard", "pasted"];

/// The name of an image by that of its file, without folders and ending; `None` for what programs
/// call an image that has none.
pub(super) fn of_file(file: &str) -> Option<String> {
    let file = file.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = one_line(without_ending(file), LONGEST_NAME);
    let lower = name.to_lowercase();
    let is_none = name.is_empty()
        || NO_NAMES.contains(&lower.as_str())
        || NO_NAMES_BEGIN.iter().any(|begin| lower.starts_with(begin));
    (!is_none).then_some(name)
}

/// The file's name up to its ending: a dot, a letter and few letters or digits.
fn without_ending(file: &str) -> &str {
    match file.rsplit_once('.') {
        Some((name, ending))
            if ending.starts_with(|first: char| first.is_ascii_alphabetic())
                && ending.len() <= LONGEST_ENDING
                && ending.bytes().all(|byte| byte.is_ascii_alphanumeric()) =>
        {
            name
        }
        _ => file,
    }
}

/// How the search compares names.
pub(super) fn folded(name: &str) -> String {
    name.to_lowercase()
}

/// Names the image of this own name; an empty name removes it.
pub(super) fn put(
    transaction: &Transaction<'_>,
    hash: ImageHash,
    name: &str,
) -> rusqlite::Result<()> {
    if name.is_empty() {
        transaction.run(
            "DELETE FROM image_name WHERE image = (SELECT id FROM image WHERE hash = ?1)",
            [hash],
        )
    } else {
        transaction.run(
            "INSERT OR REPLACE INTO image_name (image, name, folded)
                 SELECT id, ?2, ?3 FROM image WHERE hash = ?1",
            params![hash, name, folded(name)],
        )
    }
    .map(drop)
}

impl Images {
    /// Names an image; an empty name removes the one that it has. Nothing happens where there is no
    /// such image.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn name_image(&self, hash: ImageHash, name: &str) -> Result<(), DatabaseError> {
        let name = one_line(name, LONGEST_NAME);
        let named = self.0.database.write(move |transaction| {
            put(transaction, hash, &name)?;
            Ok::<_, DatabaseError>(())
        });
        named.await?;
        self.changed();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_that_of_the_file_without_folders_and_ending() {
        let long = "光".repeat(300);
        for (file, name) in [
            ("Harbour at night.JPG", Some("Harbour at night")),
            ("/home/me/secret/harbour.jpeg", Some("harbour")),
            (r"C:\Users\me\harbour.png", Some("harbour")),
            ("../../etc/passwd", Some("passwd")),
            ("Version 1.2", Some("Version 1.2")),
            ("Mr. Smith", Some("Mr. Smith")),
            ("a.b.webp", Some("a.b")),
            ("ha\u{202e}rb\u{7}our\n2.png", Some("harbour 2")),
            (&long, Some(&long[..3 * LONGEST_NAME])),
            ("Image.png", None),
            ("clipboard-2026-11-23.png", None),
            ("pasted-0123456789abcdef", None),
            ("picture", None),
            (".png", None),
            ("folder/", None),
            ("", None),
        ] {
            assert_eq!(of_file(file).as_deref(), name, "{file:?}");
        }
    }
}
