//! The report of an imported file.

use serde::{Deserialize, Serialize};

/// Faults that are listed; further ones are only counted.
const MAX_FAULTS: usize = 50;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportReport {
    /// The file's name, if it has one.
    pub source: Option<String>,
    pub events: u64,
    /// The first lines that could not be read.
    pub faults: Vec<ImportFault>,
    /// The number of all faults.
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
