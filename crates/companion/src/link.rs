//! The link text of an image's address, for the clipboard.

use std::fmt;
use std::str::FromStr;

use porchlight_api::Message;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The placeholder of the address.
const PLACE: &str = "{url}";

const NAMED: [(&str, &str); 5] = [
    ("url", "{url}"),
    ("markdown", "![]({url})"),
    ("html", "<img src=\"{url}\" alt=\"\">"),
    (
        "responsive",
        "<img src=\"{url}\" srcset=\"{url}?w=320 320w, {url}?w=640 640w, {url}?w=960 960w, \
         {url}?w=1280 1280w, {url}?w=1920 1920w\" sizes=\"auto, 100vw\" loading=\"lazy\" alt=\"\">",
    ),
    ("bbcode", "[img]{url}[/img]"),
];

/// A text with `{url}` in it, once or more often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkTemplate(String);

impl LinkTemplate {
    #[must_use]
    pub fn fill(&self, address: &str) -> String {
        self.0.replace(PLACE, address)
    }

    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        let mut named = NAMED.iter();
        named
            .find(|(_, template)| *template == self.0)
            .map(|(name, _)| *name)
    }
}

impl Default for LinkTemplate {
    fn default() -> Self {
        Self(PLACE.to_owned())
    }
}

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
            .find(|(name, _)| name.eq_ignore_ascii_case(text));
        match named {
            Some((_, template)) => Ok(Self((*template).to_owned())),
            None if text.contains(PLACE) => Ok(Self(text.to_owned())),
            None => Err(Message::NoTemplate),
        }
    }
}

/// By its name where it has one.
impl Serialize for LinkTemplate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name().unwrap_or(&self.0))
    }
}

impl<'de> Deserialize<'de> for LinkTemplate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_a_name_or_a_text_with_a_place_for_the_address() {
        for (template, link) in [
            ("url", "https://b.example/i/1"),
            ("Markdown", "![](https://b.example/i/1)"),
            ("html", "<img src=\"https://b.example/i/1\" alt=\"\">"),
            ("BBCode", "[img]https://b.example/i/1[/img]"),
            (
                "{url} or {url}?w=640",
                "https://b.example/i/1 or https://b.example/i/1?w=640",
            ),
        ] {
            let template: LinkTemplate = template.parse().expect("a template");
            assert_eq!(template.fill("https://b.example/i/1"), link);
        }
        for text in ["", "textile", "{URL}", "{}"] {
            assert_eq!(
                text.parse::<LinkTemplate>(),
                Err(Message::NoTemplate),
                "{text:?}"
            );
        }
    }
}
