//! Debounces the foreground window: a short-lived one is not shared, and a
//! private window has its title before it is evaluated.

use std::time::Duration;

use tokio::time::Instant;

use super::foreground::Foreground;

/// A window that stays this long counts as the foreground window.
const STAYS: Duration = Duration::from_millis(250);

/// Even if windows keep changing, one of them counts after this long. With the
/// second between heartbeats, a change takes less than two seconds.
const LONGEST: Duration = Duration::from_millis(600);

/// The settled foreground window, and its possible successor.
#[derive(Debug)]
pub(super) struct Debounce {
    front: Foreground,
    coming: Option<Coming>,
}

#[derive(Debug)]
struct Coming {
    front: Foreground,
    since: Instant,
    /// Since when any window but the settled one is in the foreground.
    unrest_since: Instant,
}

impl Default for Debounce {
    fn default() -> Self {
        Self {
            front: Foreground::Unknown,
            coming: None,
        }
    }
}

impl Debounce {
    /// The settled foreground window.
    pub(super) fn front(&self) -> &Foreground {
        &self.front
    }

    /// Records the current foreground window; returns when to check again even
    /// if it stays.
    pub(super) fn see(&mut self, front: &Foreground, now: Instant) -> Option<Instant> {
        if *front == self.front {
            self.coming = None;
            return None;
        }
        // The first known window counts at once.
        if self.front == Foreground::Unknown {
            self.front = front.clone();
            return None;
        }
        let unrest_since = self.coming.as_ref().map_or(now, |it| it.unrest_since);
        let since = match &self.coming {
            Some(coming) if coming.front == *front => coming.since,
            _ => now,
        };
        let settles = (since + STAYS).min(unrest_since + LONGEST);
        if now >= settles {
            self.front = front.clone();
            self.coming = None;
            return None;
        }
        self.coming = Some(Coming {
            front: front.clone(),
            since,
            unrest_since,
        });
        Some(settles)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::presence::computer::foreground::Window;

    fn window(name: &str) -> Foreground {
        Foreground::Window(Arc::new(Window {
            names: vec![name.to_owned()],
            ..Window::default()
        }))
    }

    #[test]
    fn a_short_lived_window_is_ignored() {
        let start = Instant::now();
        let mut debounce = Debounce::default();
        assert_eq!(debounce.see(&window("a"), start), None);
        let again = debounce.see(&window("b"), start);
        assert_eq!(again, Some(start + STAYS));
        assert_eq!(*debounce.front(), window("a"));
        assert_eq!(debounce.see(&window("a"), start + STAYS / 2), None);
        let later = start + STAYS * 2;
        debounce.see(&window("b"), later);
        assert_eq!(*debounce.front(), window("a"), "the time restarts");
        debounce.see(&window("b"), later + STAYS);
        assert_eq!(*debounce.front(), window("b"));
    }

    #[test]
    fn constant_switching_settles_eventually() {
        let start = Instant::now();
        let mut debounce = Debounce::default();
        debounce.see(&window("a"), start);
        for step in 0..=60_u32 {
            let name = format!("w{step}");
            debounce.see(&window(&name), start + Duration::from_millis(10) * step);
        }
        assert_eq!(*debounce.front(), window("w60"));
    }
}
