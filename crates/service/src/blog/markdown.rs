//! Addresses in Markdown, and in the HTML in it.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use pulldown_cmark::LinkType::{Collapsed, Inline, Reference, Shortcut, WikiLink};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::{Captures, Regex};

use super::address::{Context, PostAddress};
use super::html;
use super::template::regex;

/// What is common to the generators. Mathematics is not: `$` is a character in most of them.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_WIKILINKS);

/// An address by CommonMark's rules: in angle brackets, or with its parentheses in pairs, of which four
/// levels are read. A line in a quote begins with `>`.
static DESTINATION: LazyLock<Regex> = LazyLock::new(|| {
    let pairs = |inner: String| format!(r"(?:\\.|[^()\x00-\x20\x7f]|\({inner}\))*");
    let plain = (0..4).fold(String::from(r"(?:\\.|[^()\x00-\x20\x7f])*"), |inner, _| {
        pairs(inner)
    });
    regex(&format!(r"\A[ \t\r\n>]*(?:<((?:\\.|[^>])*)>|({plain}))"))
});
/// What begins the definition of a reference.
static LABEL: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)\A\[(?:\\.|[^\]\\])*\]:"));
/// `![[name|text]]`; in a table the bar is escaped.
static WIKI: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\A!\[\[([^\[\]|\n]*?)(?:(\\?\|)([^\[\]\n]*))?\]\]\z"));
/// What is escaped begins no entity.
static ESCAPE: LazyLock<Regex> = LazyLock::new(|| regex(r"\\([[:punct:]])|&#?\w+;"));

/// The addresses in Markdown; where code and comments are is added to `blind`.
pub(super) fn read(body: &str, blind: &mut Vec<Range<usize>>) -> Vec<PostAddress> {
    let mut events = Parser::new_ext(body, OPTIONS).into_offset_iter();
    let definitions = events.reference_definitions().iter();
    let definitions = definitions.map(|(_, one)| (one.dest.to_string(), one.span.clone()));
    let definitions: Vec<_> = definitions.collect();
    let (mut found, mut shown) = (Vec::new(), HashSet::new());
    // Links and pictures that are being read, and where what is behind their text begins, as far as known.
    let mut open = Vec::<(Range<usize>, Tag<'_>)>::new();
    for (event, range) in &mut events {
        let is_picture = matches!(event, Event::End(TagEnd::Image));
        let ended = match is_picture || matches!(event, Event::End(TagEnd::Link)) {
            true => open.pop(),
            false => None,
        };
        if let Some((rest, _)) = open.last_mut() {
            rest.start = rest.start.max(range.end).min(rest.end);
        }
        if let Some((
            rest,
            Tag::Image {
                link_type,
                dest_url,
                ..
            }
            | Tag::Link {
                link_type,
                dest_url,
                ..
            },
        )) = ended
        {
            let context = if is_picture {
                Context::Picture
            } else {
                Context::Link
            };
            found.extend(match link_type {
                Inline => inline(body, rest, &dest_url, context),
                WikiLink { .. } if is_picture => wiki(body, range),
                _ => None,
            });
            if is_picture && matches!(link_type, Reference | Collapsed | Shortcut) {
                shown.insert(dest_url.into_string());
            }
            continue;
        }
        match event {
            Event::Start(tag @ (Tag::Image { .. } | Tag::Link { .. })) => {
                open.push((range.start + 1..range.end, tag));
            }
            Event::Start(Tag::CodeBlock(_)) | Event::Code(_) => blind.push(range),
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
    found.extend(definitions.into_iter().filter_map(|(address, span)| {
        let label = LABEL.find(body.get(span.clone())?)?;
        let context = match shown.contains(&address) {
            true => Context::Picture,
            false => Context::Link,
        };
        destination(body, span.start + label.end()..span.end, &address, context)
    }));
    found
}

/// That of a link with this behind its text.
fn inline(body: &str, rest: Range<usize>, address: &str, context: Context) -> Option<PostAddress> {
    let begin = body.get(rest.clone())?.find("](")?;
    destination(body, rest.start + begin + 2..rest.end, address, context)
}

/// That at the beginning of this part. `None` where the bytes there do not mean `address`.
fn destination(
    body: &str,
    part: Range<usize>,
    address: &str,
    context: Context,
) -> Option<PostAddress> {
    let found = DESTINATION.captures(body.get(part.clone())?)?;
    let written = found.get(1).or(found.get(2))?;
    let plain = ESCAPE.replace_all(written.as_str(), |escape: &Captures<'_>| {
        match escape.get(1) {
            Some(escaped) => escaped.as_str().to_owned(),
            None => html_escape::decode_html_entities(&escape[0]).into_owned(),
        }
    });
    let range = part.start + written.start()..part.start + written.end();
    (plain == address).then(|| PostAddress::new(range, address, context))
}

/// `![[name|text]]` becomes `![text](address)`; a size, as in `![[name|300]]`, stays behind a bar.
fn wiki(body: &str, range: Range<usize>) -> Option<PostAddress> {
    let link = WIKI.captures(body.get(range.clone())?)?;
    // Elsewhere than in Obsidian this is a picture whose text is in brackets.
    if body[range.end..].starts_with(['(', '[']) {
        return None;
    }
    let part = |group| link.get(group).map_or("", |part| part.as_str());
    let is_size = part(3).split('x').all(|side| side.parse::<u32>().is_ok());
    let bar = if is_size { part(2) } else { "" };
    let mut found = PostAddress::new(range, part(1).trim(), Context::Wiki);
    found.around = (format!("![{bar}{}](", part(3)), ")".to_owned());
    Some(found)
}
