//! curl, with which a test runs the command that the spec tab shows.

use anyhow::Result;

use super::apt;
use crate::command;

/// Installs it if it is not on PATH.
pub fn ensure() -> Result<()> {
    match command::find("curl") {
        Some(_) => Ok(()),
        None => apt::install(&["curl"]),
    }
}
