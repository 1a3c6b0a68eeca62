//! `runlens seed`: made-up runs, the same for the same seed, in realistic sizes: seven turns and six tool calls make
//! thirteen steps, a tool answers with about a kilobyte.
//!
//! Every core makes runs while one task writes them, and nobody but the store knows that they were not mirrored: they are
//! tagged `is:seeded`.

mod dice;
mod scenario;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::Context;
use clap::Args;

use crate::clock::now_ms;
use crate::config::{DatabaseOptions, create_data_dir};
use crate::store::{RunUpdate, Store};

pub(crate) use scenario::Seeder;

/// Runs made and written at a time.
const BATCH: u64 = 500;

#[derive(Args, Clone, Debug)]
pub struct SeedOptions {
    /// How many runs to make.
    #[arg(long)]
    pub runs: u64,

    /// Where the made-up world begins; the same seed makes the same runs.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// Slug of the workspace that they belong to; made if it is not there.
    #[arg(long, default_value = "demo")]
    pub workspace: String,

    /// The newest run's creation time, in milliseconds since 1970.  [default: now]
    #[arg(long)]
    pub until_ms: Option<i64>,

    #[command(flatten)]
    pub database: DatabaseOptions,
}

/// What was written, for the line at the end.
pub struct Seeded {
    pub runs: u64,
    pub events: u64,
    pub seconds: f64,
    /// What the database takes now, and took before.
    pub bytes: (u64, u64),
    /// What one row for each event would take as JSON.
    pub plain_bytes: u64,
    pub packed_bytes: u64,
}

pub async fn seed(options: SeedOptions) -> anyhow::Result<Seeded> {
    create_data_dir(&options.database.data_dir)?;
    let store = Store::open(&options.database.url()).await?;
    let workspace = store.workspace_from_slug(&options.workspace).await?;
    let before = store.database_bytes().await?;
    let seeder =
        Seeder::new(options.seed, options.runs, options.until_ms.unwrap_or_else(now_ms), store.packer().clone());
    let started = Instant::now();
    let mut batches = make_all(seeder, options.runs);
    let mut seeded = Seeded { runs: 0, events: 0, seconds: 0.0, bytes: (0, before), plain_bytes: 0, packed_bytes: 0 };
    while let Some(made) = batches.recv().await {
        let made = made?;
        store.upsert_runs(workspace, &made.updates).await.context("the runs could not be written")?;
        store.train_dictionary().await?;
        seeded.runs += made.updates.len() as u64;
        seeded.events += made.events;
        seeded.plain_bytes += made.plain_bytes;
        seeded.packed_bytes += made.packed_bytes;
    }
    store.settle().await?;
    seeded.seconds = started.elapsed().as_secs_f64();
    seeded.bytes.0 = store.database_bytes().await?;
    store.close().await;
    Ok(seeded)
}

/// Batches as they come. Whoever of the makers is free makes the next one.
fn make_all(seeder: Seeder, runs: u64) -> tokio::sync::mpsc::Receiver<anyhow::Result<Made>> {
    let (sender, batches) = tokio::sync::mpsc::channel(2);
    let (seeder, next) = (Arc::new(seeder), Arc::new(AtomicU64::new(0)));
    for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
        let (seeder, next, sender) = (seeder.clone(), next.clone(), sender.clone());
        std::thread::spawn(move || {
            loop {
                let first = next.fetch_add(BATCH, Ordering::Relaxed);
                if first >= runs || sender.blocking_send(make(&seeder, first..runs.min(first + BATCH))).is_err() {
                    return;
                }
            }
        });
    }
    batches
}

struct Made {
    updates: Vec<RunUpdate>,
    events: u64,
    plain_bytes: u64,
    packed_bytes: u64,
}

fn make(seeder: &Seeder, range: std::ops::Range<u64>) -> anyhow::Result<Made> {
    let mut made = Made { updates: Vec::new(), events: 0, plain_bytes: 0, packed_bytes: 0 };
    for index in range {
        let (update, events) = seeder.run(index)?;
        made.events += events.len() as u64;
        for part in update.log.iter().flat_map(|log| &log.parts) {
            made.plain_bytes += part.plain_bytes as u64;
            made.packed_bytes += part.body.len() as u64;
        }
        made.updates.push(update);
    }
    Ok(made)
}

impl std::fmt::Display for Seeded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (runs, events) = (self.runs.max(1) as f64, self.events.max(1) as f64);
        write!(
            f,
            "{} runs with {} events in {:.1} s ({:.0} runs/s); {:.0} bytes of database for each run; \
             {:.1} bytes for each event packed, {:.1} as JSON ({:.1} %)",
            self.runs,
            self.events,
            self.seconds,
            runs / self.seconds.max(0.001),
            self.bytes.0.saturating_sub(self.bytes.1) as f64 / runs,
            self.packed_bytes as f64 / events,
            self.plain_bytes as f64 / events,
            100.0 * self.packed_bytes as f64 / self.plain_bytes.max(1) as f64,
        )
    }
}
