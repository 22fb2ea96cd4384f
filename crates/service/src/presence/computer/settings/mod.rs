//! Settings of presence.

use serde::{Deserialize, Serialize};

use crate::text::address::WebAddress;
use crate::text::secret::Secret;

mod rule;

pub use rule::Rule;

/// `[presence]`: the heartbeat reporter.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct PresenceSettings {
    /// Whether heartbeats are sent; `None` until the owner has decided.
    pub enabled: Option<bool>,
    /// Seconds from one heartbeat to the next.
    pub interval_seconds: u64,
    /// Seconds without input after which the owner counts as away.
    pub idle_seconds: u64,
    pub share_titles: bool,
    /// Whether the track that a media player plays is the line about the owner.
    pub share_music: bool,
    /// Whether that includes what browsers play.
    pub share_browser_music: bool,
    /// What is shared of which program, before the built-in list.
    pub rules: Option<Vec<Rule>>,
    /// The language of built-in names and lines; `None` for the system's.
    pub language: Option<Language>,
    /// For how many days changes of presence are kept.
    pub history_days: u64,
    /// Another service that gets the heartbeats, besides the own one.
    pub target_url: Option<WebAddress>,
    /// The token for it.
    #[serde(skip_serializing)]
    pub token: Option<Secret>,
}

impl Default for PresenceSettings {
    fn default() -> Self {
        Self {
            enabled: None,
            interval_seconds: 30,
            idle_seconds: 300,
            share_titles: false,
            share_music: false,
            share_browser_music: false,
            rules: None,
            language: None,
            history_days: 30,
            target_url: None,
            token: None,
        }
    }
}

impl PresenceSettings {
    pub(crate) fn language(&self) -> Language {
        self.language.unwrap_or_else(Language::of_the_system)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub enum Language {
    #[serde(rename = "en")]
    English,
    /// Simplified Chinese.
    #[serde(rename = "zh")]
    Chinese,
}

impl Language {
    /// The language of the system: Chinese where it is that, else English.
    #[must_use]
    pub fn of_the_system() -> Self {
        Self::of(&sys_locale::get_locale().unwrap_or_default())
    }

    fn of(locale: &str) -> Self {
        let language = locale.split(['-', '_', '.']).next().unwrap_or_default();
        if language.eq_ignore_ascii_case("zh") {
            Self::Chinese
        } else {
            Self::English
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::pattern::Pattern;

    fn trouble<T: serde::de::DeserializeOwned>(text: &str) -> String {
        toml::from_str::<T>(text)
            .err()
            .map(|error| error.message().to_owned())
            .unwrap_or_default()
    }

    #[test]
    fn missing_settings_have_their_defaults() {
        let presence: PresenceSettings = toml::from_str("interval_seconds = 5").expect("valid");
        assert_eq!(presence.enabled, None);
        assert_eq!(presence.interval_seconds, 5);
        assert_eq!(presence.history_days, 30);
    }

    #[test]
    fn chinese_names_are_used_on_chinese_systems_only() {
        for locale in ["zh-CN", "zh_TW.UTF-8", "ZH"] {
            assert_eq!(Language::of(locale), Language::Chinese, "{locale}");
        }
        for locale in ["en-GB", "C", "", "zhx"] {
            assert_eq!(Language::of(locale), Language::English, "{locale}");
        }
        let presence: PresenceSettings = toml::from_str("language = 'zh'").expect("valid");
        assert_eq!(presence.language, Some(Language::Chinese));
        assert!(trouble::<PresenceSettings>("language = 'de'").contains("zh"));
    }

    #[test]
    fn unknown_keys_are_refused() {
        assert!(trouble::<PresenceSettings>("intervall = 1").contains("intervall"));
        assert!(trouble::<PresenceSettings>("rules = [{ program = 'a', x = 1 }]").contains('x'));
    }

    #[test]
    fn a_rule_is_read_whole() {
        let rules = "rules = [{ program = '/^code/', title = 'secret', name = 'An editor', \
                     introduce = 'writing', rgba = '1, 2, 3, 0.5', hide = true }]";
        let presence: PresenceSettings = toml::from_str(rules).expect("valid");
        let rule = &presence.rules.expect("rules")[0];
        assert!(matches!(rule.program, Some(Pattern::Expression(_))));
        assert!(matches!(&rule.title, Some(Pattern::Text(text)) if text == "secret"));
        assert_eq!(
            rule.rgba.as_ref().map(ToString::to_string).as_deref(),
            Some("1,2,3,0.5")
        );
        assert!(rule.hide);
    }
}
