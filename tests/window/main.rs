//! The tray app in a real window: the shipped binary under Xvfb, with its own
//! window manager, session bus and tray, used as its owner uses it.
//!
//! Needs what `cargo xtask setup` installs. Everything that is started here is
//! ended here, and listens on loopback alone.

#![cfg(target_os = "linux")]

mod accessibility;
mod app;
mod appearance;
mod blog;
mod blogs;
mod close_and_quit;
mod colour_scheme;
mod commands;
mod deleting;
mod devices;
mod dialog;
mod driver;
mod dropping;
mod external_uploads;
mod first_minutes;
mod first_run;
mod game;
mod home;
mod input;
mod keyboard;
mod keyring;
mod killed;
mod large;
mod layout;
mod native;
mod not_started;
mod notices;
mod notifications;
mod pasting;
mod photos;
mod pictures;
mod pointer;
mod portal;
mod presence;
mod reach;
mod restoring;
mod rules;
mod sample_data;
mod sample_images;
mod screen_reader;
mod screenshot_environment;
mod screenshots;
mod second_start;
mod secrets;
mod settings;
mod shortcut;
mod software_rendering;
mod statistics;
mod switching;
mod tokens;
mod tray_menu;
mod trayless;
mod watched_folder;
mod wayland;

use harness::{bus, desktop, edge, process_group, stand_in, steam, sway, tray};
use porchlight_test_harness as harness;
use std::future::Future;
use std::time::{Duration, Instant};

use harness::TIMEOUT;
use harness::deadline::waits_for;

/// The polling interval for what does not announce its changes.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Looks until there is something to see.
///
/// # Panics
/// When there is nothing for too long.
async fn eventually<T, F: Future<Output = Option<T>>>(what: &str, look: impl FnMut() -> F) -> T {
    waits_for(what);
    let Some(seen) = within(TIMEOUT, look).await else {
        panic!("not within {TIMEOUT:?}: {what}");
    };
    seen
}

/// Looks until there is something to see; `None` when that takes longer.
async fn within<T, F: Future<Output = Option<T>>>(
    limit: Duration,
    mut look: impl FnMut() -> F,
) -> Option<T> {
    let started = Instant::now();
    while started.elapsed() < limit {
        if let Some(seen) = look().await {
            return Some(seen);
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
    None
}
