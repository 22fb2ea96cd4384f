//! "Always reachable": the object store, the Worker, its address, and the lines for a blog.

use serde::{Deserialize, Serialize};

use crate::edge::window::{EdgeGlance, EdgeSetup};
use crate::images::window::AddressKind;

/// Everything on the settings page "Always reachable" that is not a setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Reach {
    /// Whose object store the settings name.
    pub store: StoreMaker,
    /// The lines that help with the store and the Worker. None holds a secret.
    pub lines: ReachLines,
    /// The variables of the Worker but for the secret, each with its value.
    pub variables: Vec<(String, String)>,
    /// Whether there is a key that the Worker and the service share.
    pub has_key: bool,
    /// How the Worker is doing.
    pub edge: EdgeGlance,
    /// The Worker at Cloudflare.
    pub setup: EdgeSetup,
}

/// Who made an object store: what to do in it differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum StoreMaker {
    /// Cloudflare's R2.
    R2,
    /// A store on an own server or network, such as Garage.
    Own,
    /// Another one.
    Other,
}

/// Lines that can be copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ReachLines {
    /// Deploys the Worker.
    pub deploy: String,
    /// Rules for other sites, as the page of R2 takes them.
    pub cors: String,
    /// The command that sets such rules at other stores.
    pub cors_command: String,
    /// The command that lets everybody read a bucket of Garage.
    pub website: String,
}

/// What of the Worker can be copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ReachText {
    /// See [`ReachLines`].
    Deploy,
    /// See [`ReachLines`].
    Cors,
    /// See [`ReachLines`].
    CorsCommand,
    /// See [`ReachLines`].
    Website,
    /// The key that it shares with the service. It goes to the clipboard alone.
    Secret,
}

/// The files of the Worker that were written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct EdgeFiles {
    /// Where they are.
    pub folder: String,
}

/// The form of the lines for a blog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum BlogForm {
    /// HTML.
    Html,
    /// A component of Astro, which must leave the script as it is.
    Astro,
    /// A script of Hexo that puts the HTML on each page, since a theme from npm has no folder to edit.
    Hexo,
    /// The `head` of a VitePress or VuePress configuration, and the element.
    Vue,
}

/// The lines for a blog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct BlogLines {
    /// The lines.
    pub text: String,
    /// The address in them.
    pub url: String,
    /// How long it leads here, and for whom.
    pub kind: AddressKind,
    /// Whether the lines hold the script itself.
    pub whole: bool,
    /// When somebody else than this machine last asked for the status, in this run.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub last_asked: Option<i64>,
}
