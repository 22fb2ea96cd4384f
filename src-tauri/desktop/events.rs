//! Follows the status of the service, and updates the tray and the window.

use std::time::Duration;

use porchlight_api::Timestamp;
use porchlight_api::state::StateReader;
use porchlight_api::window::{
    Address, Alert, Caches, EdgeGlance, EditorsGlance, FileProblem, GameGlance, Light, LinkGlance,
    PresenceNow, ReaderCount, Sharing, SnapshotGlance, TunnelGlance, WatchGlance,
};
use porchlight_app::host::Host;
use porchlight_app::status;
use porchlight_core::images::{ImageDetails, Wanted};
use tauri::{AppHandle, Emitter as _};
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::changes;
use super::i18n::words;
use super::settings_effects::Following;
use super::tray::content::{Content, RECENT, TrayStatus};
use super::{home, host_of, links, tray};

/// What sends no event, such as the light that goes out, the calls of readers
/// and services that can restart, is checked this often.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The window is updated at most this often.
const TELL_EVERY: Duration = Duration::from_millis(250);

/// Everything that the tray and the window show.
#[derive(PartialEq, Eq)]
struct Glance {
    light: Light,
    sharing: Sharing,
    settling: bool,
    snapshot: Option<SnapshotGlance>,
    edge: EdgeGlance,
    status_asked: Option<Timestamp>,
    address: Address,
    links: LinkGlance,
    caches: Caches,
    images: u64,
    calls: u64,
    readers: ReaderCount,
    presence: PresenceNow,
    tunnel: TunnelGlance,
    watching: WatchGlance,
    editors: EditorsGlance,
    game: GameGlance,
    tray: bool,
    alerts: Vec<Alert>,
    needs_restart: bool,
    file_problems: Vec<FileProblem>,
    welcomed: bool,
}

impl Glance {
    fn at(host: &Host, alerts: Vec<Alert>, images: u64, tray: bool) -> Self {
        Self {
            alerts,
            light: home::light(host),
            sharing: host.consent().sharing(),
            settling: status::reach::is_settling(host),
            snapshot: status::reach::snapshot(host),
            edge: host.edge().state(),
            status_asked: host.service().stats().status_asked(),
            address: status::blog_address(host),
            links: links::glance(host),
            caches: home::caches(host),
            images,
            calls: host
                .service()
                .stats()
                .totals()
                .iter()
                .map(|stat| stat.count)
                .sum(),
            readers: host.service().stats().readers_today(),
            presence: status::presence(host),
            tunnel: status::tunnel(host),
            watching: status::watched_folders(host),
            editors: status::editors(host),
            game: status::game(host),
            tray,
            needs_restart: host.store().needs_restart(),
            file_problems: host.store().file_problems(),
            welcomed: home::was_welcomed(host),
        }
    }
}

/// Tells the window that there are more or fewer pictures, until the app ends.
pub(super) async fn follow_images(app: AppHandle) {
    let mut images = host_of(&app).service().images().changes();
    while images.changed().await.is_ok() {
        if let Err(error) = app.emit("images-changed", ()) {
            tracing::warn!(%error, "the window could not be notified of the pictures");
        }
        sleep(TELL_EVERY).await;
    }
}

/// What the tray is to say now. `newest` are the newest pictures.
pub(super) fn for_the_tray(host: &Host, alerts: &[Alert], newest: &[ImageDetails]) -> Content {
    let presence = host.consent().presence();
    let presence = presence.get();
    let status_of_all = TrayStatus {
        light: &home::light(host),
        sharing: host.consent().sharing(),
        paused_until: presence.pause.and_then(|pause| pause.until),
        statuses: (presence.fixed.as_ref(), &presence.recent),
        alerts,
        address: host.address_kind(),
        newest,
    };
    Content::of(&status_of_all, words(host))
}

/// The newest pictures, as the tray offers them; those that it has where the
/// database fails.
async fn newest(host: &Host, before: Vec<ImageDetails>) -> Vec<ImageDetails> {
    let images = host.service().images();
    match images.search(Wanted::default(), 0, RECENT).await {
        Ok(found) => found.images,
        Err(error) => {
            tracing::warn!(%error, "the newest pictures cannot be read");
            before
        }
    }
}

/// Follows until the app ends.
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
    let mut following = Following::default();
    let mut recent = newest(&host, Vec::new()).await;
    loop {
        // A change while they are read is one for the next time round.
        if images.has_changed() {
            images.mark_unchanged();
            recent = newest(&host, recent).await;
        }
        let alerts = changes::alerts(&host);
        tray::show(&app, for_the_tray(&host, &alerts, &recent));
        following.look(&app, &host).await;
        let tray = super::tray_is_there(&app);
        let now = Glance::at(&host, alerts, images.get(), tray);
        if shown.as_ref() != Some(&now) {
            if let Err(error) = app.emit("home-changed", ()) {
                tracing::warn!(%error, "the window could not be notified of a change");
            }
            shown = Some(now);
            sleep(TELL_EVERY).await;
        }
        // A channel whose sender is gone has no more changes.
        tokio::select! {
            Ok(()) = notified.changed() => {}
            Ok(()) = presence.changed() => {}
            Ok(()) = pictures.changed() => {}
            Ok(()) = reported.changed() => {}
            Ok(()) = settings.changed() => {}
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
        let now = (status::presence(&host), front.shown());
        if shown.as_ref() != Some(&now) {
            if let Err(error) = app.emit("presence-changed", ()) {
                tracing::warn!(%error, "the window could not be notified of a change");
            }
            shown = Some(now);
            sleep(TELL_EVERY).await;
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
    use porchlight_app::host::{Kind, StartOptions};

    #[tokio::test]
    async fn the_window_is_told_of_a_welcome_and_of_a_wait_for_a_restart() {
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
        let mut before = Glance::at(&host, Vec::new(), 0, true);
        for (key, value) in [
            ("app.welcomed", serde_json::json!(true)),
            ("server.greeting", serde_json::json!("hello")),
        ] {
            let change = [(key.to_owned(), value)].into();
            assert_eq!(host.store().change(&change).await, Ok(Vec::new()));
            let now = Glance::at(&host, Vec::new(), 0, true);
            assert!(before != now, "{key}");
            before = now;
        }
        host.stop().await;
    }
}
