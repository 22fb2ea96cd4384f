//! The entries of a Linux desktop, after the Desktop Entry Specification
//! (specifications.freedesktop.org/desktop-entry-spec): one in the menu of applications, a hidden
//! one that file managers offer for pictures, and one that starts the app at login. Where a package
//! brought the first two, the app writes neither.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use porchlight_service::error::message::Message;

use super::{named, not_changed, not_here, remove, utf8, write};

mod text;

use text::{Entry, Kind};

const ICON: &[u8] = include_bytes!("../../icons/128x128.png");
/// The name of the icon, and the prefix of the names of entries.
const NAME: &str = "porchlight";
/// The line with which an entry counts as removed.
const HIDDEN: &str = "Hidden=true";

/// Where entries are, and what they start.
#[derive(Debug, Clone)]
pub(in crate::desktop) struct Entries {
    /// `~/.local/share`
    data_home: PathBuf,
    /// `~/.config`
    config_home: PathBuf,
    program: PathBuf,
    /// The data folder, where it is not the platform's.
    data_dir: Option<PathBuf>,
    /// Distinguishes the entries of one data folder from those of another.
    suffix: String,
    /// Whether a package brought the program with its entries in the menu and in file managers.
    installed: bool,
}

impl Entries {
    /// Those of the app with this data folder.
    ///
    /// # Errors
    /// Where there are none.
    pub(in crate::desktop) fn of(data_folder: &Path) -> Result<Self, Message> {
        let (data_home, config_home) = dirs::data_local_dir()
            .zip(dirs::config_dir())
            .ok_or(not_here())?;
        let (data_dir, suffix) = named(data_folder);
        let program = porchlight_service::files::executable::later().map_err(|_| not_here())?;
        let entries = Self {
            installed: false,
            data_home,
            config_home,
            program,
            data_dir,
            suffix,
        };
        Ok(entries.find_installed())
    }

    /// Notes whether a package brought the entries: they are in `share` of the folder whose `bin`
    /// has the program, start this program, and know no other data folder.
    fn find_installed(self) -> Self {
        let prefix = self.program.parent().and_then(Path::parent);
        let applications = prefix.map(|prefix| prefix.join("share/applications"));
        let command = self.entry(Kind::Application).map(|entry| entry.command());
        let installed = applications
            .filter(|folder| self.data_dir.is_none() && *folder != self.applications())
            .and_then(|folder| fs::read_to_string(folder.join(format!("{NAME}.desktop"))).ok())
            .zip(command.ok())
            .is_some_and(|(text, command)| text.contains(&format!("\nExec={command}\n")));
        Self { installed, ..self }
    }

    /// What the desktop knows the app by: the name of its entry in the menu of
    /// applications.
    pub(in crate::desktop) fn id(&self) -> String {
        format!("{NAME}{}", self.suffix)
    }

    /// Whether the app is in the menu of applications. The user's own entry comes before one of
    /// the system.
    pub(in crate::desktop) fn in_menu(&self) -> bool {
        let text = fs::read_to_string(self.place(Kind::Application));
        text.map_or(self.installed, |text| !is_switched_off(&text))
    }

