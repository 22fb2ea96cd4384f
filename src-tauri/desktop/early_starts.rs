//! Second starts that come while the first one is still starting.

use parking_lot::Mutex;

/// The arguments of second starts while this one was still starting.
#[derive(Default)]
pub(super) struct EarlyStarts(Mutex<Vec<Vec<String>>>);

impl EarlyStarts {
    /// Keeps the arguments for later, unless the app is ready already: then they are
    /// returned. Both are checked under one lock, so that none is lost in between.
    pub(super) fn keep_unless(
        &self,
        is_there: impl FnOnce() -> bool,
        arguments: Vec<String>,
    ) -> Option<Vec<String>> {
        let mut kept = self.0.lock();
        if is_there() {
            return Some(arguments);
        }
        kept.push(arguments);
        None
    }

    /// What was kept; from now on all must be there.
    pub(super) fn take(&self) -> Vec<Vec<String>> {
        std::mem::take(&mut self.0.lock())
    }
}

#[cfg(test)]
mod tests {
    use super::EarlyStarts;

    #[test]
    fn the_request_of_a_second_start_waits_for_the_app() {
        let early = EarlyStarts::default();
        let arguments = || vec!["porchlight".to_owned()];
        assert_eq!(early.keep_unless(|| false, arguments()), None);
        assert_eq!(early.keep_unless(|| true, arguments()), Some(arguments()));
        assert_eq!(early.take(), [arguments()]);
        assert!(early.take().is_empty());
    }
}
