//! The text index.
//!
//! ```text
//!              written by index.rs                                   read by search.rs
//!  SQLite      run_word  each word of a run once, and beginnings     words: `refun`, `name:research`
//!              run_text  words with their positions                  phrases: `"late delivery"`
//!  PostgreSQL  run_text  one tsvector with both                      words and phrases
//! ```
//!
//! Two tables, because positions of all words would take twice the space: tool results are only searched for words. Words
//! are split by [`protocol::query::words`], so both engines find the same runs.
//!
//! A word of a filter matches words that begin with it. SQLite would collect all runs of all these words before it returns
//! the first, so `search.rs` replaces a beginning by something that SQLite reads in list order: by the words themselves,
//! if there are not too many, or by an indexed beginning of one or three characters. A beginning of two characters is found
//! through those of three.

mod index;
mod search;

pub(super) use self::index::{RunText, TextParts, delete, write};
pub(super) use self::search::{TextIndex, TextMatch, TextTerm};

use super::WorkspaceId;

/// The last characters of beginnings that need no mark if the whole word has three characters.
const LAST_CHARS: &str = "0123456789abcdefghijklmnopqrstuvwxyz";

// Words contain only letters and digits, so no word looks like one of these.

/// Before an indexed beginning.
const BEGINNING: char = '¶';
/// Before a word of a run's name.
const NAME: &str = "n§";
/// Before a word of an agent's id.
const AGENT: &str = "a§";

/// The workspace as a word: the runs of other workspaces are not even read.
fn scope_word(workspace: WorkspaceId) -> String {
    format!("§{}", workspace.0)
}

/// The workspace in the column `scope` of `run_text`.
fn scope(workspace: WorkspaceId) -> String {
    format!("w{}", workspace.0)
}
