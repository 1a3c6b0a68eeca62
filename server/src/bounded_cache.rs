//! A cache with a limit in bytes and an age limit. The oldest entries go first.

use std::time::{Duration, Instant};

#[derive(Debug)]
pub struct BoundedCache<K, V> {
    /// The oldest first.
    entries: Vec<Entry<K, V>>,
    max_bytes: usize,
    max_age: Duration,
}

#[derive(Debug)]
struct Entry<K, V> {
    key: K,
    value: V,
    bytes: usize,
    inserted: Instant,
}

impl<K: PartialEq, V: Clone> BoundedCache<K, V> {
    pub fn new(max_bytes: usize, max_age: Duration) -> Self {
        Self { entries: Vec::new(), max_bytes, max_age }
    }

    pub fn get(&mut self, key: &K) -> Option<V> {
        self.drop_old(Instant::now());
        self.entries.iter().find(|entry| entry.key == *key).map(|entry| entry.value.clone())
    }

    pub fn remove(&mut self, key: &K) -> Option<V> {
        self.drop_old(Instant::now());
        let position = self.entries.iter().position(|entry| entry.key == *key)?;
        Some(self.entries.remove(position).value)
    }

    /// Keeps a value, unless it is larger than the whole cache. Others make room for it.
    pub fn insert(&mut self, key: K, value: V, bytes: usize) {
        self.entries.retain(|entry| entry.key != key);
        if bytes > self.max_bytes {
            return;
        }
        let inserted = Instant::now();
        self.drop_old(inserted);
        let mut kept = self.bytes();
        while kept + bytes > self.max_bytes {
            kept -= self.entries.remove(0).bytes;
        }
        self.entries.push(Entry { key, value, bytes, inserted });
    }

    /// Drops entries that are beyond the age limit at a time.
    pub fn drop_old(&mut self, now: Instant) {
        let max_age = self.max_age;
        self.entries.retain(|entry| now.saturating_duration_since(entry.inserted) < max_age);
    }

    /// Returns the size of all entries.
    pub fn bytes(&self) -> usize {
        self.entries.iter().map(|entry| entry.bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGE: Duration = Duration::from_secs(60);

    #[test]
    fn the_oldest_entries_make_room_and_too_large_ones_are_not_kept() {
        let mut cache = BoundedCache::new(10, AGE);
        cache.insert("a", 1, 4);
        cache.insert("b", 2, 4);
        cache.insert("c", 3, 4);
        assert_eq!((cache.get(&"a"), cache.get(&"b"), cache.get(&"c")), (None, Some(2), Some(3)));
        cache.insert("b", 4, 11);
        assert_eq!((cache.get(&"b"), cache.get(&"c"), cache.bytes()), (None, Some(3), 4));
    }

    #[test]
    fn entries_go_with_time() {
        let mut cache = BoundedCache::new(10, AGE);
        cache.insert("a", 1, 4);
        cache.drop_old(Instant::now() + AGE / 2);
        assert_eq!(cache.get(&"a"), Some(1));
        cache.drop_old(Instant::now() + AGE);
        assert_eq!((cache.get(&"a"), cache.bytes()), (None, 0));
    }
}
