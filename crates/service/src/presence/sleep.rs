//! Announced sleep: what has to be done before the machine sleeps, while logind or Windows waits for
//! it, and after it woke.

use std::time::Duration;

/// How long sleep is held up at most; logind allows five seconds.
#[cfg(not(windows))]
pub const HOLD_UP: Duration = Duration::from_secs(4);
#[cfg(windows)]
pub const HOLD_UP: Duration = crate::presence::suspend::HOLD_UP;

pub trait AroundSleep: Send {
    /// Prepares for a sleep that is announced; not waited for beyond [`HOLD_UP`].
    fn before(&mut self) -> impl Future<Output = ()> + Send;
    fn after(&mut self);
}

/// Follows what logind or Windows announces, while polled. Where nothing announces sleep, nothing is done.
pub async fn follow(around: impl AroundSleep) {
    #[cfg(target_os = "linux")]
    linux::follow(around).await;
    #[cfg(windows)]
    windows::follow(around).await;
    #[cfg(not(any(target_os = "linux", windows)))]
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
    use crate::presence::logind::{LOOK_FOR_IT_AGAIN, announced_sleeps, bus_ended, hold_up_sleep};

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

#[cfg(windows)]
mod windows {
    use tokio::time::timeout;

    use super::{AroundSleep, HOLD_UP};
    use crate::presence::suspend::{Announced, announced_sleeps};

    pub(super) async fn follow(mut around: impl AroundSleep) {
        let mut announced = match announced_sleeps() {
            Ok(announced) => announced,
            Err(error) => {
                tracing::debug!(%error, "sleep is not announced");
                return std::future::pending().await;
            }
        };
        loop {
            match announced.recv().await {
                Ok(Announced::Sleep(held)) => {
                    if timeout(HOLD_UP, around.before()).await.is_err() {
                        tracing::warn!("not everything was done before the machine slept");
                    }
                    drop(held);
                }
                // The end of a sleep may be among those that were missed.
                Ok(Announced::Awake) | Err(_) => around.after(),
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use std::time::{Duration, Instant};

        use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
        use tokio::task::spawn_blocking;

        use super::*;
        use crate::presence::suspend::{PRETENDING, pretend};

        struct Around {
            takes: Duration,
            done: UnboundedSender<&'static str>,
        }

        impl AroundSleep for Around {
            async fn before(&mut self) {
                tokio::time::sleep(self.takes).await;
                self.done.send("before").expect("a listener");
            }

            fn after(&mut self) {
                self.done.send("after").expect("a listener");
            }
        }

        #[tokio::test]
        async fn windows_waits_for_what_is_done_before_sleep_but_not_for_ever() {
            let _alone = PRETENDING.lock().await;
            let (done, mut did) = unbounded_channel();
            for (takes, finishes) in [(Duration::from_millis(300), true), (HOLD_UP * 9, false)] {
                let done = done.clone();
                let following = tokio::spawn(follow(Around { takes, done }));
                tokio::time::sleep(Duration::from_millis(100)).await;
                let start = Instant::now();
                spawn_blocking(|| pretend(true)).await.expect("announced");
                let waited = start.elapsed();
                assert!(waited >= takes.min(HOLD_UP), "{waited:?}");
                assert!(waited < HOLD_UP * 2, "{waited:?}");
                assert_eq!(did.try_recv().ok(), finishes.then_some("before"));
                spawn_blocking(|| pretend(false)).await.expect("announced");
                assert_eq!(did.recv().await, Some("after"));
                following.abort();
            }
        }
    }
}
