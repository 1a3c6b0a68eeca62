//! The choice of the index that a plan scans: the most selective one, as far as that is known or quick to find out.

use sqlx::AssertSqlSafe;

use super::QueryPlan;
use crate::store::text::TextMatch;
use crate::store::{Engine, Result, Store};

/// Scan the index of a tag with at most this many runs, unless the text is rarer.
const RARE_TAG_RUNS: i64 = 1_000;
/// On PostgreSQL a text is common if it matches this many of the newest runs.
const COMMON_TEXT_MATCHES: i64 = 10;
const COMMON_TEXT_SAMPLE: i64 = 500;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScanIndex {
    /// All runs of the workspace.
    List,
    /// The runs of a tag condition, by its index in the plan.
    Tag(usize),
    /// The runs that match the text, in list order.
    Text,
    /// All runs that match the text, then sorted: PostgreSQL's text index has no order.
    SortedText,
}

impl ScanIndex {
    pub fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::SortedText)
    }
}

impl Store {
    pub(super) async fn choose_scan_index(&self, plan: &QueryPlan) -> Result<ScanIndex> {
        if plan.list_keys.is_some() {
            return Ok(ScanIndex::List);
        }
        let required = plan.tags.iter().enumerate().filter(|(_, condition)| !condition.negated);
        let rarest = required.min_by_key(|(_, condition)| condition.runs).map(|(index, tag)| (index, tag.runs));
        let rarest_tag = rarest.map(|(index, _)| ScanIndex::Tag(index));
        let Some(text) = plan.texts.first() else { return Ok(rarest_tag.unwrap_or(ScanIndex::List)) };
        let rare_tag = rarest.is_some_and(|(_, runs)| runs <= RARE_TAG_RUNS);
        Ok(match (self.engine, rarest) {
            // SQLite is slow to check the text of one run, but fast to scan all runs that match it.
            (Engine::Sqlite, Some((_, runs))) if rare_tag && !self.text_is_rarer_than(plan, text, runs).await? => {
                rarest_tag.unwrap_or(ScanIndex::Text)
            }
            (Engine::Sqlite, _) => ScanIndex::Text,
            // PostgreSQL is the opposite.
            (Engine::Postgres, Some((index, _))) if rare_tag => ScanIndex::Tag(index),
            (Engine::Postgres, _) if self.text_is_rare(plan, text).await? => ScanIndex::SortedText,
            (Engine::Postgres, _) => rarest_tag.unwrap_or(ScanIndex::Text),
        })
    }

    /// For SQLite, which counts matches by scanning them: at most `runs` are scanned.
    pub(super) async fn text_is_rarer_than(&self, plan: &QueryPlan, text: &TextMatch, runs: i64) -> Result<bool> {
        let table = text.table();
        let sql = format!("SELECT COUNT(*) FROM (SELECT 1 FROM {table} WHERE {table} MATCH $1 LIMIT $2)");
        let count: i64 = sqlx::query_scalar(AssertSqlSafe(sql))
            .bind(text.within(plan.workspace))
            .bind(runs)
            .fetch_one(&self.reader)
            .await?;
        Ok(count < runs)
    }

    /// For PostgreSQL, whose planner overestimates words that are not in its statistics and would scan every run.
    async fn text_is_rare(&self, plan: &QueryPlan, text: &TextMatch) -> Result<bool> {
        let sql = "SELECT COUNT(*) FROM (SELECT words FROM run_text WHERE workspace_id = $1 ORDER BY n DESC LIMIT $2) b \
             WHERE words @@ CAST($3 AS tsquery)";
        let count: i64 = sqlx::query_scalar(AssertSqlSafe(sql))
            .bind(plan.workspace.0)
            .bind(COMMON_TEXT_SAMPLE)
            .bind(text.for_one_run(self.engine))
            .fetch_one(&self.reader)
            .await?;
        Ok(count < COMMON_TEXT_MATCHES)
    }
}
