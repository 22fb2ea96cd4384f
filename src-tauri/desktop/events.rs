//! Follows the status of the service, and updates the tray and the window. What changes that status
//! notifies [`Changes`].

use std::time::Duration;

use porchlight_service::app::devices;
use porchlight_service::app::host::Host;
use porchlight_service::clock::timestamp::Timestamp;
use porchlight_service::devices::DeviceAccess;
use porchlight_service::images::{ImageDetails, ImageSearch};
use porchlight_service::presence::computer::End;
use porchlight_service::state::{State, StateReader};
use porchlight_service::status::window::alerts::Alert;
use porchlight_service::status::window::home::Home;
use porchlight_service::text::one_line;
use tauri::{AppHandle, Emitter as _};
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::i18n::words;
use super::tray::content::{Content, RECENT, TrayStatus};
use super::{home, host_of, tray};

/// What sends no event, such as the calls of readers and times that pass, is checked this often.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Characters of the name of a device in the tray.
const LONGEST_DEVICE: usize = 30;
/// The window is updated at most this often.
const SEND_EVERY: Duration = Duration::from_millis(250);

/// Sends an event whenever something has changed.
#[derive(Default)]
pub(super) struct Changes(State<()>);

impl Changes {
    /// Something that the tray or the window shows is no longer as it was.
    pub(super) fn notify(&self) {
        self.0.set(());
    }

    pub(super) fn subscribe(&self) -> StateReader<()> {
        self.0.reader()
    }
}

pub(super) fn alerts(host: &Host) -> Vec<Alert> {
    host.alerts()
}

/// Everything that the tray and the window show, with a time or a count for what the database has of
/// it.
type ShownStatus = (Home, Option<Timestamp>, u64, u64);

fn shown_now(host: &Host, alerts: Vec<Alert>, images: u64, tray: bool) -> ShownStatus {
    let stats = host.service().stats();
    let calls = stats.totals().iter().map(|stat| stat.count).sum();
    let home = home::status(host, alerts, tray);
    (home, stats.status_asked(), images, calls)
}

/// Notifies the window that there are more or fewer pictures, until the app ends.
pub(super) async fn follow_images(app: AppHandle) {
    let mut images = host_of(&app).service().images().changes();
    while images.changed().await.is_ok() {
        if let Err(error) = app.emit("images-changed", ()) {
            tracing::warn!(%error, "the window could not be notified of the pictures");
        }
        sleep(SEND_EVERY).await;
    }
}

/// Notifies the window when the posts of `blog.folders` are read, until the app ends.
pub(super) async fn follow_posts(app: AppHandle) {
    let mut posts = host_of(&app).posts().changes();
    while posts.changed().await.is_ok() {
        if let Err(error) = app.emit("posts-changed", ()) {
            tracing::warn!(%error, "the window could not be notified of the posts");
        }
        sleep(SEND_EVERY).await;
    }
}

/// What the tray is to show now. `newest` are the newest pictures.
pub(super) fn for_the_tray(host: &Host, alerts: &[Alert], newest: &[ImageDetails]) -> Content {
    let presence = host.consent().presence();
    let presence = presence.get();
    let device = shown_device(host);
    let status_of_all = TrayStatus {
        light: &home::light(host),
        device: device.as_deref(),
        sharing: host.consent().sharing(),
        paused_until: presence.pause.and_then(|pause| pause.until).map(End::time),
        statuses: (presence.fixed.as_ref(), &presence.recent),
        alerts,
        address: host.address_kind(),
        newest,
    };
    Content::of(&status_of_all, words(host))
}

/// The device that readers see, where they see more than one.
fn shown_device(host: &Host) -> Option<String> {
    let mut devices = devices::glance(host).all;
    devices.retain(|card| card.access == DeviceAccess::Allowed && card.last_report.is_some());
    let shown = devices.iter().find(|card| card.in_check)?;
    (devices.len() > 1).then(|| match shown.own {
        true => words(host).this_computer.to_owned(),
        false => one_line(&shown.name, LONGEST_DEVICE),
    })
}

/// The newest pictures, as the tray offers them; those that it has where the
/// database fails.
async fn newest(host: &Host, before: Vec<ImageDetails>) -> Vec<ImageDetails> {
    let images = host.service().images();
    match images.search(ImageSearch::default(), 0, RECENT).await {
        Ok(found) => found.images,
        Err(error) => {
            tracing::warn!(%error, "the newest pictures cannot be read");
            before
        }
    }
}

pub(super) async fn follow(app: AppHandle, changes: StateReader<()>) {
    let host = host_of(&app);
    let mut notified = changes;
    let mut presence = host.service().presence().changes();
    let mut images = host.service().images().changes();
    // Waiting takes notice of a change, and then the list would not be read.
    let mut pictures = images.clone();
    let mut reported = host.consent().presence();
    let mut settings = host.store().changes();
    let mut look = interval(LOOK_EVERY);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut shown = None;
    let mut recent = newest(&host, Vec::new()).await;
    loop {
        // A change of what is read below is one for the next time round.
        let services = host.next_change();
        if images.has_changed() {
            images.mark_unchanged();
            recent = newest(&host, recent).await;
        }
        let alerts = alerts(&host);
        tray::show(&app, for_the_tray(&host, &alerts, &recent));
        let tray = super::tray_is_there(&app);
        let now = shown_now(&host, alerts, images.get(), tray);
        if shown.as_ref() != Some(&now) {
            if let Err(error) = app.emit("home-changed", ()) {
                tracing::warn!(%error, "the window could not be notified of a change");
            }
            shown = Some(now);
            sleep(SEND_EVERY).await;
        }
        // A channel whose sender is gone has no more changes.
        tokio::select! {
            Ok(()) = notified.changed() => {}
            Ok(()) = presence.changed() => {}
            Ok(()) = pictures.changed() => {}
            Ok(()) = reported.changed() => {}
            Ok(()) = settings.changed() => {}
            () = services => {}
            _ = look.tick() => {}
        }
    }
}

/// Notifies the window when the reported presence or the foreground app changes, until the app
/// ends.
pub(super) async fn follow_presence(app: AppHandle) {
    let host = host_of(&app);
    let mut state = host.consent().presence();
    let mut front = host.consent().last_front();
    let mut shown = None;
    loop {
        state.mark_unchanged();
        // That a heartbeat was taken changes nothing that is shown.
        let now = (host.presence(), front.shown());
        if shown.as_ref() != Some(&now) {
            if let Err(error) = app.emit("presence-changed", ()) {
                tracing::warn!(%error, "the window could not be notified of a change");
            }
            shown = Some(now);
            sleep(SEND_EVERY).await;
        }
        tokio::select! {
            Ok(()) = state.changed() => {}
            () = front.changed() => {}
            else => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use porchlight_service::app::host::{Kind, StartOptions};

    #[tokio::test]
    async fn the_page_gets_the_end_of_the_welcome() {
        let folder = tempfile::tempdir().expect("a folder");
        let options = StartOptions {
            data_dir: Some(folder.path().to_owned()),
            listen: Some(([127, 0, 0, 1], 0).into()),
            set: Vec::new(),
            without_keyring: true,
        };
        let host = match Host::start(options, Kind::Desktop).await {
            Ok(host) => host,
            Err(error) => panic!("{error}"),
        };
        let before = shown_now(&host, Vec::new(), 0, true);
        let change = [("app.welcomed".to_owned(), serde_json::json!(true))].into();
        assert_eq!(host.store().change(&change).await, Ok(Vec::new()));
        assert!(before != shown_now(&host, Vec::new(), 0, true));
        host.stop().await;
    }
}
