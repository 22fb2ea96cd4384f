//! The types of presence reporting.

use serde::{Deserialize, Serialize};

use crate::error::message::Message;

/// The content of a heartbeat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ShownStatus {
    /// The app, or the fixed status.
    pub application: String,
    /// A line about it.
    pub introduce: String,
    /// `r,g,b,a`; empty when there is none.
    pub rgba: String,
    /// Whether the owner is using it now.
    pub online: bool,
}

/// Why the owner counts as away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AwayBecause {
    /// Nothing was typed or moved for a while, and nothing plays.
    Idle,
    /// The session is locked.
    Locked,
    /// The machine sleeps.
    Asleep,
}

/// For how long presence is paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PauseFor {
    /// For half an hour.
    HalfAnHour,
    /// Until the next day starts.
    UntilTomorrow,
    /// Until it is ended.
    UntilResumed,
}

/// A pause that has started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PauseGlance {
    /// When it ends by itself; `null` for never.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub until: Option<i64>,
}

/// The status that is shown in place of the foreground app.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// In place of the program's name; at most 200 characters.
    pub application: String,
    /// The line about it; at most 2,000 characters.
    pub introduce: String,
    /// `r,g,b,a`; empty for the default.
    pub rgba: String,
    /// When it ends by itself; `null` for never.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub until: Option<i64>,
}

/// A sensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SensorKind {
    /// The foreground window.
    Foreground,
    /// When something was typed or moved.
    Input,
    /// Whether the session is locked.
    Lock,
    /// Whether the machine goes to sleep.
    Sleep,
    /// Whether media play.
    Media,
}

/// A sensor that is unavailable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct UnavailableSensor {
    /// Which.
    pub sensor: SensorKind,
    /// Why.
    pub why: Message,
}

/// The current state of presence reporting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PresenceNow {
    /// The exact content of the next heartbeat; `null` while none is sent.
    pub preview: Option<ShownStatus>,
    /// A pause, if there is one.
    pub pause: Option<PauseGlance>,
    /// The fixed status, if any.
    pub fixed: Option<Status>,
    /// The statuses that were set last, without their ends, newest first; at most five.
    pub recent: Vec<Status>,
    /// Why the owner counts as away, if so.
    pub away: Option<AwayBecause>,
    /// Whether the foreground window is one that is never shared.
    pub hidden: bool,
    /// The sensors that are unavailable.
    pub unavailable: Vec<UnavailableSensor>,
    /// Why the last heartbeat failed.
    pub trouble: Option<Message>,
    /// When it is retried, while there is trouble and a wait.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub next_try: Option<i64>,
}

/// One rule, as it is written in the settings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleText {
    /// The program: plain text, or `/a regular expression/`; `null` for any.
    pub program: Option<String>,
    /// The window's title, likewise.
    pub title: Option<String>,
    /// What the program is called instead.
    pub name: Option<String>,
    /// The line about it.
    pub introduce: Option<String>,
    /// Its colour, `r,g,b,a`.
    pub rgba: Option<String>,
    /// Whether it is hidden.
    pub hide: bool,
}

/// A window that is, or was, in the foreground. It is shown only to the owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ForegroundApp {
    /// The names of its program, the best first.
    pub names: Vec<String>,
    /// The window's title.
    pub title: String,
}

/// What is shared of a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(
    tag = "told",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum Verdict {
    /// Nothing: it is one of those that are never shared.
    Private,
    /// Nothing: a rule hides it.
    Hidden,
    /// This.
    Shown {
        /// The program.
        application: String,
        /// A line about it.
        introduce: String,
        /// `r,g,b,a`.
        rgba: String,
    },
}

/// A rule that is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RuleProblem {
    /// Which, from 0.
    pub rule: u32,
    /// Why.
    pub why: Message,
}

/// The result of rules for the last foreground app that is not Porchlight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Trial {
    /// It; `null` where none is known.
    pub foreground: Option<ForegroundApp>,
    /// The rule that matches, from 0.
    pub rule: Option<u32>,
    /// What would be shared; `null` where no window is known or a rule is
    /// invalid.
    pub verdict: Option<Verdict>,
    /// What is wrong with the rules.
    pub problems: Vec<RuleProblem>,
}

/// A kind of program that is never shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PrivateKind {
    /// Password managers.
    Passwords,
    /// Banks, by the titles of their windows.
    Banks,
    /// Private windows of browsers.
    PrivateWindows,
    /// Lock screens and screen savers.
    LockScreens,
}

/// Programs that are never shared, whatever the rules are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PrivateGroup {
    /// Their kind.
    pub kind: PrivateKind,
    /// Their names, or the text searched for in a title.
    pub names: Vec<String>,
}

/// Everything about presence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PresencePage {
    /// The current state of presence reporting.
    pub presence: PresenceNow,
    /// The last foreground app that is not Porchlight.
    pub foreground: Option<ForegroundApp>,
    /// The owner's rules, in their order.
    pub rules: Vec<RuleText>,
    /// How many programs are known without a rule.
    pub built_in: u32,
    /// What is never shared.
    pub private: Vec<PrivateGroup>,
    /// For how many days the past is kept.
    pub history_days: u32,
}

/// A stretch of time in which readers saw the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PresencePeriod {
    /// When it began.
    #[cfg_attr(test, ts(type = "number"))]
    pub from: i64,
    /// When it ended.
    #[cfg_attr(test, ts(type = "number"))]
    pub to: i64,
    /// What they saw.
    pub shown: ShownStatus,
    /// The name of the device that it was of; none of this computer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub device: Option<String>,
}
