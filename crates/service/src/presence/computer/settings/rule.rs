//! What is shared of which program.

use serde::{Deserialize, Serialize};

use crate::error::message::Message;
use crate::presence::window::RuleText;
use crate::text::pattern::Pattern;
use crate::text::rgba::Rgba;

/// One of `presence.rules`: a program, a title or both, and what is shared
/// then.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "RuleText")]
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rgba: Option<Rgba>,
    pub hide: bool,
}

impl Rule {
    #[must_use]
    pub fn text(&self) -> RuleText {
        RuleText {
            program: self.program.as_ref().map(ToString::to_string),
            title: self.title.as_ref().map(ToString::to_string),
            name: self.name.clone(),
            introduce: self.introduce.clone(),
            rgba: self.rgba.as_ref().map(ToString::to_string),
            hide: self.hide,
        }
    }

    /// Whether this rule hides a game with this name, which may be its window's
    /// title or its program's name, or with one of these program names.
    #[must_use]
    pub fn hides_game(&self, name: &str, programs: &[String]) -> bool {
        let program = self.program.as_ref().is_none_or(|program| {
            program.is(name) || programs.iter().any(|other| program.is(other))
        });
        let title = self.title.as_ref().is_none_or(|title| title.is_in(name));
        self.hide && program && title
    }
}

impl TryFrom<RuleText> for Rule {
    type Error = Message;

    /// The lengths are those of a heartbeat, which would refuse more later.
    fn try_from(text: RuleText) -> Result<Self, Message> {
        let pattern = |text: Option<String>| text.map(|text| text.parse()).transpose();
        let rule = Self {
            program: pattern(text.program)?,
            title: pattern(text.title)?,
            name: text.name.map(|name| line(name, 200)).transpose()?,
            introduce: text.introduce.map(|text| line(text, 2_000)).transpose()?,
            rgba: text.rgba.map(|rgba| rgba.parse()).transpose()?,
            hide: text.hide,
        };
        if rule.program.is_none() && rule.title.is_none() {
            return Err(crate::detail!("a rule needs a program or a title"));
        }
        Ok(rule)
    }
}

fn line(text: String, most: usize) -> Result<String, Message> {
    if text.chars().count() > most {
        return Err(crate::detail!("at most {most} characters"));
    }
    if text.chars().any(char::is_control) {
        return Err(crate::detail!("control characters cannot be in it"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_round_trips() {
        let whole = RuleText {
            program: Some("/^code/".to_owned()),
            title: Some("a / b".to_owned()),
            name: Some("An editor".to_owned()),
            introduce: Some("At {title}".to_owned()),
            rgba: Some("1,2,3,0.5".to_owned()),
            hide: false,
        };
        let hiding = RuleText {
            program: Some("xterm".to_owned()),
            hide: true,
            ..RuleText::default()
        };
        for text in [whole, hiding] {
            assert_eq!(
                Rule::try_from(text.clone()).map(|rule| rule.text()),
                Ok(text)
            );
        }
    }

    #[test]
    fn a_game_is_hidden_by_its_name_and_by_that_of_any_of_its_programs() {
        let programs = ["steam_app_620", "hl2_linux"].map(str::to_owned);
        let hides = |program: Option<&str>, title: Option<&str>, hide| {
            let text = RuleText {
                program: program.map(str::to_owned),
                title: title.map(str::to_owned),
                hide,
                ..RuleText::default()
            };
            Rule::try_from(text)
                .expect("a rule")
                .hides_game("Portal 2", &programs)
        };
        for program in ["Portal 2", "steam_app_620", "HL2_Linux", "/^steam_app_/"] {
            assert!(hides(Some(program), None, true), "{program}");
            assert!(!hides(Some(program), None, false), "{program}");
        }
        assert!(!hides(Some("steam_app_62"), None, true));
        assert!(hides(Some("hl2_linux"), Some("portal"), true));
        assert!(!hides(Some("hl2_linux"), Some("half-life"), true));
    }
}
