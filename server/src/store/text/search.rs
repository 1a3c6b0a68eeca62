//! Expressions for searching the text index.

use protocol::query::words;
use sqlx::Row;

use super::{AGENT, BEGINNING, LAST_CHARS, NAME, scope, scope_word};
use crate::store::sql::fetch;
use crate::store::{Engine, Result, Store, WorkspaceId};

/// A beginning with more words is left to SQLite. Such words are numbers and ids, of few runs each.
const MAX_WORDS_OF_BEGINNING: usize = 128;

/// Which index a condition is about. PostgreSQL has one for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::store) enum TextIndex {
    Phrases,
    Words,
}

/// A condition on the text of runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::store) struct TextMatch {
    pub index: TextIndex,
    expression: String,
}

/// One of the alternatives of a condition.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) enum TextTerm<'a> {
    /// Words; the last one is the beginning of a word.
    Word(&'a str),
    Phrase(&'a str),
    /// Words of a run's name, like [`TextTerm::Word`].
    Name(&'a str),
    /// Words of an agent's id or of a run's name.
    Agent(&'a str),
}

impl Store {
    /// The condition that one of these alternatives matches.
    pub(in crate::store) async fn text_match(&self, terms: &[TextTerm<'_>]) -> Result<TextMatch> {
        let index = match terms.iter().any(TextTerm::needs_positions) {
            true => TextIndex::Phrases,
            false => TextIndex::Words,
        };
        let mut any = Vec::new();
        for term in terms {
            any.push(match (*term, self.engine) {
                (TextTerm::Word(text), _) => self.all_words("", text, index).await?,
                (TextTerm::Name(text), _) => self.all_words(NAME, text, index).await?,
                (TextTerm::Agent(text), engine) => {
                    let (agent, name) =
                        (self.all_words(AGENT, text, index).await?, self.all_words(NAME, text, index).await?);
                    format!("({agent}{}{name})", or(engine))
                }
                (TextTerm::Phrase(text), Engine::Sqlite) => quoted(&words(text).collect::<Vec<_>>().join(" ")),
                (TextTerm::Phrase(text), Engine::Postgres) => {
                    let words: Vec<String> = words(text).map(|word| format!("'{word}'")).collect();
                    format!("({})", words.join(" <-> "))
                }
            });
        }
        Ok(TextMatch { index, expression: format!("({})", any.join(or(self.engine))) })
    }

    /// Matches texts with all words of `text`, each with a mark before it. The last is a beginning.
    async fn all_words(&self, mark: &str, text: &str, index: TextIndex) -> Result<String> {
        let mut all: Vec<String> = words(text).map(|word| format!("{mark}{word}")).collect();
        let Some(last) = all.pop() else { return Ok(self.whole_word(mark)) };
        let mut all: Vec<String> = all.iter().map(|word| self.whole_word(word)).collect();
        all.push(self.beginning(&last, index).await?);
        let and = if self.engine == Engine::Sqlite { " AND " } else { " & " };
        Ok(format!("({})", all.join(and)))
    }

    fn whole_word(&self, word: &str) -> String {
        if self.engine == Engine::Sqlite { quoted(word) } else { format!("'{word}'") }
    }

    /// Matches texts with a word that begins so.
    async fn beginning(&self, word: &str, index: TextIndex) -> Result<String> {
        if self.engine == Engine::Postgres {
            return Ok(format!("'{word}':*"));
        }
        let left_to_sqlite = format!("{}*", quoted(word));
        if index == TextIndex::Phrases {
            return Ok(left_to_sqlite);
        }
        let marked = format!("{BEGINNING}{word}");
        let mut any = match word.chars().count() {
            1 | 3 => vec![marked, word.to_owned()],
            2 => {
                let mut any = self.words_with(&marked).await?;
                any.push(word.to_owned());
                any.extend(LAST_CHARS.chars().map(|last| format!("{word}{last}")));
                any
            }
            _ => self.words_with(word).await?,
        };
        if any.len() > MAX_WORDS_OF_BEGINNING {
            return Ok(left_to_sqlite);
        }
        if any.is_empty() {
            any.push(word.to_owned());
        }
        let any: Vec<String> = any.iter().map(|word| quoted(word)).collect();
        Ok(format!("({})", any.join(" OR ")))
    }

    /// The indexed words with a beginning, or one more than the limit. Each is found by a jump behind the one before: reading
    /// on from word to word would read all runs of each.
    async fn words_with(&self, beginning: &str) -> Result<Vec<String>> {
        let sql = "WITH RECURSIVE found (word) AS ( \
             SELECT (SELECT term FROM run_word_vocabulary WHERE term >= $1 AND term < $2 LIMIT 1) \
             UNION ALL SELECT (SELECT term FROM run_word_vocabulary WHERE term >= word || char(1) AND term < $2 LIMIT 1) \
             FROM found WHERE word IS NOT NULL LIMIT $3) SELECT word FROM found WHERE word IS NOT NULL";
        let limit = i64::try_from(MAX_WORDS_OF_BEGINNING + 1).unwrap_or(i64::MAX);
        let args = vec![beginning.into(), format!("{beginning}\u{10ffff}").into(), limit.into()];
        let rows = fetch(&self.reader, sql.to_owned(), args).await?;
        rows.iter().map(|row| row.try_get(0)).collect()
    }
}

impl TextTerm<'_> {
    /// Returns true for a phrase of several words.
    fn needs_positions(&self) -> bool {
        matches!(self, Self::Phrase(text) if words(text).nth(1).is_some())
    }
}

impl TextMatch {
    /// The condition that all of these match. They must be about the same index.
    pub fn all(engine: Engine, index: TextIndex, matches: &[Self]) -> Option<Self> {
        let and = if engine == Engine::Sqlite { " AND " } else { " & " };
        let expressions: Vec<&str> = matches.iter().map(|text| text.expression.as_str()).collect();
        (!expressions.is_empty()).then(|| Self { index, expression: expressions.join(and) })
    }

    /// For SQLite: the condition that a text has all words of a phrase, anywhere.
    pub fn words_of_phrase(phrase: &str) -> Self {
        let words: Vec<String> = words(phrase).map(|word| quoted(&word)).collect();
        Self { index: TextIndex::Words, expression: format!("({})", words.join(" AND ")) }
    }

    /// SQLite's table.
    pub fn table(&self) -> &'static str {
        match self.index {
            TextIndex::Phrases => "run_text",
            TextIndex::Words => "run_word",
        }
    }

    /// The expression for a scan on SQLite, which indexes the workspace as a word.
    pub fn within(&self, workspace: WorkspaceId) -> String {
        let expression = self.for_one_run(Engine::Sqlite);
        match self.index {
            TextIndex::Phrases => format!("scope:{} AND {expression}", scope(workspace)),
            TextIndex::Words => format!("{} AND {expression}", quoted(&scope_word(workspace))),
        }
    }

    /// The expression for a run that is known to be one of the workspace: looking it up is twice as fast.
    pub fn for_one_run(&self, engine: Engine) -> String {
        match (engine, self.index) {
            (Engine::Sqlite, TextIndex::Phrases) => format!("words:({})", self.expression),
            (Engine::Sqlite, TextIndex::Words) => format!("({})", self.expression),
            (Engine::Postgres, _) => self.expression.clone(),
        }
    }
}

fn or(engine: Engine) -> &'static str {
    if engine == Engine::Sqlite { " OR " } else { " | " }
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

#[cfg(test)]
mod tests {
    use domain::RunSort;
    use protocol::Query;
    use sqlx::AssertSqlSafe;

    use super::*;
    use crate::seed::Seeder;

    const UNTIL_MS: i64 = 1_790_000_000_000;
    const RUNS: u64 = 60;

    async fn store_with_runs(dir: &tempfile::TempDir) -> anyhow::Result<(Store, WorkspaceId)> {
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        let seeder = Seeder::new(1, RUNS, UNTIL_MS, store.packer().clone());
        let runs = (0..RUNS).map(|index| Ok(seeder.run(index)?.0)).collect::<anyhow::Result<Vec<_>>>()?;
        store.upsert_runs(workspace, &runs).await?;
        Ok((store, workspace))
    }

    async fn found(store: &Store, workspace: WorkspaceId, text: &str) -> anyhow::Result<Vec<String>> {
        let query = Query::parse(text).map_err(|error| anyhow::anyhow!("{error}"))?;
        let plan = store.plan(workspace, &query, UNTIL_MS).await?;
        let runs = store.list_runs(&plan, RunSort::default(), None, 200).await?.runs;
        Ok(runs.into_iter().map(|run| run.id).collect())
    }

    #[tokio::test]
    async fn a_beginning_of_any_length_finds_the_same_runs_as_its_words() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let (store, workspace) = store_with_runs(&dir).await?;
        let words: Vec<String> = store.words_with("").await?;
        assert!(words.len() > MAX_WORDS_OF_BEGINNING, "numbers have too many words to list");
        for beginning in ["i", "in", "inv", "invo", "a", "a1", "a12", "2026", "00", "zzzz"] {
            let sql = "SELECT COUNT(DISTINCT doc) FROM run_word_vocabulary WHERE term >= $1 AND term < $2";
            let expected: i64 = sqlx::query_scalar(AssertSqlSafe(sql))
                .bind(beginning)
                .bind(format!("{beginning}\u{10ffff}"))
                .fetch_one(&store.reader)
                .await?;
            assert_eq!(found(&store, workspace, beginning).await?.len() as i64, expected, "{beginning}");
        }
        Ok(())
    }

    #[tokio::test]
    async fn runs_of_an_earlier_version_are_indexed_again() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let (store, workspace) = store_with_runs(&dir).await?;
        let expected = found(&store, workspace, "supp").await?;
        let failed = found(&store, workspace, "status:failed").await?;
        assert!(!expected.is_empty() && !failed.is_empty());
        let empty = Query::default();
        let histogram = async || -> anyhow::Result<_> {
            Ok(store.histogram(&store.plan(workspace, &empty, UNTIL_MS).await?, 60).await?)
        };
        let before = histogram().await?;
        for sql in ["UPDATE run SET indexed = 1, reason = NULL", "DELETE FROM run_word", "DELETE FROM run_text"] {
            sqlx::query(sql).execute(&store.writer).await?;
        }
        assert!(found(&store, workspace, "supp").await?.is_empty());
        for (workspace, id) in store.unindexed_runs(1_000).await? {
            store.index_log(workspace, &id).await?;
        }
        assert!(store.unindexed_runs(1).await?.is_empty());
        assert_eq!(found(&store, workspace, "supp").await?, expected);
        let run = store.run(workspace, &failed[0]).await?;
        assert!(run.is_some_and(|run| run.reason.is_some()));
        assert_eq!(histogram().await?, before, "each run is counted once");
        Ok(())
    }
}
