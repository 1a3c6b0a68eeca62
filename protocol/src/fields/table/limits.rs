//! Budgets, loop detection, supervisor and plan.

use serde_json::Value;

use crate::fields::shapes::{LOOPS, PLAN, SUPERVISOR, TOOL_BUDGETS, TRIGGER};
use crate::fields::{Control, DefaultModel, Field, MapControl, Rule, Section, Shown, Suggestions};
use crate::validate::guards::{self, PLAN_MODES};

const MAX_LOCAL_TOOL_TIMEOUT_MS: u64 = 60 * 60 * 1000;
const NUMBER: Control = Control::Number { placeholder: "" };

static CALLS: MapControl = MapControl {
    inner: "/maxCalls",
    keeps_empty: true,
    suggestions: Suggestions::Tools,
    ..MapControl::of("Tool", "At most")
};

pub const FIELDS: &[Field] = &[
    field("/budgets", "Limits", Control::Parts).rule(Rule::object("Budgets are limits with a name each.")),
    field("/budgets/maxToolTurns", "Turns with tools", Control::Number { placeholder: "Default" })
        .rule(Rule::Number { min: 0, max: 100 }),
    field("/budgets/localToolTimeoutMs", "Wait for a local tool, ms", Control::Number { placeholder: "300000" })
        .help("Default: 5 minutes.")
        .rule(Rule::Number { min: 1, max: MAX_LOCAL_TOOL_TIMEOUT_MS })
        .beside(),
    field(
        "/budgets/maxToolTurnsExceeded",
        "At the turn limit",
        Control::Select(&[("", "Default"), ("finalize", "Write a last answer"), ("error", "Fail")]),
    )
    .rule(Rule::TEXT),
    field("/loopDetection", "Loop detection", Control::Shapes(&LOOPS))
        .help("Steps in when the same calls repeat.")
        .rule(Rule::Check(guards::check_loop_detection)),
    field("/loopDetection/consecutiveThreshold", "Nudge after", Control::Number { placeholder: "3" })
        .help("Identical steps:")
        .rule(Rule::Number { min: 2, max: 100 }),
    field("/loopDetection/hardCutoffThreshold", "Give up after", Control::Number { placeholder: "6" })
        .help("Identical steps:")
        .rule(Rule::Number { min: 3, max: 100 })
        .beside(),
    field("/toolBudgets", "Calls per tool", Control::Shapes(&TOOL_BUDGETS))
        .help("Defaults: recall 4, traverse 3, hive_consult_ontology 4, each hive_search_ tool 5.")
        .rule(Rule::Entries(
            Value::is_object,
            "Tool budgets are names of tools with a limit each.",
            32,
            "At most 32 tools may have a budget. Remove some.",
        )),
    field("/toolBudgets", "Calls per tool", Control::Map(&CALLS))
        .shown(Shown::When(|spec| spec["toolBudgets"].is_object())),
    field("/toolBudgets/*", "", Control::Parts).rule(Rule::Check(guards::check_tool_budget)),
    field("/toolBudgets/*/maxCalls", "Calls", NUMBER).rule(Rule::Number { min: 0, max: 1000 }),
    field("/supervisor", "Supervisor", Control::Shapes(&SUPERVISOR))
        .help("A second model that reviews the run from time to time.")
        .rule(Rule::Is(
            |value| value.is_boolean() || value.is_object(),
            "type",
            "Switch the supervisor on (true) or off (false), or give its settings.",
        )),
    field("/supervisor/interval", "Model calls between reviews", NUMBER).rule(Rule::Number { min: 1, max: 100 }),
    field("/supervisor/modelId", "Its model", Control::Model(DefaultModel::Mantyx)).beside(),
    field("/supervisor/reasoningTrigger", "Reviews of long thoughts", Control::Shapes(&TRIGGER)).rule(Rule::Is(
        |value| *value == false || value.is_object(),
        "type",
        "Switch reviews of long thoughts off (false), or say after how long they come.",
    )),
    field("/supervisor/reasoningTrigger/chars", "After characters", NUMBER).rule(Rule::Number { min: 1, max: 50_000 }),
    field("/supervisor/reasoningTrigger/ms", "After ms", NUMBER).rule(Rule::Number { min: 1, max: 600_000 }).beside(),
    field("/plan", "Plan", Control::Shapes(&PLAN))
        .help("A checklist that the agent keeps while it works.")
        .rule(Rule::Check(guards::check_plan)),
    field(
        "/plan/mode",
        "When it plans",
        Control::Select(&[("", "Default"), ("off", "Off"), ("auto", "When it helps"), ("required", "Always")]),
    )
    .rule(Rule::Choice(&PLAN_MODES)),
    field("/plan/brief", "Brief", Control::Area { rows: 2, placeholder: "" }).help("What the plan is about."),
    field("/plan/steps", "Steps", Control::Lines)
        .help("One per line.")
        .rule(Rule::Texts("Steps are a list of texts.", "Write what this step is, or remove it.")),
    field("/plan/planOnly", "Only plan, do not carry it out", Control::Checkbox),
];

const fn field(pointer: &'static str, label: &'static str, control: Control) -> Field {
    Field::new(pointer, Section::Limits, label, control)
}
