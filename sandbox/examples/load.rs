//! Puts a sandbox under load and prints the figures as JSON: `load URL RUNS DELTAS READERS`.

use anyhow::{Context, Result};
use sandbox::load::{Load, run};

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, numbers @ ..] = &arguments[..] else { anyhow::bail!("load URL RUNS DELTAS READERS") };
    let numbers: Vec<usize> = numbers.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
    let [runs, deltas, readers] = numbers[..].try_into().ok().context("load URL RUNS DELTAS READERS")?;
    let figures = run(url, "mantyx_sandbox_demo", "demo", Load { runs, deltas, readers }).await?;
    let (events, deliveries) = (figures.events, figures.deliveries);
    println!(
        "{}",
        serde_json::json!({ "events": events, "deliveries": deliveries, "seconds": figures.elapsed.as_secs_f64() })
    );
    Ok(())
}
