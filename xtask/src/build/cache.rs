//! A cache for results of slow steps, by the hash of their inputs, so that an unchanged build takes seconds.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use sha2::{Digest, Sha256};

/// A folder of results. A build removes those that it did not use.
pub struct Cache {
    dir: PathBuf,
    used: HashSet<PathBuf>,
}

impl Cache {
    /// Opens the folder, or creates it.
    pub fn open(dir: &Path) -> Result<Self> {
        fs::create_dir_all(dir)?;
        Ok(Self { dir: dir.to_path_buf(), used: HashSet::new() })
    }

    /// Returns the cached result of this key and kind, or the one that `make` produces.
    pub fn get_or(&mut self, key: &str, kind: &str, make: impl FnOnce() -> Result<Vec<u8>>) -> Result<Vec<u8>> {
        let path = self.dir.join(format!("{key}.{kind}"));
        self.used.insert(path.clone());
        if let Ok(bytes) = fs::read(&path) {
            return Ok(bytes);
        }
        let bytes = make()?;
        // An interrupted build must not leave an incomplete file.
        let partial = path.with_extension("partial");
        fs::write(&partial, &bytes)?;
        fs::rename(&partial, &path)?;
        Ok(bytes)
    }

    /// Removes results that this build did not use.
    pub fn prune(&self) -> Result<()> {
        for entry in fs::read_dir(&self.dir)? {
            let path = entry?.path();
            if !self.used.contains(&path) {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

/// A short hash of several parts.
pub fn hash(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_made_once_and_removed_when_unused() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let mut first = Cache::open(dir.path())?;
        assert_eq!(first.get_or("a", "br", || Ok(vec![1]))?, [1]);
        assert_eq!(first.get_or("a", "br", || anyhow::bail!("made twice"))?, [1]);

        let mut second = Cache::open(dir.path())?;
        assert_eq!(second.get_or("b", "br", || Ok(vec![2]))?, [2]);
        second.prune()?;
        assert_eq!(second.get_or("a", "br", || Ok(vec![3]))?, [3]);
        Ok(())
    }

    #[test]
    fn the_hash_depends_on_the_boundaries_of_parts() {
        assert_ne!(hash(&[b"ab", b"c"]), hash(&[b"a", b"bc"]));
    }
}
