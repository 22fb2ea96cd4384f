//! Writing `settings.toml`: in place, with the owner's comments and order.

use toml_edit::{DocumentMut, Item, Table, Value};

/// One change: a key such as `images.quality`, and its new value; `None`
/// takes it out of the file, so that its default holds.
pub type Change = (&'static str, Option<Value>);

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
pub fn changed(text: &str, changes: &[Change]) -> Result<String, ChangeError> {
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
}
