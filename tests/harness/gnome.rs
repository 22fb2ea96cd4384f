//! A real GNOME Shell on Wayland without a screen, with its own home and buses.

use std::path::Path;

use tempfile::TempDir;
use tokio::process::Command;
use zbus::connection::Builder;
use zbus::fdo::DBusProxy;
use zbus::zvariant::{DynamicType, OwnedObjectPath};
use zbus::{Connection, Message};

use crate::deadline::Deadline;
use crate::eventually;
use crate::process::{RunningProcess, clean_command};
use crate::tray::PYTHON;

/// A bus that starts nothing but what is in its folder.
const BUS: &str = r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>KIND</type>
  <listen>unix:path=PATH</listen>
  <servicedir>PATH.services</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
    <allow user="*"/>
  </policy>
</busconfig>
"#;

/// The extensions of the product.
const PRODUCT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/gnome");

/// The test's own extension: it leaves the overview, in which no window has the focus, and gives the
/// focus to the window of a title.
const OF_TEST: &str = "control@test";
const CONTROL: &str = "
    enable() {
        const xml = '<node><interface name=\"test.Control\"><method name=\"Focus\">' +
            '<arg type=\"s\" direction=\"in\"/><arg type=\"b\" direction=\"out\"/></method>' +
            '<method name=\"Leave\"/></interface></node>';
        this._object = Gio.DBusExportedObject.wrapJSObject(xml, this);
        this._object.export(Gio.DBus.session, '/test');
    }
    disable() { this._object.unexport(); }
    Leave() { Main.overview.hide(); }
    Focus(title) {
        const found = global.get_window_actors().map(actor => actor.meta_window);
        const window = found.find(one => one.title === title);
        if (window) Main.activateWindow(window);
        return Boolean(window);
    }
}
";

const SHELL: &str = "org.gnome.Shell";

/// The Shell's lock, which is in a program of its own.
const SCREEN_SAVER: &str = "org.gnome.ScreenSaver";

/// GNOME's login, as far as the Shell wants to see it before it has a lock.
struct DisplayManager;

#[zbus::interface(name = "org.gnome.DisplayManager.Manager")]
impl DisplayManager {
    #[zbus(property)]
    fn version(&self) -> &'static str {
        "43.0"
    }
}

/// Where a user's extensions are, below the home.
const EXTENSIONS: &str = ".local/share/gnome-shell/extensions";

/// A Shell; dropping it ends everything on it.
pub struct Gnome {
    _deadline: Deadline,
    _shell: RunningProcess,
    _login: RunningProcess,
    _buses: [RunningProcess; 2],
    _system: Connection,
    bus: Connection,
    environment: Vec<(&'static str, String)>,
    // The folder goes when the processes are gone.
    home: TempDir,
}

impl Gnome {
    /// One that knows the product's extensions, of which none is on.
    pub async fn start() -> Self {
        Self::start_with(true).await
    }

    /// One that was started before the product was installed.
    pub async fn start_without_extensions() -> Self {
        Self::start_with(false).await
    }

    async fn start_with(products: bool) -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        let folder = home.path();
        let deadline = Deadline::start(folder);
        let run = folder.join("run");
        std::fs::create_dir(&run).expect("a folder");
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(&run, private).expect("permissions");
        let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
        let address = |kind: &str| format!("unix:path={}", text(&folder.join(kind)));
        let mut environment = vec![
            ("LC_ALL", "C.UTF-8".to_owned()),
            ("XDG_RUNTIME_DIR", text(&run)),
            ("XDG_SESSION_TYPE", "wayland".to_owned()),
            ("XDG_CURRENT_DESKTOP", "GNOME".to_owned()),
            ("GSETTINGS_BACKEND", "keyfile".to_owned()),
            ("GTK_A11Y", "none".to_owned()),
            ("NO_AT_BRIDGE", "1".to_owned()),
            ("DBUS_SESSION_BUS_ADDRESS", address("session")),
            ("DBUS_SYSTEM_BUS_ADDRESS", address("system")),
        ];
        let command = |program: &str| {
            let mut command = clean_command(program, folder);
            command.envs(environment.iter().cloned());
            command
        };
        let mut buses = ["session", "system"].map(|kind| {
            let config = folder.join(kind).with_extension("conf");
            let services = folder.join(kind).with_extension("services");
            std::fs::create_dir(&services).expect("a folder");
            if kind == "session" {
                let file = format!("{SCREEN_SAVER}.service");
                let installed = Path::new("/usr/share/dbus-1/services").join(&file);
                std::fs::copy(installed, services.join(file)).expect("a part of GNOME Shell");
            }
            let written = BUS
                .replace("KIND", kind)
                .replace("PATH", &text(&folder.join(kind)));
            std::fs::write(&config, written).expect("to write");
            let mut bus = command("dbus-daemon");
            bus.args(["--nofork", "--print-address=1", "--config-file"]);
            RunningProcess::spawn({
                bus.arg(config);
                bus
            })
        });
        for bus in &mut buses {
            bus.line_with("unix:").await.expect("a bus");
        }

