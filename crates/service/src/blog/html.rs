//! Addresses in the attributes of HTML.

use std::ops::Range;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

use super::found::{Context, Found, Lacks};

/// Elements whose content is no HTML. They end with their own tag alone.
const RAW: [&str; 7] = [
    "script", "style", "textarea", "title", "xmp", "noembed", "noframes",
];

/// What a part of a text holds.
#[derive(Default)]
pub(super) struct Html {
    pub(super) found: Vec<Found>,
    /// Comments, and what stands in elements whose content is no HTML.
    pub(super) hidden: Vec<Range<usize>>,
    /// What ends the comment or the element without HTML in which the part ends, if it does.
    pub(super) open: Option<String>,
}

/// A start tag that is being read.
#[derive(Default)]
struct Tag {
    name: String,
    /// Name, value and place of each attribute that has a value.
    attributes: Vec<(String, String, Range<usize>)>,
    names: Vec<String>,
    /// Where the last name ends.
    name_end: usize,
}

/// Reads HTML that stands at `offset` in a text.
pub(super) fn read(html: &str, offset: usize) -> Html {
    let (mut found, mut hidden) = (Vec::new(), Vec::new());
    let (mut raw, mut is_in_comment) = (None::<String>, false);
    let mut tag = Tag::default();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).to_ascii_lowercase();
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, span: Span<usize>| {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                tag = Tag {
                    name: text(name),
                    ..Tag::default()
                };
            }
            CallbackEvent::AttributeName { name } => {
                tag.names.push(text(name));
                tag.name_end = span.end;
            }
            CallbackEvent::AttributeValue { value } => {
                let name = tag.names.last().cloned().unwrap_or_default();
                let is_first = tag.names.iter().filter(|known| **known == name).count() == 1;
                let value = String::from_utf8_lossy(value).into_owned();
                if is_first && let Some(range) = place(html, tag.name_end, &value) {
                    tag.attributes.push((name, value, range));
                }
            }
            CallbackEvent::CloseStartTag { self_closing } => {
                if RAW.contains(&&*tag.name) && !self_closing {
                    raw = Some(tag.name.clone());
                }
                tag.addresses(html, offset, &mut found);
            }
            CallbackEvent::EndTag { name } if raw.as_deref() == Some(&*text(name)) => raw = None,
            CallbackEvent::Comment { .. } => hidden.push(offset + span.start..offset + span.end),
            CallbackEvent::String { .. } if raw.is_some() => {
                hidden.push(offset + span.start..offset + span.end);
            }
            CallbackEvent::Error(html5gum::Error::EofInComment) => is_in_comment = true,
            _ => {}
        }
        None::<()>
    });
    emitter.naively_switch_states(true);
    // It makes no tokens: the work is in the events.
    Tokenizer::new_with_emitter(html, emitter).for_each(drop);
    let open = match is_in_comment {
        true => Some("-->".to_owned()),
        false => raw.map(|name| format!("</{name}")),
    };
    Html {
        found,
        hidden,
        open,
    }
}

/// Where the value stands, without its quotes, whose attribute's name ends at `name_end`. `None` where
/// the bytes there do not mean the value.
fn place(html: &str, name_end: usize, value: &str) -> Option<Range<usize>> {
    let rest = html.get(name_end..)?.trim_ascii_start();
    let rest = rest.strip_prefix('=')?.trim_ascii_start();
    let (rest, length) = match rest.strip_prefix(['"', '\'']) {
        Some(inner) => (inner, inner.find(&rest[..1])?),
        None => (
            rest,
            rest.find(|c: char| c.is_ascii_whitespace() || c == '>')?,
        ),
    };
    let start = html.len() - rest.len();
    // In a value, line breaks of Windows are read as one character.
    let plain = html_escape::decode_html_entities(&rest[..length]).replace("\r\n", "\n");
    (plain == value).then_some(start..start + length)
}

impl Tag {
    fn addresses(&self, html: &str, offset: usize, found: &mut Vec<Found>) {
        for (name, value, range) in &self.attributes {
            let at = offset + range.start..offset + range.end;
            match (&*self.name, &**name) {
                ("img", "src") => {
                    let mut one = Found::new(at, value.trim(), Context::Picture);
                    one.lacks = self.lacks(html, range, offset);
                    found.push(trimmed(one, value));
                }
                ("img" | "source", "srcset") => {
                    found.extend(candidates(&html[range.clone()], at.start))
                }
                ("video", "poster") => {
                    found.push(trimmed(
                        Found::new(at, value.trim(), Context::Picture),
                        value,
                    ));
                }
                ("a", "href") => {
                    found.push(trimmed(Found::new(at, value.trim(), Context::Link), value));
                }
                _ => {}
            }
        }
    }

    /// What can be written behind the value of `src`.
    fn lacks(&self, html: &str, src: &Range<usize>, offset: usize) -> Option<Lacks> {
        let has = |wanted: &str| self.names.iter().any(|name| name == wanted);
        let quote = |at: usize| {
            html.as_bytes()
                .get(at)
                .is_some_and(|byte| b"\"'".contains(byte))
        };
        let is_quoted = quote(src.end) && src.start > 0 && quote(src.start - 1);
        Some(Lacks {
            at: offset + src.end + usize::from(is_quoted),
            srcset: !has("srcset") && !has("sizes") && !has("loading"),
            size: !has("width") && !has("height"),
        })
    }
}

/// Without the space around the address, which stays.
fn trimmed(mut found: Found, value: &str) -> Found {
    found.range.start += value.len() - value.trim_start().len();
    found.range.end -= value.len() - value.trim_end().len();
    found
}

/// The addresses of a `srcset` as it is written, by the HTML standard: up to a space, less commas at the
/// end; what follows goes up to a comma outside of parentheses.
fn candidates(written: &str, offset: usize) -> Vec<Found> {
    let (mut found, mut at) = (Vec::new(), 0);
    let is_between = |c: char| c.is_ascii_whitespace() || c == ',';
    while let Some(begin) = written[at..].find(|c| !is_between(c)) {
        let start = at + begin;
        let end = written[start..].find(|c: char| c.is_ascii_whitespace());
        let end = end.map_or(written.len(), |end| start + end);
        let address = written[start..end].trim_end_matches(',');
        let range = offset + start..offset + start + address.len();
        let plain = html_escape::decode_html_entities(address);
        found.push(Found::new(range, plain, Context::Picture));
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
    found
}
