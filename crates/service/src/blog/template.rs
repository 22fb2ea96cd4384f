//! Tags of templates in posts: Liquid (Jekyll), Nunjucks (Hexo), Go (Hugo).

use std::sync::LazyLock;

use html_escape::encode_double_quoted_attribute;
use regex::{Captures, Regex};

use super::address::{Context, ScannedPost};

pub(super) fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern of ours")
}

/// An address, or the part before one, as Jekyll's themes write it.
static EXPRESSION: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?x)\{\{-?[\ \t]* (?: site\.(?:baseurl|url) | (?: "([^"{}\r\n]*)" | '([^'{}\r\n]*)' )
            [\ \t]*\|[\ \t]* (?: relative_url | absolute_url | prepend:[\ \t]*site\.(?:baseurl|url) ) )
            [\ \t]*-?\}\}"#,
    )
});
/// Tags of templates that hold code or a comment, up to their end or that of the text.
const CODE: &str = r"(?s)\{%-?[ \t]*(?:comment\b.*?(?:endcomment|\z)|highlight\b.*?(?:endhighlight|\z)
    |codeblock\b.*?(?:endcodeblock|\z)|code\b.*?(?:endcode|\z))
    |\{\{[<%][ \t]*highlight\b.*?(?:/highlight|\z)|\{\{/\*.*?(?:\*/|\z)";
static CODE_TAGS: LazyLock<Regex> = LazyLock::new(|| regex(&CODE.replace("\n    ", "")));
/// The same, and comments of JSX.
static CODE_OR_JSX: LazyLock<Regex> =
    LazyLock::new(|| regex(&(CODE.replace("\n    ", "") + r"|\{/\*.*?(?:\*/|\z)")));
/// Hugo's, with its `src`.
static FIGURE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?x)\{\{[<%][\ \t]*figure (?:[\ \t\r\n](?:[^"`}]|"[^"]*"|`[^`]*`)*?)? [\ \t\r\n]
            src[\ \t]*=[\ \t]*(?: "([^"]*)" | `([^`]*)` | ([^\s"`>%/][^\s"`>]*) )
            (?:[^"`}]|"[^"]*"|`[^`]*`)*?[>%]\}\}"#,
    )
});
/// Hexo's `{% asset_img [class…] name [width] [height] [title] %}`. Behind classes a name has a dot.
static ASSET: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?x)\{%[\ \t]*asset_img[\ \t]+
            (?: (?<class>(?:[^\s."'%]+[\ \t]+)*) (?: "([^"\r\n]*)" | '([^'\r\n]*)' | ([^\s"']*\.[^\s"']*) )
            | ([^\s"']+) ) (?:[\ \t]+(?<width>\d+)(?:[\ \t]+(?<height>\d+))?)?
            (?:[\ \t]+(?<title>[^\r\n]*?))? [\ \t]*%\}"#,
    )
});

/// What is escaped in the text of a picture.
static BRACKET: LazyLock<Regex> = LazyLock::new(|| regex(r"[\\\[\]]"));

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
    let plain = EXPRESSION.replace_all(written, "$1$2");
    // They lead to the root of the site.
    Some(format!("/{}", plain.trim_start_matches('/')))
}

/// Adds where tags hold code or a comment.
pub(super) fn code(text: &str, has_jsx: bool, post: &mut ScannedPost) {
    let tags = if has_jsx { &CODE_OR_JSX } else { &CODE_TAGS };
    post.blind
        .extend(tags.find_iter(text).map(|tag| tag.range()));
}

/// Adds the addresses in Hexo's `asset_img`, where it `is_markdown`, and in Hugo's `figure`. An `asset_img`
/// becomes `![title](address)`; one with classes or sizes an `img`.
pub(super) fn tags(text: &str, start: usize, is_markdown: bool, post: &mut ScannedPost) {
    for tag in FIGURE.captures_iter(&text[start..]) {
        if let Some(src) = tag.iter().skip(1).flatten().next() {
            let range = start + src.start()..start + src.end();
            post.add(range, src.as_str(), Context::Picture);
        }
    }
    for tag in ASSET.captures_iter(&text[start..]).filter(|_| is_markdown) {
        let part = |name| tag.name(name).map_or("", |part| part.as_str().trim_end());
        let name = (2..6)
            .find_map(|group| tag.get(group))
            .map_or("", |name| name.as_str());
        let title = part("title").trim_matches(['"', '\'']);
        let attributes = ["class", "width", "height"].map(|name| match part(name) {
            "" => String::new(),
            value => format!(" {name}=\"{}\"", encode_double_quoted_attribute(value)),
        });
        let range = tag.get_match().range();
        let range = start + range.start..start + range.end;
        post.add(range, name, Context::Picture).around = match attributes.concat().as_str() {
            "" => {
                let title = BRACKET.replace_all(title, r"\$0");
                (format!("![{title}]("), ")".to_owned())
            }
            attributes => {
                let title = encode_double_quoted_attribute(title);
                let after = format!("\"{attributes} alt=\"{title}\">");
                ("<img src=\"".to_owned(), after)
            }
        };
    }
}
