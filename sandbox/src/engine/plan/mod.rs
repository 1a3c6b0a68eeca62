//! Task plans: a checklist that the model maintains with the tool `update_task_plan`.
//!
//! The documents contradict each other. One has a classifier that plans before the run and a tracker that completes
//! steps; the newer one has neither: the executing agent owns its plan. The sandbox follows the newer one, in which only
//! `planOnly` without steps uses a planner.

mod run;
mod task_plan;

use protocol::spec::{self, PlanMode};
use serde_json::{Value, json};

use task_plan::{Status, TaskPlan};

pub const TOOL_DESCRIPTION: &str = "Keeps your plan for this task. Send the whole list of steps each time, with their \
                                    status. Set it up before you begin, and update it when a step starts or ends.";

/// Fewer steps need no plan.
const MIN_STEPS: usize = 2;
/// Limit for instructions to continue while steps of a required plan are open.
const MAX_CONTINUATIONS: u32 = 3;

pub struct Planning {
    mode: PlanMode,
    only: bool,
    plan: TaskPlan,
    continuations_left: u32,
}

impl Planning {
    /// `None` if the spec has no `plan`.
    pub fn new(asked: &Value, plan_id: String) -> Option<Self> {
        let asked = spec::planning(asked)?;
        let (mode, only) = (asked.mode, asked.plan_only);
        let mut plan = TaskPlan::new(plan_id, mode.as_str());
        plan.give(asked.brief, asked.steps.into_iter(), !only);
        Some(Self { mode, only, plan, continuations_left: MAX_CONTINUATIONS })
    }

    /// Returns true for a `planOnly` run.
    pub fn is_plan_only(&self) -> bool {
        self.only
    }
}

pub fn tool_parameters() -> Value {
    let step = json!({
        "type": "object",
        "properties": {
            "id": { "type": "string", "description": "The id of a step that is already in the plan" },
            "title": { "type": "string", "minLength": 1 },
            "status": { "enum": Status::ALL.map(Status::as_str) },
        },
        "required": ["title", "status"],
    });
    json!({
        "type": "object",
        "properties": {
            "brief": { "type": "string", "description": "The objective in one line" },
            "steps": { "type": "array", "items": step, "minItems": 1 },
        },
        "required": ["steps"],
    })
}
