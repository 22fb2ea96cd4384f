//! The front matter of a post: YAML between `---`, TOML between `+++`, JSON in braces.

use saphyr_parser::{Event, Parser, ScalarStyle};
use toml_edit::visit::{Visit, visit_table_like_kv};
use toml_edit::{Document, Formatted, Item};

use super::found::{Context, Found};

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
    pub(super) found: Vec<Found>,
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
    let first = text[mark..].lines().next().unwrap_or_default().trim_end();
    let (inside, last) = match first {
        "---" => (false, &["---", "..."][..]),
        "+++" => (false, &["+++"][..]),
        "{" => (true, &["}"][..]),
        _ => return front,
    };
    let start = line_end(text, mark);
    let mut at = start;
    loop {
        if at >= text.len() {
            return front;
        }
        let end = line_end(text, at);
        if last.contains(&text[at..end].trim_end()) {
            let range = if inside { mark..end } else { start..at };
            let part = &text[range.clone()];
            let read = match first {
                "+++" => front.toml(part, range.start),
                _ => front.yaml(part, range.start),
            };
            front.unread = read.err();
            front.end = end;
            return front;
        }
        at = end;
    }
}

/// Where the line ends that begins at `at`, with its line break.
fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

/// A list or a mapping that is being read.
enum Open {
    List(String),
    /// The key whose value comes next, if a key was read.
    Mapping(Option<String>),
}

impl FrontMatter {
    /// JSON is YAML, too.
    fn yaml(&mut self, text: &str, offset: usize) -> Result<(), String> {
        // Its places are counted in characters.
        let mut places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        places.push(text.len());
        let (mut open, mut found): (Vec<Open>, Vec<Found>) = Default::default();
        for event in Parser::new_from_str(text) {
            let (event, span) = event.map_err(|error| error.to_string())?;
            match event {
                Event::MappingStart(..) => open.push(Open::Mapping(None)),
                Event::SequenceStart(..) => open.push(Open::List(key_of(&open))),
                Event::MappingEnd | Event::SequenceEnd => {
                    open.pop();
                    value_is_over(&mut open);
                }
                Event::Alias(_) => value_is_over(&mut open),
                Event::Scalar(value, style, ..) => {
                    if let Some(Open::Mapping(key @ None)) = open.last_mut() {
                        *key = Some(value.to_lowercase());
                        continue;
                    }
                    let key = key_of(&open);
                    value_is_over(&mut open);
                    self.draft |= open.len() == 1 && is_draft(&key, &value);
                    let (Some(&start), Some(&end)) =
                        (places.get(span.start.index()), places.get(span.end.index()))
                    else {
                        continue;
                    };
                    let quotes = match style {
                        ScalarStyle::Plain => 0,
                        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => 1,
                        _ => continue,
                    };
                    let range = start + quotes..end.saturating_sub(quotes);
                    // What is escaped or folded is not a plain path.
                    if text.get(range.clone()) == Some(&*value) {
                        let range = offset + range.start..offset + range.end;
                        found.extend(value_of(&key, range, &value));
                    }
                }
                _ => {}
            }
        }
        self.found = found;
        Ok(())
    }

    fn toml(&mut self, text: &str, offset: usize) -> Result<(), String> {
        let document = Document::parse(text).map_err(|error| error.message().to_owned())?;
        let is = |key: &str, wanted| document.get(key).and_then(Item::as_bool) == Some(wanted);
        self.draft = is("draft", true) || is("published", false);
        let mut strings = Strings {
            text,
            offset,
            key: String::new(),
            found: Vec::new(),
        };
        strings.visit_table(document.as_table());
        self.found = strings.found;
        Ok(())
    }
}

/// The strings of a TOML.
struct Strings<'a> {
    text: &'a str,
    offset: usize,
    /// The key whose value is visited.
    key: String,
    found: Vec<Found>,
}

impl<'a> Visit<'a> for Strings<'_> {
    fn visit_table_like_kv(&mut self, key: &'a str, item: &'a Item) {
        self.key = key.to_lowercase();
        visit_table_like_kv(self, key, item);
    }

    fn visit_string(&mut self, written: &'a Formatted<String>) {
        let Some(span) = written.span() else { return };
        let range = span.start + 1..span.end.saturating_sub(1);
        if self.text.get(range.clone()) == Some(written.value()) {
            let range = self.offset + range.start..self.offset + range.end;
            self.found
                .extend(value_of(&self.key, range, written.value()));
        }
    }
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

fn is_draft(key: &str, value: &str) -> bool {
    matches!((key, value), ("draft", "true") | ("published", "false"))
}

fn value_of(key: &str, range: std::ops::Range<usize>, value: &str) -> Option<Found> {
    let is_word = value.is_empty() || WORDS.contains(&key);
    (!is_word).then(|| Found::new(range, value, Context::Value))
}
