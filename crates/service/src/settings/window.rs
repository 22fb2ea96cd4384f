//! Settings, tokens, and the maintenance of the data folder.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::blog::window::AdoptReport;
use crate::error::message::Message;
use crate::tokens::scope::Scope;

/// The layer that sets a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SettingLayer {
    /// Not set: the default.
    Default,
    /// The settings file.
    File,
    /// The environment; the file changes nothing.
    Environment,
    /// The command line; the file changes nothing.
    CommandLine,
}

/// One setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Setting {
    /// `section.name`
    pub key: String,
    /// Its value as JSON; `null` when unset, and always for a secret.
    #[cfg_attr(test, ts(type = "SettingValue"))]
    pub value: Value,
    /// Its default value.
    #[cfg_attr(test, ts(type = "SettingValue"))]
    pub default: Value,
    /// A secret: it can be written, never read.
    pub secret: bool,
    /// Whether it is set.
    pub set: bool,
    /// The layer that sets it.
    pub layer: SettingLayer,
}

/// Everything about the settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SettingsPage {
    /// All of them.
    pub settings: Vec<Setting>,
    /// The settings file.
    pub file: String,
    /// The data folder.
    pub folder: String,
    /// Whether the app is started at login; `null` where that is unknown.
    pub starts_at_login: Option<bool>,
    /// Whether there is an entry in the menu of applications, and "upload with
    /// Porchlight" for images; `null` where there is no such thing.
    pub menu_entry: Option<bool>,
    /// The global shortcut that uploads the clipboard.
    pub shortcut: ShortcutGlance,
    /// Errors in the settings file, if it was edited and is invalid.
    pub file_problems: Vec<FileProblem>,
}

/// The state of the global shortcut that uploads the clipboard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ShortcutGlance {
    /// Whether this desktop supports global shortcuts.
    pub possible: bool,
    /// Why there are none, or not those of the settings.
    pub trouble: Option<Message>,
    /// The desktop's name for the shortcut, where the desktop assigns it.
    pub given: Option<String>,
}

/// Why a setting is rejected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SettingProblem {
    /// `section.name`; empty where it is about more than one.
    pub key: String,
    /// What is wrong, with what would be right.
    pub why: Message,
}

/// An error in the settings file, which was edited while the app ran. The
/// previous settings stay in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FileProblem {
    /// The line, where it is one; the first is 1.
    pub line: Option<u32>,
    /// `section.name`, where it is about one setting.
    pub key: Option<String>,
    /// What is wrong, with what would be right.
    pub why: Message,
}

/// The theme and the language of the window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Appearance {
    /// `system`, `light` or `dark`.
    pub theme: String,
    /// `system`, `en` or `zh`.
    pub language: String,
    /// The language of the system, such as `zh-CN`.
    pub system_language: String,
}

/// A token, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TokenGlance {
    /// Its number.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it may do.
    pub scope: Scope,
    /// When it was made.
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at: i64,
    /// When it was last used.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub last_used: Option<i64>,
}

/// A program that images can be uploaded from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Editor {
    /// A `.sxcu` file.
    ShareX,
    /// A line for a shell.
    Curl,
    /// A custom command.
    Typora,
    /// A line for a key of the desktop.
    Flameshot,
    /// A script.
    Ksnip,
    /// A token for the API of Lsky Pro.
    Lsky,
    /// A token for the API of Chevereto.
    Chevereto,
}

/// What was made for an editor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct EditorSetup {
    /// The file that was written, if it was one; else it is on the clipboard.
    pub file: Option<String>,
    /// The name of the token that it carries.
    pub token: String,
}

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct LogLine {
    /// When, as written in the log.
    pub at: String,
    /// `ERROR`, `WARN`, `INFO` or `DEBUG`.
    pub level: String,
    /// Its text.
    pub text: String,
}

/// Maintenance work on the data folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum WorkKind {
    /// A backup is written.
    Backup,
    /// Every stored file is verified.
    Check,
    /// Faults are repaired.
    Repair,
    /// Images move to the other storage.
    Move,
    /// A backup is verified, and then prepared for the next start.
    Restore,
    /// Images of another server are fetched.
    Import,
    /// Images of a blog are fetched, and its posts changed.
    Adopt,
}

/// How far it has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Work {
    /// What is being done.
    pub kind: WorkKind,
    /// Images that are done.
    #[cfg_attr(test, ts(type = "number"))]
    pub done: u64,
    /// Images in all, where that is known.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub of: Option<u64>,
    /// Whether it was cancelled and is about to end.
    pub cancelling: bool,
    /// Whether it can be cancelled now.
    pub cancellable: bool,
}

/// Its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct WorkReport {
    /// What was done.
    pub kind: WorkKind,
    /// Images that are intact, or were backed up, moved or imported; of cancelled work, images that were
    /// done.
    #[cfg_attr(test, ts(type = "number"))]
    pub good: u64,
    /// The faults; at most a hundred.
    pub wrong: Vec<Message>,
    /// The repaired faults.
    #[cfg_attr(test, ts(type = "number"))]
    pub mended: u64,
    /// The file that was written, if one was.
    pub file: Option<String>,
    /// The secrets that are in that file, by their names.
    pub secrets: Vec<String>,
    /// Images of an import that were here before.
    #[cfg_attr(test, ts(type = "number"))]
    pub already_here: u64,
    /// Whether it was cancelled.
    pub cancelled: bool,
    /// Of an adoption that was not.
    pub adopted: Option<AdoptReport>,
}

/// The maintenance of the data folder in this run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MaintenanceGlance {
    /// What is being done, if anything is.
    pub work: Option<Work>,
    /// The last result of each kind of work, the newest last.
    pub reports: Vec<WorkReport>,
}
