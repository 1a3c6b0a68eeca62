//! The words of runs, for searching.
//!
//! ```text
//!  word index     word → runs that have it   SQLite: FTS5 table `run_word`   PostgreSQL: GIN index of `run_text`
//!  searched_text  run → its words in order, compressed                       both
//! ```
//!
//! `index.rs` writes both. A word of a filter matches words that begin with it. The index is quick for rare words, but for a
//! common beginning it first collects the runs of every word that begins so. Common words are found sooner by reading the
//! text of one run after the other in list order. `query_plan/text_scan.rs` chooses between the two. The most common words are
//! left out of the index (`common.rs`), and take little of the searched text (`common_words.rs`).
//!
//! The index has words only. Phrases, and words of a name, are checked in the searched text (`clause.rs`). Words are split
//! by [`protocol::query::words`], so both engines find the same runs.

mod clause;
mod common;
mod common_words;
mod index;
mod words;

pub(super) use self::clause::{TextClause, TextTerm};
pub(super) use self::common::{CommonWordsCache, load as load_common_words};
pub(super) use self::common_words::CommonWords;
pub(super) use self::index::{RunText, delete, write};
pub(super) use self::words::{LogWords, SearchedText, Words};

use super::WorkspaceId;

/// A word in the index. The workspace is a part of it, so that the runs of other workspaces are not even read. Words have
/// only letters and digits.
fn indexed_word(workspace: WorkspaceId, word: &str) -> String {
    format!("{}§{word}", workspace.0)
}
