//! The window in front, once it stays there: one that only flits by is not
//! told, and a private window has its title before anybody looks at it.

use std::time::Duration;

use tokio::time::Instant;

use super::front::Front;

/// A window that stays this long is in front.
const STAYS: Duration = Duration::from_millis(250);

/// However wildly windows change, one of them counts after this long. With the
/// second between heartbeats it stays within the two that a change may take.
const LONGEST: Duration = Duration::from_millis(600);

/// What is in front, and what may be soon.
#[derive(Debug)]
pub(super) struct Settled {
    front: Front,
    coming: Option<Coming>,
}

#[derive(Debug)]
struct Coming {
    front: Front,
    since: Instant,
    /// Since when anything else than the settled one is in front.
    unrest_since: Instant,
}

impl Default for Settled {
    fn default() -> Self {
        Self {
            front: Front::Unknown,
            coming: None,
        }
    }
}

impl Settled {
    /// What counts as being in front.
    pub(super) fn front(&self) -> &Front {
        &self.front
    }

    /// Takes in what is in front now; when to look again even if that stays.
    pub(super) fn see(&mut self, front: &Front, now: Instant) -> Option<Instant> {
        if *front == self.front {
            self.coming = None;
            return None;
        }
        // What comes first after nothing was known has waited long enough.
        if self.front == Front::Unknown {
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
    use crate::presence::front::Window;

    fn window(name: &str) -> Front {
        Front::Window(Arc::new(Window {
            names: vec![name.to_owned()],
            ..Window::default()
        }))
    }

    #[test]
    fn what_flits_by_is_not_in_front() {
        let start = Instant::now();
        let mut settled = Settled::default();
        assert_eq!(settled.see(&window("a"), start), None);
        let again = settled.see(&window("b"), start);
        assert_eq!(again, Some(start + STAYS));
        assert_eq!(*settled.front(), window("a"));
        assert_eq!(settled.see(&window("a"), start + STAYS / 2), None);
        let later = start + STAYS * 2;
        settled.see(&window("b"), later);
        assert_eq!(*settled.front(), window("a"), "counted anew");
        settled.see(&window("b"), later + STAYS);
        assert_eq!(*settled.front(), window("b"));
    }

    #[test]
    fn wild_switching_settles_in_the_end() {
        let start = Instant::now();
        let mut settled = Settled::default();
        settled.see(&window("a"), start);
        for step in 0..=60_u32 {
            let name = format!("w{step}");
            settled.see(&window(&name), start + Duration::from_millis(10) * step);
        }
        assert_eq!(*settled.front(), window("w60"));
    }
}
