//! A plan and its revisions: each update is one revision, reported as transitions of steps.

use protocol::json::preview;
use serde_json::{Value, json};

/// The documents say that steps are clamped, without a number.
const MAX_STEPS: usize = 50;
const MAX_TITLE_CHARS: usize = 200;
const MAX_BRIEF_CHARS: usize = 500;

pub struct TaskPlan {
    id: String,
    mode: &'static str,
    source: &'static str,
    pub revision: u64,
    brief: Option<String>,
    steps: Vec<Step>,
    /// Number of ids in use or used before. Ids are not reused.
    ids: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct Step {
    id: String,
    title: String,
    status: Status,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Pending,
    InProgress,
    Done,
    Blocked,
    Skipped,
}

/// A change of one step. The documents name `step_completed` only; the other names follow its pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    kind: &'static str,
    step_id: Option<String>,
}

impl TaskPlan {
    pub fn new(id: String, mode: &'static str) -> Self {
        Self { id, mode, source: "agent", revision: 0, brief: None, steps: Vec::new(), ids: 0 }
    }

    /// Sets the steps that the spec gives.
    pub fn give<'a>(&mut self, brief: Option<&str>, titles: impl Iterator<Item = &'a str>, begin: bool) {
        self.brief = brief.filter(|brief| !brief.is_empty()).map(|brief| preview(brief, MAX_BRIEF_CHARS));
        let titles: Vec<&str> = titles.filter(|title| !title.trim().is_empty()).take(MAX_STEPS).collect();
        if titles.is_empty() {
            return;
        }
        self.source = "caller";
        self.revision = 1;
        for title in titles {
            self.push(title, Status::Pending);
        }
        if begin {
            self.steps[0].status = Status::InProgress;
        }
    }

    pub fn is_set_up(&self) -> bool {
        !self.steps.is_empty()
    }

    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns the titles of the open steps.
    pub fn open_steps(&self) -> Vec<&str> {
        let open = |step: &&Step| matches!(step.status, Status::Pending | Status::InProgress);
        self.steps.iter().filter(open).map(|step| step.title.as_str()).collect()
    }

    /// Replaces the steps with the model's list and returns the changes. Without changes there is no new revision.
    pub fn update(&mut self, sent: &Value) -> Vec<Transition> {
        let before = std::mem::take(&mut self.steps);
        let mut transitions = Vec::new();
        if let Some(brief) = sent["brief"].as_str().map(|brief| preview(brief, MAX_BRIEF_CHARS))
            && self.brief.as_ref() != Some(&brief)
        {
            self.brief = Some(brief);
            if !before.is_empty() {
                transitions.push(Transition { kind: "brief_changed", step_id: None });
            }
        }
        for step in sent["steps"].as_array().into_iter().flatten().take(MAX_STEPS) {
            let title = preview(step["title"].as_str().unwrap_or(""), MAX_TITLE_CHARS);
            let status = Status::parse(step["status"].as_str().unwrap_or("")).unwrap_or(Status::Pending);
            let taken = |old: &&Step| !self.steps.iter().any(|new| new.id == old.id);
            // Without an id, the title identifies the step.
            let known = before
                .iter()
                .filter(taken)
                .find(|old| step["id"] == old.id.as_str())
                .or_else(|| before.iter().filter(taken).find(|old| old.title == title));
            match known {
                Some(old) => {
                    if old.status != status {
                        let kind = status.transition();
                        transitions.push(Transition { kind, step_id: Some(old.id.clone()) });
                    }
                    if old.title != title {
                        transitions.push(Transition { kind: "step_renamed", step_id: Some(old.id.clone()) });
                    }
                    self.steps.push(Step { id: old.id.clone(), title, status });
                }
                None => {
                    let id = self.push(&title, status);
                    if !before.is_empty() {
                        transitions.push(Transition { kind: "step_added", step_id: Some(id) });
                    }
                }
            }
        }
        let removed = before.iter().filter(|old| !self.steps.iter().any(|new| new.id == old.id));
        transitions.extend(removed.map(|old| Transition { kind: "step_removed", step_id: Some(old.id.clone()) }));
        if before.is_empty() {
            transitions = vec![Self::created()];
        }
        if !transitions.is_empty() {
            self.revision += 1;
        }
        transitions
    }

    pub fn created() -> Transition {
        Transition { kind: "plan_created", step_id: None }
    }

    pub fn snapshot(&self) -> Value {
        let steps: Vec<Value> = self
            .steps
            .iter()
            .map(|step| json!({ "id": step.id, "title": step.title, "status": step.status.as_str() }))
            .collect();
        let mut plan = json!({
            "v": 2, "planId": self.id, "revision": self.revision, "mode": self.mode, "source": self.source,
        });
        if let Some(brief) = &self.brief {
            plan["brief"] = brief.as_str().into();
        }
        plan["steps"] = steps.into();
        plan
    }

    /// Returns the `task_plan` event of one transition: the snapshot, repeated at the top level for older clients.
    pub fn event(&self, transition: &Transition, index: usize, count: usize) -> Value {
        let mut event = self.snapshot();
        event["plan"] = self.snapshot();
        event["transition"] = json!({ "kind": transition.kind });
        if let Some(step_id) = &transition.step_id {
            event["transition"]["stepId"] = step_id.as_str().into();
        }
        event["transitionIndex"] = index.into();
        event["transitionCount"] = count.into();
        event
    }

    /// Returns the plan as plain text.
    pub fn text(&self) -> String {
        let steps: Vec<String> =
            self.steps.iter().enumerate().map(|(i, step)| format!("{}. {}", i + 1, step.title)).collect();
        let brief = self.brief.as_ref().map(|brief| format!("{brief}\n\n")).unwrap_or_default();
        format!("{brief}{}", steps.join("\n"))
    }

    fn push(&mut self, title: &str, status: Status) -> String {
        self.ids += 1;
        let id = format!("step-{}", self.ids);
        self.steps.push(Step { id: id.clone(), title: preview(title, MAX_TITLE_CHARS), status });
        id
    }
}

