//! The sections for limits and for the output format.

use app::launch::draft::settings::{LOOPS, OUTPUT, PLAN, SUPERVISOR, Setting, TOOL_BUDGETS, TRIGGER};
use app::model::launch::{Control, Item, Section, Tone};
use protocol::spec::DEFAULT_TOOL_BUDGETS;
use serde_json::Value;

use super::controls::{PageBuilder, button};

impl PageBuilder<'_> {
    pub fn limits(&self) -> Section {
        let choice = |setting: &Setting| setting.choice_in(self.spec());
        let mut items = vec![Item::Row {
            items: vec![
                self.number("/budgets/maxToolTurns", "Turns with tools", "At most 100.", "as MANTYX sets it"),
                self.number(
                    "/budgets/localToolTimeoutMs",
                    "Wait for a local tool, ms",
                    "Left empty: 5 minutes.",
                    "300000",
                ),
            ],
        }];
        let exceeded = [("", "As MANTYX sets it"), ("finalize", "Let it write a last answer"), ("error", "Fail")];
        items.push(self.select("/budgets/maxToolTurnsExceeded", "When the turns are used up", "", &exceeded));

        let words =
            [("", "Defaults: nudge after 3 equal steps, give up after 6"), ("off", "Off"), ("custom", "My own")];
        items.push(self.choice(&LOOPS, "Loop detection", "Steps in when the same calls come again and again.", &words));
        if choice(&LOOPS) == "custom" {
            items.push(Item::Row {
                items: vec![
                    self.number("/loopDetection/consecutiveThreshold", "Nudge after", "2 to 100 equal steps.", "3"),
                    self.number("/loopDetection/hardCutoffThreshold", "Give up after", "3 to 100 equal steps.", "6"),
                ],
            });
        }

        let words = [("", "Defaults"), ("custom", "My own, over the defaults (none listed: no limits)")];
        let help = "Defaults: recall 4, traverse 3, hive_consult_ontology 4, each hive_search_ tool 5.";
        items.push(self.choice(&TOOL_BUDGETS, "Calls per tool", help, &words));
        if choice(&TOOL_BUDGETS) == "custom" {
            items.push(Item::Datalist { id: "tool-names".to_owned(), values: self.tool_names() });
            items.extend(self.map("/toolBudgets", ("Tool", "At most"), ("tool-names", |_: &str| String::new()), false));
            if let Some(error) = self.error("/toolBudgets") {
                items.push(Item::Note { tone: Tone::Error, text: error });
            }
        }

        let words = [("", "As MANTYX sets it"), ("on", "On"), ("off", "Off"), ("custom", "My own")];
        items.push(self.choice(
            &SUPERVISOR,
            "Supervisor",
            "A second model that looks at the run now and then.",
            &words,
        ));
        if choice(&SUPERVISOR) == "custom" {
            items.push(Item::Row {
                items: vec![
                    self.number("/supervisor/interval", "Every so many calls of the model", "1 to 100.", ""),
                    self.model_select("/supervisor/modelId", "Its model", "", "As MANTYX sets it"),
                ],
            });
            let words = [("", "As MANTYX sets it"), ("off", "Off"), ("custom", "My own")];
            items.push(self.choice(&TRIGGER, "Reviews of long thoughts", "", &words));
            if choice(&TRIGGER) == "custom" {
                let trigger = |field: &str, label: &str, help: &str| {
                    self.number(&format!("/supervisor/reasoningTrigger/{field}"), label, help, "")
                };
                items.push(Item::Row {
                    items: vec![
                        trigger("chars", "After characters", "At most 50,000."),
                        trigger("ms", "After ms", "At most 600,000."),
                    ],
                });
            }
        }

        let words = [
            ("", "As MANTYX sets it"),
            ("off", "Off"),
            ("auto", "When it helps"),
            ("required", "Always"),
            ("custom", "My own"),
        ];
        items.push(self.choice(&PLAN, "Plan", "A checklist that the agent keeps while it works.", &words));
        if choice(&PLAN) == "custom" && self.spec()["plan"].is_object() {
            let modes = [("", "Left out"), ("off", "Off"), ("auto", "When it helps"), ("required", "Always")];
            items.extend([
                self.select("/plan/mode", "When it plans", "", &modes),
                self.area("/plan/brief", "Brief", "What the plan is about.", 2, ""),
                self.lines("/plan/steps", "Steps", "One on each line."),
                self.checkbox("/plan/planOnly", "Only plan, do not carry it out", ""),
            ]);
        }
        Section { id: "limits".to_owned(), title: "Within which limits?".to_owned(), intro: String::new(), items }
    }

    pub fn output(&self) -> Section {
        let words = [("", "Free text"), ("schema", "JSON that fits a schema")];
        let mut items = vec![self.choice(&OUTPUT, "Answer", "", &words)];
        if OUTPUT.choice_in(self.spec()) == "schema" {
            let ways = [("", "As MANTYX sets it"), ("best_effort", "As good as it gets"), ("strict", "Strictly")];
            items.push(Item::Row {
                items: vec![
                    self.text("/outputSchema/name", "Name", "Letters, digits, _ and -, at most 64."),
                    self.select("/outputSchema/enforcement", "Enforced", "", &ways),
                ],
            });
            items.extend(self.schema("/outputSchema/schema", "Answer", "what it has to have."));
            items.push(self.sample());
        }
        Section { id: "output".to_owned(), title: "In which form?".to_owned(), intro: String::new(), items }
    }

    /// A sample answer, checked against the schema.
    fn sample(&self) -> Item {
        let text = &self.draft.sample;
        let control = Control::TextArea { value: text.clone(), placeholder: "{ }".to_owned(), rows: 3, code: true };
        let mut field = self.field("q:sample".to_owned(), "/sample", "A sample answer", control);
        let outcome = match serde_json::from_str::<Value>(text) {
            _ if text.trim().is_empty() => None,
            Err(error) => {
                field.error = Some(format!("This is not JSON: {error}."));
                None
            }
            Ok(value) => Some(sample_outcome(&self.spec()["outputSchema"]["schema"], &value)),
        };
        let mut items = vec![Item::Field(field)];
        items.extend(outcome);
        items.push(Item::Buttons { buttons: vec![button("update", "Check the sample", "")] });
        Item::Fold {
            id: "fold-sample".to_owned(),
            title: "Try the schema with a sample".to_owned(),
            open: !text.is_empty(),
            items,
        }
    }

    fn tool_names(&self) -> Vec<(String, String)> {
        let mut names: Vec<String> = app::launch::local_tools(self.spec()).into_iter().map(|(name, _)| name).collect();
        let tools = self.spec()["tools"].as_array().into_iter().flatten();
        for (i, tool) in tools.enumerate() {
            let text = |field: &str| tool[field].as_str().unwrap_or_default();
            match text("kind") {
                // The model sees the name of a workspace's tool, not its id.
                "mantyx" => {
                    let chosen = self.catalogue.tools.items.iter().find(|choice| choice.id == text("id"));
                    names.extend(chosen.map(|choice| choice.name.clone()));
                }
                "mcp" => {
                    let found = self.draft.discovered_tools.get(&format!("/tools/{i}")).into_iter().flatten();
                    names.extend(found.map(|found| format!("{}_{}", text("name"), found.name)));
                }
                _ => names.push(text("name").to_owned()),
            }
        }
        names.retain(|name| !name.is_empty());
        names.extend(DEFAULT_TOOL_BUDGETS.map(|(tool, _)| tool.to_owned()));
        names.sort();
        names.dedup();
        names.into_iter().map(|name| (name, String::new())).collect()
    }
}

fn sample_outcome(schema: &Value, value: &Value) -> Item {
    let problems = protocol::schema::check(schema, value);
    if problems.is_empty() {
        return Item::Note { tone: Tone::Success, text: "The sample fits the schema.".to_owned() };
    }
    let lines: Vec<String> =
        problems.iter().take(5).map(|problem| format!("{} {}", problem.path, problem.message)).collect();
    Item::Note { tone: Tone::Warning, text: format!("The sample does not fit: {}", lines.join(" · ")) }
}
