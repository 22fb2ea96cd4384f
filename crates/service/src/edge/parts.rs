//! What the Worker answers readers with, beside the images: the parts of a call that are sent when they
//! have changed.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::devices::DeviceItem;
use crate::game::CurrentGame;
use crate::http::replies::{Check, GameStatus};
use crate::images::Delivery;
use crate::presence::Presence;
use crate::presence::lanyard::LanyardAnswer;
use crate::storage::StorageKind;
use crate::text::address::WebAddress;

/// Whether the service is there for readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ServiceState {
    /// It is.
    #[default]
    Running,
    /// The owner shows nothing.
    Paused,
    /// The machine sleeps.
    Asleep,
    /// The process has stopped.
    Stopped,
}

/// The settings that answers depend on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct AnswerSettings {
    pub(crate) delivery: Delivery,
    pub(crate) storage: StorageKind,
    pub(crate) storage_url: Option<WebAddress>,
    pub(crate) requests_per_second: u64,
    pub(crate) burst: u64,
    /// `game.report_offline`
    #[serde(skip)]
    pub(crate) reports_offline: bool,
}

/// By their names, and until when they hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Parts {
    /// Each as JSON, in which bodies are written as the service writes them.
    pub(super) parts: BTreeMap<&'static str, String>,
    /// Until when the presence is valid, in Unix seconds.
    pub(super) valid_until: i64,
    /// When the first report of a device beside this computer ends, in Unix seconds.
    pub(super) device_ends: Option<i64>,
}

impl Parts {
    /// What readers are to see `now`, in Unix seconds.
    pub(super) fn now(
        now: i64,
        presence: &Presence,
        game: &CurrentGame,
        settings: &AnswerSettings,
        widget: &str,
    ) -> Self {
        let shown = presence.shown();
        let valid_until = shown.valid_until;
        let check = shown.check.clone();
        let check_over = shown.over().check;
        let lanyard = [LanyardAnswer::now(presence), LanyardAnswer::over(presence)];
        let devices = presence.devices();
        let ends = devices.iter().filter_map(|device| device.valid_until);
        let device_ends = ends.filter(|end| *end >= now).min();
        let over_game = match settings.reports_offline {
            true => GameStatus::OFFLINE,
            false => GameStatus::ONLINE,
        };
        let presence = PresencePart {
            check: &check,
            check_over,
            lanyard: lanyard[0].data(),
            lanyard_over: lanyard[1].data(),
        };
        let game = NowAndOver {
            now: game.get().known().status,
            over: GameStatus::plain(over_game),
        };
        let devices: Vec<_> = devices.into_iter().map(DevicePart::of).collect();
        let parts = [
            ("presence", text(&presence)),
            ("game", text(&game)),
            ("devices", text(&devices)),
            ("settings", text(settings)),
            ("widget", text(&widget)),
        ];
        Self {
            parts: parts.into(),
            valid_until,
            device_ends,
        }
    }

    /// Whether readers see a difference to what was sent before; a heartbeat alone is none.
    pub(super) fn shows_another(&self, sent: &Self) -> bool {
        let shown = |parts: &Self| {
            let parts = parts.parts.iter();
            let parts = parts.map(|(name, part)| Some((*name, timeless(&parsed(part)?))));
            parts.collect::<Option<Vec<_>>>()
        };
        shown(self) != shown(sent)
    }

    /// Those that differ from what was sent before.
    pub(super) fn since(&self, sent: &Self) -> impl Iterator<Item = (&'static str, &str)> {
        let parts = self.parts.iter().map(|(name, part)| (*name, part.as_str()));
        parts.filter(|(name, part)| sent.parts.get(name).is_none_or(|sent| sent != part))
    }
}

#[derive(Serialize)]
struct PresencePart<'a> {
    check: &'a Check,
    check_over: Check,
    lanyard: Option<&'a Value>,
    lanyard_over: Option<&'a Value>,
}

#[derive(Serialize)]
struct NowAndOver<T> {
    now: T,
    over: T,
}

#[derive(Serialize)]
struct DevicePart {
    /// Until when its report is valid, in Unix seconds.
    until: Option<i64>,
    #[serde(flatten)]
    shown: NowAndOver<DeviceItem>,
}

impl DevicePart {
    fn of(mut now: DeviceItem) -> Self {
        let until = now.valid_until.take();
        let mut over = now.clone();
        over.hide();
        let shown = NowAndOver { now, over };
        Self { until, shown }
    }
}

fn text(part: &impl Serialize) -> String {
    serde_json::to_string(part).expect("plain data")
}

fn parsed(part: &str) -> Option<Value> {
    serde_json::from_str(part).ok()
}

/// The same without what each heartbeat changes.
fn timeless(part: &Value) -> Value {
    match part {
        Value::Object(fields) => {
            let is_shown = |name: &String| !matches!(name.as_str(), "last_heartbeat" | "until");
            let shown = fields.iter().filter(|(name, _)| is_shown(name));
            shown
                .map(|(name, part)| (name.clone(), timeless(part)))
                .collect()
        }
        Value::Array(parts) => parts.iter().map(timeless).collect(),
        other => other.clone(),
    }
}
