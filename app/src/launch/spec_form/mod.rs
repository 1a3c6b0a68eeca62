//! A spec split into the fields that have a control and the other ones, without loss.
//!
//! ```text
//!  JSON text ──SpecForm::parse──▶ SpecForm ──SpecForm::write──▶ the same JSON
//!                                   │
//!                                   └─ other: fields without a control, listed and written back unchanged
//! ```

mod fields;
mod settings;
mod tool;

use protocol::json_pointer::escape;
use serde_json::Value;

use fields::{Object, put, put_other, put_texts_by_name, take_if, take_json, take_list, take_text, take_texts_by_name};
use settings::Group;

pub use settings::{
    BudgetsForm, LoopForm, OutputSchemaForm, PlanForm, ReasoningForm, SupervisorForm, ToolBudgetForm, TriggerForm,
};
pub use tool::ToolForm;

/// `None` is a field that the spec doesn't have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpecForm {
    pub name: Option<String>,
    pub agent_id: Option<String>,
    pub system_prompt: Option<String>,
    pub model_id: Option<String>,
    pub fallback_model_id: Option<String>,
    pub prompt: Option<String>,
    pub messages: Option<Vec<MessageForm>>,
    pub reasoning: Option<ReasoningForm>,
    pub tools: Option<Vec<ToolForm>>,
    pub budgets: Option<BudgetsForm>,
    pub tool_budgets: Option<Vec<ToolBudgetForm>>,
    pub loop_detection: Option<LoopForm>,
    pub output_schema: Option<OutputSchemaForm>,
    pub supervisor: Option<SupervisorForm>,
    pub plan: Option<PlanForm>,
    pub metadata: Option<Vec<(String, String)>>,
    /// Fields without a control, and fields with a value that their control can't show.
    pub other: Object,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct MessageForm {
    pub role: Option<String>,
    pub content: Option<String>,
    pub attachments: Option<Value>,
    pub other: Object,
}

/// A syntax error in the JSON of a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    pub line: usize,
    pub column: usize,
    pub message: String,
    /// The text ended too early.
    pub at_end: bool,
}

