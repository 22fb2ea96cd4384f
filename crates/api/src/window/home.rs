//! The home page: presence, and the status of every service.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{
    Alert, DevicesGlance, EdgeGlance, FileProblem, GameGlance, LinkForm, Picture, PresenceNow,
    ReaderCount, SnapshotGlance,
};
use crate::{Message, WebAddress};

/// Whether the owner shares their presence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// The owner has not decided yet: nothing is reported.
    Unasked,
    /// The owner has declined.
    Off,
    /// Heartbeats are posted.
    On,
    /// The owner has consented and paused it.
    Paused,
}

/// Presence as readers see it: the answer of `/check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Light {
    /// Whether the last heartbeat is recent enough.
    pub alive: bool,
    /// Whether the owner is using this app now.
    pub online: bool,
    /// The program; empty when none was named.
    pub application: String,
    /// A line about it.
    pub introduce: String,
    /// `r,g,b,a`; empty when there is none.
    pub rgba: String,
    /// Unix seconds; `null` before the first heartbeat.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub last_heartbeat: Option<i64>,
    /// Since when readers see what they see now.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub since: Option<i64>,
    /// Why the last heartbeat could not be posted, if so.
    pub trouble: Option<Message>,
}

/// How long an address leads here, and for whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AddressKind {
    /// The owner's own: links that are made with it last.
    Permanent,
    /// A tunnel printed it: after its next start it is another one.
    Temporary,
    /// Only this machine or its network reaches it.
    Local,
}

impl AddressKind {
    /// The kind of an address that the owner chose.
    #[must_use]
    pub fn of_chosen(address: &WebAddress) -> Self {
        match address.is_local() {
            true => Self::Local,
            false => Self::Permanent,
        }
    }
}

/// Where the service answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Address {
    /// The address for a blog: the public one, or the local one.
    pub url: String,
    /// How long `url` leads here, and for whom.
    pub kind: AddressKind,
    /// Whether it is `server.public_url`, and led here when that was last tried.
    pub reached: bool,
    /// The local port; `null` while the service is not listening.
    pub port: Option<u16>,
    /// Why it is not listening, if so.
    pub trouble: Option<Message>,
}

/// How the owner's links are made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct LinkGlance {
    /// The form that they have; [`LinkForm::Own`] where it has no name.
    pub form: LinkForm,
    /// Its text, with `{url}` for the address.
    pub template: String,
}

/// Caches that can keep a deleted image for a while, beside those of browsers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Caches {
    /// That of a Worker at the edge.
    pub edge: bool,
    /// A CDN in front of the object store.
    pub store: bool,
}

/// What the tunnel is doing, and why it cannot.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(
    tag = "state",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum TunnelState {
    /// The settings name none, or it was stopped with the service.
    #[default]
    Off,
    /// Its program was started and has not named an address yet.
    Starting,
    /// The address is being probed.
    Checking {
        /// The public address.
        #[cfg_attr(test, ts(type = "string"))]
        address: WebAddress,
    },
    /// Readers come in by it.
    Up {
        /// The public address.
        #[cfg_attr(test, ts(type = "string"))]
        address: WebAddress,
        /// Since when it has led here without a break.
        #[cfg_attr(test, ts(type = "number"))]
        since: i64,
        /// The latency of the last reachability probe, in milliseconds.
        round_trip: Option<u32>,
        /// A proxy on the way changes `Host`, so that pages of readers are refused.
        host_rewritten: bool,
    },
    /// It ended or led nowhere, and is started again.
    Waiting {
        /// The failure.
        why: Message,
        /// When it is started again.
        #[cfg_attr(test, ts(type = "number"))]
        next_try: i64,
    },
    /// Its program is not installed, or the file that the settings name cannot
    /// be started. It is searched for repeatedly.
    Missing {
        /// The program's name, or the path of the file.
        program: String,
        /// What is wrong with the configured file.
        why: Option<Message>,
        /// The line that installs it, where there is one for all.
        install: Option<String>,
    },
    /// It could not be started. It is retried on request, and when settings are
    /// saved.
    Stopped {
        /// Why.
        why: Message,
    },
}

