//! The foreground window from a Wayland compositor that has no protocol for it, but reports over the
//! session bus: KWin by a script, GNOME Shell by an extension. Both call the same object.

use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use tokio::sync::mpsc;
use tokio::time::Instant;
use zbus::fdo::DBusProxy;
use zbus::message::Header;
use zbus::{Connection, interface};

use super::super::foreground::{Foreground, Window};
use super::bus::LOOK_FOR_IT_AGAIN;
use super::gnome::{self, Extension};
use super::x11::file_of;
use super::{SensorState, StateWriter, kde};
use crate::error::message::Message;
use crate::presence::logind::bus_ended;

/// The object path that is called.
const FRONT: &str = "/front";

/// How long reports may be missing before that is shown.
const SHOWN_AFTER: Duration = Duration::from_secs(10);

/// The number of reports that wait; a compositor's next one waits with it.
const WAITING: usize = 16;

/// Watches while polled, where the compositor has no protocol for it; `why` is
/// the reason to report where neither KWin nor GNOME Shell is there.
pub(super) async fn watch(writer: StateWriter, why: Message) {
    loop {
        let Err(error) = follow(&writer).await;
        tracing::debug!(%error, "neither KWin nor GNOME Shell is available");
        write(
            &writer,
            None,
            Some(crate::detail!(
                "{why}, and there is neither KWin nor GNOME Shell to be asked",
                why = why.clone()
            )),
        );
        tokio::time::sleep(LOOK_FOR_IT_AGAIN).await;
    }
}

async fn follow(writer: &StateWriter) -> zbus::Result<Infallible> {
    let bus = Connection::session().await?;
    let names = DBusProxy::new(&bus).await?;
    let mut owners = names.receive_name_owner_changed().await?;
    let (compositor, owner) = match names.get_name_owner(kde::KWIN.try_into()?).await {
        Ok(owner) => (kde::KWIN, owner),
        Err(_) => {
            let owner = names.get_name_owner(gnome::SHELL.try_into()?).await?;
            (gnome::SHELL, owner)
        }
    };
    let (reports, mut reported) = mpsc::channel(WAITING);
    let object = Reports {
        reports,
        compositor: owner.to_string(),
    };
    bus.object_server().at(FRONT, object).await?;
    let mut extension = None;
    if compositor == gnome::SHELL {
        extension = Some(Extension::follow(&bus).await?);
    } else {
        kde::load_script(&bus).await?;
    }
    let mut front = None;
    let mut missing = Missing::default();
    let mut problem = match &extension {
        Some(extension) => extension.problem().await?,
        None => None,
    };
    loop {
        let is_missing = problem.is_some() || front.is_none();
        let locked = writer.0.with(SensorState::locked);
        if !is_missing {
            missing = Missing::default();
            write(writer, front.as_ref(), None);
        } else if extension.is_some() && missing.is_shown(locked, Instant::now()) {
            if !locked {
                let why = problem.clone().unwrap_or(crate::detail!("GNOME’s extension has reported nothing yet; another Porchlight of this session may be getting its reports"));
                write(writer, None, Some(why));
            }
        } else if front.is_some() {
            write(writer, Some(&Foreground::Nothing), None);
        }
        let extension_changes = async {
            match &mut extension {
                Some(extension) => extension.changed(is_missing).await,
                None => pending().await,
            }
        };
        let look = tokio::select! {
            report = reported.recv() => {
                front = report;
                problem.is_some()
            }
            changed = extension_changes => changed.map(|()| true)?,
            change = owners.next() => {
                let change = change.ok_or_else(bus_ended)?;
                if change.args()?.name().as_str() == compositor {
                    return Err(bus_ended());
                }
                false
            }
        };
        if let Some(extension) = extension.as_ref().filter(|_| look) {
            problem = extension.problem().await?;
        }
    }
}

/// Reports of GNOME's extension that do not come. Looked at every few seconds.
#[derive(Debug, Default)]
struct Missing {
    /// Since when, while the session is not locked.
    since: Option<Instant>,
    is_shown: bool,
}

impl Missing {
    /// Whether the reason is shown. GNOME turns extensions off while the session is locked, and announces
    /// the lock a moment later; so that is no reason.
    fn is_shown(&mut self, locked: bool, now: Instant) -> bool {
        if locked {
            self.since = None;
        } else {
            let since = *self.since.get_or_insert(now);
            self.is_shown |= now.duration_since(since) >= SHOWN_AFTER;
        }
        self.is_shown
    }
}

fn write(writer: &StateWriter, front: Option<&Foreground>, problem: Option<Message>) {
    writer.change(|state| {
        state.front = front.cloned().unwrap_or(Foreground::Unknown);
        state.unavailable.front = problem;
    });
}

/// The D-Bus object that is called.
struct Reports {
    reports: mpsc::Sender<Foreground>,
    /// The only trusted sender.
    compositor: String,
}

impl Reports {
    async fn take(&self, header: &Header<'_>, window: Window) {
        if header
            .sender()
            .is_none_or(|sender| *sender != *self.compositor)
        {
            return;
        }
        let front = if window.names.is_empty() && window.title.is_empty() {
            Foreground::Nothing
        } else {
            Foreground::Window(Arc::new(window))
        };
        // The receiver is gone when the compositor is.
        let _ = self.reports.send(front).await;
    }
}

// One call after the other: the last report counts.
#[interface(name = "blog.porchlight.Front", spawn = false)]
impl Reports {
    /// Called by the script in KWin.
    async fn report(
        &self,
        program: String,
        title: String,
        full_screen: bool,
        #[zbus(header)] header: Header<'_>,
    ) {
        let window = Window {
            names: Window::names_of([program]),
            title: Window::title_of(&title),
            full_screen,
            ..Window::default()
        };
        self.take(&header, window).await;
    }

    /// Called by the extension in GNOME Shell; `pid` is 0 where there is no window.
    async fn report_window(
        &self,
        mut names: Vec<String>,
        title: String,
        pid: u32,
        full_screen: bool,
        #[zbus(header)] header: Header<'_>,
    ) {
        let file = Some(pid).filter(|pid| *pid != 0).and_then(file_of);
        let file_name = file.as_ref().and_then(|file| file.file_name());
        names.extend(file_name.map(|name| name.to_string_lossy().into_owned()));
        let window = Window {
            names: Window::names_of(names),
            title: Window::title_of(&title),
            full_screen,
            file,
            ..Window::default()
        };
        self.take(&header, window).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_reports_are_shown_after_a_while_and_not_because_the_session_is_locked() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut missing = Missing::default();
        assert!(!missing.is_shown(false, at(0)));
        assert!(!missing.is_shown(false, at(9)));
        assert!(missing.is_shown(false, at(10)));
        // It is not repeated after each lock.
        assert!(missing.is_shown(true, at(20)));
        assert!(missing.is_shown(false, at(30)));

        let mut missing = Missing::default();
        // GNOME turns the extension off, and then announces the lock.
        assert!(!missing.is_shown(false, at(0)));
        assert!(!missing.is_shown(true, at(5)));
        assert!(!missing.is_shown(true, at(5_000)));
        // Unlocked, it turns the extension on again a moment later, or not.
        assert!(!missing.is_shown(false, at(5_001)));
        assert!(!missing.is_shown(false, at(5_006)));
        assert!(missing.is_shown(false, at(5_011)));
    }
}