impl SpecForm {
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let spec: Value = serde_json::from_str(text).map_err(|error| ParseError {
            line: error.line(),
            column: error.column(),
            message: error.to_string(),
            at_end: error.is_eof(),
        })?;
        let not_an_object = || ParseError {
            line: 1,
            column: 1,
            message: "A run spec is a JSON object: { … }.".to_owned(),
            at_end: false,
        };
        Self::read(&spec).ok_or_else(not_an_object)
    }

    /// Returns `None` if the spec is not an object.
    pub fn read(spec: &Value) -> Option<Self> {
        let mut other = spec.as_object()?.clone();
        Some(Self {
            name: take_text(&mut other, "name"),
            agent_id: take_text(&mut other, "agentId"),
            system_prompt: take_text(&mut other, "systemPrompt"),
            model_id: take_text(&mut other, "modelId"),
            fallback_model_id: take_text(&mut other, "fallbackModelId"),
            prompt: take_text(&mut other, "prompt"),
            messages: take_list(&mut other, "messages", MessageForm::read),
            reasoning: take_if(&mut other, "reasoningLevel", Group::read),
            tools: take_list(&mut other, "tools", ToolForm::read),
            budgets: take_if(&mut other, "budgets", Group::read),
            tool_budgets: take_if(&mut other, "toolBudgets", Group::read),
            loop_detection: take_if(&mut other, "loopDetection", Group::read),
            output_schema: take_if(&mut other, "outputSchema", Group::read),
            supervisor: take_if(&mut other, "supervisor", Group::read),
            plan: take_if(&mut other, "plan", Group::read),
            metadata: take_texts_by_name(&mut other, "metadata"),
            other,
        })
    }

    pub fn write(&self) -> Value {
        let mut spec = Object::new();
        put(&mut spec, "name", self.name.as_deref());
        put(&mut spec, "agentId", self.agent_id.as_deref());
        put(&mut spec, "systemPrompt", self.system_prompt.as_deref());
        put(&mut spec, "modelId", self.model_id.as_deref());
        put(&mut spec, "fallbackModelId", self.fallback_model_id.as_deref());
        put(&mut spec, "prompt", self.prompt.as_deref());
        put(
            &mut spec,
            "messages",
            self.messages.as_ref().map(|list| list.iter().map(MessageForm::write).collect::<Vec<_>>()),
        );
        put(&mut spec, "reasoningLevel", self.reasoning.as_ref().map(Group::write));
        put(&mut spec, "tools", self.tools.as_ref().map(|list| list.iter().map(ToolForm::write).collect::<Vec<_>>()));
        put(&mut spec, "budgets", self.budgets.as_ref().map(Group::write));
        put(&mut spec, "toolBudgets", self.tool_budgets.as_ref().map(Group::write));
        put(&mut spec, "loopDetection", self.loop_detection.as_ref().map(Group::write));
        put(&mut spec, "outputSchema", self.output_schema.as_ref().map(Group::write));
        put(&mut spec, "supervisor", self.supervisor.as_ref().map(Group::write));
        put(&mut spec, "plan", self.plan.as_ref().map(Group::write));
        put_texts_by_name(&mut spec, "metadata", self.metadata.as_deref());
        put_other(&mut spec, &self.other);
        spec.into()
    }

    /// Returns the pointers and values of the fields without a control.
    pub fn other_fields(&self) -> Vec<(String, &Value)> {
        let mut found = Vec::new();
        add_fields(&mut found, "", &self.other);
        for (i, message) in self.messages.iter().flatten().enumerate() {
            add_fields(&mut found, &format!("/messages/{i}"), &message.other);
        }
        for (i, tool) in self.tools.iter().flatten().enumerate() {
            add_fields(&mut found, &format!("/tools/{i}"), &tool.other);
        }
        for budget in self.tool_budgets.iter().flatten() {
            add_fields(&mut found, &format!("/toolBudgets/{}", escape(&budget.tool)), &budget.other);
        }
        if let Some(budgets) = &self.budgets {
            add_fields(&mut found, "/budgets", &budgets.other);
        }
        if let Some(LoopForm::Custom { other, .. }) = &self.loop_detection {
            add_fields(&mut found, "/loopDetection", other);
        }
        if let Some(schema) = &self.output_schema {
            add_fields(&mut found, "/outputSchema", &schema.other);
        }
        if let Some(SupervisorForm::Custom { other, reasoning_trigger, .. }) = &self.supervisor {
            add_fields(&mut found, "/supervisor", other);
            if let Some(TriggerForm::At { other, .. }) = reasoning_trigger.as_deref() {
                add_fields(&mut found, "/supervisor/reasoningTrigger", other);
            }
        }
        if let Some(PlanForm::Custom { other, .. }) = &self.plan {
            add_fields(&mut found, "/plan", other);
        }
        found
    }
}

impl MessageForm {
    fn read(message: &Value) -> Option<Self> {
        let mut other = message.as_object()?.clone();
        Some(Self {
            role: take_text(&mut other, "role"),
            content: take_text(&mut other, "content"),
            attachments: take_json(&mut other, "attachments"),
            other,
        })
    }

    fn write(&self) -> Value {
        let mut fields = Object::new();
        put(&mut fields, "role", self.role.as_deref());
        put(&mut fields, "content", self.content.as_deref());
        put(&mut fields, "attachments", self.attachments.clone());
        put_other(&mut fields, &self.other);
        fields.into()
    }
}

fn add_fields<'a>(found: &mut Vec<(String, &'a Value)>, path: &str, other: &'a Object) {
    found.extend(other.iter().map(|(key, value)| (format!("{path}/{}", escape(key)), value)));
}

#[cfg(test)]
mod tests;
