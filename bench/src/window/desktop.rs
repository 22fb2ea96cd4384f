//! A desktop for the bench: a virtual screen, a window manager, a session bus
//! that starts no services, and a tray.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use crate::Result;
use crate::child::{LOOK_EVERY, Running, output};

const READY_WITHIN: Duration = Duration::from_secs(30);
const BUS: &str = r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir=FOLDER</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"#;
/// The interpreter that the distribution's python3-gi belongs to, and the tray
/// of the tests.
const PYTHON: &str = "/usr/bin/python3";
const TRAY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/harness/tray.py");

/// A desktop; dropping it ends everything on it.
pub(crate) struct Desktop {
    /// A line for each icon that registers.
    icons: Receiver<String>,
    _tray: Running,
    _manager: Running,
    _screen: Running,
    _bus: Running,
    environment: Vec<(&'static str, String)>,
    home: PathBuf,
}

/// An icon in the tray: its name on the bus, its object, and its menu's.
pub(crate) struct Icon {
    name: String,
    path: String,
}

impl Desktop {
    /// Starts one whose home folder is `home`.
    ///
    /// # Errors
    /// When something that it needs is not installed, by its name.
    pub(crate) fn start(home: &Path) -> Result<Self> {
        let run = home.join("run");
        fs::create_dir_all(&run)?;
        #[cfg(unix)]
        fs::set_permissions(&run, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
        let config = home.join("bus.conf");
        fs::write(&config, BUS.replace("FOLDER", &run.to_string_lossy()))?;
        let mut environment = vec![
            ("HOME", home.to_string_lossy().into_owned()),
            ("PATH", std::env::var("PATH").unwrap_or_default()),
            ("XDG_RUNTIME_DIR", run.to_string_lossy().into_owned()),
            ("LC_ALL", "C.UTF-8".to_owned()),
            ("GTK_A11Y", "none".to_owned()),
            ("NO_AT_BRIDGE", "1".to_owned()),
        ];
        let log = fs::File::create(home.join("desktop.log"))?;
        let start = |program: &str, words: &[&str], environment: &[(&str, String)]| {
            let mut command = Command::new(program);
            command.args(words).env_clear();
            command.envs(environment.iter().map(|(name, value)| (name, value)));
            command.stdin(Stdio::null()).stdout(Stdio::piped());
            command.stderr(log.try_clone()?);
            Running::start(&mut command)
        };
        let first = |running: &mut Running| -> Result<String> {
            let line = running.lines().recv_timeout(READY_WITHIN);
            Ok(line.map_err(|_| "a part of the desktop did not start")?)
        };

        let config = format!("--config-file={}", config.display());
        let bus_words = ["--nofork", "--print-address=1", &config];
        let mut bus = start("dbus-daemon", &bus_words, &environment)?;
        environment.push(("DBUS_SESSION_BUS_ADDRESS", first(&mut bus)?));
        let screen = "-displayfd 1 -screen 0 1280x1000x24 -nolisten tcp -noreset";
        let screen: Vec<&str> = screen.split(' ').collect();
        let mut screen = start("Xvfb", &screen, &environment)?;
        environment.push(("DISPLAY", format!(":{}", first(&mut screen)?.trim())));
        let manager = start("openbox", &["--sm-disable"], &environment)?;
        let mut tray = start(PYTHON, &[TRAY, "watch"], &environment)?;
        let icons = tray.lines();
        icons.recv_timeout(READY_WITHIN).map_err(|_| {
            let log = fs::read_to_string(home.join("desktop.log")).unwrap_or_default();
            format!("the tray did not start: {log}")
        })?;
        let desktop = Self {
            icons,
            _tray: tray,
            _manager: manager,
            _screen: screen,
            _bus: bus,
            environment,
            home: home.to_owned(),
        };
        let asked = Instant::now();
        while output(desktop.command("xdotool").arg("get_num_desktops")).is_err() {
            if asked.elapsed() > READY_WITHIN {
                return Err("the window manager did not start".into());
            }
            std::thread::sleep(LOOK_EVERY);
        }
        Ok(desktop)
    }

    /// A command on this desktop, with nothing else in its environment.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().stdin(Stdio::null());
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// The home folder of its user.
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// The name of its screen.
    pub(crate) fn display(&self) -> &str {
        let display = |(name, _): &&(&str, String)| *name == "DISPLAY";
        let (_, display) = self
            .environment
            .iter()
            .find(display)
            .expect("set at the start");
        display
    }

    /// The icon that registers next.
    ///
    /// # Errors
    /// When none does for half a minute.
    pub(crate) fn icon(&self) -> Result<Icon> {
        let line = self.icons.recv_timeout(READY_WITHIN);
        let line = line.map_err(|_| "no icon came into the tray")?;
        let mut words = line.split_whitespace().skip(1).map(str::to_owned);
        let (Some(name), Some(path)) = (words.next(), words.next()) else {
            return Err(format!("an icon without a name: {line}").into());
        };
        Ok(Icon { name, path })
    }

    /// The number, in an icon's menu, of the item that starts with `label`, and
    /// the menu's object.
    ///
    /// # Errors
    /// When there is no such item.
    pub(crate) fn item(&self, icon: &Icon, label: &str) -> Result<Item> {
        let menu = self.tray(icon, "menu")?;
        let items: serde_json::Value = serde_json::from_str(&menu)?;
        let items = items.as_array().ok_or("a menu is a list")?;
        let labelled = |item: &&serde_json::Value| {
            item["label"]
                .as_str()
                .is_some_and(|text| text.starts_with(label))
        };
        let item = items.iter().find(labelled);
        let number = item.and_then(|item| item["id"].as_i64());
        Ok(Item {
            name: icon.name.clone(),
            menu: self.tray(icon, "object")?.trim().to_owned(),
            number: number.ok_or_else(|| format!("the menu has no {label:?}: {menu}"))?,
        })
    }

    /// Clicks an item. The time of the D-Bus call is part of the measurement.
    ///
    /// # Errors
    /// When the icon is gone.
    pub(crate) fn click(&self, item: &Item) -> Result<()> {
        output(
            self.command("gdbus")
                .args(["call", "--session", "--dest", &item.name])
                .args(["--object-path", &item.menu])
                .args(["--method", "com.canonical.dbusmenu.Event"])
                .args([&item.number.to_string(), "clicked", "<''>", "0"]),
        )
        .map(drop)
    }

    fn tray(&self, icon: &Icon, what: &str) -> Result<String> {
        output(
            self.command(PYTHON)
                .args([TRAY, what, &icon.name, &icon.path]),
        )
    }
}

/// An item of a menu.
pub(crate) struct Item {
    name: String,
    menu: String,
    number: i64,
}