    /// Puts it there with its icon and "upload with Porchlight", or takes both
    /// away.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(in crate::desktop) fn put_in_menu(&self, there: bool) -> Result<(), Message> {
        if there && !self.installed {
            let icon = self.icon();
            write(&icon, ICON).map_err(|error| not_changed(&icon, error))?;
        }
        for kind in [Kind::Application, Kind::Upload] {
            match (there, self.installed) {
                (true, false) => self.write(kind)?,
                (false, true) => self.hide(kind)?,
                // Without one of the user's own, that of the package counts.
                (true, true) | (false, false) => self.remove(kind)?,
            }
        }
        self.notify_file_managers();
        Ok(())
    }

    /// Whether the app is started at login. A desktop's own settings switch an
    /// entry off in its text.
    pub(in crate::desktop) fn at_login(&self) -> bool {
        let text = fs::read_to_string(self.place(Kind::Login));
        text.is_ok_and(|text| !is_switched_off(&text))
    }

    /// Rewrites the existing entries that differ: the program has
    /// moved, or another version wrote them. Those that a package brings now are removed. Returns
    /// whether any was changed.
    ///
    /// # Errors
    /// When one cannot be written; the others are renewed all the same.
    pub(super) fn renew(&self) -> Result<bool, Message> {
        let mut renewed = Ok(false);
        for kind in [Kind::Application, Kind::Upload, Kind::Login] {
            match self.renew_one(kind) {
                Ok(false) => {}
                changed => renewed = renewed.and(changed),
            }
        }
        if self.installed {
            let icon = remove(self.icon());
            renewed = renewed.and_then(|changed| icon.map(|()| changed));
        }
        renewed
    }

    fn renew_one(&self, kind: Kind) -> Result<bool, Message> {
        let place = self.place(kind);
        let text = match fs::read_to_string(&place) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(not_changed(&place, error)),
        };
        if is_switched_off(&text) {
            return Ok(false);
        }
        if self.installed && kind != Kind::Login {
            self.remove(kind)?;
            return Ok(true);
        }
        if text == self.entry(kind)?.to_string() {
            return Ok(false);
        }
        self.write(kind)?;
        Ok(true)
    }

    /// Starts it at login from now on, hidden, or no longer.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(in crate::desktop) fn start_at_login(&self, starts: bool) -> Result<(), Message> {
        if starts {
            self.write(Kind::Login)
        } else {
            self.remove(Kind::Login)
        }
    }

    fn entry(&self, kind: Kind) -> Result<Entry<'_>, Message> {
        Ok(Entry {
            kind,
            program: utf8(&self.program)?,
            data_dir: self.data_dir.as_deref().map(utf8).transpose()?,
            icon: NAME,
        })
    }

    fn write(&self, kind: Kind) -> Result<(), Message> {
        self.write_text(kind, &self.entry(kind)?.to_string())
    }

    /// Takes the package's entry out of this user's menu.
    fn hide(&self, kind: Kind) -> Result<(), Message> {
        self.write_text(kind, &format!("{}{HIDDEN}\n", self.entry(kind)?))
    }

    fn write_text(&self, kind: Kind, text: &str) -> Result<(), Message> {
        let place = self.place(kind);
        write(&place, text.as_bytes()).map_err(|error| not_changed(&place, error))
    }

    fn remove(&self, kind: Kind) -> Result<(), Message> {
        remove(self.place(kind))
    }

    fn place(&self, kind: Kind) -> PathBuf {
        let (folder, name) = match kind {
            Kind::Application => (self.applications(), NAME),
            Kind::Upload => (self.applications(), "porchlight-upload"),
            Kind::Login => (self.config_home.join("autostart"), NAME),
        };
        folder.join(format!("{name}{}.desktop", self.suffix))
    }

    fn applications(&self) -> PathBuf {
        self.data_home.join("applications")
    }

    fn icon(&self) -> PathBuf {
        self.data_home
            .join("icons/hicolor/128x128/apps")
            .join(format!("{NAME}.png"))
    }

    /// File managers read which entry takes which files from an index.
    pub(super) fn notify_file_managers(&self) {
        let indexed = std::process::Command::new("update-desktop-database")
            .arg(self.applications())
            .output();
        if let Err(error) = indexed {
            tracing::info!(%error, "file managers may offer \"upload with Porchlight\" later");
        }
    }
}

/// Whether somebody switched the entry off and left it where it is.
fn is_switched_off(text: &str) -> bool {
    let switches = [HIDDEN, "X-GNOME-Autostart-enabled=false"];
    text.lines().any(|line| switches.contains(&line.trim()))
}

#[cfg(test)]
mod tests;
