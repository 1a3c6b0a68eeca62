//! The results of an import.

use serde::{Deserialize, Serialize};

/// A file that became a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedFile {
    /// The file's name, or what the run is called.
    pub name: String,
    pub href: String,
    /// The number of events, and of places that could not be read.
    pub summary: String,
}
