//! Detects past sleep from the clocks: one of them does not advance during
//! sleep. It needs no other service.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::{StateWriter, Woke};

const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Shorter than any sleep, longer than the clocks' difference in being read.
const LEAST: Duration = Duration::from_secs(1);

/// Watches while polled.
pub(super) async fn watch(writer: StateWriter) {
    let mut look = interval(LOOK_EVERY);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut known = asleep_in_all();
    loop {
        look.tick().await;
        let now = asleep_in_all();
        let slept = now.saturating_sub(known);
        known = known.max(now);
        if slept >= LEAST {
            tracing::debug!(?slept, "the machine slept");
            writer.change(|state| {
                state.woke = Some(Woke {
                    at: Instant::now(),
                    slept,
                });
            });
        }
    }
}

/// For how long the machine slept since it was started.
fn asleep_in_all() -> Duration {
    let read = |clock| {
        let time = clock_gettime(clock);
        Duration::new(
            u64::try_from(time.tv_sec).unwrap_or_default(),
            u32::try_from(time.tv_nsec).unwrap_or_default(),
        )
    };
    // In this order: a pause between the two readings is no sleep.
    let boot = read(ClockId::Boottime);
    boot.saturating_sub(read(ClockId::Monotonic))
}
