//! `[app]`: the tray app itself, how it looks and what it does by itself; and `[update]`.

use serde::{Deserialize, Serialize};

use crate::text::address::WebAddress;

/// `[app]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct AppSettings {
    pub theme: Theme,
    /// The language of the window, the tray and the notifications.
    pub language: AppLanguage,
    pub welcomed: bool,
    /// Whether a notification shows the result of an upload that was made
    /// without the window.
    pub notifications: bool,
    /// The keys that upload what is on the clipboard, such as
    /// `Ctrl+Alt+U`; empty for none.
    pub upload_shortcut: String,
}

impl Default for AppSettings {
    fn default() -> Self {
        Self {
            theme: Theme::System,
            language: AppLanguage::System,
            welcomed: false,
            notifications: true,
            upload_shortcut: String::new(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    System,
    Light,
    Dark,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub enum AppLanguage {
    #[serde(rename = "system")]
    System,
    #[serde(rename = "en")]
    English,
    /// Simplified Chinese.
    #[serde(rename = "zh")]
    Chinese,
}

/// `[update]`: where newer releases are announced, and who may announce them.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct UpdateSettings {
    /// The address of `latest.json`; unset: there is no check for updates.
    pub url: Option<WebAddress>,
    /// The minisign key that signs it: the second line of `minisign.pub`.
    pub public_key: Option<String>,
}
