//! One at a time per key: two uploads of one picture, an upload and a delete.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedMutexGuard;

/// A lock for every key, made when it is wanted and gone when nobody holds it.
pub(super) struct KeyedLock<K: Eq + Hash + Copy>(Mutex<HashMap<K, Arc<tokio::sync::Mutex<()>>>>);

/// Holds the lock of one key.
pub(super) struct Turn<'a, K: Eq + Hash + Copy> {
    lock: &'a KeyedLock<K>,
    key: K,
    guard: Option<OwnedMutexGuard<()>>,
}

impl<K: Eq + Hash + Copy> KeyedLock<K> {
    pub(super) fn new() -> Self {
        Self(Mutex::default())
    }

    /// Waits for `key`, behind those who asked before.
    pub(super) async fn turn(&self, key: K) -> Turn<'_, K> {
        let mutex = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(all.entry(key).or_default())
        };
        Turn {
            lock: self,
            key,
            guard: Some(mutex.lock_owned().await),
        }
    }
}

impl<K: Eq + Hash + Copy> Drop for Turn<'_, K> {
    fn drop(&mut self) {
        let mut all = self.lock.0.lock().unwrap_or_else(PoisonError::into_inner);
        self.guard = None;
        // One reference is the map's own: nobody else holds it or waits for it.
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
        assert_eq!(lock.0.lock().expect("not poisoned").len(), 1);
    }
}
