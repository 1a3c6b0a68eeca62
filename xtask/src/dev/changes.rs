//! The source files and their modification times, compared to find out what must be built again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Crates that the browser and the server both compile.
const CLIENT_CRATES: &[&str] = &["app", "domain", "protocol"];
const SERVER_CRATES: &[&str] = &["migrations", "remote_tools", "sandbox", "server"];
const MANIFESTS: &[&str] = &["Cargo.toml", "Cargo.lock"];

/// The modification times of all watched files, by path from the workspace's root.
#[derive(Default)]
pub struct Snapshot(BTreeMap<PathBuf, SystemTime>);

/// What a set of changed files affects.
#[derive(Debug, Default, PartialEq)]
pub struct Changes {
    pub paths: Vec<String>,
    pub styles: bool,
    pub public: bool,
    pub client: bool,
    pub server: bool,
}

impl Snapshot {
    pub fn take(root: &Path) -> Self {
        let mut snapshot = Self::default();
        for folder in CLIENT_CRATES.iter().chain(SERVER_CRATES) {
            // Not their tests, which change nothing of what is served.
            for part in ["src", "Cargo.toml", "sqlite", "postgres"] {
                snapshot.add(root, &Path::new(folder).join(part));
            }
        }
        for path in ["style", "public"].iter().chain(MANIFESTS) {
            snapshot.add(root, Path::new(path));
        }
        snapshot
    }

    /// Adds a file, or all files below a folder. Files that are missing or vanish meanwhile are left out.
    fn add(&mut self, root: &Path, path: &Path) {
        let full = root.join(path);
        let Ok(metadata) = fs::metadata(&full) else { return };
        if metadata.is_dir() {
            for entry in fs::read_dir(&full).into_iter().flatten().flatten() {
                self.add(root, &path.join(entry.file_name()));
            }
        } else if let Ok(modified) = metadata.modified() {
            self.0.insert(path.to_path_buf(), modified);
        }
    }

    /// Files that were added, changed or removed since this snapshot.
    pub fn changes_to(&self, later: &Self) -> Changes {
        let changed = later
            .0
            .iter()
            .filter(|(path, modified)| self.0.get(path.as_path()).is_none_or(|before| before != *modified));
        let removed = self.0.keys().filter(|path| !later.0.contains_key(path.as_path()));
        let mut changes = Changes::default();
        for path in changed.map(|(path, _)| path).chain(removed) {
            changes.add(path);
        }
        changes
    }
}

impl Changes {
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    fn add(&mut self, path: &Path) {
        let text = path.to_string_lossy().into_owned();
        match text.split('/').next().unwrap_or_default() {
            "style" => self.styles = true,
            "public" => self.public = true,
            top if SERVER_CRATES.contains(&top) => self.server = true,
            _ => self.client = true,
        }
        self.paths.push(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Result;
    use std::time::Duration;

    fn write(root: &Path, path: &str, modified: SystemTime) -> Result<()> {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder"))?;
        fs::write(&path, "")?;
        Ok(fs::File::options().write(true).open(&path)?.set_modified(modified)?)
    }

    #[test]
    fn a_change_is_assigned_to_what_must_be_built_again() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let (before, after) = (SystemTime::UNIX_EPOCH, SystemTime::UNIX_EPOCH + Duration::from_secs(1));
        for path in ["style/a.css", "app/src/pages/run.rs", "server/src/main.rs", "server/tests/x.rs"] {
            write(dir.path(), path, before)?;
        }
        let first = Snapshot::take(dir.path());
        assert!(first.changes_to(&Snapshot::take(dir.path())).is_empty());

        write(dir.path(), "style/a.css", after)?;
        write(dir.path(), "server/tests/x.rs", after)?;
        let second = Snapshot::take(dir.path());
        let styles = Changes { paths: vec!["style/a.css".to_owned()], styles: true, ..Changes::default() };
        assert_eq!(first.changes_to(&second), styles);

        fs::remove_file(dir.path().join("server/src/main.rs"))?;
        let third = Snapshot::take(dir.path());
        assert!(second.changes_to(&third).server && !second.changes_to(&third).client);

        write(dir.path(), "app/src/pages/new.rs", before)?;
        assert!(third.changes_to(&Snapshot::take(dir.path())).client);
        Ok(())
    }
}
