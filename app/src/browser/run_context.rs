//! The signals of an open run page.

use domain::RunSummary;
use leptos::prelude::*;

use super::{RefreshState, ScrollFollow};
use crate::model::run::{RunState, RunView};

/// Shared by the parts of the page through Leptos's context.
#[derive(Clone, Copy)]
pub struct RunContext {
    pub id: StoredValue<String>,
    pub summary: RwSignal<RunSummary>,
    pub state: RwSignal<RunState>,
    pub view: Memo<RunView>,
    /// The last event of the whole log, also while the page shows an earlier point.
    pub end_seq: RwSignal<u64>,
    pub refresh_state: StoredValue<RefreshState>,
    pub follow: ScrollFollow,
    pub can_write: bool,
    pub has_spec: bool,
}

impl RunContext {
    /// The event that the page shows the run at, or `None` at the end of the log.
    pub fn at(&self) -> Option<u64> {
        self.view.with(|view| view.at).filter(|at| *at < self.end_seq.get())
    }

    /// The URL of another view of this run.
    pub fn href(&self, change: impl FnOnce(&RunView) -> RunView) -> String {
        self.view.with(|view| self.id.with_value(|id| change(view).href(id)))
    }
}
