//! What became of a file that was imported.

use serde::{Deserialize, Serialize};

/// Places that are named; the others are counted.
const MAX_FAULTS: usize = 50;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportReport {
    /// The file's name, where it had one.
    pub source: Option<String>,
    pub events: u64,
    /// The first places that could not be read.
    pub faults: Vec<ImportFault>,
    /// All of them.
    pub fault_count: u64,
    pub imported_at_ms: i64,
}

impl ImportReport {
    pub fn add(&mut self, fault: ImportFault) {
        self.fault_count += 1;
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(fault);
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportFault {
    pub line: u64,
    pub reason: String,
}
