//! The choice of the index that a plan scans.

use super::QueryPlan;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScanIndex {
    /// All runs of the workspace.
    List,
    /// The runs of a tag condition, by its position in the plan.
    Tag(usize),
    /// The runs that the word index finds for a text clause, by its position in the plan.
    Words(usize),
}

impl QueryPlan {
    /// The rarest tag's index, or the list.
    pub(super) fn choose_scan_index(&self) -> ScanIndex {
        if self.list_keys.is_some() {
            return ScanIndex::List;
        }
        let required = self.tags.iter().enumerate().filter(|(_, condition)| !condition.negated);
        let rarest = required.min_by_key(|(_, condition)| condition.runs);
        rarest.map_or(ScanIndex::List, |(position, _)| ScanIndex::Tag(position))
    }
}
