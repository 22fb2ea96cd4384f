//! GNOME Shell's own extensions report the foreground window: whether Porchlight's is on, turning it
//! on, and, from the compositor, when something was typed or moved.

use std::collections::HashMap;
use std::convert::Infallible;
use std::path::PathBuf;
use std::time::Duration;

use futures_util::StreamExt as _;
use tokio::time::Instant;
use zbus::fdo::{DBusProxy, RequestNameFlags};
use zbus::proxy::{CacheProperties, SignalStream};
use zbus::zvariant::OwnedValue;
use zbus::{Connection, Proxy};

use super::bus::{LOOK_FOR_IT_AGAIN, why};
use super::{Input, StateWriter};
use crate::error::message::Message;
use crate::presence::logind::bus_ended;

pub(super) const SHELL: &str = "org.gnome.Shell";
const SHELL_OBJECT: &str = "/org/gnome/Shell";
const EXTENSIONS: &str = "org.gnome.Shell.Extensions";

/// What the extensions call. They are in `packaging/gnome`.
const OUR_NAME: &str = "blog.porchlight.Front";
const OLDEST: u32 = 42;
/// The first with modules of ECMAScript, which the earlier ones cannot load.
const WITH_MODULES: u32 = 45;

const IDLE: &str = "org.gnome.Mutter.IdleMonitor";
const IDLE_OBJECT: &str = "/org/gnome/Mutter/IdleMonitor/Core";

/// Input counts as gone after this.
const PAUSE: Duration = Duration::from_secs(1);

/// Porchlight's extension in the running Shell.
pub(super) struct Extension {
    shell: Proxy<'static>,
    changes: SignalStream<'static>,
}

impl Extension {
    /// Takes the name that the extension calls, behind another Porchlight if there is one.
    pub(super) async fn follow(bus: &Connection) -> zbus::Result<Self> {
        let shell = shell(bus).await?;
        let changes = shell.receive_signal("ExtensionStateChanged").await?;
        // Without the flag that refuses to wait in the queue.
        bus.request_name_with_flags(OUR_NAME, RequestNameFlags::ReplaceExisting.into())
            .await?;
        Ok(Self { shell, changes })
    }

    /// Waits until the state of some extension may have changed; while reports are missing, a few
    /// seconds at most.
    pub(super) async fn changed(&mut self, missing: bool) -> zbus::Result<()> {
        tokio::select! {
            change = self.changes.next() => change.map(drop).ok_or_else(bus_ended),
            // Files appear without a signal.
            () = tokio::time::sleep(LOOK_FOR_IT_AGAIN), if missing => Ok(()),
        }
    }

    /// Why the extension reports nothing; `None` while it is on.
    pub(super) async fn problem(&self) -> zbus::Result<Option<Message>> {
        Ok(state(&self.shell).await?.err())
    }
}

pub(in super::super) async fn turn_on_in_session() -> Result<(), Message> {
    turn_on(&Connection::session().await.map_err(fails)?).await
}

fn fails(error: zbus::Error) -> Message {
    crate::detail!("the session bus cannot be asked ({why})", why = why(&error))
}

async fn turn_on(bus: &Connection) -> Result<(), Message> {
    let shell = shell(bus).await.map_err(fails)?;
    let extension = match state(&shell).await.map_err(fails)? {
        Ok(()) => return Ok(()),
        Err(Message::GnomeNeedsSwitch { extension }) => extension,
        Err(problem) => return Err(problem),
    };
    let enabled: bool = shell
        .call("EnableExtension", &extension.to_string())
        .await
        .map_err(fails)?;
    enabled.then_some(()).ok_or(crate::detail!(
        "GNOME does not run the extension {extension}: {why}",
        why = crate::detail!(
            "it gives no reason; the extension may be made for other versions of GNOME"
        )
    ))
}

async fn shell(bus: &Connection) -> zbus::Result<Proxy<'static>> {
    zbus::proxy::Builder::new(bus)
        .destination(SHELL)?
        .path(SHELL_OBJECT)?
        .interface(EXTENSIONS)?
        // Read when it is asked for: the Shell's own copy may be late.
        .cache_properties(CacheProperties::No)
        .build()
        .await
}

