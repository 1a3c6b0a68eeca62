//! Files that only the user of this process may read.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Result};
use std::path::Path;

/// Creates a file that must not exist yet.
pub fn create_private_file(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Creates an empty file if there is none. SQLite itself would create one that everyone may read; its other files get the
/// mode of this one.
pub fn create_private_file_if_missing(path: &Path) -> Result<()> {
    match create_private_file(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}