impl Status {
    pub const ALL: [Self; 5] = [Self::Pending, Self::InProgress, Self::Done, Self::Blocked, Self::Skipped];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Done => "done",
            Self::Blocked => "blocked",
            Self::Skipped => "skipped",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }

    /// Returns the name of the transition to this status.
    fn transition(self) -> &'static str {
        match self {
            Self::Pending => "step_reopened",
            Self::InProgress => "step_started",
            Self::Done => "step_completed",
            Self::Blocked => "step_blocked",
            Self::Skipped => "step_skipped",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(transitions: &[Transition]) -> Vec<(&str, &str)> {
        let step = |transition: &'_ Transition| transition.step_id.clone().unwrap_or_default();
        transitions.iter().map(|t| (t.kind, &*step(t).leak())).collect()
    }

    fn sent(steps: &[(&str, &str)]) -> Value {
        let steps: Vec<Value> =
            steps.iter().map(|(title, status)| json!({ "title": title, "status": status })).collect();
        json!({ "steps": steps })
    }

    #[test]
    fn an_update_is_one_revision_with_a_transition_for_each_change() {
        let mut plan = TaskPlan::new("p".into(), "auto");
        let first = plan.update(&sent(&[("Pull", "in_progress"), ("Compare", "pending")]));
        assert_eq!((kinds(&first), plan.revision), (vec![("plan_created", "")], 1));
        let second = plan.update(&sent(&[("Pull", "done"), ("Compare", "in_progress"), ("Write", "pending")]));
        assert_eq!(
            kinds(&second),
            [("step_completed", "step-1"), ("step_started", "step-2"), ("step_added", "step-3")]
        );
        assert_eq!(plan.revision, 2);
        assert!(plan.update(&sent(&[("Pull", "done"), ("Compare", "in_progress"), ("Write", "pending")])).is_empty());
        assert_eq!(plan.revision, 2, "nothing changed");
        assert_eq!(plan.open_steps(), ["Compare", "Write"]);
    }

    #[test]
    fn a_step_is_known_by_its_id_and_a_removed_ones_id_is_not_used_again() {
        let mut plan = TaskPlan::new("p".into(), "auto");
        plan.give(Some("Move"), ["a", "b"].into_iter(), true);
        let renamed = plan.update(&json!({ "steps": [{ "id": "step-1", "title": "A", "status": "in_progress" }] }));
        assert_eq!(kinds(&renamed), [("step_renamed", "step-1"), ("step_removed", "step-2")]);
        plan.update(&sent(&[("A", "done"), ("c", "pending")]));
        assert_eq!(plan.snapshot()["steps"][1]["id"], "step-3");
    }

    #[test]
    fn a_given_plan_is_read_as_text() {
        let mut plan = TaskPlan::new("p".into(), "auto");
        plan.give(Some("Move house"), ["Pack", "Drive"].into_iter(), false);
        assert_eq!(plan.text(), "Move house\n\n1. Pack\n2. Drive");
        assert_eq!(plan.snapshot()["steps"][0]["status"], "pending");
    }
}
