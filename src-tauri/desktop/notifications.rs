//! Notifications: what came of uploads that were made without the window, and
//! what the owner would otherwise miss. One for a burst of files, never one for
//! each, and never a file's place.

use std::path::{Path, PathBuf};
use std::time::Duration;

use porchlight_service::images::window::AddressKind;
use porchlight_service::status::window::home::Sharing;
use porchlight_service::text::image_hash::ImageHash;
use porchlight_service::uploads::watch::WatchOutcome;
use porchlight_service::uploads::window::Upload;
use tauri::{AppHandle, Manager as _};
use tokio::sync::{broadcast, mpsc};
use tokio::time::{Instant, timeout_at};

use super::dbus::Session;
use super::host_of;
use super::i18n::{Words, words};
use super::links;
use super::window::{self, WindowPage};

mod burst;

use burst::Burst;

/// What an owner without a tray is advised.
pub(super) const NO_TRAY: &str =
    "where there is a session bus, starting Porchlight again opens its window";

/// A burst is over when nothing has come for this long.
const QUIET: Duration = Duration::from_millis(1_500);
/// A longer burst is reported meanwhile.
const LONGEST: Duration = Duration::from_secs(15);
/// What comes this soon after a notification replaces it.
const SAME: Duration = Duration::from_secs(30);

pub(super) enum Notice {
    /// This many pictures are new, however they came; the newest has this link.
    Stored {
        count: usize,
        link: String,
    },
    /// What came of files that the owner asked to be uploaded, and the kind of
    /// their links if these are on the clipboard.
    Asked {
        ended: Vec<Upload>,
        copied: Option<AddressKind>,
    },
    /// A file of a watched folder can never work; its name.
    SetAside(String),
    /// See [`show`].
    Sentence(fn(&Words) -> &'static str, WindowPage),
    Closed,
    /// The app was started hidden, and there is no tray.
    NoTray,
}

pub(super) struct Notices(mpsc::UnboundedSender<Notice>);

pub(super) type Received = mpsc::UnboundedReceiver<Notice>;

impl Notices {
    pub(super) fn new() -> (Self, Received) {
        let (send, received) = mpsc::unbounded_channel();
        (Self(send), received)
    }

