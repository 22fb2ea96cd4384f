//! The front matter of a post: YAML between `---`, TOML between `+++`, JSON in braces.

use std::ops::Range;

use saphyr_parser::{Event, Parser};
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
            // What cannot be read may say that it is one.
            front.draft |= front.unread.is_some();
            if front.unread.is_some() {
                front.addresses.clear();
            }
            front.end = end;
            break;
        }
        at = end;
    }
    front
}

/// A list or a mapping that is being read.
enum Open {
    List(String),
    /// The key whose value comes next, if a key was read.
    Mapping(Option<String>),
}

/// The key whose value comes next.
fn key_of(open: &[Open]) -> String {
    match open.last() {
        Some(Open::List(key) | Open::Mapping(Some(key))) => key.clone(),
        _ => String::new(),
    }
}

fn value_is_over(open: &mut [Open]) {
    if let Some(Open::Mapping(key)) = open.last_mut() {
        *key = None;
    }
}

impl FrontMatter {
    /// JSON is YAML, too. It is read by events: nothing nests as deep as a text may.
    fn yaml(&mut self, text: &str, start: usize) -> Result<(), String> {
        // Its places are counted in characters.
        let places = text[start..].char_indices().map(|(at, _)| start + at);
        let places: Vec<usize> = places.chain([text.len()]).collect();
        let place = |at: usize| places.get(at).copied().unwrap_or(text.len());
        let mut open: Vec<Open> = Vec::new();
        for event in Parser::new_from_str(&text[start..]) {
            let (event, span) = event.map_err(|error| error.to_string())?;
            match event {
                Event::MappingStart(..) => open.push(Open::Mapping(None)),
                Event::SequenceStart(..) => open.push(Open::List(key_of(&open))),
                Event::MappingEnd | Event::SequenceEnd => {
                    open.pop();
                    value_is_over(&mut open);
                }
                Event::Alias(_) => value_is_over(&mut open),
                Event::Scalar(value, ..) => {
                    if let Some(Open::Mapping(key @ None)) = open.last_mut() {
                        *key = Some(value.to_lowercase());
                        continue;
                    }
                    let key = key_of(&open);
                    value_is_over(&mut open);
                    let range = place(span.start.index())..place(span.end.index());
                    self.scalar(text, range, &value, &key, open.len() == 1);
                }
                _ => {}
            }
        }
        Ok(())
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
