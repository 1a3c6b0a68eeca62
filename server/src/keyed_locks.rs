//! One async lock per key, for work that must not run twice at a time for the same thing.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, Weak};

use domain::LockExt;
use tokio::sync::OwnedMutexGuard;

/// A lock exists only while a task holds it or waits for it. The holder can leave a value `T` for the next.
#[derive(Debug)]
pub struct KeyedLocks<K, T = ()>(Arc<Mutex<HashMap<K, Weak<tokio::sync::Mutex<T>>>>>);

impl<K: Eq + Hash, T: Default> KeyedLocks<K, T> {
    /// Waits for the lock of a key.
    pub async fn lock(&self, key: K) -> OwnedMutexGuard<T> {
        self.get(key).lock_owned().await
    }

    fn get(&self, key: K) -> Arc<tokio::sync::Mutex<T>> {
        let mut locks = self.0.locked();
        locks.retain(|_, lock| lock.strong_count() > 0);
        if let Some(lock) = locks.get(&key).and_then(Weak::upgrade) {
            return lock;
        }
        let lock = Arc::new(tokio::sync::Mutex::default());
        locks.insert(key, Arc::downgrade(&lock));
        lock
    }
}

impl<K, T> Default for KeyedLocks<K, T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K, T> Clone for KeyedLocks<K, T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_waiter_sees_what_the_holder_left_and_unused_locks_go() {
        let locks = KeyedLocks::<u32, Option<&str>>::default();
        let mut held = locks.lock(1).await;
        let waiting = tokio::spawn({
            let locks = locks.clone();
            async move { *locks.lock(1).await }
        });
        // Other keys are not held up, and the waiter is in line before the lock is released.
        drop(locks.lock(2).await);
        tokio::task::yield_now().await;
        *held = Some("done");
        drop(held);
        assert_eq!(waiting.await.expect("waits"), Some("done"));
        assert_eq!(*locks.lock(1).await, None);
        assert_eq!(locks.0.locked().len(), 1);
    }
}