/// Whether the extension is on, or the reason why it is not.
async fn state(shell: &Proxy<'_>) -> zbus::Result<Result<(), Message>> {
    let version: String = shell.get_property("ShellVersion").await?;
    let major = version.split('.').next().and_then(|text| text.parse().ok());
    let Some(name) = extension_of(major.unwrap_or(0)) else {
        return Ok(Err(crate::detail!(
            "Porchlight’s extension needs GNOME 42 or newer; this is GNOME {version}"
        )));
    };
    let extension = name.into();
    if !shell.get_property::<bool>("UserExtensionsEnabled").await? {
        return Ok(Err(Message::GnomeExtensionsOff));
    }
    let info: HashMap<String, OwnedValue> = shell.call("GetExtensionInfo", &name).await?;
    let Some(state) = info
        .get("state")
        .and_then(|state| f64::try_from(state).ok())
    else {
        return Ok(Err(if is_installed(name) {
            Message::GnomeNeedsLogin { extension }
        } else {
            Message::GnomeNoExtension { extension }
        }));
    };
    Ok(match ShellState::of(state) {
        ShellState::On => Ok(()),
        ShellState::Off => Err(Message::GnomeNeedsSwitch { extension }),
        ShellState::Refused => {
            let error = info
                .get("error")
                .and_then(|error| <&str>::try_from(error).ok());
            let error = error.filter(|error| !error.is_empty());
            let why = error.unwrap_or(
                "it gives no reason; the extension may be made for other versions of GNOME",
            );
            Err(crate::detail!(
                "GNOME does not run the extension {extension}: {why}"
            ))
        }
    })
}

/// The Shell's numbers for the state of an extension.
#[derive(Debug, PartialEq, Eq)]
enum ShellState {
    On,
    Off,
    /// It failed, or is made for other versions.
    Refused,
}

impl ShellState {
    fn of(number: f64) -> Self {
        match number as i64 {
            1 | 8 => Self::On,
            3 | 4 => Self::Refused,
            _ => Self::Off,
        }
    }
}

fn extension_of(version: u32) -> Option<&'static str> {
    match version {
        WITH_MODULES.. => Some("focus45@porchlight.app"),
        OLDEST.. => Some("focus@porchlight.app"),
        _ => None,
    }
}

/// Whether the Shell will find the extension at the next login.
fn is_installed(extension: &str) -> bool {
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let of_user = variable("XDG_DATA_HOME").map(PathBuf::from);
    let of_user = of_user.or_else(|| Some(std::env::home_dir()?.join(".local/share")));
    let system = variable("XDG_DATA_DIRS");
    let system = system.unwrap_or_else(|| "/usr/local/share:/usr/share".to_owned());
    let folders = of_user.into_iter().chain(std::env::split_paths(&system));
    let file = |folder: PathBuf| folder.join("gnome-shell/extensions").join(extension);
    folders
        .map(file)
        .any(|folder| folder.join("metadata.json").exists())
}

/// Watches input while polled, where the compositor has no protocol for it.
pub(super) async fn watch_input(writer: StateWriter) {
    loop {
        let Err(error) = follow_input(&writer).await;
        tracing::debug!(%error, "GNOME's idle monitor is not available");
        writer.change(|state| {
            state.input = Input::Unknown;
            state.unavailable.input = Some(crate::detail!(
                "this Wayland compositor does not offer it (ext-idle-notify)"
            ));
        });
        tokio::time::sleep(LOOK_FOR_IT_AGAIN).await;
    }
}

