//! Writing `settings.toml`: in place, with the owner's comments and order.

use std::io;
use std::path::Path;

use porchlight_companion::private_files;
use toml_edit::{DocumentMut, Item, Table, Value};

/// One change: a key such as `images.quality`, and its new value; `None`
/// takes it out of the file, so that its default holds.
pub type Change<'a> = (&'a str, Option<Value>);

/// Why the file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// It is no TOML, so there is no place to write to.
    #[error("the settings file is not valid TOML: {0}")]
    NotToml(String),
    /// A section's name is taken by a value.
    #[error("`{0}` in the settings file is no section")]
    NotASection(String),
}

/// The text with the changes made.
///
/// # Errors
/// See [`ChangeError`].
pub fn changed(text: &str, changes: &[Change<'_>]) -> Result<String, ChangeError> {
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| ChangeError::NotToml(error.message().to_owned()))?;
    for (key, value) in changes {
        let (table, name): (&mut dyn toml_edit::TableLike, &str) = match key.split_once('.') {
            None => (document.as_table_mut(), key),
            Some((section, name)) => {
                let item = document
                    .entry(section)
                    .or_insert_with(|| Item::Table(Table::new()));
                let table = item
                    .as_table_like_mut()
                    .ok_or_else(|| ChangeError::NotASection(section.to_owned()))?;
                (table, name)
            }
        };
        match (value, table.get_mut(name)) {
            (None, _) => drop(table.remove(name)),
            (Some(value), Some(Item::Value(old))) => {
                // The comment behind a value belongs to it.
                let decor = old.decor().clone();
                *old = value.clone();
                *old.decor_mut() = decor;
            }
            (Some(value), _) => drop(table.insert(name, Item::Value(value.clone()))),
        }
    }
    Ok(document.to_string())
}

/// Puts the text in the file's place, whole or not at all, readable by its
/// owner alone.
///
/// # Errors
/// When the folder cannot be written to.
pub fn write(file: &Path, text: &str) -> io::Result<()> {
    write_where(file, text, || true).map(drop)
}

/// The same where that `still` may be, asked at the last moment; whether it was.
///
/// # Errors
/// As [`write`].
pub fn write_where(file: &Path, text: &str, still: impl FnOnce() -> bool) -> io::Result<bool> {
    // A link stays a link: what it leads to is replaced.
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    private_files::write_where(&file, text.as_bytes(), still)
}

/// Takes other people's rights to the file away; whether there were any. It
/// can hold secrets.
///
/// # Errors
/// When it is not the owner's to change.
#[cfg(unix)]
pub fn tighten(file: &Path) -> io::Result<bool> {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    let mode = match std::fs::metadata(file) {
        Ok(about) => about.permissions().mode(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    if mode & 0o077 == 0 {
        return Ok(false);
    }
    std::fs::set_permissions(file, Permissions::from_mode(0o600))?;
    Ok(true)
}

/// On Windows a user's folders are closed to other users already.
#[cfg(not(unix))]
pub fn tighten(_: &Path) -> io::Result<bool> {
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &str = "# mine\nbehaviour = \"A\"\n\n[images] # pictures\nquality = 90 # fine\n\n\
                           [server]\ngreeting = \"hi\"\n";

    #[test]
    fn comments_and_order_stay() {
        let text = changed(
            WRITTEN,
            &[
                ("images.quality", Some(70.into())),
                ("presence.enabled", Some(true.into())),
                ("behaviour", None),
            ],
        );
        assert_eq!(
            text.expect("valid"),
            "\n[images] # pictures\nquality = 70 # fine\n\n\
             [server]\ngreeting = \"hi\"\n\n[presence]\nenabled = true\n"
        );
    }

    #[test]
    fn dotted_and_inline_sections_are_sections_too() {
        let text = changed(
            "images.quality = 5\n",
            &[("images.quality", Some(6.into()))],
        );
        assert_eq!(text.expect("valid"), "images.quality = 6\n");
        let text = changed(
            "server = { greeting = 'a' }\n",
            &[("server.greeting", Some("b".into()))],
        );
        assert_eq!(text.expect("valid"), "server = { greeting = \"b\" }\n");
    }

    #[test]
    fn a_file_that_is_no_toml_is_left_alone() {
        assert!(matches!(changed("x = ", &[]), Err(ChangeError::NotToml(_))));
        let taken = changed("images = 3\n", &[("images.quality", Some(6.into()))]);
        assert!(matches!(taken, Err(ChangeError::NotASection(_))));
    }

    #[test]
    fn what_is_another_by_now_is_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("settings.toml");
        std::fs::write(&file, "by hand").expect("to write");
        assert!(!write_where(&file, "new", || false).expect("to write"));
        assert_eq!(std::fs::read_to_string(&file).expect("to read"), "by hand");
        assert!(write_where(&file, "new", || true).expect("to write"));
        assert_eq!(std::fs::read_to_string(&file).expect("to read"), "new");
        let left = std::fs::read_dir(folder.path()).expect("a folder");
        assert_eq!(left.count(), 1, "nothing else is left behind");
    }

    #[cfg(unix)]
    #[test]
    fn the_file_is_replaced_whole_and_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("settings.toml");
        std::fs::write(&file, "old").expect("to write");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("a mode");
        assert!(tighten(&file).expect("to tighten"));
        assert!(!tighten(&file).expect("tight already"));
        write(&file, "new").expect("to write");
        assert_eq!(std::fs::read_to_string(&file).expect("to read"), "new");
        let mode = std::fs::metadata(&file)
            .expect("a file")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        let left: Vec<_> = std::fs::read_dir(folder.path())
            .expect("a folder")
            .collect();
        assert_eq!(left.len(), 1, "nothing else is left behind");
    }
}
