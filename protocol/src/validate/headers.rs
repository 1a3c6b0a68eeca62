//! Headers that MANTYX sends to an MCP server or an A2A peer.

use super::report::Report;
use crate::fields::Context;
use crate::ids::is_header_name;

const MAX_VALUE_BYTES: usize = 8 * 1024;

pub(crate) fn check(context: &Context<'_>, report: &mut Report) -> bool {
    let Some(headers) = context.value else { return false };
    let Some(headers) = headers.as_object() else {
        report.add("type", "Headers are names with a text each.");
        return false;
    };
    for (name, value) in headers {
        report.at(name.as_str(), |report| match value.as_str() {
            _ if !is_header_name(name) => {
                report.add("pattern", "A header's name may use letters, digits and -, without spaces. Rename it.");
            }
            None => report.add("type", "Enter a text."),
            Some(value) if value.len() > MAX_VALUE_BYTES => {
                report.add("too_long", "A header may have at most 8 KB. Shorten it.");
            }
            Some(value) if value.contains(|c: char| c != '\t' && !(' '..='~').contains(&c)) => {
                let message = "A header may use plain letters, digits and signs only. Remove line breaks and accents.";
                report.add("header", message);
            }
            Some(_) => {}
        });
    }
    false
}
