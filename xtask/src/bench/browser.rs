//! Measurements in Chromium: scripts of `end2end/bench` that print one figure per line as JSON.

use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use super::Figure;
use crate::tools::{chromium, npm};
use crate::{command, paths};

/// Runs a script and returns its figures.
pub fn figures(script: &str, args: &[&str]) -> Result<Vec<Figure>> {
    npm::install()?;
    let output = command::read(
        Command::new("node")
            .arg(script)
            .args(args)
            .current_dir(paths::end2end()?)
            .env(chromium::VARIABLE, chromium::find()?),
    )?;
    output.lines().map(parse).collect()
}

fn parse(line: &str) -> Result<Figure> {
    let figure: Value = serde_json::from_str(line).with_context(|| format!("not a figure: {line}"))?;
    let (value_ms, limit_ms) = (figure["value"].as_f64(), figure["limit"].as_f64());
    let (value_ms, limit_ms) = value_ms.zip(limit_ms).with_context(|| format!("not a figure: {line}"))?;
    Ok(Figure {
        name: figure["name"].as_str().unwrap_or_default().to_owned(),
        goal: format!("≤ {limit_ms:.0} ms").leak(),
        value: format!("{value_ms:.0} ms"),
        met: value_ms <= limit_ms,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_compared_with_its_limit() -> Result<()> {
        let figure = parse(r#"{"name":"longest task while scrolling","value":120.4,"limit":100}"#)?;
        assert_eq!((figure.value.as_str(), figure.goal, figure.met), ("120 ms", "≤ 100 ms", false));
        Ok(())
    }
}
