//! Notifications: what came of uploads that were made without the window, and
//! what the owner would otherwise miss. One for a burst of files, never one for
//! each, and never a file's place.

use std::path::Path;
use std::time::Duration;

use porchlight_api::window::Sharing;
use porchlight_companion::watch::Outcome;
use tauri::{AppHandle, Manager as _};
use tokio::sync::{broadcast, mpsc};
use tokio::time::{Instant, sleep_until, timeout_at};

use super::host_of;
use super::session::Session;
use super::window::{self, Place};
use super::words::{Words, with, words};

mod burst;
mod newcomers;
mod once;

use burst::Burst;
pub(super) use newcomers::{Known, follow as follow_new_pictures, known as known_pictures};
use once::Once;

/// A burst is over when nothing has come for so long.
const QUIET: Duration = Duration::from_millis(1_500);
/// What goes on for longer is told of meanwhile.
const LONGEST: Duration = Duration::from_secs(15);
/// What comes so soon after a notification is told in its place.
const SAME: Duration = Duration::from_secs(30);

/// Something to be told.
pub(super) enum Notice {
    /// So many pictures are new, however they came; the newest has this link.
    Stored { count: usize, link: String },
    /// What came of files that the owner asked to be uploaded, and whether
    /// their links are on the clipboard.
    Asked {
        ended: Vec<porchlight_api::window::Upload>,
        copied: bool,
    },
    /// A file of a watched folder can never work; its name.
    SetAside(String),
    /// The owner asked for what is on the clipboard, and there is no picture.
    NothingCopied,
    /// So many pictures that the owner deleted are still there.
    NotDeleted(usize),
    /// The window was closed.
    Closed,
    /// The app was started hidden, and there is no tray.
    NoTray,
}

/// Where it is told.
pub(super) struct Notices(mpsc::UnboundedSender<Notice>);

/// Where it is heard.
pub(super) type Told = mpsc::UnboundedReceiver<Notice>;

impl Notices {
    /// Both ends.
    pub(super) fn new() -> (Self, Told) {
        let (send, told) = mpsc::unbounded_channel();
        (Self(send), told)
    }

    /// Tells it; what is shown of it, the settings and the window decide.
    pub(super) fn tell(&self, notice: Notice) {
        // At the very end nobody listens any more.
        let _ = self.0.send(notice);
    }
}

/// Shows what is told until the app ends.
pub(super) async fn follow(app: AppHandle, session: Option<Session>, mut told: Told) {
    let mut desk = Desk {
        app,
        session,
        shown: None,
    };
    while let Some(notice) = told.recv().await {
        let Some(first) = desk.at_once(notice).await else {
            continue;
        };
        let mut burst = desk.burst_before();
        burst.take(first);
        let latest = Instant::now() + LONGEST;
        let mut over = Instant::now() + QUIET;
        while let Ok(Some(notice)) = timeout_at(over.min(latest), told.recv()).await {
            if let Some(notice) = desk.at_once(notice).await {
                burst.take(notice);
                over = Instant::now() + QUIET;
            }
        }
        desk.tell(burst).await;
    }
}

