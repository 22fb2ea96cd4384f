//! A value that one part of the process writes and others read and follow.
//!
//! It wraps [`tokio::sync::watch`], whose readers hold a lock for as long as they look at the value:
//! a reader that calls something that reads the same value again blocks for ever as soon as a writer
//! waits in between. Here no reader holds a lock: [`State::get`] and [`State::with`] work on a
//! shared copy. No other file uses `watch` directly; `tests/tidy.rs` checks that.

pub mod background;
pub mod detach;
pub mod progress;

use std::cell::Cell;
use std::sync::Arc;

use tokio::sync::watch;

/// A value, and the right to change it. Cheap to clone; clones share the value.
#[derive(Debug)]
pub struct State<T>(watch::Sender<Arc<T>>);

/// Reads a [`State`] and waits for its changes. A clone has seen what the original has seen.
#[derive(Debug)]
pub struct StateReader<T>(watch::Receiver<Arc<T>>);

/// The writer of the [`State`] is gone, so that it does not change any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the state does not change any more")]
pub struct Closed;

impl<T> State<T> {
    /// A state with this value.
    pub fn new(value: T) -> Self {
        Self(watch::Sender::new(Arc::new(value)))
    }

    /// A reader that has seen the present value.
    #[must_use]
    pub fn reader(&self) -> StateReader<T> {
        StateReader(self.0.subscribe())
    }

    /// The value.
    #[must_use]
    pub fn get(&self) -> T
    where
        T: Clone,
    {
        self.with(T::clone)
    }

    /// Reads a part of the value. No lock is held meanwhile.
    pub fn with<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        assert_not_updating();
        let value = Arc::clone(&self.0.borrow());
        read(&value)
    }

    /// Replaces the value. Readers are notified even where the new one is the same.
    pub fn set(&self, value: T) {
        assert_not_updating();
        self.0.send_replace(Arc::new(value));
    }

    /// Changes the value; updates run one after the other. Readers are notified where it differs
    /// afterwards. Returns what `change` returns.
    ///
    /// # Panics
    /// When `change` reads or writes any state: that could block for ever.
    pub fn update<R>(&self, change: impl FnOnce(&mut T) -> R) -> R
    where
        T: Clone + PartialEq,
    {
        assert_not_updating();
        let mut result = None;
        self.0.send_if_modified(|shared| {
            let _updating = Updating::start();
            let mut value = T::clone(shared);
            result = Some(change(&mut value));
            let differs = value != **shared;
            if differs {
                *shared = Arc::new(value);
            }
            differs
        });
        result.expect("the change was made")
    }
}

impl<T> Clone for State<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: Default> Default for State<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> StateReader<T> {
    /// A reader of a value that never changes.
    pub fn constant(value: T) -> Self {
        State::new(value).reader()
    }

    /// The value. Whether its last change was seen stays as it is.
    #[must_use]
    pub fn get(&self) -> T
    where
        T: Clone,
    {
        self.with(T::clone)
    }

    /// Reads a part of the value. No lock is held meanwhile.
    pub fn with<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        assert_not_updating();
        let value = Arc::clone(&self.0.borrow());
        read(&value)
    }

    /// The value, which counts as seen from then on.
    pub fn latest(&mut self) -> T
    where
        T: Clone,
    {
        assert_not_updating();
        let value = Arc::clone(&self.0.borrow_and_update());
        T::clone(&value)
    }

    /// Completes when there is a change that was not seen, which then counts as seen.
    ///
    /// # Errors
    /// When the writer is gone.
    pub async fn changed(&mut self) -> Result<(), Closed> {
        self.0.changed().await.map_err(|_| Closed)
    }

    /// Whether there is a change that was not seen.
    #[must_use]
    pub fn has_changed(&self) -> bool {
        self.0.has_changed().unwrap_or(false)
    }

    /// The present value counts as not seen.
    pub fn mark_changed(&mut self) {
        self.0.mark_changed();
    }

    /// The present value counts as seen.
    pub fn mark_unchanged(&mut self) {
        self.0.mark_unchanged();
    }

    /// Waits for a value like this, which may be the present one, and returns it.
    ///
    /// # Errors
    /// When the writer is gone and the last value is not like this.
    pub async fn wait_for(&mut self, mut wanted: impl FnMut(&T) -> bool) -> Result<T, Closed>
    where
        T: Clone,
    {
        loop {
            let value = Arc::clone(&self.0.borrow_and_update());
            if wanted(&value) {
                return Ok(T::clone(&value));
            }
            self.changed().await?;
        }
    }
}

impl<T> Clone for StateReader<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

thread_local! {
    #[allow(
        clippy::missing_const_for_thread_local,
        reason = "it is const, which clippy does not see in what the macro makes for Windows"
    )]
    static IS_UPDATING: Cell<bool> = const { Cell::new(false) };
}

/// While it lives, this thread holds the lock of a state.
struct Updating;

impl Updating {
    fn start() -> Self {
        IS_UPDATING.set(true);
        Self
    }
}

impl Drop for Updating {
    fn drop(&mut self) {
        IS_UPDATING.set(false);
    }
}

#[track_caller]
fn assert_not_updating() {
    assert!(
        !IS_UPDATING.get(),
        "a state is used while another one, or itself, is being changed"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_inside_a_read_does_not_wait_for_a_writer_in_between() {
        let state = State::new(1);
        let writer = state.clone();
        let read = state.with(|outer| {
            let write = std::thread::spawn(move || writer.update(|value| *value += 1));
            write.join().expect("it writes");
            (*outer, state.with(|inner| *inner))
        });
        assert_eq!(read, (1, 2));
    }

    #[test]
    fn an_update_that_reads_a_state_panics_and_changes_nothing() {
        let state = State::new(1);
        let nested = state.clone();
        let update = std::panic::AssertUnwindSafe(|| {
            state.update(|value| {
                *value = 2;
                nested.get()
            })
        });
        std::panic::catch_unwind(update).expect_err("it panics");
        assert_eq!(state.get(), 1);
        state.set(3);
        assert_eq!(state.get(), 3);
    }

    #[tokio::test]
    async fn readers_are_notified_of_changed_values_only() {
        let state = State::new(1);
        let mut reader = state.reader();
        state.update(|value| *value = 1);
        assert!(!reader.has_changed());
        state.set(1);
        assert!(reader.has_changed());
        assert_eq!(reader.latest(), 1);
        assert!(!reader.has_changed());
        state.update(|value| *value = 2);
        assert_eq!(reader.wait_for(|value| *value == 2).await, Ok(2));
        assert!(!reader.has_changed());
        drop(state);
        assert_eq!(reader.changed().await, Err(Closed));
        assert_eq!(reader.get(), 2);
    }

    /// With a lock that is held across the outer read, reader and writer wait for each other for ever.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn nested_reads_and_a_writer_at_full_speed_do_not_block_each_other() {
        let state = State::new(0_u64);
        let until = std::time::Instant::now() + std::time::Duration::from_secs(2);
        let reader = state.reader();
        let reads = tokio::spawn(async move {
            while std::time::Instant::now() < until {
                let (outer, inner) = reader.with(|outer| (*outer, reader.get()));
                assert!(outer <= inner);
            }
        });
        let writes = tokio::spawn(async move {
            while std::time::Instant::now() < until {
                state.update(|value| *value += 1);
            }
            state.get()
        });
        reads.await.expect("it reads");
        assert!(writes.await.expect("it writes") > 1_000);
    }
}
