//! The audit log: who launched, answered, cancelled, exported, shared, signed in, changed settings or deleted, when and from
//! where. It never contains prompts, answers, metadata values or tokens.

mod late_entries;

use std::net::IpAddr;

use domain::{AuditAction, AuditPage};

use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::state::AppState;
use crate::store::NewAuditEntry;

pub use late_entries::LateEntries;

/// Who does something, and from which address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Actor {
    pub who: Who,
    pub address: Option<IpAddr>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Who {
    /// A person, by email address.
    Person(String),
    /// A credential without a person at MANTYX.
    ApiKey,
    CommandLine,
    /// The server itself, in the background.
    #[default]
    Server,
}

impl Actor {
    pub fn person(email: &str, address: Option<IpAddr>) -> Self {
        Self { who: Who::Person(email.to_owned()), address }
    }

    pub fn command_line() -> Self {
        Self { who: Who::CommandLine, address: None }
    }

    /// A person's email address, or a word for any other actor.
    pub fn name(&self) -> &str {
        match &self.who {
            Who::Person(email) => email,
            Who::ApiKey => "API key",
            Who::CommandLine => "command line",
            Who::Server => "server",
        }
    }

    /// An entry about something that the actor does now.
    pub fn entry(&self, action: AuditAction) -> NewAuditEntry {
        let (actor, address) = (self.name().to_owned(), self.address.map(|address| address.to_string()));
        NewAuditEntry { at_ms: now_ms(), actor, address, action, target: None, detail: None }
    }
}

/// Adds an entry about something that changes nothing in the database.
pub async fn record(state: &AppState, caller: &Caller, entry: NewAuditEntry) -> Result<(), Error> {
    Ok(state.store.add_audit_entry(caller.workspace_id, &entry).await?)
}

/// The same for something that has happened and cannot be undone: an entry that cannot be written now is written later.
pub async fn record_done(state: &AppState, caller: &Caller, entry: NewAuditEntry) {
    let (action, workspace) = (entry.action.as_str(), caller.workspace_id);
    if let Err(error) = state.store.add_audit_entry(workspace, &entry).await {
        tracing::error!(%error, action, %workspace, "cannot write the audit log; retrying");
        state.late_audit_entries.add(workspace, entry);
    }
}

/// A page of the log, newest first. `cursor` is from the page before.
pub async fn page(state: &AppState, caller: &Caller, cursor: Option<i64>, limit: u32) -> Result<AuditPage, Error> {
    Ok(state.store.audit_page(caller.workspace_id, cursor, limit).await?)
}
