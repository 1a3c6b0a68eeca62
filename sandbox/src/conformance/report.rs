//! The report of all checks, as a table.

pub struct Report {
    pub outcomes: Vec<Outcome>,
}

pub struct Outcome {
    pub check: &'static str,
    pub verdict: Verdict,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Has the observation
    Holds(String),
    /// Has the reason
    Fails(String),
    /// Has the reason
    Skipped(String),
}

impl Verdict {
    fn label_and_detail(&self) -> (&'static str, &str) {
        match self {
            Self::Holds(seen) => ("holds", seen),
            Self::Fails(why) => ("FAILS", why),
            Self::Skipped(why) => ("skipped", why),
        }
    }
}

impl Report {
    pub fn failed(&self) -> usize {
        self.outcomes.iter().filter(|outcome| matches!(outcome.verdict, Verdict::Fails(_))).count()
    }

    /// Returns a table with one line per check, and totals.
    pub fn table(&self) -> String {
        let width = self.outcomes.iter().map(|outcome| outcome.check.chars().count()).max().unwrap_or(0);
        let mut text = format!("{:<width$} | verdict | detail\n", "check");
        for Outcome { check, verdict } in &self.outcomes {
            let (word, detail) = verdict.label_and_detail();
            // Keeps each row on one line.
            let detail = detail.replace('\n', " ");
            text += format!("{check:<width$} | {word:<7} | {detail}").trim_end();
            text.push('\n');
        }
        let skipped = self.outcomes.iter().filter(|outcome| matches!(outcome.verdict, Verdict::Skipped(_))).count();
        let holds = self.outcomes.len() - skipped - self.failed();
        text + &format!("{holds} hold, {} fail, {skipped} skipped\n", self.failed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_line_per_check_and_totals() {
        let outcome = |check, verdict| Outcome { check, verdict };
        let report = Report {
            outcomes: vec![
                outcome("logs have no gaps", Verdict::Holds("7 events".into())),
                outcome("keys", Verdict::Fails("200\nand not 401".into())),
                outcome("loops", Verdict::Skipped("no script".into())),
            ],
        };
        let expected = "check             | verdict | detail\n\
                        logs have no gaps | holds   | 7 events\n\
                        keys              | FAILS   | 200 and not 401\n\
                        loops             | skipped | no script\n\
                        1 hold, 1 fail, 1 skipped\n";
        assert_eq!(report.table(), expected);
        assert_eq!(report.failed(), 1);
    }
}
