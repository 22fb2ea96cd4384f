//! What is told of which program.

use porchlight_api::Rgba;
use serde::{Deserialize, Deserializer, Serialize};

use super::Pattern;

/// One of `presence.rules`: a program, a title or both, and what is told then.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(try_from = "Written")]
pub struct Rule {
    /// The program it is for; `None` for any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<Pattern>,
    /// The window title it is for; `None` for any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Pattern>,
    /// What the program is called instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The line about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub introduce: Option<String>,
    /// Its colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rgba: Option<Rgba>,
    /// Whether nothing is told of it.
    pub hide: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    program: Option<Pattern>,
    title: Option<Pattern>,
    #[serde(default, deserialize_with = "line::<_, 200>")]
    name: Option<String>,
    #[serde(default, deserialize_with = "line::<_, 2_000>")]
    introduce: Option<String>,
    rgba: Option<Rgba>,
    #[serde(default)]
    hide: bool,
}

impl Rule {
    /// Whether nothing is to be told of a game of this name, by which its
    /// program goes and its window.
    #[must_use]
    pub fn hides_game(&self, name: &str) -> bool {
        let program = self.program.as_ref().is_none_or(|program| program.is(name));
        let title = self.title.as_ref().is_none_or(|title| title.is_in(name));
        self.hide && program && title
    }
}

impl TryFrom<Written> for Rule {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let Written {
            program,
            title,
            name,
            introduce,
            rgba,
            hide,
        } = written;
        if program.is_none() && title.is_none() {
            return Err("a rule needs a `program` or a `title`");
        }
        Ok(Self {
            program,
            title,
            name,
            introduce,
            rgba,
            hide,
        })
    }
}

/// The bounds are those of a heartbeat, which would refuse it later.
fn line<'de, D: Deserializer<'de>, const MOST: usize>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.chars().count() > MOST {
        return Err(serde::de::Error::custom(format!(
            "at most {MOST} characters"
        )));
    }
    if text.chars().any(char::is_control) {
        return Err(serde::de::Error::custom("no control characters"));
    }
    Ok(Some(text))
}
