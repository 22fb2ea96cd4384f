//! The tunnel, and where the blog is reached.

use serde::{Deserialize, Serialize};

use crate::error::message::Message;
use crate::text::address::WebAddress;

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
