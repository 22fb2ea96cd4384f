//! Addresses in Markdown, and in the HTML in it.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};
use regex::{Captures, Regex};

use super::address::{Context, ScannedPost};
use super::html;
use super::template::regex;

/// What is common to the generators. Mathematics is not: `$` is a character in most of them.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_WIKILINKS);

/// What is behind the text of a link, or a definition with its label: the address by CommonMark's rules, in
/// angle brackets, or with its parentheses in pairs, of which four levels are read. A line in a quote begins
/// with `>`.
static DESTINATION: LazyLock<Regex> = LazyLock::new(|| {
    let pairs = |inner: String| format!(r"(?:\\.|[^()\x00-\x20\x7f]|\({inner}\))*");
    let plain = (0..4).fold(String::from(r"(?:\\.|[^()\x00-\x20\x7f])*"), |inner, _| {
        pairs(inner)
    });
    regex(&format!(
        r"\A(?:\]\(|\[(?:\\.|[^\]\\])*\]:)[ \t\r\n>]*(?:<((?:\\.|[^>])*)>|({plain}))"
    ))
});
/// `![[name|text]]`; in a table the bar is escaped.
static WIKI: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\A!\[\[([^\[\]|\n]*?)(?:(\\?\|)([^\[\]\n]*))?\]\]\z"));
/// What is escaped begins no entity.
static ESCAPE: LazyLock<Regex> = LazyLock::new(|| regex(r"\\([[:punct:]])|&#?\w+;"));

/// Reads Markdown.
pub(super) fn read(body: &str, post: &mut ScannedPost) {
    let mut events = Parser::new_ext(body, OPTIONS).into_offset_iter();
    let definitions = events.reference_definitions().iter();
    let definitions = definitions.map(|(_, one)| (one.dest.to_string(), one.span.clone()));
    let definitions: Vec<_> = definitions.collect();
    let mut shown = HashSet::new();
    // Links and pictures that are being read, and where what is behind their text begins, as far as known.
    let mut open = Vec::<(Range<usize>, Context, LinkType, CowStr<'_>)>::new();
    for (event, range) in &mut events {
        let is_end = matches!(event, Event::End(TagEnd::Image | TagEnd::Link));
        let ended = if is_end { open.pop() } else { None };
        if let Some((rest, ..)) = open.last_mut() {
            rest.start = rest.start.max(range.end).min(rest.end);
        }
        let rest = range.start + 1..range.end;
        match event {
            Event::Start(Tag::Image {
                link_type,
                dest_url,
                ..
            }) => {
                open.push((rest, Context::Picture, link_type, dest_url));
            }
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                ..
            }) => {
                open.push((rest, Context::Link, link_type, dest_url));
            }
            Event::Start(Tag::CodeBlock(_)) | Event::Code(_) => post.blind.push(range.clone()),
            Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_) => {
                if let Some(last) = html::read(&body[range.clone()], range.start, post) {
                    let rest = body[range.end..].to_ascii_lowercase();
                    let end = rest.find(&last).map_or(body.len(), |at| range.end + at);
                    post.blind.push(range.end..end);
                }
            }
            _ => {}
        }
        match ended {
            Some((rest, context, LinkType::Inline, address)) => {
                let begin = body.get(rest.clone()).and_then(|rest| rest.find("]("));
                let part = rest.start + begin.unwrap_or(rest.len())..rest.end;
                destination(body, part, &address, context, post);
            }
            Some((_, Context::Picture, LinkType::WikiLink { .. }, _)) => wiki(body, range, post),
            Some((_, Context::Picture, _, address)) => {
                shown.insert(address.into_string());
            }
            _ => {}
        }
    }
    for (address, span) in definitions {
        let context = match shown.contains(&address) {
            true => Context::Picture,
            false => Context::Link,
        };
        destination(body, span, &address, context, post);
    }
}

/// Adds the address in this part, which begins with the end of a link's text, or with a definition's label.
/// It does not where the bytes there do not mean `address`.
fn destination(
    body: &str,
    part: Range<usize>,
    address: &str,
    context: Context,
    post: &mut ScannedPost,
) {
    let found = body
        .get(part.clone())
        .and_then(|part| DESTINATION.captures(part));
    let Some(written) = found.and_then(|found| found.get(1).or(found.get(2))) else {
        return;
    };
    let plain = ESCAPE.replace_all(written.as_str(), |escape: &Captures<'_>| {
        match escape.get(1) {
            Some(escaped) => escaped.as_str().to_owned(),
            None => html_escape::decode_html_entities(&escape[0]).into_owned(),
        }
    });
    if plain == address {
        let range = part.start + written.start()..part.start + written.end();
        post.add(range, address, context);
    }
}

/// `![[name|text]]` becomes `![text](address)`; a size, as in `![[name|300]]`, stays behind a bar.
fn wiki(body: &str, range: Range<usize>, post: &mut ScannedPost) {
    let link = body.get(range.clone()).and_then(|link| WIKI.captures(link));
    // Elsewhere than in Obsidian this is a picture whose text is in brackets.
    let is_text = body[range.end..].starts_with(['(', '[']);
    if let Some(link) = link.filter(|_| !is_text) {
        let part = |group| link.get(group).map_or("", |part| part.as_str());
        let is_size = part(3).split('x').all(|side| side.parse::<u32>().is_ok());
        let bar = if is_size { part(2) } else { "" };
        let found = post.add(range, part(1).trim(), Context::Wiki);
        found.around = (format!("![{bar}{}](", part(3)), ")".to_owned());
    }
}