    /// Sends it; the settings and the window decide what is shown of it.
    pub(super) fn send(&self, notice: Notice) {
        // At the very end there is no receiver any more.
        let _ = self.0.send(notice);
    }
}

/// Shows a sentence at once, whatever the settings are; a click leads to the page.
pub(super) fn show(app: &AppHandle, sentence: fn(&Words) -> &'static str, about: WindowPage) {
    app.state::<Notices>()
        .send(Notice::Sentence(sentence, about));
}

/// Shows notifications until the app ends.
pub(super) async fn follow(app: AppHandle, session: Option<Session>, mut received: Received) {
    let mut notifier = Notifier {
        app,
        session,
        shown: None,
    };
    while let Some(notice) = received.recv().await {
        let Some(first) = notifier.at_once(notice).await else {
            continue;
        };
        let mut burst = notifier.burst_before();
        burst.take(first);
        let latest = Instant::now() + LONGEST;
        let mut over = Instant::now() + QUIET;
        while let Ok(Some(notice)) = timeout_at(over.min(latest), received.recv()).await {
            if let Some(notice) = notifier.at_once(notice).await {
                burst.take(notice);
                over = Instant::now() + QUIET;
            }
        }
        notifier.show_burst(burst).await;
    }
}

/// Sends the files that watched folders set aside.
pub(super) async fn follow_watched(
    app: AppHandle,
    mut outcomes: broadcast::Receiver<WatchOutcome>,
) {
    use broadcast::error::RecvError;
    loop {
        match outcomes.recv().await {
            Ok(WatchOutcome::SetAside { file, .. }) => {
                app.state::<Notices>()
                    .send(Notice::SetAside(file_name(&file)));
            }
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}

/// Sends the images that are added, however they came: dropped, from a watched folder, by an editor,
/// over HTTP.
pub(super) async fn follow_added(app: AppHandle, mut added: broadcast::Receiver<ImageHash>) {
    use broadcast::error::RecvError;
    let mut missed = 0;
    loop {
        match added.recv().await {
            Ok(hash) => {
                let count = 1 + usize::try_from(std::mem::take(&mut missed)).unwrap_or_default();
                let link = links::link_to(&host_of(&app), hash);
                app.state::<Notices>().send(Notice::Stored { count, link });
            }
            Err(RecvError::Lagged(more)) => missed += more,
            Err(RecvError::Closed) => return,
        }
    }
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

struct Notifier {
    app: AppHandle,
    session: Option<Session>,
    /// The last one about uploads: its number, time and content.
    shown: Option<(u32, Instant, Burst)>,
}

impl Notifier {
    fn words(&self) -> &'static Words {
        words(&host_of(&self.app))
    }

    /// Shows what waits for nothing; returns what may be one of many.
    async fn at_once(&mut self, notice: Notice) -> Option<Notice> {
        match notice {
            Notice::Sentence(sentence, about) => {
                self.show(0, sentence(self.words()), "", about).await;
            }
            Notice::Closed => self.show_closed().await,
            Notice::NoTray => {
                let shown = self.show(0, self.goes_on(), self.words().no_tray, WindowPage::Home);
                if shown.await.is_none() {
                    // A window in the list of windows is a way back, too.
                    window::open_minimised(&self.app);
                }
            }
            other => return Some(other),
        }
        None
    }

    async fn show_closed(&self) {
        super::tray_is_known(&self.app).await;
        let in_tray = super::tray_is_there(&self.app);
        let once = Once::of_closing(&self.app.state::<super::Folder>().0, in_tray);
        if once.was_shown() {
            return;
        }
        let words = self.words();
        let body = if in_tray {
            words.goes_on_in_tray
        } else {
            words.goes_on_without_tray
        };
        let shown = self.show(0, self.goes_on(), body, WindowPage::Home);
        if shown.await.is_some() {
            once.mark_shown();
        }
    }

    fn goes_on(&self) -> &'static str {
        if host_of(&self.app).consent().sharing() == Sharing::On {
            self.words().light_stays_on
        } else {
            self.words().goes_on
        }
    }

    /// The content of the last notification, if this one replaces it.
    fn burst_before(&self) -> Burst {
        self.shown
            .as_ref()
            .filter(|(_, at, _)| at.elapsed() < SAME)
            .map(|(_, _, burst)| burst.clone())
            .unwrap_or_default()
    }

    async fn show_burst(&mut self, burst: Burst) {
        let in_front = window::is_in_front(&self.app);
        let wanted = host_of(&self.app).settings().app.notifications;
        tracing::debug!(in_front, wanted, "a burst of uploads is over");
        if in_front || !wanted {
            return;
        }
        let replaced = match &self.shown {
            Some((number, at, _)) if at.elapsed() < SAME => *number,
            _ => 0,
        };
        let (title, body) = burst.text(self.words());
        let shown = self.show(replaced, &title, &body, WindowPage::Images);
        if let Some(number) = shown.await {
            self.shown = Some((number, Instant::now(), burst));
        }
    }

    /// Shows it; its number, when somebody did. A click leads to what it is
    /// about.
    async fn show(&self, replaced: u32, title: &str, body: &str, about: WindowPage) -> Option<u32> {
        let app = self.app.clone();
        let clicked = move || window::open_at(&app, about);
        let shown = match &self.session {
            Some(session) => session.notify(replaced, title, body, clicked).await,
            None => Err("there is no session bus".to_owned()),
        };
        shown
            .inspect_err(|why| tracing::info!("a notification was not shown: {why}"))
            .ok()
    }
}

/// What is shown once in the life of a data folder: that closing the window
/// ends nothing, and where it is to be found again. The file exists once it was shown.
struct Once(PathBuf);

impl Once {
    /// Of closing the window: once where there is a tray, and once where there
    /// is none, since the ways back are two.
    fn of_closing(folder: &Path, in_tray: bool) -> Self {
        Self(folder.join(if in_tray {
            "told-of-closing"
        } else {
            "told-of-closing-without-tray"
        }))
    }

    fn was_shown(&self) -> bool {
        self.0.exists()
    }

    fn mark_shown(&self) {
        if let Err(error) = std::fs::write(&self.0, "") {
            tracing::warn!(%error, "the notification about closing will be shown again");
        }
    }
}

/// Logs when there is no tray, and notifies an owner who has started the app
/// `hidden`, or had a tray until now, how to come back.
pub(super) async fn notify_without_tray(app: AppHandle, tray: super::TrayThere, hidden: bool) {
    follow_tray(tray, hidden, || app.state::<Notices>().send(Notice::NoTray)).await;
}

/// Until no program shows the tray any more. One that comes up later than the
/// app, as at login, or goes to come again, has some time.
async fn follow_tray(mut tray: super::TrayThere, hidden: bool, notify: impl Fn()) {
    const LATEST: Duration = Duration::from_secs(10);
    let mut relied_on = hidden;
    loop {
        let comes = tray.wait_for(|there| *there == Some(true));
        let comes = timeout_at(Instant::now() + LATEST, comes).await;
        match comes.map(|comes| comes.is_ok()) {
            Ok(true) => {}
            Ok(false) => return,
            Err(_) => {
                tracing::warn!("there is no tray: {}", NO_TRAY);
                if relied_on {
                    notify();
                }
                if tray.wait_for(|there| *there == Some(true)).await.is_err() {
                    return;
                }
            }
        }
        relied_on = true;
        if tray.wait_for(|there| *there != Some(true)).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use porchlight_service::state::State;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_lost_tray_is_reported_once_and_a_missing_one_to_those_who_need_it() {
        for (hidden, expected) in [(false, 1), (true, 2)] {
            let writer = State::new(Some(false));
            let tray = writer.reader();
            let calls = Cell::new(0);
            let late = async {
                for there in [true, false] {
                    tokio::time::sleep(Duration::from_secs(60)).await;
                    writer.set(Some(there));
                }
                tokio::time::sleep(Duration::from_secs(60)).await;
                drop(writer);
            };
            let follow = follow_tray(tray, hidden, || calls.set(calls.get() + 1));
            tokio::join!(late, follow);
            assert_eq!(calls.get(), expected, "{hidden}");
        }
    }

    #[tokio::test]
    async fn following_the_tray_ends_with_its_state() {
        for there in [None, Some(false), Some(true)] {
            let writer = State::new(there);
            let tray = writer.reader();
            drop(writer);
            follow_tray(tray, true, || panic!("{there:?}")).await;
        }
    }
}
