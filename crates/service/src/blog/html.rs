//! Addresses in the attributes of HTML.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use html5gum::emitters::default::{DefaultEmitter, StartTag, Token};
use html5gum::{Error, HtmlString, Spanned, Tokenizer};
use regex::Regex;

use super::address::{Context, MissingAttributes, ScannedPost};
use super::template::regex;

/// Elements whose content is no HTML. They end with their own tag alone.
const RAW: &str = "script style textarea title xmp noembed noframes";

/// The name of an attribute and its value, in quotes or without.
static VALUE: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"\A[^\s=]+\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*))"#));
/// An address of a `srcset` by the HTML standard: up to a space, less commas at the end; what follows goes
/// up to a comma outside of parentheses.
static CANDIDATE: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"[\s,]*([^\s,]|[^\s,]\S*[^\s,])(?:,+(?:\s|\z)|\s(?:\([^)]*\)?|[^,(])*(?:,|\z)|\z)")
});

/// Reads HTML that stands at `offset` in a text; what ends the comment or the element without HTML in which
/// it ends, if it does.
pub(super) fn read(html: &str, offset: usize, post: &mut ScannedPost) -> Option<String> {
    let (mut open, mut raw) = (None, None::<String>);
    let mut emitter = DefaultEmitter::new_with_span();
    emitter.naively_switch_states(true);
    for token in Tokenizer::new_with_emitter(html, emitter).flatten() {
        let text = |name: &HtmlString| String::from_utf8_lossy(name).into_owned();
        let hidden = match token {
            Token::StartTag(tag) => {
                let name = text(&tag.name);
                add(&tag, &name, html, offset, post);
                if RAW.split(' ').any(|raw| raw == name) && !tag.self_closing {
                    raw = Some(name);
                }
                continue;
            }
            Token::EndTag(tag) if raw == Some(text(&tag.name)) => {
                raw = None;
                continue;
            }
            Token::Error(error) if error.value == Error::EofInComment => {
                open = Some("-->".to_owned());
                continue;
            }
            Token::Comment(comment) => comment.span,
            Token::String(text) if raw.is_some() => text.span,
            _ => continue,
        };
        post.blind.push(offset + hidden.start..offset + hidden.end);
    }
    open.or(raw.map(|name| format!("</{name}")))
}

/// Adds the addresses in a tag.
fn add(tag: &StartTag<usize>, element: &str, html: &str, offset: usize, post: &mut ScannedPost) {
    let attributes = &tag.attributes;
    let (name, context) = match element {
        "img" => ("src", Context::Picture),
        "video" => ("poster", Context::Picture),
        "a" => ("href", Context::Link),
        _ => ("", Context::Link),
    };
    if let Some((value, range)) = value(attributes, name, html) {
        // Space around it stays.
        let start = offset + range.start + value.len() - value.trim_start().len();
        let end = offset + range.end - (value.len() - value.trim_end().len());
        let has = |name: &str| attributes.contains_key(name.as_bytes());
        let is_quoted = html[range.end..].starts_with(['"', '\'']);
        let missing = MissingAttributes {
            at: offset + range.end + usize::from(is_quoted),
            srcset: !["srcset", "sizes", "loading"].into_iter().any(has),
            size: !["width", "height"].into_iter().any(has),
        };
        let found = post.add(start..end, value.trim(), context);
        found.missing = Some(missing).filter(|_| element == "img");
    }
    if matches!(element, "img" | "source")
        && let Some((_, range)) = value(attributes, "srcset", html)
    {
        let candidates = CANDIDATE.captures_iter(&html[range.clone()]);
        for one in candidates.filter_map(|found| found.get(1)) {
            let start = offset + range.start + one.start();
            let plain = html_escape::decode_html_entities(one.as_str());
            post.add(start..start + one.len(), plain, Context::Picture);
        }
    }
}

/// The value of an attribute, and where it stands without its quotes. `None` where there is none, or the
/// bytes there do not mean the value.
fn value(
    attributes: &BTreeMap<HtmlString, Spanned<HtmlString, usize>>,
    name: &str,
    html: &str,
) -> Option<(String, Range<usize>)> {
    let attribute = attributes.get(name.as_bytes())?;
    let value = String::from_utf8_lossy(&attribute.value).into_owned();
    let found = VALUE.captures(html.get(attribute.span.start..)?)?;
    let written = found.iter().skip(1).flatten().next()?;
    // In a value, line breaks of Windows are read as one character.
    let plain = html_escape::decode_html_entities(written.as_str()).replace("\r\n", "\n");
    let start = attribute.span.start + written.start();
    (plain == value).then_some((value, start..start + written.len()))
}
