//! Task plans: a checklist that the model keeps with a tool of the engine's own.
//!
//! The documents contradict each other. One has a classifier that plans before the run and a tracker that ticks steps
//! off; the other, newer one says that there is neither, and that the executing agent owns its plan through
//! `update_task_plan`. The newer one is followed. Only `planOnly` without steps still asks a planner, as it says.

mod run;
mod task_plan;

use protocol::spec::{self, PlanMode};
use serde_json::{Value, json};

use task_plan::{Status, TaskPlan};

pub const TOOL_DESCRIPTION: &str = "Keeps your plan for this task. Send the whole list of steps each time, with their \
                                    status. Set it up before you begin, and update it when a step starts or ends.";

/// A plan that is shorter needs no list.
const MIN_STEPS: usize = 2;
/// How often a run is kept from ending while steps of a required plan are open.
const CONTINUATIONS: u32 = 3;

pub struct Planning {
    mode: PlanMode,
    only: bool,
    plan: TaskPlan,
    continuations_left: u32,
}

impl Planning {
    /// What the spec's `plan` asks for; `None` for a plain run.
    pub fn new(asked: &Value, plan_id: String) -> Option<Self> {
        let asked = spec::planning(asked)?;
        let (mode, only) = (asked.mode, asked.plan_only);
        let mut plan = TaskPlan::new(plan_id, mode.as_str());
        plan.give(asked.brief, asked.steps.into_iter(), !only);
        Some(Self { mode, only, plan, continuations_left: CONTINUATIONS })
    }

    /// Whether the plan is all that is wanted.
    pub fn is_all(&self) -> bool {
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
