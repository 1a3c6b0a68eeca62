//! The tools that an agent may use: each by its kind, and their names among each other.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::faults::{Faults, present};
use super::headers;
use super::output_schema::check_object_schema;
use crate::ids::{is_plugin_tool_name, is_tool_name, is_web_url};

const MAX_CATALOGUE: usize = 64;

pub(super) fn check(spec: &Map<String, Value>, faults: &mut Faults) {
    let Some(tools) = present(spec, "tools") else { return };
    faults.at("tools", |faults| match tools.as_array() {
        None => faults.add("type", "Tools are a list."),
        Some(tools) => {
            let mut taken = Taken::default();
            for (i, tool) in tools.iter().enumerate() {
                faults.at(i, |faults| match tool.as_object() {
                    Some(tool) => check_tool(tool, &mut taken, faults),
                    None => faults.add("type", "A tool has a kind and settings."),
                });
            }
        }
    });
}

/// The names in use. MANTYX prefixes those of `mcp` servers, so these meet only each other.
#[derive(Default)]
struct Taken<'a> {
    names: BTreeSet<&'a str>,
    mcp_servers: BTreeSet<&'a str>,
    mcp_local_servers: BTreeSet<&'a str>,
}

fn check_tool<'a>(tool: &'a Map<String, Value>, taken: &mut Taken<'a>, faults: &mut Faults) {
    match tool.get("kind").and_then(Value::as_str) {
        Some("mantyx") => {
            faults.required_text(tool, "id");
        }
        Some("mantyx_plugin") => {
            let name = faults.required_text(tool, "name");
            match name {
                Some(name) if !is_plugin_tool_name(name) => {
                    let message =
                        "A plugin's tool is written @plugin/tool, or as a plain name. Choose one of the list.";
                    faults.add_at("name", "pattern", message);
                }
                _ => unique(name, &mut taken.names, faults),
            }
        }
        Some("local") => {
            let name = tool_name(tool, faults);
            unique(name, &mut taken.names, faults);
            faults.text(tool, "description");
            check_object_schema(tool, "parameters", faults);
            check_object_schema(tool, "outputSchema", faults);
            for field in ["longRunning", "readOnly", "retain"] {
                faults.flag(tool, field);
            }
        }
        Some("a2a") => {
            let name = tool_name(tool, faults);
            unique(name, &mut taken.names, faults);
            faults.text(tool, "description");
            faults.text(tool, "contextId");
            check_address(tool, "agentCardUrl", faults);
        }
        Some("a2a_local") => {
            let name = tool_name(tool, faults);
            unique(name, &mut taken.names, faults);
            faults.text(tool, "description");
            if !tool.get("agentCard").is_some_and(Value::is_object) {
                let message = "Add the agent's card: the JSON object with which it introduces itself.";
                faults.add_at("agentCard", "required", message);
            }
        }
        Some("mcp") => {
            let name = tool_name(tool, faults);
            unique(name, &mut taken.mcp_servers, faults);
            check_address(tool, "url", faults);
            check_tool_filter(tool, faults);
        }
        Some("mcp_local") => {
            let name = tool_name(tool, faults);
            unique(name, &mut taken.mcp_local_servers, faults);
            if present(tool, "serverInfo").is_some_and(|info| !info.is_object()) {
                faults.add_at("serverInfo", "type", "This is the JSON object that the server sent of itself.");
            }
            faults.at("tools", |faults| check_catalogue(tool.get("tools"), &mut taken.names, faults));
        }
        _ => {
            let message = "Choose a kind: mantyx, mantyx_plugin, local, a2a, a2a_local, mcp or mcp_local.";
            faults.add_at("kind", "choice", message);
        }
    }
}

/// A name that models can say, if this is one.
fn tool_name<'a>(tool: &'a Map<String, Value>, faults: &mut Faults) -> Option<&'a str> {
    let name = faults.required_text(tool, "name")?;
    if !is_tool_name(name) {
        faults.add_at("name", "pattern", "A name may use letters, digits and _, at most 64. Rename it.");
        return None;
    }
    Some(name)
}

fn unique<'a>(name: Option<&'a str>, taken: &mut BTreeSet<&'a str>, faults: &mut Faults) {
    if let Some(name) = name
        && !taken.insert(name)
    {
        faults.add_at("name", "duplicate", format!("Two tools are called {name}. Give one of them another name."));
    }
}

fn check_address(tool: &Map<String, Value>, field: &str, faults: &mut Faults) {
    if faults.required_text(tool, field).is_some_and(|url| !is_web_url(url)) {
        faults.add_at(field, "url", "Give a web address that starts with https:// or http://.");
    }
    if let Some(value) = present(tool, "headers") {
        faults.at("headers", |faults| headers::check(value, faults));
    }
}

fn check_tool_filter(tool: &Map<String, Value>, faults: &mut Faults) {
    let Some(filter) = present(tool, "toolFilter") else { return };
    faults.at("toolFilter", |faults| match filter.as_array() {
        None => faults.add("type", "This is a list of names of tools."),
        Some(names) => {
            for (i, name) in names.iter().enumerate() {
                if name.as_str().is_none_or(str::is_empty) {
                    faults.add_at(i, "required", "Write the name of a tool, or remove this line.");
                }
            }
        }
    });
}

fn check_catalogue<'a>(tools: Option<&'a Value>, taken: &mut BTreeSet<&'a str>, faults: &mut Faults) {
    let Some(tools) = tools.and_then(Value::as_array) else {
        return faults.add("required", "List the tools of this server.");
    };
    if tools.is_empty() {
        faults.add("too_few", "List at least one tool of this server.");
    }
    if tools.len() > MAX_CATALOGUE {
        faults.add("too_many", format!("A server may offer at most {MAX_CATALOGUE} tools. Leave some out."));
    }
    for (i, tool) in tools.iter().enumerate() {
        faults.at(i, |faults| match tool.as_object() {
            None => faults.add("type", "A tool has a name and settings."),
            Some(tool) => {
                let name = tool_name(tool, faults);
                unique(name, taken, faults);
                faults.text(tool, "description");
                check_object_schema(tool, "inputSchema", faults);
            }
        });
    }
}
