//! The text index, both variants side by side. Words are split by [`protocol::query::words`], so that both engines find
//! the same runs; SQLite keeps them in a contentless FTS5 table, PostgreSQL in a `tsvector`.

use protocol::query::words;
use sqlx::AnyConnection;

use super::facts::cut;
use super::sql::{Arg, execute, rows};
use super::{Engine, Result, WorkspaceId};

/// Of each of prompt, answer, error and calls. The rest is in the log.
const MAX_PART_BYTES: usize = 32 * 1024;
/// PostgreSQL's limit of places in a text.
const MAX_WORDS: usize = 16_383;
const CHUNK: usize = 200;

/// The words of a run, to be found by.
#[derive(Clone, Debug)]
pub(super) struct RunText {
    pub n: i64,
    pub words: Vec<String>,
}

impl RunText {
    /// Parts are kept apart by a gap of one place, so that no phrase reaches from one into the next.
    pub fn new(n: i64, parts: &[&str]) -> Self {
        let mut all = Vec::new();
        for part in parts.iter().filter(|part| !part.is_empty()) {
            if !all.is_empty() {
                all.push(SEPARATOR.to_owned());
            }
            all.extend(words(cut(part, MAX_PART_BYTES)));
        }
        all.truncate(MAX_WORDS);
        Self { n, words: all }
    }
}

/// No word looks like this: it has no letter and no digit.
const SEPARATOR: &str = "";

pub(super) async fn write(
    connection: &mut AnyConnection,
    engine: Engine,
    workspace: WorkspaceId,
    texts: &[RunText],
) -> Result<()> {
    for chunk in texts.chunks(CHUNK) {
        let args = |scope: Arg, text: fn(&[String]) -> String| {
            chunk.iter().flat_map(move |run| [Arg::from(run.n), scope.clone(), text(&run.words).into()]).collect()
        };
        let (sql, args) = match engine {
            Engine::Sqlite => (
                format!(
                    "INSERT OR REPLACE INTO run_text (rowid, scope, words) VALUES {}",
                    rows(engine, chunk.len(), "(?, ?, ?)")
                ),
                args(scope(workspace).into(), spaced),
            ),
            Engine::Postgres => {
                let sql = format!(
                    "INSERT INTO run_text (n, workspace_id, words) VALUES {} \
                     ON CONFLICT (n) DO UPDATE SET words = excluded.words",
                    rows(engine, chunk.len(), "(?, ?, CAST(? AS tsvector))")
                );
                (sql, args(workspace.0.into(), placed))
            }
        };
        execute(connection, sql, args).await?;
    }
    Ok(())
}

pub(super) async fn delete(connection: &mut AnyConnection, engine: Engine, numbers: &str) -> Result<()> {
    let sql = match engine {
        Engine::Sqlite => format!("DELETE FROM run_text WHERE rowid IN ({numbers})"),
        Engine::Postgres => format!("DELETE FROM run_text WHERE n IN ({numbers})"),
    };
    execute(connection, sql, Vec::new()).await.map(drop)
}

/// An expression for any of these phrases. Each has at least one word, as the filter's grammar makes sure.
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

/// All of these expressions.
pub(super) fn all_of(engine: Engine, expressions: &[String]) -> String {
    match engine {
        Engine::Sqlite => format!("words:({})", expressions.join(" AND ")),
        Engine::Postgres => expressions.join(" & "),
    }
}

/// The same for a walk along all that match: SQLite has the workspace among the words. To look one run up is twice as
/// quick without.
pub(super) fn within(workspace: WorkspaceId, expression: &str) -> String {
    format!("scope:{} AND {expression}", scope(workspace))
}

fn scope(workspace: WorkspaceId) -> String {
    format!("w{}", workspace.0)
}

fn spaced(words: &[String]) -> String {
    // FTS5 has no gap: a word that no query can contain stands for it.
    let words: Vec<&str> = words.iter().map(|word| if word == SEPARATOR { "¦" } else { word }).collect();
    words.join(" ")
}

fn placed(words: &[String]) -> String {
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
    fn both_engines_are_told_the_same_words() {
        let run = RunText::new(1, &["Invoice #12", "", "paid"]);
        assert_eq!(placed(&run.words), "'invoice':1 '12':2 'paid':4 ");
        assert_eq!(spaced(&run.words), "invoice 12 ¦ paid");
        assert_eq!(any_of(Engine::Sqlite, &["Over due", "late"]), "(\"over due\" OR \"late\")");
        assert_eq!(any_of(Engine::Postgres, &["Over due", "late"]), "(('over' <-> 'due') | ('late'))");
    }
}
