//! Removing old runs: the settings, the background task and `runlens retain`.

use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, bail};
use chrono::{DateTime, SecondsFormat};
use clap::Args;
use tokio_util::sync::CancellationToken;

use crate::clock::now_ms;
use crate::config::{DatabaseOptions, create_data_dir};
use crate::store::{DeletedRuns, Retention, Store};

const ENFORCE_EVERY: Duration = Duration::from_secs(600);
const BYTES_PER_MB: u64 = 1_000_000;

/// Which runs are kept.
#[derive(Args, Clone, Debug, Default)]
pub struct RetentionOptions {
    /// Remove runs that are older than this many days.  [default: keep all]
    #[arg(long, env = "RUNLENS_RETAIN_DAYS", value_parser = clap::value_parser!(u32).range(1..))]
    pub retain_days: Option<u32>,

    /// Remove the oldest runs when all together take more than this many megabytes. Limits of single workspaces stand
    /// beside it as SLUG=MEGABYTES, separated by commas: acme=500,2000.  [default: keep all]
    #[arg(long, env = "RUNLENS_RETAIN_MB")]
    pub retain_mb: Option<SizeLimits>,
}

/// The value of `RUNLENS_RETAIN_MB`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SizeLimits {
    total: Option<u64>,
    workspaces: Vec<(String, u64)>,
}

/// `runlens retain`.
#[derive(Args, Clone, Debug)]
pub struct RetainOptions {
    /// Only print what would be removed.
    #[arg(long)]
    pub dry_run: bool,

    #[command(flatten)]
    pub retention: RetentionOptions,

    #[command(flatten)]
    pub database: DatabaseOptions,
}

impl From<RetentionOptions> for Retention {
    fn from(options: RetentionOptions) -> Self {
        let sizes = options.retain_mb.unwrap_or_default();
        Self {
            max_age_ms: options.retain_days.map(|days| i64::from(days) * 86_400_000),
            max_bytes: sizes.total,
            workspace_max_bytes: sizes.workspaces,
        }
    }
}

impl FromStr for SizeLimits {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let mut limits = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (slug, number) =
                part.split_once('=').map_or((None, part), |(slug, number)| (Some(slug.trim()), number));
            let megabytes: u64 =
                number.trim().parse().with_context(|| format!("`{part}` has no number of megabytes"))?;
            if megabytes == 0 {
                bail!("`{part}` would remove everything; the smallest limit is 1");
            }
            let bytes = megabytes.saturating_mul(BYTES_PER_MB);
            match slug {
                Some("") => bail!("`{part}` has no workspace before the ="),
                Some(slug) if limits.workspaces.iter().any(|(other, _)| other == slug) => {
                    bail!("the workspace {slug} has two limits");
                }
                Some(slug) => limits.workspaces.push((slug.to_owned(), bytes)),
                None if limits.total.is_some() => bail!("there are two limits for all workspaces together"),
                None => limits.total = Some(bytes),
            }
        }
        Ok(limits)
    }
}

/// Removes old runs once, or prints what would be removed.
pub async fn retain(options: RetainOptions) -> anyhow::Result<()> {
    let retention = Retention::from(options.retention);
    if retention == Retention::default() {
        bail!("there is no limit to apply: set RUNLENS_RETAIN_DAYS or RUNLENS_RETAIN_MB");
    }
    create_data_dir(&options.database.data_dir)?;
    let store = Store::open(&options.database.url()).await?;
    let (deleted, verb) = if options.dry_run {
        (store.preview_retention(&retention, now_ms()).await?, "would be removed")
    } else {
        (store.enforce(&retention, now_ms()).await?, "removed")
    };
    for runs in &deleted {
        println!(
            "{}\t{} runs\t{:.1} MB\t{} to {}",
            runs.workspace,
            runs.runs,
            runs.bytes as f64 / BYTES_PER_MB as f64,
            time(runs.oldest_ms),
            time(runs.newest_ms),
        );
    }
    println!("{} runs {verb}", deleted.iter().map(|runs| runs.runs).sum::<u64>());
    store.close().await;
    Ok(())
}

/// A background task that removes old runs, as the operator configured.
pub async fn enforce_retention(store: Store, retention: Retention, shutdown: CancellationToken) {
    if retention == Retention::default() {
        return;
    }
    let mut ticks = tokio::time::interval(ENFORCE_EVERY);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = shutdown.cancelled() => return,
        }
        match store.enforce(&retention, now_ms()).await {
            Ok(deleted) => deleted.iter().for_each(log_deleted),
            Err(error) => tracing::warn!(%error, "cannot remove old runs"),
        }
    }
}

fn log_deleted(deleted: &DeletedRuns) {
    let DeletedRuns { workspace, runs, bytes, oldest_ms, newest_ms } = deleted;
    let (oldest, newest) = (time(*oldest_ms), time(*newest_ms));
    tracing::info!(workspace, runs, bytes, oldest, newest, "removed old runs");
}

fn time(at_ms: i64) -> String {
    DateTime::from_timestamp_millis(at_ms).unwrap_or_default().to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_workspaces_stand_beside_the_total() {
        let parse = |text: &str| text.parse::<SizeLimits>();
        let limits = parse("acme=500, 2000,globex=1").expect("limits");
        assert_eq!(limits.total, Some(2_000_000_000));
        assert_eq!(limits.workspaces, [("acme".to_owned(), 500_000_000), ("globex".to_owned(), 1_000_000)]);
        for wrong in ["0", "acme", "acme=", "=5", "1,2", "acme=1,acme=2", "-1"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
