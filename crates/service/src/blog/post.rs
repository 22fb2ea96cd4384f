//! A post: front matter, then Markdown or HTML, with the tags of templates in it.

use std::ops::Range;

use super::address::ScannedPost;
use super::{front_matter, html, markdown, template};

/// How a post is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Markdown,
    /// Markdown with JSX.
    Mdx,
    Html,
}

impl Kind {
    /// By the ending of its name.
    pub(super) fn of(name: &str) -> Option<Self> {
        match name.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
            "md" | "markdown" | "mkd" => Some(Self::Markdown),
            "mdx" => Some(Self::Mdx),
            "html" | "htm" => Some(Self::Html),
            _ => None,
        }
    }
}

/// Reads the text of a post.
pub(super) fn scan(text: &str, kind: Kind) -> ScannedPost {
    let mut post = ScannedPost::default();
    let begin = front_matter::read(text, &mut post);
    let values = std::mem::take(&mut post.addresses);
    template::code(text, kind == Kind::Mdx, &mut post);
    let mut masked = template::masked(text);
    // A blank line as long as the front matter: offsets stay those of the text.
    let blank = " ".repeat(begin.saturating_sub(1)) + "\n";
    masked.replace_range(..begin, &blank[..begin]);
    match kind {
        Kind::Html => drop(html::read(&masked, 0, &mut post)),
        Kind::Markdown | Kind::Mdx => markdown::read(&masked, &mut post),
    }
    template::tags(text, begin, kind != Kind::Html, &mut post);
    for one in &mut post.addresses {
        let written = text.get(one.range.clone());
        if let Some(address) = written.and_then(template::address) {
            one.address = address;
        }
    }
    let overlap =
        |one: &Range<usize>, other: &Range<usize>| one.start < other.end && other.start < one.end;
    let ScannedPost {
        addresses, blind, ..
    } = &mut post;
    addresses.retain(|one| !blind.iter().any(|hidden| overlap(&one.range, hidden)));
    addresses.extend(values);
    addresses.sort_by_key(|one| (one.range.start, one.range.end));
    let mut end = 0;
    addresses.retain(|one| {
        let is_apart = one.range.start >= end && text.get(one.range.clone()).is_some();
        end = if is_apart { one.range.end } else { end };
        is_apart
    });
    post
}
