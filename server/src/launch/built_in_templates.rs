//! The built-in templates. With the sandbox they script the model, so that each shows its feature reliably; otherwise their
//! prompt asks a real model for the same.

use domain::{Answerer, CannedReply, ToolAnswerers};
use serde_json::{Value, json};

use super::LaunchContent;
use super::templates::{Template, TemplateOwner};

const SCRIPT_MODEL: &str = "sandbox/script";

struct BuiltIn {
    id: &'static str,
    name: &'static str,
    notes: &'static str,
    script: &'static str,
    prompt: &'static str,
    fields: fn() -> Value,
    answers: fn() -> ToolAnswerers,
}

const BUILT_INS: [BuiltIn; 6] = [
    BuiltIn {
        id: "hello",
        name: "Hello",
        notes: "The smallest run: a prompt, an answer. Start here.",
        script: "/say Hello! This is a whole run: one question, one answer.",
        prompt: "Say hello in one sentence.",
        fields: || json!({}),
        answers: ToolAnswerers::new,
    },
    BuiltIn {
        id: "tool-fails",
        name: "A tool that fails",
        notes: "The tool answers with an error, which was written beforehand. See what the model makes of it, and how the \
                timeline shows it.",
        script: "/say I will look up the order.\n/call lookup_order {\"order\":\"A-1001\"}\n/say The order system is out \
                 of reach, so I cannot tell where the order is.",
        prompt: "Where is the order A-1001? Look it up.",
        fields: || {
            let order = json!({ "type": "string", "description": "The order's number." });
            local_tool("lookup_order", "Finds an order by its number.", json!({ "order": order }))
        },
        answers: || {
            canned(
                "lookup_order",
                CannedReply {
                    text: "The order system did not answer for {{args.order}}.".into(),
                    failed: true,
                    delay_ms: 500,
                },
            )
        },
    },
    BuiltIn {
        id: "loop",
        name: "A loop",
        notes: "The model makes the same call again and again. The loop guard nudges after three equal steps and gives up \
                after six.",
        script: "/repeat 8\n/call check_status {\"job\":\"nightly\"}\n/say The job is still running.",
        prompt: "Call check_status for the job nightly again and again until it says done. Do nothing else.",
        fields: || {
            let mut spec =
                local_tool("check_status", "Tells how far a job is.", json!({ "job": { "type": "string" } }));
            spec["loopDetection"] = json!({ "consecutiveThreshold": 3, "hardCutoffThreshold": 6 });
            spec
        },
        answers: || {
            canned(
                "check_status",
                CannedReply {
                    text: "{\"job\":\"{{args.job}}\",\"status\":\"running\"}".into(),
                    ..CannedReply::default()
                },
            )
        },
    },
    BuiltIn {
        id: "truncated-schema",
        name: "A truncated answer",
        notes: "The answer has to fit a schema and runs out of room before its end. See what is kept of it, and where it \
                breaks off.",
        script: "/say {\"title\":\"Quarterly report\",\"findings\":[\"Sales rose\",\"Costs\n/truncate",
        prompt: "Write a report with at least two hundred findings.",
        fields: || {
            let findings = json!({ "type": "array", "items": { "type": "string" } });
            let schema = json!({ "type": "object", "required": ["title", "findings"],
                "properties": { "title": { "type": "string" }, "findings": findings } });
            json!({ "outputSchema": { "name": "report", "schema": schema } })
        },
        answers: ToolAnswerers::new,
    },
    BuiltIn {
        id: "answer-yourself",
        name: "A local tool that you answer",
        notes: "The run waits for you: its page shows a reply box for the call. Answer within five minutes.",
        script: "/say May I ask you something?\n/call ask_human {\"question\":\"Ship it?\"}\n/say Thank you, noted.",
        prompt: "Ask the human whether to ship version 2 today, then say what you will do.",
        fields: || {
            let question = json!({ "type": "string", "description": "What to ask." });
            local_tool("ask_human", "Asks a person and waits for the answer.", json!({ "question": question }))
        },
        answers: || ToolAnswerers::from([("ask_human".to_owned(), Answerer::Hand)]),
    },
    BuiltIn {
        id: "mcp-server",
        name: "Tools of an MCP server",
        notes: "MANTYX asks an MCP server for its tools and calls them. Discover them and tick those that the model may \
                use. The sandbox has a small server to try; elsewhere put in the address of yours.",
        script: "/say I will look the order up.\n/call demo_find_order {\"order\":\"A-1001\"}\n/say It is on its way, \
                 and due on Thursday.",
        prompt: "Say which tools you have, and what each is for.",
        fields: || json!({ "tools": [{ "kind": "mcp", "name": "demo", "url": "https://mcp.example.com/mcp" }] }),
        answers: ToolAnswerers::new,
    },
];

/// `sandbox` is the address of the embedded sandbox, if it is in use.
pub fn list(sandbox: Option<&str>) -> impl Iterator<Item = Template> {
    BUILT_INS.iter().map(move |built_in| Template {
        id: format!("built-in-{}", built_in.id),
        name: built_in.name.to_owned(),
        notes: built_in.notes.to_owned(),
        shared: true,
        owner: TemplateOwner::BuiltIn,
        content: LaunchContent { spec: built_in.spec(sandbox), answers: (built_in.answers)() },
    })
}

impl BuiltIn {
    fn spec(&self, sandbox: Option<&str>) -> Value {
        let mut spec = json!({
            "name": self.id,
            "systemPrompt": "You are a helpful assistant. Use the tools that you have.",
            "prompt": if sandbox.is_some() { self.script } else { self.prompt },
            "metadata": { "template": self.id },
        });
        if sandbox.is_some() {
            spec["modelId"] = SCRIPT_MODEL.into();
        }
        for (field, value) in (self.fields)().as_object().into_iter().flatten() {
            spec[field] = value.clone();
        }
        if let Some(address) = sandbox.filter(|_| spec["tools"][0]["kind"] == "mcp") {
            spec["tools"][0]["url"] = format!("{address}/demo/mcp").into();
        }
        spec
    }
}

fn local_tool(name: &str, description: &str, properties: Value) -> Value {
    let required: Vec<&String> = properties.as_object().into_iter().flatten().map(|(name, _)| name).collect();
    let parameters = json!({ "type": "object", "required": required, "properties": properties });
    json!({ "tools": [{ "kind": "local", "name": name, "description": description, "parameters": parameters }] })
}

fn canned(tool: &str, reply: CannedReply) -> ToolAnswerers {
    ToolAnswerers::from([(tool.to_owned(), Answerer::Canned(reply))])
}

#[cfg(test)]
mod tests {
    use app::launch::LaunchMode;

    use super::super::{LaunchRequest, validation};
    use super::*;

    #[test]
    fn every_template_is_valid() {
        for template in list(Some("http://127.0.0.1:3001")).chain(list(None)) {
            let LaunchContent { spec, answers } = template.content;
            let request = LaunchRequest { key: "a-key-for-tests".to_owned(), mode: LaunchMode::OneShot, spec, answers };
            assert_eq!(validation::check_request(&request), Ok(()), "{}", template.name);
        }
    }
}
