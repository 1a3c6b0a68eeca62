//! Settings with several fields: guards, budgets, schema, supervisor, plan.

use serde_json::Value;

use super::fields::{Object, put, put_other, take_count, take_flag, take_json, take_text};

/// `loopDetection`.
#[derive(Clone, Debug, PartialEq)]
pub enum LoopForm {
    Off,
    Custom { nudge_at: Option<u64>, give_up_at: Option<u64>, other: Object },
}

/// `budgets`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BudgetsForm {
    pub max_tool_turns: Option<u64>,
    pub max_tool_turns_exceeded: Option<String>,
    pub local_tool_timeout_ms: Option<u64>,
    pub other: Object,
}

/// One entry of `toolBudgets`.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolBudgetForm {
    pub tool: String,
    pub max_calls: Option<u64>,
    pub other: Object,
}

/// `outputSchema`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutputSchemaForm {
    pub name: Option<String>,
    pub schema: Option<Value>,
    pub enforcement: Option<String>,
    pub other: Object,
}

/// `supervisor`.
#[derive(Clone, Debug, PartialEq)]
pub enum SupervisorForm {
    Switch(bool),
    Custom {
        interval: Option<u64>,
        model_id: Option<String>,
        reasoning_trigger: Option<Box<TriggerForm>>,
        other: Object,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum TriggerForm {
    Off,
    At { chars: Option<u64>, ms: Option<u64>, other: Object },
}

/// `plan`.
#[derive(Clone, Debug, PartialEq)]
pub enum PlanForm {
    Switch(bool),
    Mode(String),
    Custom { mode: Option<String>, brief: Option<String>, steps: Option<Value>, plan_only: Option<bool>, other: Object },
}

/// `reasoningLevel`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReasoningForm {
    Word(String),
    Level(u64),
}

/// Fields that are read from one JSON value and written back to the same value.
pub trait Group: Sized {
    fn read(value: &Value) -> Option<Self>;
    fn write(&self) -> Value;
}

impl Group for LoopForm {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(false) => Some(Self::Off),
            Value::Object(fields) => {
                let mut other = fields.clone();
                Some(Self::Custom {
                    nudge_at: take_count(&mut other, "consecutiveThreshold"),
                    give_up_at: take_count(&mut other, "hardCutoffThreshold"),
                    other,
                })
            }
            _ => None,
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::Off => false.into(),
            Self::Custom { nudge_at, give_up_at, other } => object(other, |fields| {
                put(fields, "consecutiveThreshold", *nudge_at);
                put(fields, "hardCutoffThreshold", *give_up_at);
            }),
        }
    }
}

impl Group for BudgetsForm {
    fn read(value: &Value) -> Option<Self> {
        let mut other = value.as_object()?.clone();
        Some(Self {
            max_tool_turns: take_count(&mut other, "maxToolTurns"),
            max_tool_turns_exceeded: take_text(&mut other, "maxToolTurnsExceeded"),
            local_tool_timeout_ms: take_count(&mut other, "localToolTimeoutMs"),
            other,
        })
    }

    fn write(&self) -> Value {
        object(&self.other, |fields| {
            put(fields, "maxToolTurns", self.max_tool_turns);
            put(fields, "maxToolTurnsExceeded", self.max_tool_turns_exceeded.as_deref());
            put(fields, "localToolTimeoutMs", self.local_tool_timeout_ms);
        })
    }
}

impl Group for Vec<ToolBudgetForm> {
    fn read(value: &Value) -> Option<Self> {
        let read = |(tool, entry): (&String, &Value)| {
            let mut other = entry.as_object()?.clone();
            Some(ToolBudgetForm { tool: tool.clone(), max_calls: take_count(&mut other, "maxCalls"), other })
        };
        value.as_object()?.iter().map(read).collect()
    }

    fn write(&self) -> Value {
        let write = |entry: &ToolBudgetForm| {
            (entry.tool.clone(), object(&entry.other, |fields| put(fields, "maxCalls", entry.max_calls)))
        };
        self.iter().map(write).collect::<Object>().into()
    }
}

impl Group for OutputSchemaForm {
    fn read(value: &Value) -> Option<Self> {
        let mut other = value.as_object()?.clone();
        Some(Self {
            name: take_text(&mut other, "name"),
            schema: take_json(&mut other, "schema"),
            enforcement: take_text(&mut other, "enforcement"),
            other,
        })
    }

    fn write(&self) -> Value {
        object(&self.other, |fields| {
            put(fields, "name", self.name.as_deref());
            put(fields, "schema", self.schema.clone());
            put(fields, "enforcement", self.enforcement.as_deref());
        })
    }
}

impl Group for SupervisorForm {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(on) => Some(Self::Switch(*on)),
            Value::Object(fields) => {
                let mut other = fields.clone();
                Some(Self::Custom {
                    interval: take_count(&mut other, "interval"),
                    model_id: take_text(&mut other, "modelId"),
                    reasoning_trigger: super::fields::take_if(&mut other, "reasoningTrigger", |value| {
                        TriggerForm::read(value).map(Box::new)
                    }),
                    other,
                })
            }
            _ => None,
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::Switch(on) => (*on).into(),
            Self::Custom { interval, model_id, reasoning_trigger, other } => object(other, |fields| {
                put(fields, "interval", *interval);
                put(fields, "modelId", model_id.as_deref());
                put(fields, "reasoningTrigger", reasoning_trigger.as_deref().map(Group::write));
            }),
        }
    }
}

impl Group for TriggerForm {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(false) => Some(Self::Off),
            Value::Object(fields) => {
                let mut other = fields.clone();
                Some(Self::At { chars: take_count(&mut other, "chars"), ms: take_count(&mut other, "ms"), other })
            }
            _ => None,
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::Off => false.into(),
            Self::At { chars, ms, other } => object(other, |fields| {
                put(fields, "chars", *chars);
                put(fields, "ms", *ms);
            }),
        }
    }
}

impl Group for PlanForm {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(on) => Some(Self::Switch(*on)),
            Value::String(mode) => Some(Self::Mode(mode.clone())),
            Value::Object(fields) => {
                let mut other = fields.clone();
                Some(Self::Custom {
                    mode: take_text(&mut other, "mode"),
                    brief: take_text(&mut other, "brief"),
                    steps: take_json(&mut other, "steps"),
                    plan_only: take_flag(&mut other, "planOnly"),
                    other,
                })
            }
            _ => None,
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::Switch(on) => (*on).into(),
            Self::Mode(mode) => mode.as_str().into(),
            Self::Custom { mode, brief, steps, plan_only, other } => object(other, |fields| {
                put(fields, "mode", mode.as_deref());
                put(fields, "brief", brief.as_deref());
                put(fields, "steps", steps.clone());
                put(fields, "planOnly", *plan_only);
            }),
        }
    }
}

impl Group for ReasoningForm {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::String(word) => Some(Self::Word(word.clone())),
            other => other.as_u64().map(Self::Level),
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::Word(word) => word.as_str().into(),
            Self::Level(level) => (*level).into(),
        }
    }
}

fn object(other: &Object, write: impl FnOnce(&mut Object)) -> Value {
    let mut fields = Object::new();
    write(&mut fields);
    put_other(&mut fields, other);
    fields.into()
}
