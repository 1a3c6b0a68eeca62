//! Locks that ignore poisoning.
//!
//! A lock is poisoned when a thread panics while holding it. The values behind our locks stay valid at every step, so one
//! panic must not take down every later request.

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

pub trait LockExt<T: ?Sized> {
    /// Locks the mutex, also when it is poisoned.
    fn locked(&self) -> MutexGuard<'_, T>;
}

impl<T: ?Sized> LockExt<T> for Mutex<T> {
    fn locked(&self) -> MutexGuard<'_, T> {
        self.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub trait RwLockExt<T: ?Sized> {
    /// Locks for reading, also when the lock is poisoned.
    fn read_locked(&self) -> RwLockReadGuard<'_, T>;

    /// Locks for writing, also when the lock is poisoned.
    fn write_locked(&self) -> RwLockWriteGuard<'_, T>;
}

impl<T: ?Sized> RwLockExt<T> for RwLock<T> {
    fn read_locked(&self) -> RwLockReadGuard<'_, T> {
        self.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_locked(&self) -> RwLockWriteGuard<'_, T> {
        self.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_poisoned_mutex_can_be_locked() {
        let mutex = Mutex::new(1);
        std::thread::scope(|scope| {
            let panicked = scope.spawn(|| {
                let _guard = mutex.locked();
                panic!("poisons the lock");
            });
            assert!(panicked.join().is_err());
        });
        assert!(mutex.is_poisoned());
        assert_eq!(*mutex.locked(), 1);
    }
}
