//! The settings of the owner's machine, one struct a section of
//! `settings.toml`.
//!
//! The table of all settings in the app has the bounds of each, and refuses what is beyond them.

use std::path::PathBuf;

use porchlight_api::WebAddress;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::link::LinkTemplate;

mod pattern;
mod rule;

pub use pattern::{AddressPattern, Pattern};
pub use rule::Rule;

/// `[presence]`: the heartbeat reporter.
#[derive(Debug, Clone, Deserialize, Serialize)]
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
    pub token: Option<SecretString>,
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

/// What happens to an image in a watched folder once it is uploaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AfterUpload {
    #[default]
    Keep,
    /// It is moved to a subfolder.
    Archive,
    Trash,
}

/// `[watch]`
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct WatchSettings {
    /// The watched folders, as absolute paths.
    pub folders: Vec<PathBuf>,
    /// Whether the folders inside them are watched too.
    pub recursive: bool,
    pub after: AfterUpload,
    /// Whether to upload images that exist when a folder is watched for the
    /// first time.
    pub existing: bool,
    /// Whether the folders are scanned every few seconds, also where the system
    /// reports changes; network folders always are.
    pub poll: bool,
    /// Whether the link of an uploaded image goes to the clipboard.
    pub copy_link: bool,
}

impl Default for WatchSettings {
    fn default() -> Self {
        Self {
            folders: Vec::new(),
            recursive: true,
            after: AfterUpload::Keep,
            existing: true,
            poll: false,
            copy_link: false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TunnelKind {
    #[default]
    None,
    Cloudflared,
    /// A remote forward of the `ssh` command.
    Ssh,
    /// The owner's own command.
    Command,
}

/// `[tunnel]`
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct TunnelSettings {
    pub kind: TunnelKind,
    /// The program that is started, from the root on; `None` where it is found
    /// by the name that the kind or the command has for it.
    pub program: Option<PathBuf>,
    /// The token of a named tunnel.
    #[serde(skip_serializing)]
    pub cloudflared_token: Option<SecretString>,
    /// The name that a named tunnel is reached by.
    pub hostname: Option<String>,
    /// `user@host`.
    pub ssh_host: Option<String>,
    /// The remote port; 0 lets the other end choose.
    pub ssh_port: u16,
    pub public_url: Option<WebAddress>,
    /// The command as a list of words; `{port}` is replaced.
    pub command: Option<Vec<String>>,
    /// Finds the public address in what the command prints.
    pub pattern: Option<AddressPattern>,
    /// The port on loopback that the tunnel leads to; 0 takes a free one.
    pub port: u16,
    /// How often it is looked, from outside, whether the tunnel leads here.
    pub check_seconds: u64,
}

impl Default for TunnelSettings {
    fn default() -> Self {
        Self {
            kind: TunnelKind::None,
            program: None,
            cloudflared_token: None,
            hostname: None,
            ssh_host: None,
            ssh_port: 0,
            public_url: None,
            command: None,
            pattern: None,
            port: 0,
            check_seconds: 60,
        }
    }
}

/// `[picgo]`: the upload server that writing programs know.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct PicGoSettings {
    pub enabled: bool,
    /// Its port on loopback.
    pub port: u16,
    /// What its callers must know.
    #[serde(skip_serializing)]
    pub secret: Option<SecretString>,
}

impl Default for PicGoSettings {
    fn default() -> Self {
        Self {
            enabled: false,
            port: 36677,
            secret: None,
        }
    }
}

/// `[links]`
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct LinksSettings {
    /// What goes to the clipboard for an image.
    pub template: LinkTemplate,
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let picgo: PicGoSettings = toml::from_str("").expect("valid");
        assert_eq!(picgo.port, 36677);
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
