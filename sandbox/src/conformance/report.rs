//! What came out, as a table.

pub struct Report {
    pub outcomes: Vec<Outcome>,
}

pub struct Outcome {
    pub check: &'static str,
    pub verdict: Verdict,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// With what was seen
    Holds(String),
    /// With what was seen instead
    Fails(String),
    /// With the reason
    Skipped(String),
}

impl Verdict {
    fn in_words(&self) -> (&'static str, &str) {
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

    /// One line for each check, and a sum.
    pub fn table(&self) -> String {
        let width = self.outcomes.iter().map(|outcome| outcome.check.chars().count()).max().unwrap_or(0);
        let mut text = format!("{:<width$} | verdict | detail\n", "check");
        for Outcome { check, verdict } in &self.outcomes {
            let (word, detail) = verdict.in_words();
            // A table has one line for each row, whatever a server says.
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
    fn the_table_tells_what_holds_and_why_the_rest_does_not() {
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
