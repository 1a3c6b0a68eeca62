//! Scenarios in JSON files, and their expansion to runs.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::seeded_rng::SeededRng;

/// A run or a session to execute.
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

/// The reaction of the simulated client to a local tool call.
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
    /// Cancels the run.
    Cancel {
        after_ms: u64,
    },
    /// Lets the call time out.
    Silence,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Scenario {
    name: String,
    /// Number of runs.
    runs: usize,
    #[serde(default)]
    models: Vec<String>,
    /// All fields except name, model, prompt and metadata.
    spec: Value,
    /// Lines of the prompt. A session has `messages` instead.
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

/// Expands scenarios to tasks in a shuffled order, the same every time.
pub fn plan(workspace: &'static str, scenarios: &str) -> serde_json::Result<Vec<Planned>> {
    let scenarios: Vec<Scenario> = serde_json::from_str(scenarios)?;
    let mut rng = SeededRng::new(2024);
    let mut planned = Vec::new();
    for (i, scenario) in scenarios.iter().enumerate() {
        for run in 0..scenario.runs {
            let task = scenario.task(&mut rng);
            let id = format!("demonstration/{workspace}/{i}/{run}");
            let answers = scenario.answers.clone();
            planned.push(Planned { id, workspace, task, answers, pace_seed: rng.next() });
        }
    }
    rng.shuffle(&mut planned);
    Ok(planned)
}

impl Scenario {
    fn task(&self, rng: &mut SeededRng) -> Task {
        let (slug, customer) = rng.pick(&CUSTOMERS).copied().unwrap_or(CUSTOMERS[0]);
        let number = 1000 + rng.below(9000);
        let amount = 20 + rng.below(480);
        let fill = |lines: &[String]| {
            let text = lines.join("\n").replace("{customer}", customer).replace("{number}", &number.to_string());
            text.replace("{amount}", &amount.to_string()).replace("{changelog}", &changelog(&text))
        };
        let mut spec = self.spec.clone();
        spec["name"] = self.name.as_str().into();
        if let Some(model) = rng.pick(&self.models) {
            spec["modelId"] = model.as_str().into();
        }
        spec["metadata"] = json!({
            "customer": slug, "env": rng.pick(&ENVIRONMENTS), "workflow": self.name, "region": rng.pick(&REGIONS),
        });
        if self.messages.is_empty() {
            spec["prompt"] = fill(&self.prompt).into();
            return Task::Run(spec);
        }
        let messages = self.messages.iter().map(|lines| json!({ "prompt": fill(lines) })).collect();
        Task::Session { spec, messages }
    }
}

/// Returns a list that exceeds the context window of the smallest model, if the text has the placeholder.
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
