//! The tools: seven kinds, each with its own fields.

use serde_json::Value;

use crate::fields::{Control, Field, MapControl, Rule, Section, Shown};
use crate::ids::{is_plugin_tool_name, is_tool_name, is_web_url};
use crate::validate::{settings, tools};

/// A kind of tool, as the form offers it.
pub struct ToolKind {
    pub name: &'static str,
    pub label: &'static str,
    pub help: &'static str,
}

impl ToolKind {
    /// Returns whether its calls come to the program that launched the run.
    pub fn is_local(&self) -> bool {
        self.name.ends_with("local")
    }
}

pub const TOOL_KINDS: [ToolKind; 7] = [
    ToolKind {
        name: "mantyx",
        label: "Workspace tool",
        help: "Set up in MANTYX and called by it. Pick it from the list, or enter its id.",
    },
    ToolKind {
        name: "mantyx_plugin",
        label: "Plugin tool",
        help: "Comes with a plugin that the workspace has installed, written @plugin/tool.",
    },
    ToolKind {
        name: "local",
        label: "Local tool (you or a canned reply)",
        help: "The model calls it, and you answer on the run's page, or a responder that you choose below does.",
    },
    ToolKind {
        name: "a2a",
        label: "Remote agent",
        help: "An A2A agent at a public address. MANTYX reads its card and talks to it.",
    },
    ToolKind {
        name: "a2a_local",
        label: "Local agent",
        help: "An A2A agent that only Runlens can reach, or that you answer for yourself. The model sees its card.",
    },
    ToolKind {
        name: "mcp",
        label: "Remote MCP server",
        help: "MANTYX connects to the server and calls its tools. Check those that the model may use.",
    },
    ToolKind {
        name: "mcp_local",
        label: "Local MCP server",
        help: "The model sees the server's tools; the calls come here. Discover them, or paste a tools/list response.",
    },
];

const NAMED: &[&str] = &["local", "a2a", "a2a_local", "mcp", "mcp_local"];
const DESCRIBED: &[&str] = &["local", "a2a", "a2a_local"];
const NAME: Rule =
    Rule::formatted(true, is_tool_name, "pattern", "A name may use letters, digits and _, at most 64. Rename it.");
const PLUGIN_NAME: Rule = Rule::formatted(
    true,
    is_plugin_tool_name,
    "pattern",
    "A plugin's tool is written @plugin/tool, or as a plain name. Choose one of the list.",
);
const ADDRESS: Rule =
    Rule::formatted(true, is_web_url, "url", "Give a web address that starts with https:// or http://.");
const ADVANCED: &str = "Advanced";

static HEADERS: MapControl = MapControl { secret: true, ..MapControl::of("Header", "Value") };

pub const FIELDS: &[Field] = &[
    field("/tools", "Tools", Control::Tools).rule(Rule::Check(tools::check_tools)),
    field("/tools/*", "Tool", Control::Parts).rule(Rule::object("A tool has a kind and settings.")),
    field("/tools/*/kind", "Kind", Control::Line)
        .help("The form doesn't know this kind. Its fields are sent unchanged.")
        .rule(Rule::Check(tools::check_kind))
        .shown(Shown::UnknownKind),
    field("/tools/*/name", "Name", Control::Line).rule(Rule::Any).shown(Shown::UnknownKind),
    field("/tools/*/id", "Tool", Control::WorkspaceTool).rule(Rule::REQUIRED_TEXT).kinds(&["mantyx"]),
    field("/tools/*/name", "Tool", Control::PluginTool).rule(PLUGIN_NAME).kinds(&["mantyx_plugin"]),
    field("/tools/*/name", "Name", Control::Line)
        .help("The name that the model uses: letters, digits and _, at most 64.")
        .rule(NAME)
        .kinds(NAMED),
    field("/tools/*/description", "Description", Control::Area { rows: 2, placeholder: "" })
        .help("What the model reads about it.")
        .kinds(DESCRIBED),
    // Local tools.
    field("/tools/*/parameters", "Parameters", Control::Schema)
        .help("the arguments that the model passes to the tool.")
        .rule(Rule::Schema(None))
        .kinds(&["local"]),
    field("/tools/*/outputSchema", "Result", Control::Schema)
        .help("the shape of the result, if it is fixed.")
        .rule(Rule::Schema(None))
        .kinds(&["local"])
        .fold(ADVANCED),
    field("/tools/*/longRunning", "Takes long", Control::Checkbox)
        .help("Tells the model to expect a delay.")
        .kinds(&["local"])
        .fold(ADVANCED),
    field("/tools/*/readOnly", "Only reads", Control::Checkbox)
        .help("Calls next to each other run in parallel.")
        .kinds(&["local"])
        .fold(ADVANCED)
        .beside(),
    field("/tools/*/retain", "Retain its results in the session", Control::Checkbox)
        .kinds(&["local"])
        .fold(ADVANCED)
        .beside(),
    // Remote agents.
    field("/tools/*/agentCardUrl", "Address of its card", Control::CardUrl)
        .help("Such as https://agent.example.com/.well-known/agent-card.json")
        .rule(ADDRESS)
        .kinds(&["a2a"]),
    // Remote MCP servers.
    field("/tools/*/url", "Address", Control::Line)
        .help("Of its Streamable HTTP endpoint, such as https://mcp.example.com/mcp")
        .rule(ADDRESS)
        .kinds(&["mcp"]),
    field("/tools/*/headers", "Headers", Control::Map(&HEADERS))
        .help("Sent to the server, for credentials. Values are stored encrypted and are not passed on.")
        .rule(Rule::Check(settings::check_headers))
        .kinds(&["a2a", "mcp"])
        .fold("Headers"),
    field("/tools/*/contextId", "Context id", Control::Line).help("Continues an earlier conversation.").kinds(&["a2a"]),
    field("/tools/*/toolFilter", "Only these tools", Control::ToolFilter)
        .help("The names of the tools that the model may use, one per line. Empty: all of them.")
        .rule(Rule::Texts("This is a list of names of tools.", "Enter the name of a tool, or remove this line."))
        .kinds(&["mcp"]),
    // Local agents.
    field("/tools/*/agentCard", "Card", Control::Card)
        .rule(Rule::Must(
            Value::is_object,
            "required",
            "Add the agent's card, the JSON object in which it describes itself.",
        ))
        .kinds(&["a2a_local"]),
    // Local MCP servers.
    field("/tools/*/tools", "Tools", Control::ToolList)
        .help("Paste the server's response to tools/list.")
        .rule(Rule::Check(tools::check_tool_list))
        .kinds(&["mcp_local"]),
    field("/tools/*/tools/*", "Its tool", Control::Parts)
        .rule(Rule::object("A tool has a name and settings."))
        .kinds(&["mcp_local"]),
    field("/tools/*/tools/*/name", "Name", Control::Line).rule(NAME).kinds(&["mcp_local"]),
    field("/tools/*/tools/*/description", "Description", Control::Parts).rule(Rule::TEXT).kinds(&["mcp_local"]),
    field("/tools/*/tools/*/inputSchema", "Parameters", Control::Parts).rule(Rule::Schema(None)).kinds(&["mcp_local"]),
    field("/tools/*/serverInfo", "About the server", Control::Json { rows: 2 })
        .rule(Rule::object("This is the JSON object that the server sent about itself."))
        .kinds(&["mcp_local"])
        .fold("About the server"),
];

const fn field(pointer: &'static str, label: &'static str, control: Control) -> Field {
    Field::new(pointer, Section::Tools, label, control)
}
