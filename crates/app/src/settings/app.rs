//! `[app]`: the tray app itself, how it looks and what it does by itself.

use serde::{Deserialize, Deserializer, Serialize};

use super::shortcut::Shortcut;

/// `[app]`
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct AppSettings {
    /// The colours of the window.
    pub theme: Theme,
    /// The language of the window, the tray and the notifications.
    pub language: AppLanguage,
    /// Whether the owner was welcomed already.
    pub welcomed: bool,
    /// Whether a notification says what came of an upload that was made
    /// without the window.
    pub notifications: bool,
    /// The keys that upload what is on the clipboard, such as
    /// `Ctrl+Alt+U`; empty for none.
    #[serde(deserialize_with = "shortcut")]
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

/// The colours of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// What the system has.
    System,
    /// Paper.
    Light,
    /// Night.
    Dark,
}

/// The language of the app.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub enum AppLanguage {
    /// What the system speaks.
    #[serde(rename = "system")]
    System,
    /// English.
    #[serde(rename = "en")]
    English,
    /// Simplified Chinese.
    #[serde(rename = "zh")]
    Chinese,
}

fn shortcut<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if !text.is_empty() {
        text.parse::<Shortcut>().map_err(serde::de::Error::custom)?;
    }
    Ok(text)
}
