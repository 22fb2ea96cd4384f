//! Failures that requests can cause repeatedly are logged once a minute for each cause, so that
//! requests cannot fill the log.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// For how long a cause is not logged again.
const PAUSE: Duration = Duration::from_secs(60);

/// The maximum number of causes that are logged in that time: each can name another file.
const MOST: usize = 60;

/// The causes of the last minute.
#[derive(Default)]
pub(crate) struct Repeats(Mutex<Recent>);

#[derive(Default)]
struct Recent {
    logged: HashMap<String, Instant>,
    left_out: u64,
}

impl Repeats {
    /// Whether to log this cause now; if so, how many were suppressed before it.
    pub(crate) fn log(&self, cause: &str, now: Instant) -> Option<u64> {
        let mut recent = self.0.lock();
        let is_recent = |at: &Instant| now.saturating_duration_since(*at) < PAUSE;
        if recent.logged.len() >= MOST {
            recent.logged.retain(|_, at| is_recent(at));
        }
        if recent.logged.len() >= MOST || recent.logged.get(cause).is_some_and(is_recent) {
            recent.left_out += 1;
            return None;
        }
        recent.logged.insert(cause.to_owned(), now);
        Some(std::mem::take(&mut recent.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_logged_once_a_minute() {
        let (repeats, start) = (Repeats::default(), Instant::now());
        let after = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(repeats.log("a missing file", start), Some(0));
        assert_eq!(repeats.log("a missing file", after(1)), None);
        assert_eq!(repeats.log("a broken disk", after(2)), Some(1));
        assert_eq!(repeats.log("a missing file", after(59)), None);
        assert_eq!(repeats.log("a missing file", after(60)), Some(1));
    }

    #[test]
    fn many_causes_are_bounded_in_lines_and_in_memory() {
        let (repeats, start) = (Repeats::default(), Instant::now());
        let logged = |at| {
            let causes = (0..100_000).map(|number| format!("file {number} is missing"));
            causes
                .filter(|cause| repeats.log(cause, at).is_some())
                .count()
        };
        assert_eq!((logged(start), logged(start)), (MOST, 0));
        assert_eq!(logged(start + PAUSE), MOST);
        let recent = repeats.0.lock();
        assert_eq!(recent.logged.len(), MOST);
    }
}
