//! The saved agents, which a spec can name instead of a system prompt.

use serde_json::{Value, json};

pub struct Agent {
    pub id: &'static str,
    pub name: &'static str,
    pub description: &'static str,
    system_prompt: &'static str,
    /// Used if the spec names no model.
    pub model_id: Option<&'static str>,
    pub tools: &'static [&'static str],
}

pub static AGENTS: [Agent; 3] = [
    Agent {
        id: "agent_support",
        name: "Support triage",
        description: "Sorts tickets by severity and looks up the policy that applies.",
        system_prompt: "You triage support tickets. Name the severity and the policy that applies.",
        model_id: None,
        tools: &["document_search", "recall"],
    },
    Agent {
        id: "agent_research",
        name: "Research",
        description: "Writes short briefs from documents, with sources.",
        system_prompt: "You write short research briefs and name your sources.",
        model_id: None,
        tools: &["document_search", "web_search", "clock"],
    },
    Agent {
        id: "agent_back_office",
        name: "Back office",
        description: "Looks up accounts and does the sums. Chooses its tools by the words of the request.",
        system_prompt: "You look up accounts and calculate for the back office.",
        model_id: Some("sandbox/assistant"),
        tools: &["calculator", "clock", "flaky_lookup", "slow_report"],
    },
];

pub fn find(id: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|agent| agent.id == id)
}

/// Returns the agent that a spec names.
pub fn of_spec(spec: &Value) -> Option<&'static Agent> {
    spec["agentId"].as_str().and_then(find)
}

/// Merges a spec with its saved agent: the agent's prompt wins, and the spec's tools follow the agent's.
pub fn effective_spec(spec: &Value) -> Value {
    let mut effective = spec.clone();
    if let Some(agent) = of_spec(spec) {
        effective["systemPrompt"] = agent.system_prompt.into();
        let own = agent.tools.iter().map(|name| json!({ "kind": "mantyx_plugin", "name": name }));
        let given = spec["tools"].as_array().into_iter().flatten().cloned();
        effective["tools"] = own.chain(given).collect();
    }
    effective
}
