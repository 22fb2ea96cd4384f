//! The front matter of a post: YAML between `---`, TOML between `+++`, JSON in braces.

use std::ops::Range;

use saphyr::{LoadableYamlNode as _, MarkedYaml, Scalar, YamlData};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::address::{Address, Context};

/// Keys whose values are words, even where a file has that name.
const WORDS: [&str; 16] = [
    "alias",
    "aliases",
    "alt",
    "author",
    "caption",
    "categories",
    "category",
    "description",
    "excerpt",
    "layout",
    "permalink",
    "slug",
    "subtitle",
    "summary",
    "tags",
    "title",
];

/// The front matter of a text.
#[derive(Debug, Default)]
pub(super) struct FrontMatter {
    /// Where the post begins, in bytes.
    pub(super) end: usize,
    /// Values that may be pictures.
    pub(super) addresses: Vec<Address>,
    pub(super) draft: bool,
    /// Why it was left alone, if it was.
    pub(super) unread: Option<String>,
}

/// Reads that of a text which begins at `mark`.
pub(super) fn read(text: &str, mark: usize) -> FrontMatter {
    let mut front = FrontMatter {
        end: mark,
        ..FrontMatter::default()
    };
    let mut lines = text[mark..].split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    let (start, last) = match first.trim_end() {
        "---" => (mark + first.len(), &["---", "..."][..]),
        "+++" => (mark + first.len(), &["+++"][..]),
        "{" => (mark, &["}"][..]),
        _ => return front,
    };
    let mut at = mark + first.len();
    for line in lines {
        let end = at + line.len();
        if last.contains(&line.trim_end()) {
            let part = &text[..if start == mark { end } else { at }];
            let read = match last {
                ["+++"] => front.toml(part, start),
                _ => front.yaml(part, start),
            };
            front.unread = read.err();
            front.end = end;
            break;
        }
        at = end;
    }
    front
}

impl FrontMatter {
    /// JSON is YAML, too.
    fn yaml(&mut self, text: &str, start: usize) -> Result<(), String> {
        let all = MarkedYaml::load_from_str(&text[start..]).map_err(|error| error.to_string())?;
        // Its places are counted in characters.
        let places = text[start..].char_indices().map(|(at, _)| start + at);
        let places: Vec<usize> = places.chain([text.len()]).collect();
        for node in &all {
            self.yaml_node(text, &places, node, "", true);
        }
        Ok(())
    }

    fn yaml_node(
        &mut self,
        text: &str,
        places: &[usize],
        node: &MarkedYaml<'_>,
        key: &str,
        is_top: bool,
    ) {
        match &node.data {
            YamlData::Mapping(pairs) => {
                for (name, value) in pairs {
                    let name = name.data.as_str().unwrap_or_default().to_lowercase();
                    let is_top = is_top && key.is_empty();
                    self.yaml_node(text, places, value, &name, is_top);
                }
            }
            YamlData::Sequence(values) => {
                for value in values {
                    self.yaml_node(text, places, value, key, false);
                }
            }
            YamlData::Value(scalar) => {
                let place = |at: usize| places.get(at).copied().unwrap_or(text.len());
                let range = place(node.span.start.index())..place(node.span.end.index());
                let value = match scalar {
                    Scalar::String(value) => value,
                    _ => "",
                };
                self.scalar(text, range, value, key, is_top);
            }
            _ => {}
        }
    }

    fn toml(&mut self, text: &str, start: usize) -> Result<(), String> {
        // Its places are those of the whole text.
        let blank = " ".repeat(start) + &text[start..];
        let table = DeTable::parse(&blank).map_err(|error| error.message().to_owned())?;
        self.toml_table(text, table.get_ref(), true);
        Ok(())
    }

    fn toml_table(&mut self, text: &str, table: &DeTable<'_>, is_top: bool) {
        for (key, value) in table {
            self.toml_value(text, value, &key.get_ref().to_lowercase(), is_top);
        }
    }

    fn toml_value(&mut self, text: &str, value: &Spanned<DeValue<'_>>, key: &str, is_top: bool) {
        match value.get_ref() {
            DeValue::Table(table) => self.toml_table(text, table, false),
            DeValue::Array(values) => {
                for value in values {
                    self.toml_value(text, value, key, false);
                }
            }
            DeValue::String(string) => self.scalar(text, value.span(), string, key, is_top),
            _ => self.scalar(text, value.span(), "", key, is_top),
        }
    }

    /// A value that is no list and no table; `value` is empty where it is no string.
    fn scalar(
        &mut self,
        text: &str,
        mut range: Range<usize>,
        value: &str,
        key: &str,
        is_top: bool,
    ) {
        let Some(mut written) = text.get(range.clone()) else {
            return;
        };
        if written.len() > 1 && written.starts_with(['"', '\'']) {
            range = range.start + 1..range.end - 1;
            written = &text[range.clone()];
        }
        self.draft |=
            is_top && matches!((key, written), ("draft", "true") | ("published", "false"));
        // What is escaped or folded is not a plain path.
        if written == value && !value.is_empty() && !WORDS.contains(&key) {
            self.addresses
                .push(Address::new(range, value, Context::Value));
        }
    }
}
