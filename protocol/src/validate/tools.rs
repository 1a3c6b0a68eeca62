//! The list of tools, and names that must differ. The table has the rules for the fields of each kind.

use std::collections::BTreeSet;

use serde_json::Value;

use super::report::Report;
use super::rules::one_of;
use crate::fields::{Context, TOOL_KINDS};
use crate::ids::{is_plugin_tool_name, is_tool_name};

const MAX_LISTED_TOOLS: usize = 64;

pub(crate) fn check_tools(context: &Context<'_>, report: &mut Report) -> bool {
    match context.value.map(Value::as_array) {
        None => {}
        Some(None) => report.add("type", "Tools are a list."),
        Some(Some(tools)) => check_names(tools, report),
    }
    true
}

/// The table asks this only for unknown kinds.
pub(crate) fn check_kind(_: &Context<'_>, report: &mut Report) -> bool {
    report.refuse("choice", format!("Choose a kind: {}.", one_of(&TOOL_KINDS.map(|kind| kind.name))))
}

/// Reports valid names that two tools have. MANTYX prefixes the tools of `mcp` servers with the name of the server, so
/// server names must differ only from each other.
fn check_names<'a>(tools: &'a [Value], report: &mut Report) {
    let (mut names, mut servers, mut local_servers) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let valid = |tool: &'a Value, is_valid: fn(&str) -> bool| tool["name"].as_str().filter(|name| is_valid(name));
    for (i, tool) in tools.iter().enumerate() {
        report.at(i, |report| {
            let check = |name: Option<&'a str>, taken: &mut BTreeSet<&'a str>, report: &mut Report| {
                if let Some(name) = name.filter(|name| !taken.insert(name)) {
                    let message = format!("Two tools are called {name}. Give one of them another name.");
                    report.add_at("name", "duplicate", message);
                }
            };
            match tool["kind"].as_str() {
                Some("mantyx_plugin") => check(valid(tool, is_plugin_tool_name), &mut names, report),
                Some("local" | "a2a" | "a2a_local") => check(valid(tool, is_tool_name), &mut names, report),
                Some("mcp") => check(valid(tool, is_tool_name), &mut servers, report),
                Some("mcp_local") => {
                    check(valid(tool, is_tool_name), &mut local_servers, report);
                    report.at("tools", |report| {
                        for (j, listed) in tool["tools"].as_array().into_iter().flatten().enumerate() {
                            report.at(j, |report| check(valid(listed, is_tool_name), &mut names, report));
                        }
                    });
                }
                _ => {}
            }
        });
    }
}

pub(crate) fn check_tool_list(context: &Context<'_>, report: &mut Report) -> bool {
    match context.value.and_then(Value::as_array).map(Vec::len) {
        None => report.add("required", "List the tools of this server."),
        Some(0) => report.add("too_few", "List at least one tool of this server."),
        Some(count) if count > MAX_LISTED_TOOLS => {
            report.add("too_many", format!("A server may offer at most {MAX_LISTED_TOOLS} tools. Leave some out."));
        }
        Some(_) => {}
    }
    true
}
