//! Announced sleep: what has to be done before the machine sleeps, while logind waits for it, and
//! after it woke.

use std::time::Duration;

/// How long sleep is held up at most; logind allows five seconds.
pub const HOLD_UP: Duration = Duration::from_secs(4);

pub trait AroundSleep: Send {
    /// Prepares for a sleep that is announced; not waited for beyond [`HOLD_UP`].
    fn before(&mut self) -> impl Future<Output = ()> + Send;
    fn after(&mut self);
}

/// Follows what logind announces, while polled. Where nothing announces sleep, nothing is done.
pub async fn follow(around: impl AroundSleep) {
    #[cfg(target_os = "linux")]
    linux::follow(around).await;
    #[cfg(not(target_os = "linux"))]
    {
        drop(around);
        std::future::pending().await
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::convert::Infallible;

    use futures_util::StreamExt as _;
    use tokio::time::{sleep, timeout};
    use zbus::Connection;

    use super::{AroundSleep, HOLD_UP};
    use crate::logind::{LOOK_FOR_IT_AGAIN, announced_sleeps, bus_ended, hold_up_sleep};

    pub(super) async fn follow(mut around: impl AroundSleep) {
        loop {
            let Err(error) = announcements(&mut around).await;
            // The end of a sleep may have been announced while the bus was away.
            around.after();
            tracing::debug!(%error, "sleep is not announced");
            sleep(LOOK_FOR_IT_AGAIN).await;
        }
    }

    async fn announcements(around: &mut impl AroundSleep) -> zbus::Result<Infallible> {
        let bus = Connection::system().await?;
        // Subscribed before the first call, so that no announcement is missed in between.
        let mut sleeps = announced_sleeps(&bus).await?;
        let mut delay = hold_up_sleep(&bus).await?;
        loop {
            let announced = sleeps.next().await.ok_or_else(bus_ended)??;
            if announced.body().deserialize()? {
                if timeout(HOLD_UP, around.before()).await.is_err() {
                    tracing::warn!("not everything was done before the machine slept");
                }
                delay = None;
            } else {
                around.after();
                if delay.is_none() {
                    delay = hold_up_sleep(&bus).await?;
                }
            }
        }
    }
}