        // Without logind the Shell does not start.
        let mut login = command(PYTHON);
        login.args(["-m", "dbusmock", "--system", "--template", "logind"]);
        let login = RunningProcess::spawn(login);
        let system = Builder::address(address("system").as_str())
            .and_then(|builder| builder.name("org.gnome.DisplayManager"))
            .and_then(|builder| {
                builder.serve_at("/org/gnome/DisplayManager/Manager", DisplayManager)
            });
        let system = system.expect("names").build().await.expect("a bus");
        has_owner(&system, "org.freedesktop.login1").await;

        let version = version().await;
        install_control(folder, version);
        if products {
            install(folder);
        }
        let mut shell = command("gnome-shell");
        shell.args(["--headless", "--virtual-monitor", "1280x720", "--wayland"]);
        shell.arg("--no-x11");
        let shell = RunningProcess::spawn(shell);
        let bus = connect(&address("session")).await;
        has_owner(&bus, SHELL).await;
        environment.push(("WAYLAND_DISPLAY", "wayland-0".to_owned()));
        let gnome = Self {
            _deadline: deadline,
            _shell: shell,
            _login: login,
            _buses: buses,
            _system: system,
            bus,
            environment,
            home,
        };
        eventually("the Shell's extensions", async || {
            gnome.control("Leave", &()).await.ok()
        })
        .await;
        gnome
    }

    /// A command in this session.
    pub fn command(&self, program: &str) -> Command {
        let mut command = clean_command(program, self.home());
        command.envs(self.environment.iter().cloned());
        command
    }

    /// The home folder of its user.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// The session bus.
    pub fn bus(&self) -> &Connection {
        &self.bus
    }

    /// Installs the product's extensions now.
    pub fn install_extensions(&self) {
        install(self.home());
    }

    /// The product's extension for this Shell.
    pub async fn extension(&self) -> &'static str {
        match version().await {
            45.. => "focus45@porchlight.app",
            _ => "focus@porchlight.app",
        }
    }

    /// Turns an extension on or off, as the app Extensions does.
    pub async fn turn(&self, extension: &str, on: bool) {
        let method = if on {
            "EnableExtension"
        } else {
            "DisableExtension"
        };
        let call = self.bus.call_method(
            Some(SHELL),
            "/org/gnome/Shell",
            Some("org.gnome.Shell.Extensions"),
            method,
            &extension,
        );
        let done: bool = call
            .await
            .expect("an answer")
            .body()
            .deserialize()
            .expect("a boolean");
        assert!(done, "{method} {extension}");
    }

    /// Gives the focus to the window with this title, as soon as it is there.
    pub async fn focus(&self, title: &str) {
        eventually(title, async || {
            let answer = self.control("Focus", &title).await.expect("an answer");
            let found: bool = answer.body().deserialize().expect("a boolean");
            found.then_some(())
        })
        .await;
    }

    /// Locks the screen, as the menu of the system does.
    pub async fn lock(&self) {
        self.screen_saver("Lock", &()).await;
    }

    /// Ends the lock without a password.
    pub async fn unlock(&self) {
        self.screen_saver("SetActive", &false).await;
    }

    async fn screen_saver<B>(&self, method: &str, words: &B)
    where
        B: serde::Serialize + DynamicType,
    {
        let (name, object) = (Some(SCREEN_SAVER), "/org/gnome/ScreenSaver");
        let call = self.bus.call_method(name, object, name, method, words);
        call.await.expect(method);
    }

    /// Types one letter, as a remote desktop does.
    pub async fn press_a_key(&self) {
        const REMOTE: &str = "org.gnome.Mutter.RemoteDesktop";
        const A: u32 = 30;
        let session = format!("{REMOTE}.Session");
        let create = self.bus.call_method(
            Some(REMOTE),
            "/org/gnome/Mutter/RemoteDesktop",
            Some(REMOTE),
            "CreateSession",
            &(),
        );
        let created = create.await.expect("a session");
        let path: OwnedObjectPath = created.body().deserialize().expect("a path");
        let on_session = async |method: &str, key: Option<(u32, bool)>| {
            let interface = Some(session.as_str());
            let done = match key {
                Some(key) => {
                    self.bus
                        .call_method(Some(REMOTE), &path, interface, method, &key)
                        .await
                }
                None => {
                    self.bus
                        .call_method(Some(REMOTE), &path, interface, method, &())
                        .await
                }
            };
            done.expect(method);
        };
        on_session("Start", None).await;
        for pressed in [true, false] {
            on_session("NotifyKeyboardKeycode", Some((A, pressed))).await;
        }
        on_session("Stop", None).await;
    }

    async fn control<B>(&self, method: &str, words: &B) -> zbus::Result<Message>
    where
        B: serde::Serialize + DynamicType,
    {
        let interface = Some("test.Control");
        let call = self
            .bus
            .call_method(Some(SHELL), "/test", interface, method, words);
        call.await
    }
}

