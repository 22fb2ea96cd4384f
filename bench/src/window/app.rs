//! The tray app, as its owner starts it.

use std::fs::File;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::desktop::{Desktop, Item};
use super::processes;
use super::screen::Screen;
use crate::Result;
use crate::child::Running;

const READY_WITHIN: Duration = Duration::from_secs(60);

/// A tray app that was started hidden; dropping it ends it.
pub(crate) struct App<'a> {
    desktop: &'a Desktop,
    screen: Screen,
    open: Item,
    running: Running,
}

impl<'a> App<'a> {
    /// Starts it on a data folder of this name, in which nothing is shared and
    /// the owner was welcomed already.
    ///
    /// # Errors
    /// When it does not come up, or has no icon in the tray.
    pub(crate) fn start(desktop: &'a Desktop, binary: &Path, folder: &str) -> Result<Self> {
        let folder = desktop.home().join(folder);
        std::fs::create_dir_all(&folder)?;
        let mut command = desktop.command(binary);
        command.arg("--data-dir").arg(&folder).arg("--hidden");
        for setting in SETTINGS {
            command.args(["--set", setting]);
        }
        command
            .stdout(Stdio::piped())
            .stderr(File::create(folder.join("standard-error.log"))?);
        let mut running = Running::start(&mut command)?;
        running
            .lines()
            .recv_timeout(READY_WITHIN)
            .map_err(|_| "the tray app did not come up")?;
        let open = desktop.item(&desktop.icon()?, "Open")?;
        Ok(Self {
            desktop,
            screen: Screen::at(desktop.display())?,
            open,
            running,
        })
    }

    /// Opens the window by the menu of the tray; how long it took from the
    /// click to a drawn page.
    ///
    /// # Errors
    /// When it is not drawn within a minute.
    pub(crate) fn open_window(&self) -> Result<Duration> {
        let began = Instant::now();
        self.desktop.click(&self.open)?;
        self.screen.wait_until_drawn()?;
        Ok(began.elapsed())
    }

    /// Closes the window as its button does.
    ///
    /// # Errors
    /// When it stays.
    pub(crate) fn close_window(&self) -> Result<()> {
        self.screen.close()
    }

    /// Dirty memory of it and all its processes, in bytes.
    ///
    /// # Errors
    /// When it has ended.
    pub(crate) fn dirty_memory(&self) -> Result<u64> {
        let root = self.running.child.id();
        let mut sum = processes::dirty_memory(root)?;
        for one in processes::tree(root).into_iter().skip(1) {
            // One that has just ended takes nothing.
            sum += processes::dirty_memory(one).unwrap_or(0);
        }
        Ok(sum)
    }

    /// The processor's time that it and its processes have taken so far.
    ///
    /// # Errors
    /// When it has ended.
    pub(crate) fn processor_time(&self) -> Result<Duration> {
        let root = self.running.child.id();
        processes::dirty_memory(root)?;
        let all = processes::tree(root).into_iter();
        Ok(all.map(processes::processor_time).sum())
    }
}

/// How the app is started here.
pub(crate) const SETTINGS: [&str; 4] = [
    "server.listen=127.0.0.1:0",
    "presence.enabled=false",
    "app.welcomed=true",
    "game.local_steam=false",
];
