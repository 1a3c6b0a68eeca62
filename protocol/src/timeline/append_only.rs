//! Two collections that only grow and are cheap to clone, because clones share their old contents.
//!
//! A replay keeps a clone of the timeline every few thousand events.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A list in chunks. All but the last chunk are shared.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunked<T> {
    full: Vec<Arc<Vec<T>>>,
    /// Never empty unless the list is.
    tail: Vec<T>,
}

const CHUNK: usize = 128;

impl<T> Default for Chunked<T> {
    fn default() -> Self {
        Self { full: Vec::new(), tail: Vec::new() }
    }
}

impl<T> Chunked<T> {
    pub fn push(&mut self, item: T) {
        if self.tail.len() == CHUNK {
            self.full.push(Arc::new(std::mem::take(&mut self.tail)));
        }
        self.tail.push(item);
    }

    pub fn len(&self) -> usize {
        self.full.len() * CHUNK + self.tail.len()
    }

    pub fn is_empty(&self) -> bool {
        self.tail.is_empty()
    }

    pub fn get(&self, index: usize) -> Option<&T> {
        let (chunk, place) = (index / CHUNK, index % CHUNK);
        match self.full.get(chunk) {
            Some(chunk) => chunk.get(place),
            None => self.tail.get(index.checked_sub(self.full.len() * CHUNK)?),
        }
    }

    pub fn last_mut(&mut self) -> Option<&mut T> {
        self.tail.last_mut()
    }

    /// What a clone copies.
    pub fn copied_bytes(&self) -> usize {
        size_of_val(self.full.as_slice()) + size_of_val(self.tail.as_slice())
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.full.iter().flat_map(|chunk| chunk.iter()).chain(&self.tail)
    }
}

impl<T> FromIterator<T> for Chunked<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut list = Self::default();
        items.into_iter().for_each(|item| list.push(item));
        list
    }
}

impl<T: Serialize> Serialize for Chunked<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Chunked<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::deserialize(deserializer)?.into_iter().collect())
    }
}

/// A map from texts. New entries are in `recent` and then move into sorted levels, each at least twice as long as the
/// next. An insertion costs O(log n) on average, a lookup O(log² n), a clone O(log n).
#[derive(Clone, Debug)]
pub(super) struct TextMap<V> {
    levels: Vec<Arc<Level<V>>>,
    recent: BTreeMap<Arc<str>, V>,
}

type Level<V> = Vec<(Arc<str>, V)>;

const MAX_RECENT: usize = 64;

impl<V> Default for TextMap<V> {
    fn default() -> Self {
        Self { levels: Vec::new(), recent: BTreeMap::new() }
    }
}

impl<V: Copy> TextMap<V> {
    /// Inserts a value. The newest value of a key counts.
    pub fn insert(&mut self, key: Arc<str>, value: V) {
        self.recent.insert(key, value);
        if self.recent.len() < MAX_RECENT {
            return;
        }
        let mut level: Level<V> = std::mem::take(&mut self.recent).into_iter().collect();
        while let Some(older) = self.levels.pop_if(|older| older.len() < 2 * level.len()) {
            level = merge(&older, level);
        }
        self.levels.push(Arc::new(level));
    }

    pub fn get(&self, key: &str) -> Option<V> {
        self.recent.get(key).copied().or_else(|| {
            self.levels.iter().rev().find_map(|level| {
                let place = level.binary_search_by(|(known, _)| known.as_ref().cmp(key)).ok()?;
                Some(level[place].1)
            })
        })
    }
}

fn merge<V: Copy>(older: &[(Arc<str>, V)], newer: Level<V>) -> Level<V> {
    let mut merged = Vec::with_capacity(older.len() + newer.len());
    let mut older = older.iter().peekable();
    for entry in newer {
        while let Some(old) = older.next_if(|old| old.0 < entry.0) {
            merged.push(old.clone());
        }
        older.next_if(|old| old.0 == entry.0);
        merged.push(entry);
    }
    merged.extend(older.cloned());
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_by_index_across_chunks_and_survives_json() {
        for length in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK] {
            let list: Chunked<usize> = (0..length).collect();
            assert_eq!((list.len(), list.is_empty()), (length, length == 0));
            assert!((0..length).all(|i| list.get(i) == Some(&i)), "{length}");
            assert_eq!(list.get(length), None);
            let json = serde_json::to_string(&list).expect("writes");
            assert_eq!(serde_json::from_str::<Chunked<usize>>(&json).expect("reads"), list);
        }
    }

    #[test]
    fn a_map_gives_the_newest_value_of_each_key() {
        let mut map = TextMap::default();
        for i in 0..10_000 {
            map.insert(format!("k{}", i % 3_000).into(), i);
        }
        for i in 0..3_000 {
            let newest = if i < 1_000 { 9_000 + i } else { 6_000 + i };
            assert_eq!(map.get(&format!("k{i}")), Some(newest));
        }
        assert_eq!(map.get("k3000"), None);
        assert!(map.levels.len() < 10, "{} levels", map.levels.len());
    }
}
