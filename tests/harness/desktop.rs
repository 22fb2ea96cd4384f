//! A test's own desktop: a virtual screen, a window manager, a session bus that
//! starts no services, and a tray.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio::process::Command;

use crate::deadline::Deadline;
use crate::eventually;
use crate::process::{RunningProcess, clean_command};
use crate::tray::{PYTHON, Tray};

/// A bus with nothing to be started on it: no keyring, no accessibility.
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

/// What keeps programs from looking for a screen reader, which costs time.
const UNREADABLE: [(&str, &str); 2] = [("GTK_A11Y", "none"), ("NO_AT_BRIDGE", "1")];

/// A window that was closed disappears within this time.
const CLOSES_WITHIN: Duration = Duration::from_secs(2);

/// A desktop; dropping it ends everything on it.
pub struct Desktop {
    deadline: Deadline,
    tray: Option<Tray>,
    _manager: RunningProcess,
    screen: RunningProcess,
    _bus: RunningProcess,
    environment: Vec<(&'static str, String)>,
    // The folder goes when the processes are gone.
    home: TempDir,
}

impl Desktop {
    /// A new desktop, in English and in light colours.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// A new desktop with more in its environment.
    pub async fn start_with(more: &[(&'static str, &str)]) -> Self {
        let mut desktop = Self::start_without_tray(more).await;
        desktop.put_up_tray().await;
        desktop
    }

    /// Gives it a tray.
    pub async fn put_up_tray(&mut self) {
        self.put_up_tray_that(&[]).await;
    }

    /// Gives it a tray with these words of `tray.py watch`.
    pub async fn put_up_tray_that(&mut self, words: &[&str]) {
        self.tray = Some(Tray::start(self, words).await);
    }

    /// A new desktop on which programs let screen readers read them.
    pub async fn start_readable() -> Self {
        let mut desktop = Self::start_in(&[], &[]).await;
        desktop.put_up_tray().await;
        desktop
    }

    /// Takes it away again.
    pub fn take_down_tray(&mut self) {
        self.tray = None;
    }

    /// A new desktop without a tray.
    pub async fn start_without_tray(more: &[(&'static str, &str)]) -> Self {
        Self::start_in(&UNREADABLE, more).await
    }

    async fn start_in(unreadable: &[(&'static str, &str)], more: &[(&'static str, &str)]) -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        let deadline = Deadline::start(home.path());
        let mut environment = vec![
            ("LC_ALL", "C.UTF-8".to_owned()),
            ("LANGUAGE", String::new()),
            ("XDG_RUNTIME_DIR", folder(home.path(), "run")),
        ];
        for (key, value) in unreadable.iter().chain(more) {
            environment.retain(|(known, _)| known != key);
            environment.push((key, (*value).to_owned()));
        }

        let config = home.path().join("bus.conf");
        std::fs::write(&config, BUS.replace("FOLDER", &folder(home.path(), "bus")))
            .expect("to write");
        let mut bus = clean_command("dbus-daemon", home.path());
        bus.arg("--nofork")
            .arg("--print-address=1")
            .arg("--config-file")
            .arg(&config);
        let mut bus = RunningProcess::spawn(bus);
        let address = bus
            .line_with("unix:")
            .await
            .expect("the address of the bus");
        environment.push(("DBUS_SESSION_BUS_ADDRESS", address.trim().to_owned()));
        // The machine's own bus is none of its business.
        environment.push(("DBUS_SYSTEM_BUS_ADDRESS", address.trim().to_owned()));

        let mut screen = clean_command("Xvfb", home.path());
        screen.args([
            "-displayfd",
            "1",
            "-screen",
            "0",
            "1280x1000x24",
            "-nolisten",
            "tcp",
            "-noreset",
        ]);
        let mut screen = RunningProcess::spawn(screen);
        let number = screen
            .line_with("")
            .await
            .expect("the number of the screen");
        environment.push(("DISPLAY", format!(":{}", number.trim())));

        let mut manager = clean_command("openbox", home.path());
        manager
            .arg("--sm-disable")
            .envs(environment.iter().cloned());
        let manager = RunningProcess::spawn(manager);
        let desktop = Self {
            deadline,
            tray: None,
            _manager: manager,
            screen,
            _bus: bus,
            environment,
            home,
        };
        eventually("a window manager", async || {
            let desktops = desktop.run("xdotool", &["get_num_desktops"]).await;
            desktops.status.success().then_some(())
        })
        .await;
        desktop
    }

    /// Its test may take this much longer.
    pub fn extend_deadline(&mut self, by: Duration) {
        self.deadline = Deadline::longer(by, self.home.path());
    }

    /// Its tray.
    pub fn tray(&mut self) -> &mut Tray {
        self.tray.as_mut().expect("started with the desktop")
    }

    /// Ends the screen under the programs on it.
    pub async fn lose_screen(&mut self) {
        self.screen.kill();
        self.screen.wait().await;
    }

    /// The home folder of its user.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// The data folder of the app on it.
    pub fn data_dir(&self) -> PathBuf {
        self.home.path().join("data")
    }

    /// The address of its session bus.
    pub fn bus(&self) -> &str {
        self.variable("DBUS_SESSION_BUS_ADDRESS")
    }

    /// The name of its screen.
    pub fn display(&self) -> &str {
        self.variable("DISPLAY")
    }

    /// The variables of its programs.
    pub fn environment(&self) -> &[(&'static str, String)] {
        &self.environment
    }

    fn variable(&self, name: &str) -> &str {
        let variable = |(known, _): &&(&str, String)| *known == name;
        let (_, value) = self
            .environment
            .iter()
            .find(variable)
            .expect("set at the start");
        value
    }

    /// A command on this desktop.
    pub fn command(&self, program: &str) -> Command {
        let mut command = clean_command(program, self.home.path());
        command.envs(self.environment.iter().cloned());
        command
    }

    /// Runs a command on this desktop to completion.
    pub async fn run(&self, program: &str, words: &[&str]) -> Output {
        let output = self.command(program).args(words).output().await;
        output.unwrap_or_else(|error| panic!("{program}: {error}"))
    }

    /// The visible windows with this title.
    pub async fn windows(&self, title: &str) -> Vec<String> {
        let title = format!("^{title}$");
        let found = self
            .run("xdotool", &["search", "--onlyvisible", "--name", &title])
            .await;
        text(&found).lines().map(str::to_owned).collect()
    }

    /// The window with this title, as soon as there is one.
    pub async fn window(&self, title: &str) -> String {
        eventually(title, async || self.windows(title).await.pop()).await
    }

    /// Waits until no window has this title.
    pub async fn without_window(&self, title: &str) {
        eventually("the window to be gone", async || {
            self.windows(title).await.is_empty().then_some(())
        })
        .await;
    }

    /// The window that has the keyboard.
    pub async fn active_window(&self) -> Option<String> {
        let active = self.run("xdotool", &["getactivewindow"]).await;
        let id = text(&active).trim().to_owned();
        (!id.is_empty()).then_some(id)
    }

    /// A window's width and height in pixels: `1100x760`.
    pub async fn size(&self, id: &str) -> String {
        let geometry = self.run("xdotool", &["getwindowgeometry", id]).await;
        let geometry = text(&geometry);
        let size = geometry.split("Geometry: ").nth(1).unwrap_or_default();
        size.trim().to_owned()
    }

    /// The position of a window's content on the screen: `130,170`.
    pub async fn place(&self, id: &str) -> String {
        let geometry = self.run("xdotool", &["getwindowgeometry", id]).await;
        let geometry = text(&geometry);
        let place = geometry.split("Position: ").nth(1).unwrap_or_default();
        let place = place.split_whitespace().next();
        place.unwrap_or_default().to_owned()
    }

    /// What a window shows, as a PNG. Of the window and not by WebDriver, which
    /// asks WebKit for a frame that never comes where the processor paints.
    pub async fn picture_of(&self, id: &str) -> Vec<u8> {
        const TAKE: &str = "import gi, sys; gi.require_version('Gdk', '3.0'); \
            gi.require_version('GdkX11', '3.0'); from gi.repository import Gdk, GdkX11; \
            shown = GdkX11.X11Window.foreign_new_for_display(Gdk.Display.get_default(), int(sys.argv[1])); \
            taken = Gdk.pixbuf_get_from_window(shown, 0, 0, shown.get_width(), shown.get_height()); \
            sys.stdout.buffer.write(taken.save_to_bufferv('png', [], [])[1])";
        let taken = self.run(PYTHON, &["-c", TAKE, id]).await;
        assert!(taken.status.success(), "no picture: {taken:?}");
        taken.stdout
    }

    /// The text on the clipboard.
    pub async fn clipboard(&self) -> String {
        const READ: &str = "import gi; gi.require_version('Gtk', '3.0'); \
            gi.require_version('Gdk', '3.0'); from gi.repository import Gtk, Gdk; \
            print(Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD).wait_for_text() or '', end='')";
        text(&self.run(PYTHON, &["-c", READ]).await)
    }

    /// Pointer and keyboard.
    pub async fn xdotool(&self, words: &[&str]) {
        let done = self.run("xdotool", words).await;
        assert!(done.status.success(), "xdotool {words:?}: {done:?}");
    }

    /// Brings the window to the front and closes it as its owner does. Keys
    /// that are struck while it only just comes up go astray, so they are
    /// struck again while it is there.
    pub async fn close_window(&self, id: &str) {
        let struck = std::cell::Cell::new(None::<Instant>);
        eventually("the window to close", async || {
            if !self
                .run("xdotool", &["getwindowname", id])
                .await
                .status
                .success()
            {
                return Some(());
            }
            let waits = struck.get().is_some_and(|at| at.elapsed() < CLOSES_WITHIN);
            if !waits {
                self.run("xdotool", &["windowactivate", id]).await;
                if self.active_window().await.as_deref() == Some(id) {
                    self.run("xdotool", &["key", "alt+F4"]).await;
                    struck.set(Some(Instant::now()));
                }
            }
            None
        })
        .await;
    }
}

impl Drop for Desktop {
    /// Prints the app's log, to explain a failed test.
    #[allow(clippy::print_stdout, reason = "the test runner keeps it by the test")]
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        for log in std::fs::read_dir(self.data_dir().join("logs"))
            .into_iter()
            .flatten()
            .flatten()
        {
            let lines = std::fs::read_to_string(log.path()).unwrap_or_default();
            println!("{}:\n{lines}", log.path().display());
        }
    }
}

/// What a command printed.
pub fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn folder(home: &Path, name: &str) -> String {
    use std::os::unix::fs::DirBuilderExt as _;
    let path = home.join(name);
    std::fs::DirBuilder::new()
        .mode(0o700)
        .create(&path)
        .expect("a folder");
    path.to_str().expect("a UTF-8 path").to_owned()
}
