//! The link text of an image's address, for the clipboard. The page of the window shows the same:
//! `ui/src/images/links.svelte.ts`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::message::Message;
use crate::images::window::LinkForm;
use crate::text::image_hash::{ImageHash, WIDTHS};

/// The placeholder of the address.
const PLACE: &str = "{url}";
/// And of the address that ends in the picture's name.
const NAMED_PLACE: &str = "{named_url}";

/// By name, and by what an owner may write for the same.
const NAMED: [(&str, LinkForm, &str); 5] = [
    ("url", LinkForm::Url, PLACE),
    ("markdown", LinkForm::Markdown, "![]({url})"),
    ("html", LinkForm::Html, "<img src=\"{url}\" alt=\"\">"),
    ("responsive", LinkForm::Responsive, "responsive"),
    ("bbcode", LinkForm::Bbcode, "[img]{url}[/img]"),
];

/// What ends the text of a link in Markdown, or begins something in it.
const IN_MARKDOWN: [(char, &str); 9] = [
    ('\\', "\\\\"),
    ('[', "\\["),
    (']', "\\]"),
    ('`', "\\`"),
    ('*', "\\*"),
    ('_', "\\_"),
    ('<', "&lt;"),
    ('>', "&gt;"),
    ('&', "&amp;"),
];
/// What ends an attribute in HTML, or begins something in it.
const IN_HTML: [(char, &str); 5] = [
    ('&', "&amp;"),
    ('"', "&quot;"),
    ('\'', "&#39;"),
    ('<', "&lt;"),
    ('>', "&gt;"),
];

/// The name of a form, or a text with `{url}` or `{named_url}` in it, once or more often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkTemplate(String);

impl LinkTemplate {
    /// `Own` is a text of the owner's.
    #[must_use]
    pub fn form(&self) -> LinkForm {
        let mut named = NAMED.iter();
        let named = named.find(|(name, ..)| *name == self.0);
        named.map_or(LinkForm::Own, |(_, form, _)| *form)
    }

    /// The link of an image with this name and, where that is known, this width and height, in this
    /// form; `Own` is that of this template.
    #[must_use]
    pub fn link_as(
        &self,
        form: LinkForm,
        address: &str,
        name: &str,
        pixels: Option<(u32, u32)>,
    ) -> String {
        let form = match form {
            LinkForm::Own => self.form(),
            other => other,
        };
        match form {
            LinkForm::Own => self
                .0
                .replace(PLACE, address)
                .replace(NAMED_PLACE, &named(address, name)),
            LinkForm::Url => address.to_owned(),
            LinkForm::Markdown => format!("![{}]({address})", escaped(name, &IN_MARKDOWN)),
            LinkForm::Bbcode => format!("[img]{address}[/img]"),
            LinkForm::Html | LinkForm::Responsive => {
                let [address, name] = [address, name].map(|text| escaped(text, &IN_HTML));
                let more = pixels.map(|(width, height)| {
                    let widths = match form {
                        LinkForm::Responsive => srcset(&address, width),
                        _ => String::new(),
                    };
                    format!("{widths} width=\"{width}\" height=\"{height}\"")
                });
                let more = more.unwrap_or_default();
                format!("<img src=\"{address}\"{more} alt=\"{name}\">")
            }
        }
    }
}

/// An address of Porchlight's with the name at its end, in letters and digits of any script; the address
/// itself where there is no name, or where it is that of another service.
fn named(address: &str, name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let (below, hash) = address.rsplit_once('/').unwrap_or_default();
    let hash = hash.strip_suffix(".webp").unwrap_or(hash);
    if words.is_empty() || !below.ends_with("/i") || hash.parse::<ImageHash>().is_err() {
        return address.to_owned();
    }
    format!("{below}/{hash}/{}.webp", words.join("-"))
}

/// The attributes with which a browser takes the narrowest image that fills its place: all widths that
/// are less than the image's, and its own.
pub(crate) fn srcset(address: &str, own: u32) -> String {
    let narrower = WIDTHS.iter().filter(|width| **width < own);
    let narrower = narrower.map(|width| format!("{address}?w={width} {width}w, "));
    let narrower: String = narrower.collect();
    format!(" srcset=\"{narrower}{address} {own}w\" sizes=\"auto, 100vw\" loading=\"lazy\"")
}

fn escaped(text: &str, replacements: &[(char, &str)]) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match replacements
            .iter()
            .find(|(special, _)| *special == character)
        {
            Some((_, replacement)) => escaped.push_str(replacement),
            None => escaped.push(character),
        }
    }
    escaped
}

impl Default for LinkTemplate {
    fn default() -> Self {
        Self("url".to_owned())
    }
}

