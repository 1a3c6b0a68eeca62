//! One line when a step begins, one with its seconds when it ends.

use std::time::Instant;

use anyhow::{Context, Result};

/// Runs a step under its name.
pub fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("▸ {name} …");
    let start = Instant::now();
    let done = work().with_context(|| format!("step `{name}` failed"))?;
    println!("▸ {name} done, {:.1} s", start.elapsed().as_secs_f64());
    Ok(done)
}
