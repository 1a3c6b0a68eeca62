//! The prompt or the messages, and the identity of the agent.

use serde_json::Value;

use crate::fields::{Control, Field, Rule, Section, Shown};
use crate::ids::is_https_url;
use crate::validate::{attachments, input};

const INLINE: &[&str] = &["input_file"];
const BY_URL: &[&str] = &["input_file_url"];
const FILE_URL: Rule =
    Rule::formatted(true, is_https_url, "url", "Give an address that starts with https:// and that anyone can open.");

pub const FIELDS: &[Field] = &[
    field("/prompt", "Prompt", Control::Area { rows: 4, placeholder: "Summarise the open tickets of today." })
        .help("What the agent should do.")
        .rule(Rule::Check(input::check_prompt))
        .shown(Shown::When(|spec| !has_messages(spec))),
    field("/messages", "Messages", Control::Messages)
        .rule(Rule::Check(input::check_messages))
        .shown(Shown::When(has_messages)),
    field("/messages/*", "Message", Control::Parts).rule(Rule::object("A message has a role and a content.")),
    field(
        "/messages/*/role",
        "Role",
        Control::Select(&[("user", "user"), ("assistant", "assistant"), ("system", "system")]),
    )
    .rule(Rule::Must(
        |role| matches!(role.as_str(), Some("user" | "assistant" | "system")),
        "choice",
        "Choose user, assistant or system.",
    )),
    field("/messages/*/content", "Content", Control::Area { rows: 3, placeholder: "" })
        .rule(Rule::Check(input::check_content)),
    field("/messages/*/attachments", "Files", Control::Attachments).rule(Rule::Entries(
        Value::is_array,
        "Files are a list.",
        20,
        "You can attach up to 20 files. Remove some.",
    )),
    field("/messages/*/attachments/*", "File", Control::Parts)
        .rule(Rule::object("A file has a name, a type and its content.")),
    field("/messages/*/attachments/*/type", "", Control::Parts).rule(Rule::Must(
        |kind| kind == "input_file" || kind == "input_file_url",
        "choice",
        "A file is sent along (input_file) or fetched (input_file_url).",
    )),
    field("/messages/*/attachments/*/filename", "", Control::Parts).rule(Rule::REQUIRED_TEXT).kinds(INLINE),
    field("/messages/*/attachments/*/filename", "", Control::Parts).rule(Rule::TEXT).kinds(BY_URL),
    field("/messages/*/attachments/*/mimeType", "", Control::Parts).rule(mime_type(true)).kinds(INLINE),
    field("/messages/*/attachments/*/mimeType", "", Control::Parts).rule(mime_type(false)).kinds(BY_URL),
    field("/messages/*/attachments/*/data", "", Control::Parts)
        .rule(Rule::Check(attachments::check_data))
        .kinds(INLINE),
    field("/messages/*/attachments/*/url", "", Control::Parts).rule(FILE_URL).kinds(BY_URL),
    field("/systemPrompt", "System prompt", Control::Area { rows: 3, placeholder: "" })
        .help("Who the agent is and how it works. Not needed with a saved agent.")
        .rule(Rule::Check(input::check_identity)),
    field("/agentId", "Saved agent", Control::Agent).help("Its prompt, model and tools are used."),
];

const fn field(pointer: &'static str, label: &'static str, control: Control) -> Field {
    Field::new(pointer, Section::Input, label, control)
}

const fn mime_type(required: bool) -> Rule {
    let message = "Models cannot read this kind of file. Use text, CSV, JSON, XML, HTML, PDF, DOCX, JPEG, PNG, WebP, \
                   GIF, M4A, MP3, WAV or WebM audio.";
    Rule::formatted(required, attachments::is_mime_type, "mime", message)
}

fn has_messages(spec: &Value) -> bool {
    spec.get("messages").is_some_and(Value::is_array)
}
