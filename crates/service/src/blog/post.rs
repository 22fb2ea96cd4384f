//! A post: front matter, then Markdown or HTML, with the tags of templates in it.

use std::ops::Range;

use super::address::PostAddress;
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

/// What a post holds.
pub(super) struct ScannedPost {
    /// In the order of their bytes; none overlaps another.
    pub(super) addresses: Vec<PostAddress>,
    /// The front matter says that readers do not see it yet, or cannot be read.
    pub(super) draft: bool,
    /// Why its front matter was left alone, if it was.
    pub(super) unread: Option<String>,
}

/// Reads the text of a post.
pub(super) fn scan(text: &str, kind: Kind) -> ScannedPost {
    let front = front_matter::read(text);
    let mut blind = template::code(text, kind == Kind::Mdx);
    let mut masked = template::masked(text);
    // A blank line as long as the front matter: offsets stay those of the text.
    let blank = " ".repeat(front.end.saturating_sub(1)) + "\n";
    masked.replace_range(..front.end, &blank[..front.end]);
    let mut found = match kind {
        Kind::Html => {
            let page = html::read(&masked, 0);
            blind.extend(page.hidden);
            page.addresses
        }
        Kind::Markdown | Kind::Mdx => markdown::read(&masked, &mut blind),
    };
    found.extend(template::tags(text, front.end, kind != Kind::Html));
    for one in &mut found {
        let written = text.get(one.range.clone());
        if let Some(address) = written.and_then(template::address) {
            one.address = address;
        }
    }
    let overlap =
        |one: &Range<usize>, other: &Range<usize>| one.start < other.end && other.start < one.end;
    found.retain(|one| !blind.iter().any(|hidden| overlap(&one.range, hidden)));
    found.extend(front.addresses);
    found.sort_by_key(|one| (one.range.start, one.range.end));
    let mut end = 0;
    found.retain(|one| {
        let is_apart = one.range.start >= end && text.get(one.range.clone()).is_some();
        end = if is_apart { one.range.end } else { end };
        is_apart
    });
    ScannedPost {
        addresses: found,
        draft: front.draft,
        unread: front.unread,
    }
}
