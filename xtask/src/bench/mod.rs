//! `cargo xtask bench`: the optimised binary against its goals. One benchmark, one file, one line in `BENCHES`.

mod http;
mod process;
mod sandbox_load;
mod server;
mod startup;

use anyhow::{Result, bail};

/// One number with its goal.
pub struct Figure {
    pub name: &'static str,
    pub goal: &'static str,
    pub value: String,
    pub met: bool,
}

/// A benchmark by name. It builds what it measures.
type Bench = (&'static str, fn() -> Result<Vec<Figure>>);

const BENCHES: &[Bench] = &[("startup", startup::run), ("sandbox-load", sandbox_load::run)];

/// Runs the named benchmarks, all when none is named.
pub fn run(names: &[String]) -> Result<()> {
    if let Some(unknown) = names.iter().find(|name| !BENCHES.iter().any(|(known, _)| known == name)) {
        let known: Vec<_> = BENCHES.iter().map(|(name, _)| *name).collect();
        bail!("no benchmark is called {unknown}; there are: {}", known.join(", "));
    }
    let mut figures = Vec::new();
    for (name, bench) in BENCHES {
        if names.is_empty() || names.iter().any(|wanted| wanted == name) {
            println!("▸ {name} …");
            figures.extend(bench()?);
        }
    }
    print!("\n{}", table(&figures));
    Ok(())
}

fn table(figures: &[Figure]) -> String {
    let width = |column: fn(&Figure) -> &str, head: &str| {
        figures.iter().map(|figure| column(figure).chars().count()).chain([head.len()]).max().unwrap_or_default()
    };
    let name_width = width(|figure| figure.name, "figure");
    let goal_width = width(|figure| figure.goal, "goal");
    let mut text = format!("{:<name_width$} | {:<goal_width$} | value\n", "figure", "goal");
    for figure in figures {
        let missed = if figure.met { "" } else { "  MISSED" };
        text += &format!("{:<name_width$} | {:<goal_width$} | {}{missed}\n", figure.name, figure.goal, figure.value);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_tells_which_goals_are_missed() {
        let figures = [
            Figure { name: "start, p50", goal: "< 1 s", value: "80 ms".into(), met: true },
            Figure { name: "idle", goal: "< 60 MB", value: "70 MB".into(), met: false },
        ];
        assert_eq!(
            table(&figures),
            "figure     | goal    | value\nstart, p50 | < 1 s   | 80 ms\nidle       | < 60 MB | 70 MB  MISSED\n"
        );
    }
}