/// The state of a watched folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FolderState {
    /// It was not scanned yet.
    New,
    /// The system reports changes in it.
    Watched,
    /// It is scanned every few seconds.
    Polled,
    /// It is missing or not readable; it is checked every two seconds.
    Missing,
}

/// One watched folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FolderStatus {
    /// The folder, as the owner wrote it.
    pub folder: String,
    /// Its state.
    pub state: FolderState,
    /// Why it is polled or missing.
    pub why: Option<Message>,
}

/// The status of the watched folders.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct WatchStatus {
    /// The folders; none when nothing is watched.
    pub folders: Vec<FolderStatus>,
    /// Uploads are paused; files are still noticed.
    pub paused: bool,
    /// Files that wait to be uploaded.
    #[cfg_attr(test, ts(type = "number"))]
    pub waiting: u64,
    /// Files that were set aside, because they can never be uploaded.
    #[cfg_attr(test, ts(type = "number"))]
    pub set_aside: u64,
    /// Names of files being uploaded.
    pub under_way: Vec<String>,
    /// Why nothing is uploaded; it is retried automatically.
    pub trouble: Option<Message>,
}

impl WatchStatus {
    /// Of folders that are not watched yet.
    #[must_use]
    pub fn unwatched(folders: &[PathBuf]) -> Self {
        let folders = folders.iter().map(|folder| FolderStatus {
            folder: folder.display().to_string(),
            state: FolderState::New,
            why: None,
        });
        Self {
            folders: folders.collect(),
            ..Self::default()
        }
    }
}

/// The status of the upload server for editors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(
    tag = "state",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum EditorsGlance {
    /// It is switched off.
    Off,
    /// Editors can upload at this port.
    Listening {
        /// The port on loopback.
        port: u16,
    },
    /// It cannot listen.
    Trouble {
        /// Why.
        why: Message,
    },
}

/// Everything on the first page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Home {
    /// The alerts, the most severe first.
    pub alerts: Vec<Alert>,
    /// Presence as readers see it.
    pub light: Light,
    /// Whether presence is shared.
    pub sharing: Sharing,
    /// Whether a pause, or its end, is still being written to the snapshot.
    pub settling: bool,
    /// The status of presence reporting.
    pub presence: PresenceNow,
    /// The owner's devices.
    pub devices: DevicesGlance,
    /// Where the blog finds it.
    pub address: Address,
    /// How links are made.
    pub links: LinkGlance,
    /// What can keep a deleted image.
    pub caches: Caches,
    /// The tunnel.
    pub tunnel: TunnelState,
    /// The address of the Worker.
    pub edge: EdgeGlance,
    /// The snapshot; `null` while nothing is published.
    pub snapshot: Option<SnapshotGlance>,
    /// The watched folders.
    pub watching: WatchStatus,
    /// The upload server for editors.
    pub editors: EditorsGlance,
    /// The game status.
    pub game: GameGlance,
    /// Images in all.
    #[cfg_attr(test, ts(type = "number"))]
    pub picture_count: u64,
    /// The newest twelve.
    pub newest: Vec<Picture>,
    /// Readers since midnight.
    pub readers_today: ReaderCount,
    /// Calls in each of the last 24 hours, the running hour last.
    #[cfg_attr(test, ts(type = "Array<number>"))]
    pub calls_by_hour: Vec<u64>,
    /// Of these calls, those that were answered with an image.
    #[cfg_attr(test, ts(type = "number"))]
    pub pictures_served: u64,
    /// Whether the icon is in a tray; where it is not, the window explains how
    /// to reopen it.
    pub tray: bool,
    /// Whether the welcome was shown already.
    pub welcomed: bool,
    /// Whether changed settings take effect only after a restart.
    pub needs_restart: bool,
    /// Errors in the settings file, if it was edited and is invalid.
    pub file_problems: Vec<FileProblem>,
    /// The program's version.
    pub version: String,
}
