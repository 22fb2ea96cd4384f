//! Tags of templates in posts: Liquid (Jekyll), Nunjucks (Hexo), Go (Hugo).

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::address::{Address, Context};

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern of ours")
}

/// An address, or the part before one, as Jekyll's themes write it.
static EXPRESSION: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"\{\{-?[ \t]*(?:site\.(?:baseurl|url)|"([^"{}\r\n]*)"[ \t]*\|[ \t]*(?:relative_url|absolute_url|prepend:[ \t]*site\.(?:baseurl|url))|'([^'{}\r\n]*)'[ \t]*\|[ \t]*(?:relative_url|absolute_url|prepend:[ \t]*site\.(?:baseurl|url)))[ \t]*-?\}\}"#,
    )
});
/// Where tags of templates begin that hold code or a comment, and the name that ends them.
static CODE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\{%-?[ \t]*(comment|highlight|codeblock|code)\b|\{\{[<%][ \t]*(highlight)\b|(\{\{/\*)|(\{/\*)",
    )
});
static ASSET: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\{%[ \t]*asset_img[ \t]+([^\r\n]*?)[ \t]*%\}"));
static FIGURE: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"\{\{[<%][ \t]*figure[ \t\r\n](?:[^"`}]|"[^"]*"|`[^`]*`)*?[>%]\}\}"#));
static SRC: LazyLock<Regex> = LazyLock::new(|| {
    regex(r#"[ \t\r\n]src[ \t]*=[ \t]*(?:"([^"]*)"|`([^`]*)`|([^\s"`>%/][^\s"`>]*))"#)
});
/// A word of a tag: in quotes or up to a space.
static WORD: LazyLock<Regex> = LazyLock::new(|| regex(r#""([^"]*)"|'([^']*)'|(\S+)"#));

/// The text with each expression that [`address`] knows as a word of the same length, so that parsers
/// take it as part of an address.
pub(super) fn masked(text: &str) -> String {
    let word = |found: &Captures<'_>| "x".repeat(found[0].len());
    EXPRESSION.replace_all(text, word).into_owned()
}

/// What an address is that holds such expressions; `None` where it holds none.
pub(super) fn address(written: &str) -> Option<String> {
    if !EXPRESSION.is_match(written) {
        return None;
    }
    let plain = EXPRESSION.replace_all(written, |found: &Captures<'_>| {
        let inner = found.get(1).or(found.get(2));
        inner.map_or(String::new(), |inner| inner.as_str().to_owned())
    });
    // They lead to the root of the site.
    Some(format!("/{}", plain.trim_start_matches('/')))
}

/// Where tags hold code or a comment.
pub(super) fn code(text: &str, has_jsx: bool) -> Vec<Range<usize>> {
    let (mut code, mut from) = (Vec::new(), 0);
    while let Some(found) = CODE.captures_at(text, from) {
        let start = found.get(0).map_or(from, |all| all.start());
        from = found.get(0).map_or(text.len(), |all| all.end());
        let last = match (found.get(1), found.get(2)) {
            (Some(name), _) => format!("end{}", name.as_str()),
            (_, Some(name)) => format!("/{}", name.as_str()),
            _ if found.get(4).is_some() && !has_jsx => continue,
            _ => "*/".to_owned(),
        };
        from = text[from..]
            .find(&last)
            .map_or(text.len(), |at| from + at + last.len());
        code.push(start..from);
    }
    code
}

/// The addresses in Hexo's `asset_img`, where it `is_markdown`, and in Hugo's `figure`.
pub(super) fn tags(text: &str, start: usize, is_markdown: bool) -> Vec<Address> {
    let mut found: Vec<Address> = Vec::new();
    for tag in FIGURE.find_iter(&text[start..]) {
        let Some(src) = SRC.captures(tag.as_str()) else {
            continue;
        };
        if let Some(value) = src.get(1).or(src.get(2)).or(src.get(3)) {
            let at = start + tag.start();
            let range = at + value.start()..at + value.end();
            found.push(Address::new(range, value.as_str(), Context::Picture));
        }
    }
    let assets = ASSET.captures_iter(&text[start..]).filter(|_| is_markdown);
    found.extend(assets.filter_map(|tag| asset(&tag, start)));
    found
}

/// `{% asset_img [class…] name [width] [height] [title] %}`; one with classes or sizes becomes an `img`.
fn asset(tag: &Captures<'_>, start: usize) -> Option<Address> {
    let all = tag.get(0)?;
    let word = |word: Captures<'_>| {
        let inner = word.get(1).or(word.get(2)).or(word.get(3));
        inner.map_or("", |inner| inner.as_str()).to_owned()
    };
    let inside = tag.get(1)?.as_str();
    let words: Vec<String> = WORD.captures_iter(inside).map(word).collect();
    let is_name = |word: &&String| word.contains('.');
    let at = words.iter().position(|word| is_name(&word)).unwrap_or(0);
    let name = words.get(at)?;
    let classes = words[..at].join(" ");
    let sizes = words[at + 1..].iter().take(2);
    let sizes: Vec<&String> = sizes
        .take_while(|word| word.parse::<u32>().is_ok())
        .collect();
    let title = words[at + 1 + sizes.len()..].join(" ");
    let range = start + all.start()..start + all.end();
    let mut found = Address::new(range, name.as_str(), Context::Picture);
    found.around = if classes.is_empty() && sizes.is_empty() {
        let title = title
            .replace('\\', "\\\\")
            .replace('[', "\\[")
            .replace(']', "\\]");
        (format!("![{title}]("), ")".to_owned())
    } else {
        let attribute = |name: &str, value: &str| match value {
            "" => String::new(),
            value => format!(
                " {name}=\"{}\"",
                html_escape::encode_double_quoted_attribute(value)
            ),
        };
        let size = |at: usize, name| attribute(name, sizes.get(at).map_or("", |size| size));
        let after = [
            attribute("class", &classes),
            size(0, "width"),
            size(1, "height"),
            format!(
                " alt=\"{}\"",
                html_escape::encode_double_quoted_attribute(&title)
            ),
        ];
        ("<img src=\"".to_owned(), format!("\"{}>", after.concat()))
    };
    Some(found)
}
