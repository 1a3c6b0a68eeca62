//! The run's plan: a checklist that the log updates by id and revision.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::PlanUpdate;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The event of its last update.
    pub seq: u64,
    /// Absent in the first version of the protocol.
    pub id: Option<String>,
    pub revision: Option<u64>,
    pub mode: Option<String>,
    pub brief: Option<String>,
    pub steps: Vec<PlanStep>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanStep {
    pub id: Option<String>,
    pub title: String,
    /// `pending`, `in_progress`, `done`, `blocked` or `skipped`; unknown ones are kept.
    pub status: String,
    /// The turn and event in which it was first in progress, and in which it had ended. The turns between worked on it.
    pub begun: Option<Moment>,
    pub ended: Option<Moment>,
}

/// The difference between two revisions of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanChanges<'a> {
    /// New steps, and steps with another status or title.
    pub steps: Vec<&'a PlanStep>,
    pub removed: Vec<&'a PlanStep>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    pub turn: usize,
    pub seq: u64,
}

impl Plan {
    pub(super) fn parse(at: Moment, update: &PlanUpdate<'_>) -> Self {
        Self {
            seq: at.seq,
            id: update.id.map(Into::into),
            revision: update.revision,
            mode: update.mode.map(Into::into),
            brief: update.brief.map(Into::into),
            steps: update.steps.iter().map(|step| PlanStep::parse(at, step)).collect(),
        }
    }

    /// Returns whether an update is older than this plan. Several updates of one revision all count.
    pub(super) fn is_newer_than(&self, update: &Self) -> bool {
        self.id.is_some() && self.id == update.id && update.revision < self.revision
    }

    /// Copies the begin and end of steps from the previous plan.
    pub(super) fn carry_over(&mut self, before: &Self) {
        if before.id != self.id {
            return;
        }
        let known: BTreeMap<&str, &PlanStep> = before.steps.iter().map(|step| (step.key(), step)).collect();
        for step in &mut self.steps {
            if let Some(known) = known.get(step.key()) {
                step.begun = known.begun.or(step.begun);
                step.ended = step.ended.map(|now| known.ended.unwrap_or(now));
            }
        }
    }

    /// Returns what an update changed: all steps for a new plan.
    pub fn changes_since<'a>(&'a self, before: Option<&'a Self>) -> PlanChanges<'a> {
        let Some(before) = before.filter(|before| before.id == self.id) else {
            return PlanChanges { steps: self.steps.iter().collect(), ..PlanChanges::default() };
        };
        let has_step = |plan: &Self, step: &PlanStep| plan.steps.iter().any(|other| other.key() == step.key());
        let is_unchanged = |step: &PlanStep| {
            let mut known = before.steps.iter().filter(|known| known.key() == step.key());
            known.any(|known| known.status == step.status && known.title == step.title)
        };
        PlanChanges {
            steps: self.steps.iter().filter(|step| !is_unchanged(step)).collect(),
            removed: before.steps.iter().filter(|step| !has_step(self, step)).collect(),
        }
    }

    pub fn done(&self) -> usize {
        self.steps.iter().filter(|step| step.status == "done").count()
    }

    pub(super) fn current_step(&self) -> Option<&PlanStep> {
        self.steps.iter().find(|step| step.status == "in_progress")
    }
}

impl PlanStep {
    fn parse(at: Moment, step: &Value) -> Self {
        let text = |field: &str| step[field].as_str().map(str::to_owned);
        let status = text("status").unwrap_or_else(|| "pending".to_owned());
        let is_over = matches!(status.as_str(), "done" | "skipped");
        Self {
            id: text("id"),
            // A checklist of the caller is a list of titles.
            title: text("title").or_else(|| step.as_str().map(str::to_owned)).unwrap_or_default(),
            begun: (status == "in_progress").then_some(at),
            ended: is_over.then_some(at),
            status,
        }
    }

    fn key(&self) -> &str {
        self.id.as_deref().unwrap_or(&self.title)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn plan(id: &str, steps: &[(&str, &str)]) -> Plan {
        let steps = steps.iter().map(|(title, status)| json!({ "id": title, "title": title, "status": status }));
        let steps: Vec<PlanStep> = steps.map(|step| PlanStep::parse(Moment { turn: 0, seq: 1 }, &step)).collect();
        Plan { seq: 1, id: Some(id.to_owned()), revision: None, mode: None, brief: None, steps }
    }

    #[test]
    fn changes_are_new_changed_and_removed_steps() {
        let before = plan("p", &[("read", "in_progress"), ("draft", "pending"), ("send", "pending")]);
        let after = plan("p", &[("read", "done"), ("draft", "pending"), ("check", "pending")]);
        let titles = |steps: &[&PlanStep]| steps.iter().map(|step| step.title.clone()).collect::<Vec<_>>();
        let changes = after.changes_since(Some(&before));
        assert_eq!(
            (titles(&changes.steps), titles(&changes.removed)),
            (vec!["read".to_owned(), "check".to_owned()], vec!["send".to_owned()])
        );
        assert_eq!(after.changes_since(Some(&after)), PlanChanges::default());
        for before in [None, Some(&plan("other", &[("read", "done")]))] {
            assert_eq!(after.changes_since(before).steps.len(), 3);
        }
    }
}
