//! The front matter of a post: YAML between `---`, TOML between `+++`, JSON in braces.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use saphyr_parser::{Event, Parser};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::address::{Context, PostAddress};
use super::template::regex;

/// Keys whose values are words, even where a file has that name.
const WORDS: &str = "alias aliases alt author caption categories category description excerpt layout \
                     permalink slug subtitle summary tags title";
/// At the beginning of a post, behind a byte order mark.
static FRONT_MATTER: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?msx) \A\u{feff}? (?: ---\s*?\n (?<yaml>.*?) ^(?:---|\.\.\.) | \+\+\+\s*?\n (?<toml>.*?) ^\+\+\+
            | (?<json>\{\s*?\n .*? ^\}) ) [\ \t\r]*(?:\n|\z)",
    )
});
/// What hides a post from readers, at the top level.
static DRAFT: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?mx) ^(?:\s*"|["']?) (?: draft["']?\s*[:=]\s*["']?true | published["']?\s*[:=]\s*["']?false )
            ["']?,?\s*(?:\#|$)"#,
    )
});

/// The front matter of a text.
#[derive(Debug, Default)]
pub(super) struct FrontMatter {
    /// Where the post begins, in bytes.
    pub(super) end: usize,
    /// Values that may be pictures.
    pub(super) addresses: Vec<PostAddress>,
    pub(super) draft: bool,
    /// Why it was left alone, if it was.
    pub(super) unread: Option<String>,
}

/// Reads that of a text.
pub(super) fn read(text: &str) -> FrontMatter {
    let mut front = FrontMatter::default();
    let Some(found) = FRONT_MATTER.captures(text) else {
        front.end = if text.starts_with('\u{feff}') { 3 } else { 0 };
        return front;
    };
    front.end = found.get_match().end();
    front.unread = match (
        found.name("toml"),
        found.name("yaml").or(found.name("json")),
    ) {
        (Some(toml), _) => front.toml(text, toml.range()).err(),
        (_, Some(yaml)) => front.yaml(text, yaml.range()).err(),
        _ => None,
    };
    front.draft = DRAFT.is_match(&text[..front.end]);
    if front.unread.is_some() {
        // What cannot be read may say that it is one.
        front.draft = true;
        front.addresses.clear();
    }
    front
}

impl FrontMatter {
    /// JSON is YAML, too. It is read by events: nothing nests as deep as a text may.
    fn yaml(&mut self, text: &str, part: Range<usize>) -> Result<(), String> {
        // Its offsets are counted in characters.
        let offsets = text[part.clone()]
            .char_indices()
            .map(|(at, _)| part.start + at);
        let offsets: Vec<usize> = offsets.chain([part.end]).collect();
        let offset = |at: usize| offsets.get(at).copied().unwrap_or(part.end);
        // Of each mapping that is being read, whether a key comes next; of a list `None`.
        let (mut open, mut key) = (Vec::<Option<bool>>::new(), String::new());
        for event in Parser::new_from_str(&text[part.clone()]) {
            let (event, span) = event.map_err(|error| error.to_string())?;
            let is_node = matches!(
                event,
                Event::Scalar(..)
                    | Event::Alias(_)
                    | Event::MappingStart(..)
                    | Event::SequenceStart(..)
            );
            let outer = open.last_mut().and_then(Option::as_mut).filter(|_| is_node);
            let is_key = outer.is_some_and(|next| std::mem::replace(next, !*next));
            match event {
                Event::MappingStart(..) => open.push(Some(true)),
                Event::SequenceStart(..) => open.push(None),
                Event::MappingEnd | Event::SequenceEnd => {
                    open.pop();
                }
                Event::Scalar(value, ..) if is_key => key = value.to_lowercase(),
                Event::Scalar(value, ..) => {
                    let range = offset(span.start.index())..offset(span.end.index());
                    self.value(text, range, &value, &key);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn toml(&mut self, text: &str, part: Range<usize>) -> Result<(), String> {
        // Its offsets are those of the whole text.
        let blank = " ".repeat(part.start) + &text[part];
        let table = DeTable::parse(&blank).map_err(|error| error.message().to_owned())?;
        self.toml_table(text, table.get_ref());
        Ok(())
    }

    fn toml_table(&mut self, text: &str, table: &DeTable<'_>) {
        for (key, value) in table {
            self.toml_value(text, value, &key.get_ref().to_lowercase());
        }
    }

    fn toml_value(&mut self, text: &str, value: &Spanned<DeValue<'_>>, key: &str) {
        match value.get_ref() {
            DeValue::Table(table) => self.toml_table(text, table),
            DeValue::Array(values) => {
                for value in values {
                    self.toml_value(text, value, key);
                }
            }
            DeValue::String(string) => self.value(text, value.span(), string, key),
            _ => {}
        }
    }

    /// A value that is a text.
    fn value(&mut self, text: &str, mut range: Range<usize>, value: &str, key: &str) {
        let written = text.get(range.clone()).unwrap_or_default();
        if written.len() > 1 && written.starts_with(['"', '\'']) {
            range = range.start + 1..range.end - 1;
        }
        // What is escaped or folded is not a plain path.
        let is_plain = text.get(range.clone()) == Some(value) && !value.is_empty();
        if is_plain && !WORDS.split(' ').any(|word| word == key) {
            self.addresses
                .push(PostAddress::new(range, value, Context::Value));
        }
    }
}