/// By its name where it has one.
impl fmt::Display for LinkTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for LinkTemplate {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = NAMED
            .iter()
            .find(|(name, _, written)| name.eq_ignore_ascii_case(text) || *written == text);
        match named {
            Some((name, ..)) => Ok(Self((*name).to_owned())),
            None if [PLACE, NAMED_PLACE]
                .iter()
                .any(|place| text.contains(place)) =>
            {
                Ok(Self(text.to_owned()))
            }
            None => Err(Message::NoTemplate),
        }
    }
}

impl Serialize for LinkTemplate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for LinkTemplate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// `[links]`
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct LinksSettings {
    /// What goes to the clipboard for an image.
    pub template: LinkTemplate,
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: &str = "https://b.example/a&b/i/1";

    fn linked(template: &str, name: &str, pixels: Option<(u32, u32)>) -> String {
        let template: LinkTemplate = template.parse().expect("a template");
        template.link_as(LinkForm::Own, ADDRESS, name, pixels)
    }

    // The same cases as in ui/tests/links.test.ts.
    #[test]
    fn a_template_is_a_form_or_a_text_with_a_place_for_the_address() {
        let safe = "https://b.example/a&amp;b/i/1";
        let end = "sizes=\"auto, 100vw\" loading=\"lazy\"";
        for (template, pixels, link) in [
            ("url", (640, 480), ADDRESS.to_owned()),
            ("{url}", (640, 480), ADDRESS.to_owned()),
            ("Markdown", (640, 480), format!("![]({ADDRESS})")),
            ("![]({url})", (640, 480), format!("![]({ADDRESS})")),
            (
                "html",
                (640, 480),
                format!("<img src=\"{safe}\" width=\"640\" height=\"480\" alt=\"\">"),
            ),
            (
                "responsive",
                (640, 480),
                format!(
                    "<img src=\"{safe}\" srcset=\"{safe}?w=320 320w, {safe} 640w\" {end} \
                     width=\"640\" height=\"480\" alt=\"\">"
                ),
            ),
            (
                "responsive",
                (2_000, 1_000),
                format!(
                    "<img src=\"{safe}\" srcset=\"{safe}?w=320 320w, {safe}?w=640 640w, \
                     {safe}?w=960 960w, {safe}?w=1280 1280w, {safe}?w=1920 1920w, {safe} 2000w\" \
                     {end} width=\"2000\" height=\"1000\" alt=\"\">"
                ),
            ),
            ("BBCode", (640, 480), format!("[img]{ADDRESS}[/img]")),
            (
                "{url} | {url}?w=640",
                (640, 480),
                format!("{ADDRESS} | {ADDRESS}?w=640"),
            ),
        ] {
            assert_eq!(linked(template, "", Some(pixels)), link);
        }
        let plain = format!("<img src=\"{safe}\" alt=\"\">");
        for template in ["html", "responsive"] {
            assert_eq!(linked(template, "", None), plain, "{template}");
        }
        let hash = "00112233445566778899aabbccddeeff";
        let named: LinkTemplate = "{named_url}".parse().expect("a template");
        for (ending, name, expected) in [
            (".webp", "A cat, asleep", "/A-cat-asleep.webp"),
            ("", "在海边 (2)", "/在海边-2.webp"),
            (".webp", "", ".webp"),
            (".webp", "…", ".webp"),
        ] {
            let address = format!("https://b.example/i/{hash}");
            let link = named.link_as(LinkForm::Own, &format!("{address}{ending}"), name, None);
            assert_eq!(link, format!("{address}{expected}"));
        }
        assert_eq!(
            named.link_as(LinkForm::Own, ADDRESS, "a cat", None),
            ADDRESS
        );
        for text in ["", "textile", "{URL}", "{}"] {
            assert_eq!(
                text.parse::<LinkTemplate>(),
                Err(Message::NoTemplate),
                "{text:?}"
            );
        }
    }

    // The same cases as in ui/tests/links.test.ts.
    #[test]
    fn a_name_is_alternative_text_and_nothing_else() {
        for (name, markdown, html) in [
            ("harbour", "harbour", "harbour"),
            (
                "a](http://x) [b\\",
                r"a\](http://x) \[b\\",
                "a](http://x) [b\\",
            ),
            ("`c` *d* _e_", r"\`c\` \*d\* \_e\_", "`c` *d* _e_"),
            (
                "\"><script>&'",
                "\"&gt;&lt;script&gt;&amp;'",
                "&quot;&gt;&lt;script&gt;&amp;&#39;",
            ),
        ] {
            let named = |template| linked(template, name, None);
            assert_eq!(named("markdown"), format!("![{markdown}]({ADDRESS})"));
            assert!(named("html").ends_with(&format!("i/1\" alt=\"{html}\">")));
            assert_eq!(named("bbcode"), format!("[img]{ADDRESS}[/img]"));
        }
    }
}
