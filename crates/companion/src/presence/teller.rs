//! The task that turns what is seen and decided into what is said.

use std::sync::Arc;
use std::time::Duration;

use porchlight_api::{HeartbeatFields, Timestamp};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::away::{self, Away, There};
use super::decided::Decided;
use super::front::Front;
use super::portrait::Portraits;
use super::reporter::{self, Reporter};
use super::senses::{self, Sight};
use super::settled::Settled;
use super::{Orders, PresenceState, Shared, built_in, saying};

/// Nothing is said before the senses have looked, but for so long at most.
const FIRST_LOOK: Duration = Duration::from_secs(1);

/// The end of a pause is looked for this often: the machine may sleep past it.
const LOOK_FOR_THE_END: Duration = Duration::from_secs(30);

/// Tells until `stop` is cancelled, and then says goodbye.
pub(super) async fn tell(shared: Arc<Shared>, stop: CancellationToken) {
    let orders = shared.orders.borrow().clone();
    let first = reporter::Orders {
        say: None,
        interval: Duration::from_secs(orders.settings.interval_seconds),
        target: orders.target,
    };
    let mut teller = Teller {
        reporter: Reporter::start(first.clone()),
        told: first,
        senses: None,
        settled: Settled::default(),
        last_at: Front::Nothing,
        portraits: Portraits::default(),
    };
    let mut orders = shared.orders.subscribe();
    let mut decided = shared.decided.subscribe();
    let mut reporter = teller.reporter.state();
    while !stop.is_cancelled() {
        shared.decide(|decided| decided.end_pause_at(Timestamp::now()));
        let current = orders.borrow_and_update().clone();
        let wanted = decided.borrow_and_update().clone();
        let posting = reporter.borrow_and_update().clone();
        let (state, look_again) = teller.round(&current, &wanted).await;
        if current.enabled {
            shared.last_front.see(teller.settled.front());
        } else {
            shared.last_front.forget();
        }
        let state = PresenceState {
            reporter: posting,
            ..state
        };
        shared.state.send_if_modified(|known| {
            let changed = *known != state;
            *known = state;
            changed
        });
        let rest = async {
            match look_again {
                Some(then) => tokio::time::sleep_until(then).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            _ = orders.changed() => {}
            _ = decided.changed() => {}
            _ = reporter.changed() => {}
            () = shared.now.notified() => teller.reporter.try_now(),
            () = teller.something_seen() => {}
            () = rest => {}
        }
    }
    teller.senses = None;
    teller.reporter.stop().await;
}

/// The senses, for as long as they are needed.
struct Open {
    sight: watch::Receiver<Sight>,
    since: Instant,
    _close: DropGuard,
}

struct Teller {
    reporter: Reporter,
    /// What the reporter was told last.
    told: reporter::Orders,
    senses: Option<Open>,
    settled: Settled,
    /// What was in front while the owner was there.
    last_at: Front,
    portraits: Portraits,
}

impl Teller {
    /// One look at everything; what there is to say of it, and when to look
    /// again if nothing changes.
    async fn round(
        &mut self,
        orders: &Orders,
        decided: &Decided,
    ) -> (PresenceState, Option<Instant>) {
        let mut state = PresenceState {
            enabled: orders.enabled,
            pause: decided.pause,
            fixed: decided.fixed.clone(),
            ..PresenceState::default()
        };
        let Some((sight, since)) = self.look(orders.enabled) else {
            self.order(orders, None);
            return (state, None);
        };
        let now = Instant::now();
        let settles = self.settled.see(&sight.front, now);
        let (there, hidden) = self.judge(&sight, orders, now);
        (state.away, state.hidden, state.lacks) = (there.away, hidden, sight.lacks());
        let mut look_again = [settles, there.look_again];
        if decided.pause.is_some() {
            self.order(orders, None);
            let end = decided.pause.and_then(|pause| pause.until);
            look_again[0] = end.map(|end| now + until(end).min(LOOK_FOR_THE_END));
        } else if sight.has_looked() || now >= since + FIRST_LOOK {
            let fields = self.fields(orders, decided, there.away).await;
            self.order(orders, Some(fields.clone()));
            state.preview = Some(fields);
        } else {
            look_again[1] = Some(since + FIRST_LOOK);
        }
        (state, look_again.into_iter().flatten().min())
    }

    /// What the senses see. They are open only for those who said yes.
    fn look(&mut self, enabled: bool) -> Option<(Sight, Instant)> {
        if !enabled {
            self.senses = None;
            self.settled = Settled::default();
            self.last_at = Front::Nothing;
            return None;
        }
        let open = self.senses.get_or_insert_with(|| {
            let close = CancellationToken::new();
            Open {
                sight: senses::open(&close),
                since: Instant::now(),
                _close: close.drop_guard(),
            }
        });
        Some((open.sight.borrow_and_update().clone(), open.since))
    }

    /// Done when the senses see something new.
    async fn something_seen(&mut self) {
        if let Some(open) = &mut self.senses
            && open.sight.changed().await.is_ok()
        {
            return;
        }
        // Closed, or all of them gave up.
        std::future::pending().await
    }

    fn judge(&mut self, sight: &Sight, orders: &Orders, now: Instant) -> (There, bool) {
        let list = built_in::list();
        let (locked, plays, hidden) = match self.settled.front() {
            Front::Window(window) => (
                list.locks(window),
                window.full_screen && list.find(window).is_some_and(|program| program.plays),
                saying::hides(&orders.settings, window),
            ),
            Front::Unknown | Front::Nothing => (false, false, false),
        };
        let idle_after = Duration::from_secs(orders.settings.idle_seconds);
        let there = away::judge(sight, locked, plays, idle_after, now);
        if there.away.is_none() {
            self.last_at = self.settled.front().clone();
        }
        (there, hidden)
    }

    /// What the next heartbeat says. Of somebody who is away it says what they
    /// were at: a lock screen is nothing that anybody is at.
    async fn fields(
        &mut self,
        orders: &Orders,
        decided: &Decided,
        away: Option<Away>,
    ) -> HeartbeatFields {
        let fields = match &decided.fixed {
            Some(status) => saying::fixed(status),
            None => saying::of(&self.last_at, &orders.settings, &mut self.portraits).await,
        };
        HeartbeatFields {
            application_online: away.is_none(),
            ..fields
        }
    }

    fn order(&mut self, orders: &Orders, say: Option<HeartbeatFields>) {
        let interval = Duration::from_secs(orders.settings.interval_seconds);
        let new = self.told.say != say
            || self.told.interval != interval
            || !self.told.target.is_same_as(&orders.target);
        if new {
            self.told = reporter::Orders {
                say,
                interval,
                target: orders.target.clone(),
            };
            self.reporter.follow(self.told.clone());
        }
    }
}

fn until(end: Timestamp) -> Duration {
    let millis = end.as_millis().saturating_sub(Timestamp::now().as_millis());
    Duration::from_millis(u64::try_from(millis).unwrap_or_default())
}
