//! The prompt or the messages, and the identity of the agent.

use serde_json::Value;

use crate::fields::{Control, Field, Rule, Section, Shown};
use crate::validate::{attachments, input};

const ROLES: [&str; 3] = ["user", "assistant", "system"];

pub static FIELDS: [Field; 8] = [
    field("/prompt", "Prompt", Control::Area { rows: 5, placeholder: "Summarise the open tickets of today." })
        .help("What the agent should do.")
        .rule(Rule::Check(input::check_prompt))
        .shown(Shown::When(|spec| !has_messages(spec))),
    field("/messages", "Messages", Control::Messages)
        .rule(Rule::Check(input::check_messages))
        .shown(Shown::When(has_messages)),
    field("/messages/*", "", Control::Parts).rule(Rule::Object("A message has a role and a content.")),
    field(
        "/messages/*/role",
        "Role",
        Control::Select(&[("user", "user"), ("assistant", "assistant"), ("system", "system")]),
    )
    .rule(Rule::Check(|context, report| input::check_role(context, &ROLES, report))),
    field("/messages/*/content", "Content", Control::Area { rows: 3, placeholder: "" })
        .rule(Rule::Check(input::check_content)),
    field("/messages/*/attachments", "Files", Control::Attachments).rule(Rule::Check(attachments::check)),
    field("/systemPrompt", "System prompt", Control::Area { rows: 3, placeholder: "" })
        .help("Who the agent is and how it works. Not needed with a saved agent.")
        .rule(Rule::Check(input::check_identity)),
    field("/agentId", "Saved agent", Control::Agent).help("Its prompt, model and tools are used.").rule(Rule::TEXT),
];

const fn field(pointer: &'static str, label: &'static str, control: Control) -> Field {
    Field::new(pointer, Section::Input, label, control)
}

fn has_messages(spec: &Value) -> bool {
    spec.get("messages").is_some_and(Value::is_array)
}
