//! Types that the store, the JSON API and the pages share.
//!
//! Plain data: this crate knows neither SQL nor Leptos, and compiles to wasm.

mod answers;
mod audit;
mod backoff;
mod batches;
mod facets;
mod failures;
mod feedback;
mod histogram;
mod import;
mod insights;
mod list_pages;
mod lock;
mod model_prices;
#[cfg(not(target_family = "wasm"))]
mod private_file;
mod redaction;
mod run_sort;
mod runs;
mod sessions;
mod sync;
pub mod url;
mod views;
mod waiting;
mod words;
mod workspaces;

pub use answers::{
    A2aPeer, AnswerRecord, AnswerState, Answerer, CannedReply, Headers, McpEndpoint, ToolAnswerers, Via,
};
pub use audit::{AuditAction, AuditEntry, AuditPage};
pub use backoff::Backoff;
pub use batches::{Batch, BatchItem, BatchItemState, BatchProgress};
pub use facets::{Facet, FacetValue, Facets};
pub use failures::{
    AffectedValue, FailureChange, FailureCounts, FailureGroup, FailureGroups, FailureNote, FailureSort, FailureState,
    Trend,
};
pub use feedback::{Feedback, Thumb};
pub use histogram::{Bucket, Histogram};
pub use import::{ImportFault, ImportReport};
pub use insights::{
    Breakdown, ErrorFigures, FiguresBucket, FiguresOverTime, Insights, Outcomes, Percentiles, Rates, RunFigures,
    Signals, ToolFigures, ValueFigures,
};
pub use list_pages::{ExcludingClause, MatchCount, RunsPage, SessionsPage};
pub use lock::{LockExt, RwLockExt};
pub use model_prices::{ModelPrice, ModelPriceChange, ModelPrices};
#[cfg(not(target_family = "wasm"))]
pub use private_file::{create_private_file, create_private_file_if_missing};
pub use redaction::{Redaction, RedactionChange, RedactionMode, RedactionPattern};
pub use run_sort::{RunSort, SortColumn, UnknownSort};
pub use runs::{IMPORT_WITHOUT_END, Marks, Origin, RunSummary};
pub use sessions::{SessionDetail, SessionMessages, SessionSummary, SessionTotals};
pub use sync::{HistoryState, Incomplete, SyncProgress};
pub use views::{View, ViewChange, ViewList, ViewScope};
pub use waiting::{WaitingCall, WaitingCalls};
pub use words::{from_word, word};
pub use workspaces::WorkspaceIdentity;
