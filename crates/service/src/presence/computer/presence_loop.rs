//! The task that turns sensor state and overrides into heartbeats.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::app_metadata::AppMetadataCache;
use super::away::{self, Away, There};
use super::debounce::Debounce;
use super::foreground::Foreground;
use super::overrides::Overrides;
use super::reporter::{HeartbeatTarget, Reporter, ReporterOrders};
use super::sensors::{self, SensorState};
use super::shown_file::ShownFile;
use super::{PresenceOrders, PresenceState, Shared, built_in, content};
use crate::http::replies::HeartbeatFields;
use crate::presence::computer::settings::PresenceSettings;
use crate::state::StateReader;

/// How long the first heartbeat waits for the sensors at most.
const FIRST_LOOK: Duration = Duration::from_secs(1);

/// How often the rest of a pause or of a status with an end is stored.
const KEEP_EVERY: Duration = Duration::from_secs(60);

/// Runs until `stop` is cancelled, and then sends a goodbye.
pub(super) async fn run(shared: Arc<Shared>, shown: [ShownFile; 2], stop: CancellationToken) {
    let [own, other] = shown.map(Reporting::start);
    let (mut own_state, mut other_state) = (own.reporter.state(), other.reporter.state());
    let mut presence_loop = PresenceLoop {
        own,
        other,
        open_sensors: None,
        debounce: Debounce::default(),
        app_metadata: AppMetadataCache::default(),
    };
    let mut orders = shared.orders.reader();
    let mut overrides = shared.overrides.reader();
    let mut kept = Instant::now();
    while !stop.is_cancelled() {
        if kept.elapsed() >= KEEP_EVERY {
            kept = Instant::now();
            shared.keep_what_is_left();
        }
        if let Err(error) = shared.change_overrides(Overrides::end_what_is_over).await {
            tracing::warn!(%error, "the end of a pause or a status is not written");
        }
        let current = orders.latest();
        let wanted = overrides.latest();
        let (own, other) = (own_state.latest(), other_state.latest());
        let (state, look_again) = presence_loop.round(&current, &wanted).await;
        if current.enabled {
            shared.last_foreground.see(presence_loop.debounce.front());
            shared.known_apps.see(presence_loop.debounce.front());
        } else {
            shared.last_foreground.forget();
            shared.known_apps.forget();
        }
        let state = PresenceState {
            reporter: match current.other {
                Some(_) if own.trouble.is_none() => other,
                _ => own,
            },
            ..state
        };
        shared.state.update(|known| *known = state);
        let ends = wanted.left().map(|left| Instant::now() + left);
        let keeps = ends.map(|ends| ends.min(kept + KEEP_EVERY));
        let look_again = look_again.into_iter().chain(keeps).min();
        let rest = async {
            match look_again {
                Some(then) => tokio::time::sleep_until(then).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            _ = orders.changed() => {}
            _ = overrides.changed() => {}
            _ = own_state.changed() => {}
            _ = other_state.changed() => {}
            () = shared.now.notified() => {
                presence_loop.own.reporter.try_now();
                presence_loop.other.reporter.try_now();
            }
            () = presence_loop.sensors_changed() => {}
            () = rest => {}
        }
    }
    presence_loop.open_sensors = None;
    tokio::join!(
        presence_loop.own.reporter.stop(),
        presence_loop.other.reporter.stop()
    );
}

/// The running sensors.
struct Open {
    sensors: StateReader<SensorState>,
    since: Instant,
    reads_tracks: bool,
    _close: DropGuard,
}

/// The reports to one service.
struct Reporting {
    reporter: Reporter,
    /// The last orders of the reporter; `None` before the first.
    sent: Option<ReporterOrders>,
}

impl Reporting {
    fn start(shown: ShownFile) -> Self {
        Self {
            reporter: Reporter::start(shown),
            sent: None,
        }
    }

    /// Has the reporter send this from now on, where that is new.
    fn order(&mut self, orders: ReporterOrders) {
        let same = self.sent.as_ref().is_some_and(|sent| {
            sent.content == orders.content
                && sent.interval == orders.interval
                && sent.target.endpoint() == orders.target.endpoint()
        });
        if !same {
            self.sent = Some(orders.clone());
            self.reporter.follow(orders);
        }
    }
}

struct PresenceLoop {
    own: Reporting,
    other: Reporting,
    open_sensors: Option<Open>,
    debounce: Debounce,
    app_metadata: AppMetadataCache,
}

impl PresenceLoop {
    /// Evaluates everything; returns the new state, and when to evaluate again
    /// if nothing changes.
    async fn round(
        &mut self,
        orders: &PresenceOrders,
        overrides: &Overrides,
    ) -> (PresenceState, Option<Instant>) {
        let mut state = PresenceState {
            enabled: orders.enabled,
            pause: overrides.pause,
            fixed: overrides.fixed.clone(),
            recent: overrides.recent.clone(),
            ..PresenceState::default()
        };
        let Some((sensors, since)) = self.look(orders) else {
            self.order(orders, None);
            return (state, None);
        };
        let now = Instant::now();
        let settings = &orders.settings;
        let language = settings.language();
        let front = self.app_metadata.named(&sensors.front, language).await;
        let settles = self.debounce.see(&front, now);
        let (there, hidden) = self.judge(&sensors, orders, now);
        (state.away, state.hidden, state.unavailable) = (there.away, hidden, sensors.unavailable());
        let mut look_again = [settles, there.look_again];
        if overrides.pause.is_some() {
            self.order(orders, None);
        } else if sensors.has_looked() || now >= since + FIRST_LOOK {
            let fields = self.fields(settings, overrides, &state, &sensors).await;
            self.order(orders, Some(fields.clone()));
            state.preview = Some(fields);
        } else {
            look_again[1] = Some(since + FIRST_LOOK);
        }
        (state, look_again.into_iter().flatten().min())
    }

    /// The sensor state. Sensors run only with the owner's consent.
    fn look(&mut self, orders: &PresenceOrders) -> Option<(SensorState, Instant)> {
        if !orders.enabled {
            self.open_sensors = None;
            self.debounce = Debounce::default();
            return None;
        }
        let reads_tracks = orders.settings.share_music;
        self.open_sensors
            .take_if(|open| open.reads_tracks != reads_tracks);
        let open = self.open_sensors.get_or_insert_with(|| {
            let close = CancellationToken::new();
            Open {
                sensors: sensors::open(&close, reads_tracks),
                since: Instant::now(),
                reads_tracks,
                _close: close.drop_guard(),
            }
        });
        Some((open.sensors.latest(), open.since))
    }

    async fn sensors_changed(&mut self) {
        if let Some(open) = &mut self.open_sensors
            && open.sensors.changed().await.is_ok()
        {
            return;
        }
        // Stopped, or all of them failed.
        std::future::pending().await
    }

    fn judge(
        &mut self,
        sensors: &SensorState,
        orders: &PresenceOrders,
        now: Instant,
    ) -> (There, bool) {
        let list = built_in::list();
        let (locked, plays, hidden) = match self.debounce.front() {
            Foreground::Window(window) => (
                list.locks(window),
                window.full_screen && list.plays_films(window),
                content::hides(&orders.settings, window),
            ),
            Foreground::Unknown | Foreground::Nothing => (false, false, false),
        };
        let idle_after = Duration::from_secs(orders.settings.idle_seconds);
        let there = away::judge(sensors, locked, plays, idle_after, now);
        (there, hidden)
    }

    /// The content of the next heartbeat. While the owner is away it shows nothing, as a pause: no
    /// reader can distinguish the two. A status of the owner stays, but not over the night.
    async fn fields(
        &mut self,
        settings: &PresenceSettings,
        overrides: &Overrides,
        state: &PresenceState,
        sensors: &SensorState,
    ) -> HeartbeatFields {
        if let Some(status) = &overrides.fixed
            && state.away != Some(Away::Asleep)
        {
            return HeartbeatFields {
                application_online: state.away.is_none(),
                ..content::fixed(status)
            };
        }
        if state.away.is_some() {
            return HeartbeatFields::default();
        }
        let front = self.debounce.front();
        let mut fields = content::of(front, settings, &mut self.app_metadata).await;
        // Of a private app readers see nothing, also not what plays in it.
        if !state.hidden {
            content::add_music(&mut fields, &sensors.tracks, settings);
        }
        fields
    }

    fn order(&mut self, orders: &PresenceOrders, content: Option<HeartbeatFields>) {
        let interval = Duration::from_secs(orders.settings.interval_seconds);
        let order = |target: &HeartbeatTarget, content| ReporterOrders {
            content,
            interval,
            target: target.clone(),
        };
        self.own.order(order(&orders.own, content.clone()));
        if let Some(other) = &orders.other {
            self.other.order(order(other, content));
        } else if let Some(sent) = &self.other.sent {
            // The settings name it no longer: nothing is to be left there.
            let hidden = order(&sent.target, None);
            self.other.order(hidden);
        }
    }
}
