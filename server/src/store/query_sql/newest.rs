//! The newest matching runs, for counts beside a list: as many as a short walk finds. How long it takes depends neither on
//! the size of the workspace nor on how its conditions go together.

use sqlx::Row;
use sqlx::any::AnyRow;

use super::bounded::FARTHEST;
use super::{Driver, Resolved, Sql, Start};
use crate::store::sql::fetch;
use crate::store::{Engine, Result, Store};

/// Runs looked at: some milliseconds.
const STEPS: u32 = 5_000;
/// The same where SQLite looks up the words of each, which takes longer among a million runs.
const STEPS_WITH_WORDS: u32 = 100;
/// Runs counted however far they are apart, as the list beside the counts shows them.
const FEWEST: u32 = 25;

/// What is read of each run.
#[derive(Clone, Copy)]
pub enum Reading {
    Tags,
    NumberAndStatus,
}

impl Resolved {
    /// The newest matching runs, at most `wanted`, and whether these are all.
    pub async fn newest(&self, store: &Store, reading: Reading, wanted: u32) -> Result<(Vec<AnyRow>, bool)> {
        let words = self.words.is_some() && !self.driver.is_words();
        let steps = if words && self.engine == Engine::Sqlite { STEPS_WITH_WORDS } else { STEPS };
        self.newest_within(store, reading, wanted, steps).await
    }

    async fn newest_within(
        &self,
        store: &Store,
        reading: Reading,
        wanted: u32,
        steps: u32,
    ) -> Result<(Vec<AnyRow>, bool)> {
        if self.only_driver() {
            let rows = self.read(store, reading, None, wanted).await?;
            let all = rows.len() < wanted as usize;
            return Ok((rows, all));
        }
        if !self.without_words.is_empty() {
            let (run, columns) = self.readable(reading);
            let walked = self.walk_far(store, &run, columns, Start::NEWEST, wanted, steps).await?;
            if walked.ended.is_none() || walked.rows.len() >= FEWEST as usize {
                let all = walked.ended.is_none() && walked.rows.len() < wanted as usize;
                return Ok((walked.rows, all));
            }
            let walked = self.walk_far(store, &run, columns, Start::NEWEST, FEWEST, FARTHEST).await?;
            let all = walked.ended.is_none() && walked.rows.len() < FEWEST as usize;
            return Ok((walked.rows, all));
        }
        let rows = self.read(store, reading, Some(steps), wanted).await?;
        let full = rows.len() == wanted as usize;
        let all = !full && !self.goes_on_after(store, steps).await?;
        if full || all || rows.len() >= FEWEST as usize {
            return Ok((rows, all));
        }
        let rows = self.read(store, reading, None, FEWEST).await?;
        let all = rows.len() < FEWEST as usize;
        Ok((rows, all))
    }

    /// Every run on the way matches.
    fn only_driver(&self) -> bool {
        let tags = self.tags.iter().enumerate().all(|(index, _)| self.driver == Driver::Tag(index));
        let words = self.words.is_none() || self.driver.is_words();
        tags && words && self.without_words.is_empty() && self.columns.is_empty()
    }

    async fn read(&self, store: &Store, reading: Reading, steps: Option<u32>, limit: u32) -> Result<Vec<AnyRow>> {
        let (run, columns) = self.readable(reading);
        let (sql, args) = self.select_from(&run, columns, Start { steps, ..Start::NEWEST }, limit);
        fetch(&store.reader, sql, args).await
    }

    /// Where it is read from, and what.
    fn readable(&self, reading: Reading) -> (String, &'static str) {
        match reading {
            Reading::Tags => ("run r".to_owned(), "r.tags"),
            Reading::NumberAndStatus => (self.listed("r"), "r.n, r.status"),
        }
    }

    /// Whether what drives the walk has more runs than these.
    async fn goes_on_after(&self, store: &Store, steps: u32) -> Result<bool> {
        let mut sql = Sql { args: Vec::new() };
        let from = self.window(&mut sql, Start::NEWEST, steps + 1).from;
        let rows = fetch(&store.reader, format!("SELECT COUNT(*) FROM {from}"), sql.args).await?;
        let found: i64 = rows.first().map_or(Ok(0), |row| row.try_get(0))?;
        Ok(found > i64::from(steps))
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context;
    use protocol::Query;

    use super::*;
    use crate::seed::Seeder;

    const UNTIL_MS: i64 = 1_790_000_000_000;

    #[tokio::test]
    async fn counts_are_of_the_newest_and_say_whether_they_are_of_all() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        let seeder = Seeder::new(1, 400, UNTIL_MS, store.packer().clone());
        let runs = (0..400).map(|index| Ok(seeder.run(index)?.0)).collect::<anyhow::Result<Vec<_>>>()?;
        store.upsert_runs(workspace, &runs).await?;

        for text in [
            "env:prod status:succeeded",
            "env:prod,dev -status:failed duration:>5s",
            "tokens:>3000 env:prod",
            "order env:prod",
            "-refund env:prod",
        ] {
            let query = Query::parse(text).map_err(|error| anyhow::anyhow!("{error}"))?;
            let resolved = Resolved::new(&store, workspace, &query, UNTIL_MS).await?.context("no tag")?;
            let numbers = async |wanted, steps| -> Result<(Vec<i64>, bool)> {
                let (rows, all) = resolved.newest_within(&store, Reading::NumberAndStatus, wanted, steps).await?;
                Ok((rows.iter().map(|row| row.try_get(0)).collect::<Result<_>>()?, all))
            };
            let (every, all) = numbers(1_000, 1_000).await?;
            assert!(all && every.len() > FEWEST as usize, "{text}: {}", every.len());
            let (some, all) = numbers(1_000, 90).await?;
            assert!(!all && some.len() < every.len(), "{text}");
            assert_eq!(some, every[..some.len()], "{text}");
            assert_eq!(numbers(10, 90).await?, (every[..10].to_vec(), false), "{text}");
            // Too short a walk: what the list shows is counted nevertheless.
            assert_eq!(numbers(1_000, 3).await?, (every[..FEWEST as usize].to_vec(), false), "{text}");
        }
        Ok(())
    }
}
