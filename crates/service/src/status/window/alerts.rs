//! What needs the owner: one list for the tray and for the window.

use serde::{Deserialize, Serialize};

use crate::settings::window::FileProblem;

/// One thing that needs the owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Alert {
    /// Its kind.
    pub what: AlertKind,
    /// Where it is dealt with.
    pub place: AlertPlace,
}

/// What needs the owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "of", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum AlertKind {
    /// The service is not listening where it should.
    Service,
    /// The data folder is on a network drive, where the database may be damaged.
    DataOnNetwork,
    /// Heartbeats are rejected.
    Heartbeats,
    /// Devices wait until the owner lets readers see them.
    WaitingDevices {
        /// How many.
        #[cfg_attr(test, ts(type = "number"))]
        count: u64,
    },
    /// The tunnel's program is not installed.
    TunnelMissing {
        /// Its name.
        program: String,
    },
    /// The tunnel could not be started.
    TunnelStopped,
    /// The tunnel has been down for long.
    TunnelDown,
    /// A watched folder is not there.
    FolderMissing {
        /// The folder.
        folder: String,
    },
    /// Nothing is uploaded from the watched folders.
    UploadQueue,
    /// The upload server for editors does not listen.
    Editors,
    /// Uploads have failed.
    FailedUploads {
        /// How many.
        #[cfg_attr(test, ts(type = "number"))]
        count: u64,
    },
    /// Files of the watched folders can never work.
    SetAside {
        /// How many.
        #[cfg_attr(test, ts(type = "number"))]
        count: u64,
    },
    /// The Worker does not answer.
    Edge,
    /// The Worker belongs to another Porchlight.
    EdgeOfAnother,
    /// A proxy on the way changes `Host`, so pages of readers are refused.
    HostRewritten,
    /// The Worker's requests are refused, since the clock of this computer is wrong.
    Clock,
    /// The address for the Worker leaves out a tunnel that speaks plain HTTP.
    PlainTunnel,
    /// The Worker cannot send images that are on this machine's disk.
    ImagesOnDisk {
        /// How many.
        #[cfg_attr(test, ts(type = "number"))]
        count: u64,
    },
    /// The plan of the Worker has a limit for each day.
    WorkerDay {
        /// Whether it is reached; otherwise 70 % of it is used.
        spent: bool,
        /// When the day ends, in Unix milliseconds.
        #[cfg_attr(test, ts(type = "number"))]
        until: i64,
    },
    /// The Worker is older than this Porchlight.
    WorkerOutdated,
    /// The file of `ip.mmdb` cannot be used.
    IpFile,
    /// The settings file was edited, and this is wrong in it.
    SettingsFile {
        /// The first thing that is.
        problem: FileProblem,
    },
}

/// A place of the window where a need is dealt with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AlertPlace {
    /// Its tile or line is on the first page.
    Home,
    /// The queue.
    Images,
    /// The devices.
    Presence,
    /// The settings.
    Settings,
}
