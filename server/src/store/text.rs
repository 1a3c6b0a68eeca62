//! The text index of both engines: SQLite has a contentless FTS5 table, PostgreSQL a `tsvector` column.
//!
//! Words are split by [`protocol::query::words`], so both engines find the same runs.

use protocol::query::words;
use sqlx::AnyConnection;

use super::log_summary::truncate;
use super::sql::{Arg, execute, rows};
use super::{Engine, Result, WorkspaceId};

/// Indexed of each of prompt, answer, error and calls. The log has the rest.
const MAX_PART_BYTES: usize = 32 * 1024;
/// PostgreSQL's limit of positions in a text.
const MAX_WORDS: usize = 16_383;
const CHUNK: usize = 200;

/// The indexed words of a run.
#[derive(Clone, Debug)]
pub(super) struct RunText {
    pub list_key: i64,
    pub words: Vec<String>,
}

impl RunText {
    /// Parts are separated by a gap of one position, so that no phrase spans two of them.
    pub fn new(list_key: i64, parts: &[&str]) -> Self {
        let mut all = Vec::new();
        for part in parts.iter().filter(|part| !part.is_empty()) {
            if !all.is_empty() {
                all.push(SEPARATOR.to_owned());
            }
            all.extend(words(truncate(part, MAX_PART_BYTES)));
        }
        all.truncate(MAX_WORDS);
        Self { list_key, words: all }
    }
}

/// Words contain a letter or a digit, so this is none.
const SEPARATOR: &str = "";

pub(super) async fn write(
    connection: &mut AnyConnection,
    engine: Engine,
    workspace: WorkspaceId,
    texts: &[RunText],
) -> Result<()> {
    for chunk in texts.chunks(CHUNK) {
        let args = |scope: Arg, text: fn(&[String]) -> String| {
            chunk
                .iter()
                .flat_map(move |run| [Arg::from(run.list_key), scope.clone(), text(&run.words).into()])
                .collect()
        };
        let (sql, args) = match engine {
            Engine::Sqlite => (
                format!(
                    "INSERT OR REPLACE INTO run_text (rowid, scope, words) VALUES {}",
                    rows(engine, chunk.len(), "(?, ?, ?)")
                ),
                args(scope(workspace).into(), to_fts5),
            ),
            Engine::Postgres => {
                let sql = format!(
                    "INSERT INTO run_text (n, workspace_id, words) VALUES {} \
                     ON CONFLICT (n) DO UPDATE SET words = excluded.words",
                    rows(engine, chunk.len(), "(?, ?, CAST(? AS tsvector))")
                );
                (sql, args(workspace.0.into(), to_tsvector))
            }
        };
        execute(connection, sql, args).await?;
    }
    Ok(())
}

pub(super) async fn delete(connection: &mut AnyConnection, engine: Engine, list_keys: &str) -> Result<()> {
    let sql = match engine {
        Engine::Sqlite => format!("DELETE FROM run_text WHERE rowid IN ({list_keys})"),
        Engine::Postgres => format!("DELETE FROM run_text WHERE n IN ({list_keys})"),
    };
    execute(connection, sql, Vec::new()).await.map(drop)
}

/// An expression that matches any of these phrases. The query parser guarantees that each has a word.
pub(super) fn any_of(engine: Engine, phrases: &[&str]) -> String {
    let phrase = |text: &str| {
        let quoted: Vec<String> = words(text).map(|word| format!("'{word}'")).collect();
        match engine {
            Engine::Sqlite => format!("\"{}\"", words(text).collect::<Vec<_>>().join(" ")),
            Engine::Postgres => format!("({})", quoted.join(" <-> ")),
        }
    };
    let all: Vec<String> = phrases.iter().map(|text| phrase(text)).collect();
    match engine {
        Engine::Sqlite => format!("({})", all.join(" OR ")),
        Engine::Postgres => format!("({})", all.join(" | ")),
    }
}

/// An expression that matches all of these expressions.
pub(super) fn all_of(engine: Engine, expressions: &[String]) -> String {
    match engine {
        Engine::Sqlite => format!("words:({})", expressions.join(" AND ")),
        Engine::Postgres => expressions.join(" & "),
    }
}

/// The expression for scans on SQLite, which indexes the workspace as a word. A lookup of one run is twice as fast
/// without it.
pub(super) fn within(workspace: WorkspaceId, expression: &str) -> String {
    format!("scope:{} AND {expression}", scope(workspace))
}

fn scope(workspace: WorkspaceId) -> String {
    format!("w{}", workspace.0)
}

fn to_fts5(words: &[String]) -> String {
    // FTS5 has no gaps: use a word that no query can contain.
    let words: Vec<&str> = words.iter().map(|word| if word == SEPARATOR { "¦" } else { word }).collect();
    words.join(" ")
}

fn to_tsvector(words: &[String]) -> String {
    let mut text = String::new();
    for (i, word) in words.iter().enumerate().filter(|(_, word)| *word != SEPARATOR) {
        text.push_str(&format!("'{word}':{} ", i + 1));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_engines_index_the_same_words() {
        let run = RunText::new(1, &["Invoice #12", "", "paid"]);
        assert_eq!(to_tsvector(&run.words), "'invoice':1 '12':2 'paid':4 ");
        assert_eq!(to_fts5(&run.words), "invoice 12 ¦ paid");
        assert_eq!(any_of(Engine::Sqlite, &["Over due", "late"]), "(\"over due\" OR \"late\")");
        assert_eq!(any_of(Engine::Postgres, &["Over due", "late"]), "(('over' <-> 'due') | ('late'))");
    }
}
