//! curl, with which a test runs what the spec tab gives people to paste.

use anyhow::Result;

use super::apt;
use crate::command;

/// The one on PATH, or Debian's.
pub fn ensure() -> Result<()> {
    match command::find("curl") {
        Some(_) => Ok(()),
        None => apt::install(&["curl"]),
    }
}
