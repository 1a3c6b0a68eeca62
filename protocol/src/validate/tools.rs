//! The tools: the fields of each kind, and names that must differ.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::headers;
use super::output_schema::check_object_schema;
use super::report::{Report, present};
use crate::ids::{is_plugin_tool_name, is_tool_name, is_web_url};

const MAX_CATALOGUE: usize = 64;

pub(super) fn check(spec: &Map<String, Value>, report: &mut Report) {
    let Some(tools) = present(spec, "tools") else { return };
    report.at("tools", |report| match tools.as_array() {
        None => report.add("type", "Tools are a list."),
        Some(tools) => {
            let mut taken = Taken::default();
            for (i, tool) in tools.iter().enumerate() {
                report.at(i, |report| match tool.as_object() {
                    Some(tool) => check_tool(tool, &mut taken, report),
                    None => report.add("type", "A tool has a kind and settings."),
                });
            }
        }
    });
}

/// The names in use. MANTYX prefixes the tools of `mcp` servers with the name of the server, so server names must differ only
/// from each other.
#[derive(Default)]
struct Taken<'a> {
    names: BTreeSet<&'a str>,
    mcp_servers: BTreeSet<&'a str>,
    mcp_local_servers: BTreeSet<&'a str>,
}

fn check_tool<'a>(tool: &'a Map<String, Value>, taken: &mut Taken<'a>, report: &mut Report) {
    match tool.get("kind").and_then(Value::as_str) {
        Some("mantyx") => {
            report.required_text(tool, "id");
        }
        Some("mantyx_plugin") => {
            let name = report.required_text(tool, "name");
            match name {
                Some(name) if !is_plugin_tool_name(name) => {
                    let message =
                        "A plugin's tool is written @plugin/tool, or as a plain name. Choose one of the list.";
                    report.add_at("name", "pattern", message);
                }
                _ => unique(name, &mut taken.names, report),
            }
        }
        Some("local") => {
            let name = tool_name(tool, report);
            unique(name, &mut taken.names, report);
            report.text(tool, "description");
            check_object_schema(tool, "parameters", report);
            check_object_schema(tool, "outputSchema", report);
            for field in ["longRunning", "readOnly", "retain"] {
                report.flag(tool, field);
            }
        }
        Some("a2a") => {
            let name = tool_name(tool, report);
            unique(name, &mut taken.names, report);
            report.text(tool, "description");
            report.text(tool, "contextId");
            check_address(tool, "agentCardUrl", report);
        }
        Some("a2a_local") => {
            let name = tool_name(tool, report);
            unique(name, &mut taken.names, report);
            report.text(tool, "description");
            if !tool.get("agentCard").is_some_and(Value::is_object) {
                let message = "Add the agent's card: the JSON object with which it introduces itself.";
                report.add_at("agentCard", "required", message);
            }
        }
        Some("mcp") => {
            let name = tool_name(tool, report);
            unique(name, &mut taken.mcp_servers, report);
            check_address(tool, "url", report);
            check_tool_filter(tool, report);
        }
        Some("mcp_local") => {
            let name = tool_name(tool, report);
            unique(name, &mut taken.mcp_local_servers, report);
            if present(tool, "serverInfo").is_some_and(|info| !info.is_object()) {
                report.add_at("serverInfo", "type", "This is the JSON object that the server sent of itself.");
            }
            report.at("tools", |report| check_catalogue(tool.get("tools"), &mut taken.names, report));
        }
        _ => {
            let message = "Choose a kind: mantyx, mantyx_plugin, local, a2a, a2a_local, mcp or mcp_local.";
            report.add_at("kind", "choice", message);
        }
    }
}

/// Checks the name of a tool, and returns it if it is valid.
fn tool_name<'a>(tool: &'a Map<String, Value>, report: &mut Report) -> Option<&'a str> {
    let name = report.required_text(tool, "name")?;
    if !is_tool_name(name) {
        report.add_at("name", "pattern", "A name may use letters, digits and _, at most 64. Rename it.");
        return None;
    }
    Some(name)
}

fn unique<'a>(name: Option<&'a str>, taken: &mut BTreeSet<&'a str>, report: &mut Report) {
    if let Some(name) = name
        && !taken.insert(name)
    {
        report.add_at("name", "duplicate", format!("Two tools are called {name}. Give one of them another name."));
    }
}

fn check_address(tool: &Map<String, Value>, field: &str, report: &mut Report) {
    if report.required_text(tool, field).is_some_and(|url| !is_web_url(url)) {
        report.add_at(field, "url", "Give a web address that starts with https:// or http://.");
    }
    if let Some(value) = present(tool, "headers") {
        report.at("headers", |report| headers::check(value, report));
    }
}

fn check_tool_filter(tool: &Map<String, Value>, report: &mut Report) {
    let Some(filter) = present(tool, "toolFilter") else { return };
    report.at("toolFilter", |report| match filter.as_array() {
        None => report.add("type", "This is a list of names of tools."),
        Some(names) => {
            for (i, name) in names.iter().enumerate() {
                if name.as_str().is_none_or(str::is_empty) {
                    report.add_at(i, "required", "Write the name of a tool, or remove this line.");
                }
            }
        }
    });
}

fn check_catalogue<'a>(tools: Option<&'a Value>, taken: &mut BTreeSet<&'a str>, report: &mut Report) {
    let Some(tools) = tools.and_then(Value::as_array) else {
        return report.add("required", "List the tools of this server.");
    };
    if tools.is_empty() {
        report.add("too_few", "List at least one tool of this server.");
    }
    if tools.len() > MAX_CATALOGUE {
        report.add("too_many", format!("A server may offer at most {MAX_CATALOGUE} tools. Leave some out."));
    }
    for (i, tool) in tools.iter().enumerate() {
        report.at(i, |report| match tool.as_object() {
            None => report.add("type", "A tool has a name and settings."),
            Some(tool) => {
                let name = tool_name(tool, report);
                unique(name, taken, report);
                report.text(tool, "description");
                check_object_schema(tool, "inputSchema", report);
            }
        });
    }
}
