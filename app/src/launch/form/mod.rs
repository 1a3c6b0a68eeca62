//! The launch form: the same spec as its JSON, field by field, without loss.
//!
//! ```text
//!  JSON text ──Form::parse──▶ Form ──Form::write──▶ the same JSON
//!                              │
//!                              └─ kept: what no control shows, listed and written back as it was
//! ```

mod fields;
mod settings;
mod tool;

use protocol::json_pointer::escape;
use serde_json::Value;

use fields::{Object, put, put_kept, put_texts_by_name, take_if, take_json, take_list, take_text, take_texts_by_name};
use settings::Group;

pub use settings::{
    BudgetsForm, LoopForm, OutputSchemaForm, PlanForm, ReasoningForm, SupervisorForm, ToolBudgetForm, TriggerForm,
};
pub use tool::{ToolForm, ToolKind};

/// Every field of a spec that has a control. `None` is a field that the spec does not have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Form {
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
    /// Fields without a control, and fields whose value no control could show.
    pub kept: Object,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct MessageForm {
    pub role: Option<String>,
    pub content: Option<String>,
    pub attachments: Option<Value>,
    pub kept: Object,
}

/// Where a text stops being the JSON of a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadText {
    pub line: usize,
    pub column: usize,
    pub message: String,
    /// It ends too early.
    pub at_end: bool,
}

impl Form {
    /// Reads what somebody typed. The form that was there before is the caller's to keep.
    pub fn parse(text: &str) -> Result<Self, BadText> {
        let spec: Value = serde_json::from_str(text).map_err(|error| BadText {
            line: error.line(),
            column: error.column(),
            message: error.to_string(),
            at_end: error.is_eof(),
        })?;
        let not_an_object =
            || BadText {
                line: 1, column: 1, message: "A run spec is a JSON object: { … }.".to_owned(), at_end: false
            };
        Self::read(&spec).ok_or_else(not_an_object)
    }

    /// `None` for what is not an object.
    pub fn read(spec: &Value) -> Option<Self> {
        let mut kept = spec.as_object()?.clone();
        Some(Self {
            name: take_text(&mut kept, "name"),
            agent_id: take_text(&mut kept, "agentId"),
            system_prompt: take_text(&mut kept, "systemPrompt"),
            model_id: take_text(&mut kept, "modelId"),
            fallback_model_id: take_text(&mut kept, "fallbackModelId"),
            prompt: take_text(&mut kept, "prompt"),
            messages: take_list(&mut kept, "messages", MessageForm::read),
            reasoning: take_if(&mut kept, "reasoningLevel", Group::read),
            tools: take_list(&mut kept, "tools", ToolForm::read),
            budgets: take_if(&mut kept, "budgets", Group::read),
            tool_budgets: take_if(&mut kept, "toolBudgets", Group::read),
            loop_detection: take_if(&mut kept, "loopDetection", Group::read),
            output_schema: take_if(&mut kept, "outputSchema", Group::read),
            supervisor: take_if(&mut kept, "supervisor", Group::read),
            plan: take_if(&mut kept, "plan", Group::read),
            metadata: take_texts_by_name(&mut kept, "metadata"),
            kept,
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
        put_kept(&mut spec, &self.kept);
        spec.into()
    }

    /// «Other fields, kept as they are»: where each stands, and its value.
    pub fn kept_fields(&self) -> Vec<(String, &Value)> {
        let mut found = Vec::new();
        collect(&mut found, "", &self.kept);
        for (i, message) in self.messages.iter().flatten().enumerate() {
            collect(&mut found, &format!("/messages/{i}"), &message.kept);
        }
        for (i, tool) in self.tools.iter().flatten().enumerate() {
            collect(&mut found, &format!("/tools/{i}"), &tool.kept);
        }
        for budget in self.tool_budgets.iter().flatten() {
            collect(&mut found, &format!("/toolBudgets/{}", escape(&budget.tool)), &budget.kept);
        }
        if let Some(budgets) = &self.budgets {
            collect(&mut found, "/budgets", &budgets.kept);
        }
        if let Some(LoopForm::Custom { kept, .. }) = &self.loop_detection {
            collect(&mut found, "/loopDetection", kept);
        }
        if let Some(schema) = &self.output_schema {
            collect(&mut found, "/outputSchema", &schema.kept);
        }
        if let Some(SupervisorForm::Custom { kept, reasoning_trigger, .. }) = &self.supervisor {
            collect(&mut found, "/supervisor", kept);
            if let Some(TriggerForm::At { kept, .. }) = reasoning_trigger.as_deref() {
                collect(&mut found, "/supervisor/reasoningTrigger", kept);
            }
        }
        if let Some(PlanForm::Custom { kept, .. }) = &self.plan {
            collect(&mut found, "/plan", kept);
        }
        found
    }
}

impl MessageForm {
    fn read(message: &Value) -> Option<Self> {
        let mut kept = message.as_object()?.clone();
        Some(Self {
            role: take_text(&mut kept, "role"),
            content: take_text(&mut kept, "content"),
            attachments: take_json(&mut kept, "attachments"),
            kept,
        })
    }

    fn write(&self) -> Value {
        let mut fields = Object::new();
        put(&mut fields, "role", self.role.as_deref());
        put(&mut fields, "content", self.content.as_deref());
        put(&mut fields, "attachments", self.attachments.clone());
        put_kept(&mut fields, &self.kept);
        fields.into()
    }
}

fn collect<'a>(found: &mut Vec<(String, &'a Value)>, path: &str, kept: &'a Object) {
    found.extend(kept.iter().map(|(key, value)| (format!("{path}/{}", escape(key)), value)));
}

#[cfg(test)]
mod tests;
