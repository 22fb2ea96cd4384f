//! One at a time per key: two uploads of the same image, an upload and a
//! delete.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::OwnedMutexGuard;

/// A lock for every key, created on demand and removed when unused.
#[derive(Clone)]
pub(super) struct KeyedLock<K: Eq + Hash + Copy>(Arc<Mutexes<K>>);

type Mutexes<K> = Mutex<HashMap<K, Arc<tokio::sync::Mutex<()>>>>;

/// Holds the lock of one key, or waits for it.
pub(super) struct Turn<K: Eq + Hash + Copy> {
    all: Arc<Mutexes<K>>,
    key: K,
    guard: Option<OwnedMutexGuard<()>>,
}

impl<K: Eq + Hash + Copy> KeyedLock<K> {
    pub(super) fn new() -> Self {
        Self(Arc::default())
    }

    /// Waits for `key`, in the order of the calls.
    pub(super) async fn turn(&self, key: K) -> Turn<K> {
        // Made before the wait, so that a wait that is given up cleans up too.
        let mut turn = Turn {
            all: Arc::clone(&self.0),
            key,
            guard: None,
        };
        let mutex = {
            let mut all = self.0.lock();
            Arc::clone(all.entry(key).or_default())
        };
        turn.guard = Some(mutex.lock_owned().await);
        turn
    }
}

impl<K: Eq + Hash + Copy> Drop for Turn<K> {
    fn drop(&mut self) {
        let mut all = self.all.lock();
        self.guard = None;
        // One reference is the map's own: no other task holds it or waits for
        // it.
        if all
            .get(&self.key)
            .is_some_and(|mutex| Arc::strong_count(mutex) == 1)
        {
            all.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::KeyedLock;

    #[tokio::test]
    async fn a_key_is_held_by_one_and_forgotten_after() {
        let lock = KeyedLock::new();
        let first = lock.turn(1).await;
        let _other_key = lock.turn(2).await;
        tokio::select! {
            biased;
            _ = lock.turn(1) => panic!("two hold one key"),
            () = tokio::task::yield_now() => {}
        }
        drop(first);
        drop(lock.turn(1).await);
        assert_eq!(lock.0.lock().len(), 1);
    }

    #[tokio::test]
    async fn a_wait_that_is_given_up_leaves_nothing_behind() {
        let lock = KeyedLock::new();
        let holder = lock.turn(1).await;
        let mut waiter = Box::pin(lock.turn(1));
        assert!(futures_util::poll!(&mut waiter).is_pending());
        // Granted, and never polled again.
        drop(holder);
        drop(waiter);
        assert!(lock.0.lock().is_empty());
    }
}