/// Tells of the files that watched folders set aside.
pub(super) async fn follow_watched(app: AppHandle, mut outcomes: broadcast::Receiver<Outcome>) {
    use broadcast::error::RecvError;
    loop {
        match outcomes.recv().await {
            Ok(Outcome::SetAside { file, .. }) => {
                app.state::<Notices>()
                    .tell(Notice::SetAside(file_name(&file)));
            }
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Opens the window when a notification is clicked.
pub(super) async fn follow_clicks(app: AppHandle, session: Session) {
    session
        .follow_clicks(|number| {
            if app.state::<Numbers>().has(number) {
                window::open_at(&app, Place::Images);
            }
        })
        .await;
}

/// The numbers of this run's notifications.
#[derive(Default)]
pub(super) struct Numbers(std::sync::Mutex<std::collections::HashSet<u32>>);

impl Numbers {
    fn has(&self, number: u32) -> bool {
        crate::host::lock(&self.0).contains(&number)
    }

    fn keep(&self, number: u32) {
        crate::host::lock(&self.0).insert(number);
    }
}

/// Where notifications are put up.
struct Desk {
    app: AppHandle,
    session: Option<Session>,
    /// The last one about uploads: its number, when, and what it told.
    shown: Option<(u32, Instant, Burst)>,
}

impl Desk {
    fn words(&self) -> &'static Words {
        words(&host_of(&self.app))
    }

    /// Tells what waits for nothing; gives back what may be one of many.
    async fn at_once(&mut self, notice: Notice) -> Option<Notice> {
        let words = self.words();
        match notice {
            Notice::NothingCopied => {
                if host_of(&self.app).settings().app.notifications {
                    self.show(0, words.no_picture_copied, "").await;
                }
            }
            // Whatever the settings say: it was asked for, and is not so.
            Notice::NotDeleted(count) => {
                self.show(0, &with(words.not_deleted, count), "").await;
            }
            Notice::Closed => self.tell_of_closing().await,
            Notice::NoTray => {
                if self.show(0, self.goes_on(), words.no_tray).await.is_none() {
                    // A window in the list of windows is a way back, too.
                    window::open_minimised(&self.app);
                }
            }
            other => return Some(other),
        }
        None
    }

    async fn tell_of_closing(&self) {
        let in_tray = super::tray_is_there(&self.app);
        let once = Once::of_closing(&self.app.state::<super::Folder>().0, in_tray);
        if once.was_said() {
            return;
        }
        let words = self.words();
        let body = if in_tray {
            words.goes_on_in_tray
        } else {
            words.goes_on_without_tray
        };
        if self.show(0, self.goes_on(), body).await.is_some() {
            once.said();
        }
    }

    /// What goes on without the window.
    fn goes_on(&self) -> &'static str {
        if host_of(&self.app).sharing() == Sharing::On {
            self.words().light_stays_on
        } else {
            self.words().goes_on
        }
    }

    /// What the last notification told, if this one will take its place.
    fn burst_before(&self) -> Burst {
        self.shown
            .as_ref()
            .filter(|(_, at, _)| at.elapsed() < SAME)
            .map(|(_, _, burst)| burst.clone())
            .unwrap_or_default()
    }

    async fn tell(&mut self, burst: Burst) {
        let in_front = window::is_in_front(&self.app);
        if in_front || !host_of(&self.app).settings().app.notifications {
            return;
        }
        let replaced = match &self.shown {
            Some((number, at, _)) if at.elapsed() < SAME => *number,
            _ => 0,
        };
        let (title, body) = burst.say(self.words());
        if let Some(number) = self.show(replaced, &title, &body).await {
            self.shown = Some((number, Instant::now(), burst));
        }
    }

    /// Shows it; its number, when somebody did.
    async fn show(&self, replaced: u32, title: &str, body: &str) -> Option<u32> {
        let shown = match &self.session {
            Some(session) => session.notify(replaced, title, body).await,
            None => Err("there is no session bus".to_owned()),
        };
        match shown {
            Ok(number) => {
                self.app.state::<Numbers>().keep(number);
                Some(number)
            }
            Err(why) => {
                tracing::info!("a notification was not shown: {why}");
                None
            }
        }
    }
}

/// Says in the log when there is no tray, and tells whoever has started the app
/// `hidden` how to come back. A tray that comes up later than the app, as at
/// login, has some time.
pub(super) async fn tell_without_tray(app: AppHandle, mut tray: super::TrayThere, hidden: bool) {
    const LATEST: Duration = Duration::from_secs(10);
    let latest = Instant::now() + LATEST;
    loop {
        if *tray.borrow_and_update() == Some(true) {
            return;
        }
        tokio::select! {
            changed = tray.changed() => if changed.is_err() { return },
            () = sleep_until(latest) => break,
        }
    }
    tracing::warn!("this desktop has no tray: starting Porchlight again opens its window");
    if hidden {
        app.state::<Notices>().tell(Notice::NoTray);
    }
}
