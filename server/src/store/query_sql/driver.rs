//! What a walk goes along: the rarest of what is asked for, as far as that is known or quickly found out.

use sqlx::AssertSqlSafe;

use super::Resolved;
use crate::store::{Engine, Result, Store, text};

/// A tag with no more runs than this drives, unless the words are rarer.
const RARE_TAG: i64 = 1_000;
/// The newest runs that tell how common words are on PostgreSQL, and how many of them make the words common.
const ASKED: i64 = 500;
const COMMON: i64 = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Driver {
    List,
    Tag(usize),
    Words,
    /// All runs with the words, put in order afterwards: PostgreSQL's index of words knows no order.
    GatheredWords,
}

impl Driver {
    pub fn is_words(self) -> bool {
        matches!(self, Self::Words | Self::GatheredWords)
    }
}

impl Resolved {
    pub(super) async fn choose_driver(&self, store: &Store) -> Result<Driver> {
        if self.numbers.is_some() {
            return Ok(Driver::List);
        }
        let positive = self.tags.iter().enumerate().filter(|(_, condition)| !condition.negated);
        let rarest = positive.min_by_key(|(_, condition)| condition.runs).map(|(index, tag)| (index, tag.runs));
        let by_tag = rarest.map(|(index, _)| Driver::Tag(index));
        let Some(words) = &self.words else { return Ok(by_tag.unwrap_or(Driver::List)) };
        let rare_tag = rarest.is_some_and(|(_, runs)| runs <= RARE_TAG);
        Ok(match (self.engine, rarest) {
            // To look up whether a run has the words takes long; to walk along all that have them does not.
            (Engine::Sqlite, Some((_, runs))) if rare_tag && !self.words_are_rarer(store, words, runs).await? => {
                by_tag.unwrap_or(Driver::Words)
            }
            (Engine::Sqlite, _) => Driver::Words,
            // The other way round.
            (Engine::Postgres, Some((index, _))) if rare_tag => Driver::Tag(index),
            (Engine::Postgres, _) if self.words_are_rare(store, words).await? => Driver::GatheredWords,
            (Engine::Postgres, _) => by_tag.unwrap_or(Driver::Words),
        })
    }

    /// SQLite counts matches as it walks them.
    async fn words_are_rarer(&self, store: &Store, words: &str, runs: i64) -> Result<bool> {
        let sql = "SELECT COUNT(*) FROM (SELECT 1 FROM run_text WHERE run_text MATCH $1 LIMIT $2)";
        let count: i64 = sqlx::query_scalar(AssertSqlSafe(sql))
            .bind(text::within(self.workspace, words))
            .bind(runs)
            .fetch_one(&store.reader)
            .await?;
        Ok(count < runs)
    }

    /// PostgreSQL takes words that it has not seen often for more common than they are, and walks past every run.
    async fn words_are_rare(&self, store: &Store, words: &str) -> Result<bool> {
        let sql = "SELECT COUNT(*) FROM (SELECT words FROM run_text WHERE workspace_id = $1 ORDER BY n DESC LIMIT $2) b \
             WHERE words @@ CAST($3 AS tsquery)";
        let count: i64 = sqlx::query_scalar(AssertSqlSafe(sql))
            .bind(self.workspace.0)
            .bind(ASKED)
            .bind(words)
            .fetch_one(&store.reader)
            .await?;
        Ok(count < COMMON)
    }
}
