//! What a host is started with.

use std::net::SocketAddr;
use std::path::PathBuf;

/// What was asked for when the program was started.
// No `Debug`: `set` can hold secrets.
#[derive(Clone, Default)]
pub struct StartOptions {
    /// The data folder; `None` for the platform's place.
    pub data_dir: Option<PathBuf>,
    /// Where to listen; `None` for the address of the settings.
    pub listen: Option<SocketAddr>,
    /// Settings for this run, each as `key=value`.
    pub set: Vec<String>,
    /// Keeps the app's own secrets in their file, also where there is a keyring: tests must not
    /// touch the one of the user who runs them.
    pub without_keyring: bool,
}

/// What is around the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing: the service alone.
    Serve,
    /// The tray app, which also sends heartbeats and uploads images.
    Desktop,
}

#[derive(Debug, Default)]
pub struct TrayOptions {
    pub hidden: bool,
    /// Files to upload, by the app that runs already if there is one.
    pub upload: Vec<PathBuf>,
    /// Upload what is on the clipboard, likewise.
    pub upload_clipboard: bool,
}
