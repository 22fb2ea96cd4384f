//! The front matter of a post: YAML between `---`, TOML between `+++`, JSON in braces.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use saphyr_parser::{Event, Parser};
use toml_edit::visit::{self, Visit};
use toml_edit::{Document, Formatted, Item};

use super::address::{Context, ScannedPost};
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

/// Reads that of a text; where the post behind it begins.
pub(super) fn read(text: &str, post: &mut ScannedPost) -> usize {
    let Some(found) = FRONT_MATTER.captures(text) else {
        return if text.starts_with('\u{feff}') { 3 } else { 0 };
    };
    let read = match (
        found.name("toml"),
        found.name("yaml").or(found.name("json")),
    ) {
        (Some(part), _) => toml(text, part.range(), post),
        (_, Some(part)) => yaml(text, part.range(), post),
        _ => Ok(()),
    };
    post.draft = DRAFT.is_match(&found[0]);
    if let Err(why) = read {
        post.unread = Some(why);
        // What cannot be read may say that it is one.
        post.draft = true;
        post.addresses.clear();
    }
    found.get_match().end()
}

/// JSON is YAML, too. It is read by events: nothing nests as deep as a text may.
fn yaml(text: &str, part: Range<usize>, post: &mut ScannedPost) -> Result<(), String> {
    // Its offsets are counted in characters.
    let offsets = text[part.clone()]
        .char_indices()
        .map(|(at, _)| part.start + at);
    let offsets: Vec<usize> = offsets.chain([part.end]).collect();
    let offset = |at: usize| offsets.get(at).copied().unwrap_or(part.end);
    // Of each mapping that is being read, whether a key comes next; of a list `None`.
    let (mut open, mut key) = (Vec::<Option<bool>>::new(), String::new());
    for event in Parser::new_from_str(&text[part.clone()]) {
        use Event::{Alias, MappingEnd, MappingStart, Scalar, SequenceEnd, SequenceStart};

        let (event, span) = event.map_err(|error| error.to_string())?;
        let is_node = matches!(
            event,
            Scalar(..) | Alias(_) | MappingStart(..) | SequenceStart(..)
        );
        let outer = open.last_mut().and_then(Option::as_mut).filter(|_| is_node);
        let is_key = outer.is_some_and(|next| std::mem::replace(next, !*next));
        match event {
            MappingStart(..) => open.push(Some(true)),
            SequenceStart(..) => open.push(None),
            MappingEnd | SequenceEnd => open.truncate(open.len().saturating_sub(1)),
            Scalar(value, ..) if is_key => key = value.into_owned(),
            Scalar(value, ..) => {
                let range = offset(span.start.index())..offset(span.end.index());
                add(text, range, &value, &key, post);
            }
            _ => {}
        }
    }
    Ok(())
}

/// The texts in TOML: each with its key and where it stands.
#[derive(Default)]
struct Values<'doc> {
    key: &'doc str,
    all: Vec<(&'doc str, &'doc Formatted<String>)>,
}

impl<'doc> Visit<'doc> for Values<'doc> {
    fn visit_table_like_kv(&mut self, key: &'doc str, node: &'doc Item) {
        self.key = key;
        visit::visit_table_like_kv(self, key, node);
    }

    fn visit_string(&mut self, node: &'doc Formatted<String>) {
        self.all.push((self.key, node));
    }
}

fn toml(text: &str, part: Range<usize>, post: &mut ScannedPost) -> Result<(), String> {
    let parsed = Document::parse(&text[part.clone()]);
    let parsed = parsed.map_err(|error| error.message().to_owned())?;
    let mut values = Values::default();
    values.visit_table(parsed.as_table());
    for (key, value) in values.all {
        let range = value.span().unwrap_or_default();
        let range = part.start + range.start..part.start + range.end;
        add(text, range, value.value(), key, post);
    }
    Ok(())
}

/// Adds a value that is a text. What is escaped or folded is not a plain path.
fn add(text: &str, mut range: Range<usize>, value: &str, key: &str, post: &mut ScannedPost) {
    let written = text.get(range.clone()).unwrap_or_default();
    if written.len() > 1 && written.starts_with(['"', '\'']) {
        range = range.start + 1..range.end - 1;
    }
    let is_plain = text.get(range.clone()) == Some(value) && !value.is_empty();
    if is_plain && !WORDS.split(' ').any(|word| word.eq_ignore_ascii_case(key)) {
        post.add(range, value, Context::Value);
    }
}
