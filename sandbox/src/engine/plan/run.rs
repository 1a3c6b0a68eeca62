//! Planning in a run: the model's updates, the rules of a required plan, and `planOnly` runs.

use protocol::spec::PlanMode;
use serde_json::{Value, json};

use super::MIN_STEPS;
use super::task_plan::TaskPlan;
use crate::engine::run_loop::{Ending, Run};
use crate::engine::toolbox::PLAN_TOOL;
use crate::provider::{Message, PLAN_SCHEMA_NAME};
use crate::tool_output::ToolOutput;

impl Run {
    /// Logs the plan of the spec and adds it to the conversation.
    pub(in crate::engine) async fn announce_given_plan(&mut self) {
        let Some(planning) = self.planning.as_ref().filter(|planning| planning.plan.is_set_up()) else { return };
        let order = format!("Follow this plan, and keep it up to date with {PLAN_TOOL}:\n{}", planning.plan.text());
        let event = planning.plan.event(&TaskPlan::created(), 0, 1);
        self.messages.push(Message::Steering(order));
        self.log.emit("task_plan", event).await;
    }

    pub(in crate::engine) async fn update_plan(&mut self, input: &Value) -> ToolOutput {
        let Some(planning) = &mut self.planning else { return ToolOutput::failure("This run has no plan.") };
        let transitions = planning.plan.update(input);
        let count = transitions.len();
        let events = transitions.iter().enumerate().map(|(i, transition)| planning.plan.event(transition, i, count));
        let events: Vec<Value> = events.collect();
        let (open, revision) = (planning.plan.open_steps().len(), planning.plan.revision);
        let progress = format!("The plan is at revision {revision}: {open} of {} steps are open.", planning.plan.len());
        for event in events {
            self.log.emit("task_plan", event).await;
        }
        ToolOutput::text(progress)
    }

    /// Returns true if other tools must wait for a plan.
    pub(in crate::engine) fn plan_is_missing(&self) -> bool {
        let required = self.planning.as_ref().filter(|planning| planning.mode == PlanMode::Required);
        required.is_some_and(|planning| !planning.plan.is_set_up())
    }

    /// Asks the model to continue if it answers before a required plan is complete. Returns false after a few times.
    pub(in crate::engine) fn hold_back_answer(&mut self) -> bool {
        let Some(planning) = &mut self.planning else { return false };
        let open = planning.plan.open_steps();
        let premature = planning.mode == PlanMode::Required && (!planning.plan.is_set_up() || !open.is_empty());
        if !premature || planning.continuations_left == 0 {
            return false;
        }
        let order = match open.is_empty() {
            true => format!("This task needs a plan. Set one up with {PLAN_TOOL}, then carry it out."),
            false => format!(
                "Your plan has open steps: {}. Carry them out, or mark them with {PLAN_TOOL} as skipped or blocked.",
                open.join("; ")
            ),
        };
        planning.continuations_left -= 1;
        self.messages.push(Message::Steering(order));
        true
    }

    /// Produces only the plan.
    pub(in crate::engine) async fn plan_only(&mut self) -> Result<Ending, Ending> {
        let given = self.planning.as_ref().is_some_and(|planning| planning.plan.is_set_up());
        if !given {
            let planned = self.ask_planner().await?;
            let steps = planned["steps"].as_array().map(Vec::as_slice).unwrap_or_default();
            let titles: Vec<&str> = steps.iter().filter_map(Value::as_str).collect();
            if titles.len() < MIN_STEPS {
                let text = "This request does not need a plan of several steps.".to_owned();
                return Ok(Ending::Planned { plan: None, text });
            }
            if let Some(planning) = &mut self.planning {
                planning.plan.give(planned["brief"].as_str(), titles.into_iter(), false);
            }
        }
        let Some(planning) = &self.planning else { return Ok(Ending::Planned { plan: None, text: String::new() }) };
        let (plan, text) = (planning.plan.snapshot(), planning.plan.text());
        let event = planning.plan.event(&TaskPlan::created(), 0, 1);
        self.log.emit("task_plan", event).await;
        Ok(Ending::Planned { plan: Some(plan), text })
    }

    /// Asks the model for a plan. An invalid answer counts as no plan.
    async fn ask_planner(&mut self) -> Result<Value, Ending> {
        let mut messages = self.messages.clone();
        let order = "Do not carry the task out. Answer with a plan for it: a brief of one line and the titles of the \
                     steps. Give no steps when the task needs none.";
        messages.push(Message::Steering(order.to_owned()));
        let schema = json!({ "name": PLAN_SCHEMA_NAME, "schema": {
            "type": "object", "additionalProperties": false, "required": ["brief", "steps"],
            "properties": { "brief": { "type": "string" }, "steps": { "type": "array", "items": { "type": "string" } } },
        } });
        let answer = self.query_model(&self.model, &messages, &schema).await?;
        let answer = answer.map_err(|error| Ending::ProviderFailed { error, text: String::new() })?;
        Ok(serde_json::from_str(&answer).unwrap_or_default())
    }
}
