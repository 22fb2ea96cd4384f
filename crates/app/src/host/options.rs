//! What a host is started with.

use std::net::SocketAddr;
use std::path::PathBuf;

/// What was asked for when the program was started.
// No `Debug`: `set` can hold secrets.
#[derive(Clone, Default)]
pub struct StartOptions {
    /// The data folder; `None` for the platform's place.
    pub data_dir: Option<PathBuf>,
    /// Where to listen; `None` for what the settings say.
    pub listen: Option<SocketAddr>,
    /// Settings for this run, each as `key=value`.
    pub set: Vec<String>,
}

/// What is around the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing: the service alone.
    Serve,
    /// The tray app, which also sends heartbeats and uploads images.
    Desktop,
}
