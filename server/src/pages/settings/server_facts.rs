//! The operator's configuration of the server: what people may know to understand its behaviour, and no secrets.

use std::time::Duration;

use app::format::grouped;
use app::model::settings::{Fact, FactGroup};

use crate::limits::Limits;
use crate::store::Retention;
use crate::workspace::SignedInWorkspace;

pub fn build(workspace: &SignedInWorkspace) -> Vec<FactGroup> {
    let (state, slug) = (&workspace.state, workspace.caller.slug.as_str());
    let group = |title: &str, facts: Vec<Fact>| FactGroup { title: title.to_owned(), facts };
    let peers = state.peers.of(slug);
    let hosts = match peers.allowed_hosts() {
        hosts if hosts.is_empty() => "Public internet only".to_owned(),
        hosts => format!("Public internet, and {}", hosts.join(", ")),
    };
    let commands = match peers.commands.lines().len() {
        0 => "None".to_owned(),
        1 => "1 command".to_owned(),
        commands => format!("{commands} commands"),
    };
    let audit_days = format!("{}, at most 100,000 entries", days(state.audit_days.into()));
    vec![
        group(
            "Version",
            vec![
                fact("Runlens", env!("CARGO_PKG_VERSION"), None),
                fact("Database", state.store.engine().name(), Some("DATABASE_URL")),
            ],
        ),
        group(
            "Retention",
            [retention(&state.retention, slug), vec![fact("Audit log", audit_days, Some("RUNLENS_AUDIT_DAYS"))]]
                .concat(),
        ),
        group(
            "Outbound requests to MCP servers and A2A agents",
            vec![
                fact("Allowed hosts", hosts, Some("RUNLENS_OUTBOUND_ALLOW")),
                fact("MCP servers on this machine", commands, Some("RUNLENS_MCP_COMMANDS")),
            ],
        ),
        group("Limits", limits(&state.limits)),
    ]
}

fn fact(name: &str, value: impl Into<String>, variable: Option<&str>) -> Fact {
    Fact { name: name.to_owned(), value: value.into(), variable: variable.map(str::to_owned) }
}

fn retention(retention: &Retention, slug: &str) -> Vec<Fact> {
    let age = retention.max_age_ms.map_or("No limit".to_owned(), |age| days(age / 86_400_000));
    let size =
        |bytes: Option<u64>| bytes.map_or("No limit".to_owned(), |bytes| format!("{} MB", grouped(bytes / 1_000_000)));
    let own = retention.workspace_max_bytes.iter().find(|(workspace, _)| workspace == slug).map(|(_, bytes)| *bytes);
    let mut facts = vec![
        fact("Age of runs", age, Some("RUNLENS_RETAIN_DAYS")),
        fact("Size of all runs", size(retention.max_bytes), Some("RUNLENS_RETAIN_MB")),
    ];
    if own.is_some() {
        facts.push(fact("Size of this workspace's runs", size(own), Some("RUNLENS_RETAIN_MB")));
    }
    facts
}

fn limits(limits: &Limits) -> Vec<Fact> {
    let number = |number: usize| grouped(u64::try_from(number).unwrap_or(u64::MAX));
    vec![
        fact("Connections", number(limits.max_connections), None),
        fact("Connections of one address", number(limits.max_connections_per_client), None),
        fact("Live streams", number(limits.max_streams), None),
        fact("Live streams of one workspace", number(limits.max_streams_per_workspace), None),
        fact("Live streams of one session", number(limits.max_streams_per_session), None),
        fact("Request header timeout", seconds(limits.header_timeout), None),
        fact("Request body timeout", seconds(limits.body_timeout), None),
        fact("Request body deadline", seconds(limits.body_deadline), None),
        fact("Response timeout", seconds(limits.write_timeout), None),
        fact("Sign-ins are checked at MANTYX every", seconds(limits.recheck_after), None),
    ]
}

fn seconds(duration: Duration) -> String {
    format!("{} s", duration.as_secs())
}

fn days(days: i64) -> String {
    if days == 1 { "1 day".to_owned() } else { format!("{days} days") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_sees_its_own_limit_only() {
        let configured = Retention {
            max_age_ms: Some(30 * 86_400_000),
            max_bytes: None,
            workspace_max_bytes: vec![("acme".to_owned(), 2_000_000_000)],
        };
        let values = |slug| retention(&configured, slug).into_iter().map(|fact| fact.value).collect::<Vec<_>>();
        assert_eq!(values("acme"), ["30 days", "No limit", "2,000 MB"]);
        assert_eq!(values("globex"), ["30 days", "No limit"]);
    }
}
