//! Finds settings of a backup that run a program, send data elsewhere, open a listener or show
//! something of the owner, and comments them out.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use toml_edit::{Document, DocumentMut, InlineTable, Item, TableLike, TomlError, Value};

use super::meta::{SETTINGS, meta};

/// Above lines that were commented out.
const NOTE: &str = "# Left out when a backup was restored:\n";

/// A setting of the file that needs the owner's approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sensitive {
    pub key: String,
    /// Its value as it is written there; `None` where it is a secret.
    pub value: Option<String>,
}

/// Those in this text, in their order.
///
/// # Errors
/// When it is no TOML.
pub fn sensitive(text: &str) -> Result<Vec<Sensitive>, TomlError> {
    let shown = |written: WrittenSetting| Sensitive {
        value: written.may_be_shown().then(|| escaped(&written.value)),
        key: escaped(&written.key),
    };
    let found = written_in(text)?.into_iter();
    Ok(found
        .filter(|written| is_sensitive(&written.key))
        .map(shown)
        .collect())
}

/// The text with those keys commented out; when an object store is one of them, also the keys that
/// redirect images to it.
///
/// # Errors
/// When it is no TOML.
pub fn commented_out(text: &str) -> Result<String, TomlError> {
    let all = written_in(text)?;
    let no_store = all.iter().any(|one| one.key.starts_with("storage."));
    let (mut out, mut instead) = (BTreeSet::new(), BTreeMap::new());
    for one in all {
        let redirects = matches!(
            (one.key.as_str(), one.text.as_deref()),
            ("behaviour", Some("B")) | ("images.delivery", Some("redirect"))
        );
        let is_out = is_sensitive(&one.key) || no_store && redirects;
        if !is_out {
            continue;
        }
        let lines = lines_of(text, &one.place);
        if let Some((section, table)) = one.within {
            let (_, rest) = instead
                .entry(*lines.end())
                .or_insert_with(|| (section, table));
            let name = one.key.split_once('.').map_or("", |(_, name)| name);
            rest.remove(name);
        }
        out.extend(lines);
    }
    let mut written = String::with_capacity(text.len() + 256);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if out.contains(&number) {
            if number == 0 || !out.contains(&(number - 1)) {
                written.push_str(NOTE);
            }
            written.push_str("# ");
        }
        written.push_str(line);
        if let Some((section, rest)) = instead.get(&number).filter(|(_, rest)| !rest.is_empty()) {
            let line_end = if line.ends_with('\n') { "" } else { "\n" };
            written.push_str(&format!(
                "{line_end}{section} = {}\n",
                rest.to_string().trim()
            ));
        }
    }
    Ok(written)
}

fn is_sensitive(key: &str) -> bool {
    meta(key).map_or_else(|| may_be_sensitive(key), |row| row.restore_needs_approval)
}

/// Whether a key of another version may be one: it is in a section where all keys are, or it is
/// another address for the game or shares something else.
fn may_be_sensitive(key: &str) -> bool {
    let (section, name) = key.split_once('.').unwrap_or(("", key));
    let mut of_section = SETTINGS
        .iter()
        .filter(|row| row.section() == Some(section))
        .peekable();
    let is_section = of_section.peek().is_some();
    is_section && of_section.all(|row| row.restore_needs_approval)
        || section == "game" && name.ends_with("_url")
        || section == "presence" && name.starts_with("share_")
}

/// A setting and where it stands.
struct WrittenSetting {
    key: String,
    /// The value as it is written.
    value: String,
    /// The value where it is a text.
    text: Option<String>,
    /// The range from its key to the end of its value; in an inline table, the whole table.
    place: Range<usize>,
    /// The name and the content of the inline table that contains it.
    within: Option<(String, InlineTable)>,
}

impl WrittenSetting {
    /// The value of an unknown key may be a secret.
    fn may_be_shown(&self) -> bool {
        meta(&self.key).is_some_and(|row| !row.is_secret())
    }
}

fn written_in(text: &str) -> Result<Vec<WrittenSetting>, TomlError> {
    let document = Document::parse(text)?;
    let root = document.as_table();
    // Values that are printed again must not refer to the original text.
    let printable: DocumentMut = text.parse()?;
    let mut all = Vec::new();
    for (section, item) in root {
        let Some(table) = item.as_table_like() else {
            all.extend(
                written(text, root, section, item).map(|(place, value)| WrittenSetting {
                    key: section.to_owned(),
                    value,
                    text: item.as_str().map(str::to_owned),
                    place,
                    within: None,
                }),
            );
            continue;
        };
        let inline = printable.get(section).and_then(Item::as_value);
        let inline = inline.and_then(Value::as_inline_table);
        let whole = inline.and_then(|_| written(text, root, section, item));
        for (name, item) in table.iter() {
            // Others may stand between them.
            for (place, value) in headed(text, item) {
                all.push(WrittenSetting {
                    key: format!("{section}.{name}"),
                    value,
                    text: None,
                    place,
                    within: None,
                });
            }
            if item.is_array_of_tables() {
                continue;
            }
            let Some((place, value)) = written(text, table, name, item) else {
                continue;
            };
            all.push(WrittenSetting {
                key: format!("{section}.{name}"),
                value,
                text: item.as_str().map(str::to_owned),
                place: whole.clone().map_or(place, |(place, _)| place),
                within: inline.map(|table| (section.to_owned(), table.clone())),
            });
        }
    }
    Ok(all)
}

/// Each of the tables that have a header with two brackets, and how it is written.
fn headed(text: &str, item: &Item) -> Vec<(Range<usize>, String)> {
    let tables = item.as_array_of_tables().into_iter().flatten();
    let places = tables.filter_map(|table| {
        let header = table.span()?;
        let values = table.iter().filter_map(|(_, item)| item.span());
        let end = values.map(|value| value.end).max().unwrap_or(header.end);
        Some(header.start..end.max(header.end))
    });
    let shown = |place: Range<usize>| Some((place.clone(), text.get(place)?.to_owned()));
    places.filter_map(shown).collect()
}

/// From a key to the end of its value, and the value as it is written.
fn written(
    text: &str,
    table: &dyn TableLike,
    name: &str,
    item: &Item,
) -> Option<(Range<usize>, String)> {
    let key = table.key(name)?.span()?;
    let value = item.span()?;
    let written = text.get(value.clone())?.to_owned();
    Some((key.start.min(value.start)..key.end.max(value.end), written))
}

fn lines_of(text: &str, place: &Range<usize>) -> std::ops::RangeInclusive<usize> {
    let before = |end: usize| text[..end].matches('\n').count();
    before(place.start)..=before(place.end)
}

/// Without control characters that a terminal or a dialog would interpret.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' | '\'' | '\\' => escaped.push(character),
            other => escaped.extend(other.escape_debug()),
        }
    }
    escaped
}

#[cfg(test)]
mod tests;
