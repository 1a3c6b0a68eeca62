//! Prints a line when a step starts and one with its duration when it ends.

use std::time::Instant;

use anyhow::{Context, Result};

pub fn step<T>(name: &str, run: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("▸ {name} …");
    let start = Instant::now();
    let done = run().with_context(|| format!("step `{name}` failed"))?;
    println!("▸ {name} done, {:.1} s", start.elapsed().as_secs_f64());
    Ok(done)
}
