//! Folding a log of 100,000 events: runs an example of `protocol` and reads its output.

use std::process::Command;

use anyhow::{Context, Result, bail};

use super::Figure;

/// Figures with a goal; the example prints more.
const GOALS: [(&str, &str, f64); 8] = [
    ("fold p50", "< 100 ms", 100.0),
    ("scrub max", "< 20 ms", 20.0),
    ("rows, normal", "< 20 ms", 20.0),
    ("rows, every event", "< 20 ms", 20.0),
    ("times", "< 20 ms", 20.0),
    ("rows, every event with a text query", "< 100 ms", 100.0),
    ("timeline", "< 16384 KiB", 16_384.0),
    ("timeline, ten times the deltas", "< 1.1 times", 1.1),
];

pub fn run() -> Result<Vec<Figure>> {
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--release", "--package", "protocol", "--example", "fold_bench"])
        .output()
        .context("cannot run cargo")?;
    if !output.status.success() {
        bail!("fold_bench failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    print!("{text}");
    GOALS.into_iter().map(|(name, goal, limit)| figure(&text, name, goal, limit)).collect()
}

fn figure(text: &str, name: &'static str, goal: &'static str, limit: f64) -> Result<Figure> {
    let value = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
        .with_context(|| format!("fold_bench did not print «{name}»"))?;
    let number: f64 = value.split(' ').next().unwrap_or_default().parse().context("a figure is not a number")?;
    Ok(Figure { name: name.to_owned(), goal, value: value.to_owned(), met: number < limit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_read_by_its_whole_name() {
        let text = "scrub p50: 1.00 ms\nscrub max: 21.50 ms\n";
        let figure = figure(text, "scrub max", "< 20 ms", 20.0).expect("a figure");
        assert_eq!((figure.value.as_str(), figure.met), ("21.50 ms", false));
        assert!(super::figure(text, "fold p50", "", 1.0).is_err());
    }
}
