//! A post: front matter, then Markdown or HTML, with the tags of templates in it.

use super::address::{Address, Scanned};
use super::{front_matter, html, markdown, template};

/// How a post is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Markdown,
    /// Markdown with JSX.
    Mdx,
    Html,
}

const ENDINGS: [(&str, Kind); 6] = [
    ("md", Kind::Markdown),
    ("markdown", Kind::Markdown),
    ("mkd", Kind::Markdown),
    ("mdx", Kind::Mdx),
    ("html", Kind::Html),
    ("htm", Kind::Html),
];

impl Kind {
    /// By the ending of its name.
    pub(super) fn of(name: &str) -> Option<Self> {
        let (_, ending) = name.rsplit_once('.')?;
        let mut endings = ENDINGS.iter();
        let known = endings.find(|(known, _)| known.eq_ignore_ascii_case(ending));
        known.map(|(_, kind)| *kind)
    }
}

/// The addresses in a text.
pub(super) fn scan(text: &str, kind: Kind) -> Scanned {
    let mark = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let front = front_matter::read(text, mark);
    let mut blind = template::code(text, kind == Kind::Mdx);
    let mut masked = template::masked(text);
    // A blank line as long as the front matter: places stay those of the text.
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
        let Some(written) = text.get(one.range.clone()) else {
            continue;
        };
        if let Some(address) = template::address(written) {
            one.address = address;
        } else if one.around.0.is_empty() && written.contains('\\') {
            one.written = Some(written.to_owned());
        }
    }
    found.retain(|one| !blind.iter().any(|hidden| overlap(&one.range, hidden)));
    found.extend(front.addresses);
    found.sort_by_key(|one| (one.range.start, one.range.end));
    let mut end = 0;
    found.retain(|one: &Address| {
        let is_apart = one.range.start >= end && text.get(one.range.clone()).is_some();
        if is_apart {
            end = one.range.end;
        }
        is_apart
    });
    Scanned {
        addresses: found,
        draft: front.draft,
        unread: front.unread,
    }
}

fn overlap(one: &std::ops::Range<usize>, other: &std::ops::Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}
