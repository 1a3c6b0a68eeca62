//! Scenarios, as the JSON beside this file describes them, and the runs that they expand to.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::dice::Dice;

/// One run or one session to perform.
pub struct Planned {
    pub id: String,
    pub workspace: &'static str,
    pub task: Task,
    pub answers: HashMap<String, Answer>,
    pub pace_seed: u64,
}

pub enum Task {
    Run(Value),
    Session { spec: Value, messages: Vec<Value> },
}

/// What the stand-in does about a call to a local tool.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Answer {
    Result {
        after_ms: u64,
        text: String,
    },
    Error {
        after_ms: u64,
        text: String,
    },
    /// Somebody cancels the run instead.
    Cancel {
        after_ms: u64,
    },
    /// Nobody answers.
    Silence,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Scenario {
    name: String,
    /// How many runs to make of it.
    runs: usize,
    #[serde(default)]
    models: Vec<String>,
    /// Everything but name, model, prompt and metadata.
    spec: Value,
    /// The lines of the prompt, or for a session those of each message.
    #[serde(default)]
    prompt: Vec<String>,
    #[serde(default)]
    messages: Vec<Vec<String>>,
    #[serde(default)]
    answers: HashMap<String, Answer>,
}

const CUSTOMERS: [(&str, &str); 6] = [
    ("acme", "Acme"),
    ("globex", "Globex"),
    ("initech", "Initech"),
    ("umbrella", "Umbrella"),
    ("hooli", "Hooli"),
    ("stark", "Stark Industries"),
];
const ENVIRONMENTS: [&str; 6] = ["prod", "prod", "prod", "staging", "staging", "dev"];
const REGIONS: [&str; 3] = ["eu-west", "us-east", "ap-south"];

/// Expands scenarios to tasks in a mixed order, the same every time.
pub fn plan(workspace: &'static str, scenarios: &str) -> serde_json::Result<Vec<Planned>> {
    let scenarios: Vec<Scenario> = serde_json::from_str(scenarios)?;
    let mut dice = Dice::new(2024);
    let mut planned = Vec::new();
    for (i, scenario) in scenarios.iter().enumerate() {
        for run in 0..scenario.runs {
            let task = scenario.task(&mut dice);
            let id = format!("demonstration/{workspace}/{i}/{run}");
            let answers = scenario.answers.clone();
            planned.push(Planned { id, workspace, task, answers, pace_seed: dice.next() });
        }
    }
    dice.shuffle(&mut planned);
    Ok(planned)
}

impl Scenario {
    fn task(&self, dice: &mut Dice) -> Task {
        let (slug, customer) = dice.pick(&CUSTOMERS).copied().unwrap_or(CUSTOMERS[0]);
        let number = 1000 + dice.below(9000);
        let amount = 20 + dice.below(480);
        let fill = |lines: &[String]| {
            let text = lines.join("\n").replace("{customer}", customer).replace("{number}", &number.to_string());
            text.replace("{amount}", &amount.to_string()).replace("{changelog}", &changelog(&text))
        };
        let mut spec = self.spec.clone();
        spec["name"] = self.name.as_str().into();
        if let Some(model) = dice.pick(&self.models) {
            spec["modelId"] = model.as_str().into();
        }
        spec["metadata"] = json!({
            "customer": slug, "env": dice.pick(&ENVIRONMENTS), "workflow": self.name, "region": dice.pick(&REGIONS),
        });
        if self.messages.is_empty() {
            spec["prompt"] = fill(&self.prompt).into();
            return Task::Run(spec);
        }
        let messages = self.messages.iter().map(|lines| json!({ "prompt": fill(lines) })).collect();
        Task::Session { spec, messages }
    }
}

/// A list of changes that is longer than the smallest model can read; made only where it is asked for.
fn changelog(text: &str) -> String {
    if !text.contains("{changelog}") {
        return String::new();
    }
    (1..=900)
        .map(|i| format!("- #{i}: Reworked the import of invoices so that line {i} keeps its currency.\n"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_planned_run_is_one_that_the_api_would_take() {
        for scenarios in [include_str!("demo_workspace.json"), include_str!("other_workspace.json")] {
            for planned in plan("demo", scenarios).expect("the scenarios parse") {
                let faults = match &planned.task {
                    Task::Run(spec) => protocol::validate::validate(spec),
                    Task::Session { spec, messages } => {
                        let of_messages = messages.iter().flat_map(protocol::validate::validate_message);
                        protocol::validate::validate_session(spec).into_iter().chain(of_messages).collect()
                    }
                };
                assert_eq!(faults, [], "{}", planned.id);
            }
        }
    }
}