async fn follow_input(writer: &StateWriter) -> zbus::Result<Infallible> {
    let bus = Connection::session().await?;
    let names = DBusProxy::new(&bus).await?;
    let mut owners = names.receive_name_owner_changed().await?;
    // Whoever is asked is there: nothing is started for it.
    names.get_name_owner(IDLE.try_into()?).await?;
    let monitor = Proxy::new(&bus, IDLE, IDLE_OBJECT, IDLE).await?;
    let mut fired = monitor.receive_signal("WatchFired").await?;
    let pause = u64::try_from(PAUSE.as_millis()).unwrap_or(u64::MAX);
    let idle: u32 = monitor.call("AddIdleWatch", &pause).await?;
    let mut input = Input::Now;
    loop {
        writer.change(|state| {
            state.input = input;
            state.unavailable.input = None;
        });
        tokio::select! {
            signal = fired.next() => {
                let watch: u32 = signal.ok_or_else(bus_ended)?.body().deserialize()?;
                input = Input::Now;
                if watch == idle {
                    // It fires once, at the next input.
                    let _: u32 = monitor.call("AddUserActiveWatch", &()).await?;
                    let since: u64 = monitor.call("GetIdletime", &()).await?;
                    let last = Instant::now().checked_sub(Duration::from_millis(since));
                    input = last.map_or(Input::Now, Input::Last);
                }
            }
            change = owners.next() => {
                let change = change.ok_or_else(bus_ended)?;
                if change.args()?.name().as_str() == IDLE {
                    return Err(bus_ended());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use porchlight_test_harness::eventually;
    use porchlight_test_harness::gnome::Gnome;

    use super::*;

    #[test]
    fn each_shell_has_its_extension() {
        assert_eq!(extension_of(41), None);
        for version in 42..=44 {
            assert_eq!(extension_of(version), Some("focus@porchlight.app"));
        }
        for version in [45, 48, 60] {
            assert_eq!(extension_of(version), Some("focus45@porchlight.app"));
        }
    }

    #[test]
    fn the_states_of_the_shell_are_told_apart() {
        assert_eq!(ShellState::of(1.0), ShellState::On);
        assert_eq!(ShellState::of(2.0), ShellState::Off);
        assert_eq!(ShellState::of(6.0), ShellState::Off);
        assert_eq!(ShellState::of(4.0), ShellState::Refused);
    }

    /// They differ in the form of their modules only.
    #[test]
    fn both_extensions_do_the_same() {
        let body = |script: &'static str| {
            let (_, body) = script.split_once("    enable() {").expect("a class");
            body.split_once("\n}\n").expect("its end").0
        };
        let old =
            include_str!("../../../../../../packaging/gnome/focus@porchlight.app/extension.js");
        let new =
            include_str!("../../../../../../packaging/gnome/focus45@porchlight.app/extension.js");
        assert_eq!(body(old), body(new));
        for script in [old, new] {
            assert!(script.contains(&format!("const NAME = '{OUR_NAME}';")));
        }
    }

    #[tokio::test]
    #[ignore = "needs GNOME Shell: `cargo xtask verify`"]
    async fn the_extension_is_turned_on_once_unless_the_shell_refuses() {
        let gnome = Gnome::start().await;
        let shell = shell(gnome.bus()).await.expect("the Shell");
        let extension = gnome.extension().await.into();
        let off = Err(Message::GnomeNeedsSwitch { extension });
        assert_eq!(state(&shell).await.expect("an answer"), off);

        let all = |on: bool| shell.set_property("UserExtensionsEnabled", on);
        all(false).await.expect("turned off");
        assert_eq!(turn_on(gnome.bus()).await, Err(Message::GnomeExtensionsOff));
        all(true).await.expect("turned on");

        assert_eq!(turn_on(gnome.bus()).await, Ok(()));
        eventually("the extension", async || {
            state(&shell).await.expect("an answer").ok()
        })
        .await;
        assert_eq!(turn_on(gnome.bus()).await, Ok(()));
    }

    #[tokio::test]
    #[ignore = "needs GNOME Shell: `cargo xtask verify`"]
    async fn an_extension_that_the_shell_does_not_know_needs_files_or_a_login() {
        let gnome = Gnome::start_without_extensions().await;
        let extension = gnome.extension().await.into();
        let missing = Message::GnomeNoExtension { extension };
        assert_eq!(turn_on(gnome.bus()).await, Err(missing));
    }
}
