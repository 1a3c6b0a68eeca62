//! Scenarios in JSON files, and their expansion to runs.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::seeded_rng::SeededRng;
use super::template::{Template, Values};
use crate::provider::PreparedResponse;

/// A run or a session to execute.
pub struct Planned {
    pub id: String,
    pub workspace: &'static str,
    pub task: Task,
    pub answers: HashMap<String, Answer>,
    pub pace_seed: u64,
    pub days_ago: Option<u8>,
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
    /// A session has `messages` instead.
    #[serde(default)]
    prompt: String,
    /// The response to the prompt, as lines for `sandbox/script`.
    #[serde(default)]
    script: Vec<String>,
    #[serde(default)]
    messages: Vec<Exchange>,
    /// Names of the customers; any if empty.
    #[serde(default)]
    customers: Vec<String>,
    /// The day of all its runs. Otherwise they are spread over the whole period.
    days_ago: Option<u8>,
    #[serde(default)]
    answers: HashMap<String, Answer>,
}

/// A prompt and its response.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Exchange {
    prompt: String,
    script: Vec<String>,
    /// Only models with a context of this size respond so.
    #[serde(default)]
    min_context: u64,
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
            let pace_seed = rng.next();
            planned.push(Planned { id, workspace, task, answers, pace_seed, days_ago: scenario.days_ago });
        }
    }
    rng.shuffle(&mut planned);
    Ok(planned)
}

/// Returns the responses of scenarios to their prompts.
pub fn responses(scenarios: &str) -> serde_json::Result<Vec<PreparedResponse>> {
    let scenarios: Vec<Scenario> = serde_json::from_str(scenarios)?;
    let responses = scenarios.iter().flat_map(|scenario| {
        let messages = scenario.messages.iter().map(|message| (message.prompt.as_str(), message.script.as_slice()));
        messages.chain([(scenario.prompt.as_str(), scenario.script.as_slice())])
    });
    let responses = responses.filter(|(_, script)| !script.is_empty());
    Ok(responses.map(|(prompt, script)| PreparedResponse::new(prompt, script, 0)).collect())
}

/// Returns the responses of exchanges that belong to no scenario.
pub fn exchanges(exchanges: &str) -> serde_json::Result<Vec<PreparedResponse>> {
    let exchanges: Vec<Exchange> = serde_json::from_str(exchanges)?;
    let response =
        |exchange: &Exchange| PreparedResponse::new(&exchange.prompt, &exchange.script, exchange.min_context);
    Ok(exchanges.iter().map(response).collect())
}

impl Scenario {
    fn task(&self, rng: &mut SeededRng) -> Task {
        let is_chosen = |customer: &&(&str, &str)| {
            self.customers.is_empty() || self.customers.iter().any(|name| name == customer.1)
        };
        let customers: Vec<_> = CUSTOMERS.iter().filter(is_chosen).collect();
        let (slug, customer) = rng.pick(&customers).map_or(CUSTOMERS[0], |customer| **customer);
        let values = Values::from([
            ("customer", customer.to_owned()),
            ("number", (1000 + rng.below(9000)).to_string()),
            ("amount", (20 + rng.below(480)).to_string()),
            ("changelog", changelog()),
        ]);
        let fill = |prompt: &str| Template::parse(prompt).fill(&values);
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
        let messages = self.messages.iter().map(|message| json!({ "prompt": fill(&message.prompt) })).collect();
        Task::Session { spec, messages }
    }
}

/// Returns a list that exceeds the context window of the smallest model.
fn changelog() -> String {
    (1..=900)
        .map(|i| format!("- #{i}: Reworked the import of invoices so that line {i} keeps its currency.\n"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::validate::{Body, validate};

    fn is_for(planned: &Planned, model: &str) -> bool {
        matches!(&planned.task, Task::Run(spec) if spec["modelId"] == model)
    }

    #[test]
    fn every_planned_run_is_one_that_the_api_would_take() {
        for scenarios in [include_str!("demo_workspace.json"), include_str!("other_workspace.json")] {
            for planned in plan("demo", scenarios).expect("the scenarios parse") {
                let faults = match &planned.task {
                    Task::Run(spec) => validate(Body::Run, spec),
                    Task::Session { spec, messages } => {
                        let of_messages = messages.iter().flat_map(|message| validate(Body::Message, message));
                        validate(Body::Session, spec).into_iter().chain(of_messages).collect()
                    }
                };
                assert_eq!(faults, [], "{}", planned.id);
            }
        }
    }

    #[test]
    fn every_prompt_reads_like_work_and_has_its_own_response() {
        for scenarios in [include_str!("demo_workspace.json"), include_str!("other_workspace.json")] {
            let responses = responses(scenarios).expect("the scenarios parse");
            for planned in plan("demo", scenarios).expect("the scenarios parse") {
                let prompts = match &planned.task {
                    Task::Run(spec) => vec![spec["prompt"].clone()],
                    Task::Session { messages, .. } => {
                        messages.iter().map(|message| message["prompt"].clone()).collect()
                    }
                };
                for prompt in prompts.iter().filter_map(Value::as_str) {
                    assert!(!prompt.lines().any(|line| line.starts_with('/')), "{prompt}");
                    let found: Vec<_> =
                        responses.iter().filter(|response| response.respond(prompt, 0).is_some()).collect();
                    let expected = if is_for(&planned, "sandbox/assistant") { 0 } else { 1 };
                    assert_eq!(found.len(), expected, "{prompt}");
                    assert!(found.iter().all(|response| response.script.has_blanks_of(&response.prompt)), "{prompt}");
                }
            }
        }
    }
}