/// Puts the test's own extension into the home, turned on.
fn install_control(home: &Path, version: u32) {
    let of_test = home.join(EXTENSIONS).join(OF_TEST);
    std::fs::create_dir_all(&of_test).expect("folders");
    let write = |name: &str, text: &str| std::fs::write(of_test.join(name), text).expect("written");
    let described = format!(
        "{{\"uuid\":\"{OF_TEST}\",\"name\":\"t\",\"description\":\"t\",\"shell-version\":[\"{version}\"]}}"
    );
    write("metadata.json", &described);
    let main = "resource:///org/gnome/shell/ui/main.js";
    let script = if version >= 45 {
        format!(
            "import Gio from 'gi://Gio';\nimport * as Main from '{main}';\n\
             export default class Control {{{CONTROL}"
        )
    } else {
        format!(
            "const Gio = imports.gi.Gio, Main = imports.ui.main;\nclass Control {{{CONTROL}\n\
             function init() {{ return new Control(); }}\n"
        )
    };
    write("extension.js", &script);
    let settings = home.join(".config/glib-2.0/settings");
    std::fs::create_dir_all(&settings).expect("folders");
    let text = format!(
        "[org/gnome/shell]\nenabled-extensions=['{OF_TEST}']\ndisable-user-extensions=false\n\
         welcome-dialog-last-shown-version='99'\n"
    );
    std::fs::write(settings.join("keyfile"), text).expect("written");
}

/// Puts the product's extensions into the home.
fn install(home: &Path) {
    for extension in std::fs::read_dir(PRODUCT).expect("the product's extensions") {
        let extension = extension.expect("an entry");
        let place = home.join(EXTENSIONS).join(extension.file_name());
        std::fs::create_dir(&place).expect("a folder");
        for file in std::fs::read_dir(extension.path()).expect("files") {
            let file = file.expect("an entry");
            std::fs::copy(file.path(), place.join(file.file_name())).expect("copied");
        }
    }
}

async fn version() -> u32 {
    let printed = Command::new("gnome-shell").arg("--version").output().await;
    let printed = crate::desktop::text(&printed.expect("GNOME Shell"));
    let number = printed.split([' ', '.']).find_map(|word| word.parse().ok());
    number.unwrap_or_else(|| panic!("no version: {printed}"))
}

async fn connect(address: &str) -> Connection {
    let builder = Builder::address(address).expect("an address");
    builder.build().await.expect("a bus")
}

async fn has_owner(bus: &Connection, name: &'static str) {
    let names = DBusProxy::new(bus).await.expect("the bus itself");
    eventually(name, async || {
        let name = name.try_into().expect("a name");
        let there = names.name_has_owner(name).await;
        there.expect("an answer").then_some(())
    })
    .await;
}
