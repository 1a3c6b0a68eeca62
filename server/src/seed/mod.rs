//! `runlens seed`: generates runs of realistic size, the same for the same seed. A run has thirteen steps, seven turns and
//! six tool calls, and tool results of about a kilobyte.
//!
//! Every core generates runs while one task writes them. They behave like mirrored runs and have the tag `is:seeded`.

mod rng;
mod scenario;
mod words;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::Context;
use clap::Args;

use crate::clock::now_ms;
use crate::config::{DatabaseOptions, create_data_dir};
use crate::store::{RunUpdate, Store};

pub(crate) use scenario::Seeder;

/// Runs generated and written at a time.
const BATCH: u64 = 500;

#[derive(Args, Clone, Debug)]
pub struct SeedOptions {
    /// Number of runs to generate.
    #[arg(long)]
    pub runs: u64,

    /// Seed of the generator; the same seed generates the same runs.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// Slug of the workspace that they belong to; created if it does not exist.
    #[arg(long, default_value = "demo")]
    pub workspace: String,

    /// The newest run's creation time, in milliseconds since 1970.  [default: now]
    #[arg(long)]
    pub until_ms: Option<i64>,

    #[command(flatten)]
    pub database: DatabaseOptions,
}

/// Statistics of the written runs.
pub struct Seeded {
    pub runs: u64,
    pub events: u64,
    pub seconds: f64,
    /// The growth of the database.
    pub database_bytes: u64,
    /// The size of all events as JSON.
    pub plain_bytes: u64,
    pub packed_bytes: u64,
}

pub async fn seed(options: SeedOptions) -> anyhow::Result<Seeded> {
    create_data_dir(&options.database.data_dir)?;
    let store = Store::open(&options.database.url()).await?;
    let workspace = store.workspace_from_slug(&options.workspace).await?;
    let bytes_before = store.database_bytes().await?;
    let seeder =
        Seeder::new(options.seed, options.runs, options.until_ms.unwrap_or_else(now_ms), store.packer().clone());
    let started = Instant::now();
    let mut batches = generate_all(seeder, options.runs);
    let mut seeded = Seeded { runs: 0, events: 0, seconds: 0.0, database_bytes: 0, plain_bytes: 0, packed_bytes: 0 };
    while let Some(generated) = batches.recv().await {
        let generated = generated?;
        store.upsert_runs(workspace, &generated.updates).await.context("the runs could not be written")?;
        store.train_dictionary().await?;
        store.choose_common_words(workspace).await?;
        seeded.runs += generated.updates.len() as u64;
        seeded.events += generated.events;
        seeded.plain_bytes += generated.plain_bytes;
        seeded.packed_bytes += generated.packed_bytes;
    }
    store.checkpoint().await?;
    seeded.seconds = started.elapsed().as_secs_f64();
    seeded.database_bytes = store.database_bytes().await?.saturating_sub(bytes_before);
    store.close().await;
    Ok(seeded)
}

/// Starts a thread per core that generates batches.
fn generate_all(seeder: Seeder, runs: u64) -> tokio::sync::mpsc::Receiver<anyhow::Result<Generated>> {
    let (sender, batches) = tokio::sync::mpsc::channel(2);
    let (seeder, next) = (Arc::new(seeder), Arc::new(AtomicU64::new(0)));
    for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
        let (seeder, next, sender) = (seeder.clone(), next.clone(), sender.clone());
        std::thread::spawn(move || {
            loop {
                let first = next.fetch_add(BATCH, Ordering::Relaxed);
                if first >= runs || sender.blocking_send(generate(&seeder, first..runs.min(first + BATCH))).is_err() {
                    return;
                }
            }
        });
    }
    batches
}

struct Generated {
    updates: Vec<RunUpdate>,
    events: u64,
    plain_bytes: u64,
    packed_bytes: u64,
}

fn generate(seeder: &Seeder, range: std::ops::Range<u64>) -> anyhow::Result<Generated> {
    let mut generated = Generated { updates: Vec::new(), events: 0, plain_bytes: 0, packed_bytes: 0 };
    for index in range {
        let (update, events) = seeder.run(index)?;
        generated.events += events.len() as u64;
        for part in update.log.iter().flat_map(|log| &log.parts) {
            generated.plain_bytes += part.plain_bytes as u64;
            generated.packed_bytes += part.body.len() as u64;
        }
        generated.updates.push(update);
    }
    Ok(generated)
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
            self.database_bytes as f64 / runs,
            self.packed_bytes as f64 / events,
            self.plain_bytes as f64 / events,
            100.0 * self.packed_bytes as f64 / self.plain_bytes.max(1) as f64,
        )
    }
}
