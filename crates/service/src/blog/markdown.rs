//! Addresses in Markdown, and in the HTML in it.

use std::collections::HashSet;
use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use super::address::{Address, Context};
use super::html;

/// What is common to the generators. Mathematics is not: `$` is a character in most of them.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_WIKILINKS);

/// A link or a picture that is being read.
struct Open {
    range: Range<usize>,
    /// Where what is in its brackets ends, as far as it was read.
    inner_end: usize,
    kind: LinkType,
    address: String,
    context: Context,
}

/// The addresses in Markdown; where code and comments are is added to `blind`.
pub(super) fn read(body: &str, blind: &mut Vec<Range<usize>>) -> Vec<Address> {
    let mut events = Parser::new_ext(body, OPTIONS).into_offset_iter();
    let definitions: Vec<(String, Range<usize>)> = {
        let all = events.reference_definitions().iter();
        all.map(|(_, one)| (one.dest.to_string(), one.span.clone()))
            .collect()
    };
    let (mut found, mut open, mut shown) = (Vec::new(), Vec::<Open>::new(), HashSet::new());
    for (event, range) in &mut events {
        let ended = matches!(event, Event::End(TagEnd::Image | TagEnd::Link));
        let ended = if ended { open.pop() } else { None };
        for outer in &mut open {
            outer.inner_end = outer.inner_end.max(range.end.min(outer.range.end));
        }
        match event {
            Event::Start(Tag::Image {
                link_type,
                dest_url,
                ..
            }) => {
                open.push(Open::new(range, 2, link_type, &dest_url, Context::Picture));
            }
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                ..
            }) => {
                open.push(Open::new(range, 1, link_type, &dest_url, Context::Link));
            }
            Event::End(TagEnd::Image | TagEnd::Link) => {
                let Some(ended) = ended else { continue };
                if ended.is_by_definition() && ended.context == Context::Picture {
                    shown.insert(ended.address.clone());
                }
                found.extend(ended.address_in(body));
            }
            Event::Start(Tag::CodeBlock(_)) | Event::Code(_) => {
                blind.push(range);
            }
            Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_) => {
                let part = html::read(&body[range.clone()], range.start);
                found.extend(part.addresses);
                blind.extend(part.hidden);
                if let Some(last) = part.open {
                    let rest = body[range.end..].to_ascii_lowercase();
                    let end = rest.find(&last).map_or(body.len(), |at| range.end + at);
                    blind.push(range.end..end);
                }
            }
            _ => {}
        }
    }
    for (address, span) in definitions {
        let context = match shown.contains(&address) {
            true => Context::Picture,
            false => Context::Link,
        };
        let at = label_end(body, &span).and_then(|at| destination(body, at, span.end, &address));
        found.extend(at.map(|range| Address::new(range, address, context)));
    }
    found
}

impl Open {
    fn new(
        range: Range<usize>,
        mark: usize,
        kind: LinkType,
        address: &str,
        context: Context,
    ) -> Self {
        Self {
            inner_end: range.start + mark,
            range,
            kind,
            address: address.to_owned(),
            context,
        }
    }

    fn is_by_definition(&self) -> bool {
        use LinkType::{Collapsed, Reference, Shortcut};
        matches!(self.kind, Reference | Collapsed | Shortcut)
    }

    fn address_in(&self, body: &str) -> Option<Address> {
        match self.kind {
            LinkType::Inline => {
                let inner = body.get(self.inner_end..self.range.end)?;
                let at = self.inner_end + inner.find("](")? + 2;
                let range = destination(body, at, self.range.end, &self.address)?;
                Some(Address::new(range, self.address.as_str(), self.context))
            }
            LinkType::WikiLink { .. } if self.context == Context::Picture => {
                wiki(body, self.range.clone())
            }
            _ => None,
        }
    }
}

/// `![[name|text]]` becomes `![text](address)`; a size, as in `![[name|300]]`, stays behind a bar.
fn wiki(body: &str, range: Range<usize>) -> Option<Address> {
    let inner = body.get(range.clone())?;
    let inner = inner.strip_prefix("![[")?.strip_suffix("]]")?;
    // Elsewhere than in Obsidian this is a picture whose text is in brackets.
    if body[range.end..].starts_with(['(', '[']) || inner.contains(['\n', '[', ']']) {
        return None;
    }
    let (name, text) = match inner.split_once('|') {
        // In a table the bar is escaped.
        Some((name, text)) => match name.strip_suffix('\\') {
            Some(name) => (name, format!("\\|{text}")),
            None => (name, format!("|{text}")),
        },
        None => (inner, String::new()),
    };
    let words = text.trim_start_matches('\\').trim_start_matches('|');
    let is_size = words.split('x').all(|part| part.parse::<u32>().is_ok());
    let text = if is_size && !words.is_empty() {
        text.as_str()
    } else {
        words
    };
    let mut found = Address::new(range, name.trim(), Context::Wiki);
    found.around = (format!("![{text}]("), ")".to_owned());
    Some(found)
}

/// Behind the colon of a definition, which begins with its label in brackets.
fn label_end(body: &str, span: &Range<usize>) -> Option<usize> {
    let mut is_escaped = false;
    let end = body.get(span.clone())?.find(|c| {
        let is_end = c == ']' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    })?;
    let at = span.start + end + 1;
    body[at..].starts_with(':').then_some(at + 1)
}

/// The bytes of an address that stands behind `at`, by CommonMark's rules, without its angle brackets.
/// `None` where these bytes do not mean `address`.
fn destination(body: &str, at: usize, end: usize, address: &str) -> Option<Range<usize>> {
    let part = body.get(at..end)?;
    // A line in a quote begins with its mark.
    let start = at + part.find(|c: char| !c.is_ascii_whitespace() && c != '>')?;
    let part = &body[start..end];
    let (mut depth, mut is_escaped) = (0_i32, false);
    let is_angled = part.starts_with('<');
    let over = |c: char| {
        let was_escaped = is_escaped;
        is_escaped = c == '\\' && !was_escaped;
        if was_escaped {
            return false;
        }
        depth += i32::from(c == '(') - i32::from(c == ')');
        match is_angled {
            true => c == '>',
            false => c.is_ascii_whitespace() || c.is_ascii_control() || depth < 0,
        }
    };
    let length = part.find(over);
    let range = match is_angled {
        true => start + 1..start + length?,
        false => start..start + length.unwrap_or(part.len()),
    };
    (unescaped(&body[range.clone()]) == address).then_some(range)
}

/// Without the escapes of Markdown.
fn unescaped(written: &str) -> String {
    let mut plain = String::with_capacity(written.len());
    let mut rest = written;
    while let Some(at) = rest.find('\\') {
        let escaped = rest[at + 1..]
            .chars()
            .next()
            .filter(char::is_ascii_punctuation);
        // What is escaped begins no entity.
        plain += &html_escape::decode_html_entities(&rest[..at]);
        plain.push(escaped.unwrap_or('\\'));
        rest = &rest[at + 1 + escaped.map_or(0, char::len_utf8)..];
    }
    plain + &html_escape::decode_html_entities(rest)
}
