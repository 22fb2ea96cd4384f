//! Addresses in the attributes of HTML.

use std::collections::BTreeMap;
use std::ops::Range;

use html5gum::emitters::default::{DefaultEmitter, StartTag, Token};
use html5gum::{Error, HtmlString, Spanned, Tokenizer};

use super::address::{Address, Context, MissingAttributes};

/// Elements whose content is no HTML. They end with their own tag alone.
const RAW: [&str; 7] = [
    "script", "style", "textarea", "title", "xmp", "noembed", "noframes",
];
/// Attributes with an address, by element.
const ATTRIBUTES: [(&str, &str, Context); 3] = [
    ("img", "src", Context::Picture),
    ("video", "poster", Context::Picture),
    ("a", "href", Context::Link),
];

/// What a part of a text holds.
#[derive(Default)]
pub(super) struct Html {
    pub(super) addresses: Vec<Address>,
    /// Comments, and what stands in elements whose content is no HTML.
    pub(super) hidden: Vec<Range<usize>>,
    /// What ends the comment or the element without HTML in which the part ends, if it does.
    pub(super) open: Option<String>,
}

/// Reads HTML that stands at `offset` in a text.
pub(super) fn read(html: &str, offset: usize) -> Html {
    let (mut read, mut raw) = (Html::default(), None::<String>);
    let mut emitter = DefaultEmitter::new_with_span();
    emitter.naively_switch_states(true);
    for token in Tokenizer::new_with_emitter(html, emitter).flatten() {
        let text = |name: &HtmlString| String::from_utf8_lossy(name).into_owned();
        let hidden = match token {
            Token::StartTag(tag) => {
                let name = text(&tag.name);
                read.addresses.extend(addresses(&tag, &name, html, offset));
                if RAW.contains(&&*name) && !tag.self_closing {
                    raw = Some(name);
                }
                continue;
            }
            Token::EndTag(tag) if raw == Some(text(&tag.name)) => {
                raw = None;
                continue;
            }
            Token::Error(error) if error.value == Error::EofInComment => {
                read.open = Some("-->".to_owned());
                continue;
            }
            Token::Comment(comment) => comment.span,
            Token::String(text) if raw.is_some() => text.span,
            _ => continue,
        };
        read.hidden.push(offset + hidden.start..offset + hidden.end);
    }
    read.open = read.open.or(raw.map(|name| format!("</{name}")));
    read
}

fn addresses(tag: &StartTag<usize>, element: &str, html: &str, offset: usize) -> Vec<Address> {
    let attributes = &tag.attributes;
    let mut all = Vec::new();
    for (_, name, context) in ATTRIBUTES.iter().filter(|(owner, ..)| *owner == element) {
        let Some((value, range)) = value(attributes, name, html) else {
            continue;
        };
        // Space around it stays.
        let start = offset + range.start + value.len() - value.trim_start().len();
        let end = offset + range.end - (value.len() - value.trim_end().len());
        let mut address = Address::new(start..end, value.trim(), *context);
        address.missing = (element == "img").then(|| missing(attributes, html, &range, offset));
        all.push(address);
    }
    if matches!(element, "img" | "source")
        && let Some((_, range)) = value(attributes, "srcset", html)
    {
        all.extend(candidates(&html[range.clone()], offset + range.start));
    }
    all
}

type Attributes = BTreeMap<HtmlString, Spanned<HtmlString, usize>>;

/// The value of an attribute, and where it stands without its quotes. `None` where there is none, or the
/// bytes there do not mean the value.
fn value(attributes: &Attributes, name: &str, html: &str) -> Option<(String, Range<usize>)> {
    let attribute = attributes.get(name.as_bytes())?;
    let value = String::from_utf8_lossy(&attribute.value).into_owned();
    let rest = html.get(attribute.span.start + name.len()..)?;
    let rest = rest.trim_ascii_start().strip_prefix('=')?;
    let rest = rest.trim_ascii_start();
    let is_end = |c: char| c.is_ascii_whitespace() || c == '>';
    let (rest, length) = match rest.strip_prefix(['"', '\'']) {
        Some(inner) => (inner, inner.find(&rest[..1])?),
        None => (rest, rest.find(is_end)?),
    };
    let start = html.len() - rest.len();
    // In a value, line breaks of Windows are read as one character.
    let plain = html_escape::decode_html_entities(&rest[..length]).replace("\r\n", "\n");
    (plain == value).then_some((value, start..start + length))
}

/// What can be written behind the value of `src`.
fn missing(
    attributes: &Attributes,
    html: &str,
    src: &Range<usize>,
    offset: usize,
) -> MissingAttributes {
    let has = |name: &str| attributes.contains_key(name.as_bytes());
    let is_quoted =
        html[src.end..].starts_with(['"', '\'']) && html[..src.start].ends_with(['"', '\'']);
    MissingAttributes {
        at: offset + src.end + usize::from(is_quoted),
        srcset: !["srcset", "sizes", "loading"].into_iter().any(has),
        size: !["width", "height"].into_iter().any(has),
    }
}

/// The addresses of a `srcset` as it is written, by the HTML standard: up to a space, less commas at the
/// end; what follows goes up to a comma outside of parentheses.
fn candidates(written: &str, offset: usize) -> Vec<Address> {
    let (mut all, mut at) = (Vec::new(), 0);
    let is_between = |c: char| c.is_ascii_whitespace() || c == ',';
    while let Some(begin) = written[at..].find(|c| !is_between(c)) {
        let start = at + begin;
        let end = written[start..].find(|c: char| c.is_ascii_whitespace());
        let end = end.map_or(written.len(), |end| start + end);
        let address = written[start..end].trim_end_matches(',');
        let range = offset + start..offset + start + address.len();
        let plain = html_escape::decode_html_entities(address);
        all.push(Address::new(range, plain, Context::Picture));
        at = end;
        if address.len() == end - start {
            let mut depth = 0_i32;
            let next = written[end..].find(|c| {
                depth += i32::from(c == '(') - i32::from(c == ')');
                c == ',' && depth <= 0
            });
            at = next.map_or(written.len(), |next| end + next);
        }
    }
    all
}
