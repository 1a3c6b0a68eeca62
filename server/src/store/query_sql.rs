//! From a filter to SQL. Values are always bound; only column names and placeholders are written into the text.

use protocol::Query;
use protocol::query::{Clause, Term};

use super::{Cursor, WorkspaceId};

pub(super) enum Arg {
    Int(i64),
    Text(String),
}

pub(super) struct Select {
    pub sql: String,
    pub args: Vec<Arg>,
}

impl Select {
    /// Runs of `workspace` that match `query`, newest first, after `cursor`.
    pub fn runs(columns: &str, workspace: WorkspaceId, query: &Query, cursor: Option<&Cursor>, limit: u32) -> Self {
        let mut select = Self { sql: String::new(), args: Vec::new() };
        let workspace = select.bind(Arg::Int(workspace.0));
        // A metadata filter drives the walk: its table is kept in list order, so no sort is needed.
        let driver = query.clauses.iter().position(is_positive_metadata);
        let (from, order) = match driver {
            Some(_) => ("run_metadata m JOIN run r ON r.workspace_id = m.workspace_id AND r.id = m.run_id", "m"),
            None => ("run r", "r"),
        };
        let id_column = if driver.is_some() { "m.run_id" } else { "r.id" };
        let mut conditions = vec![format!("{order}.workspace_id = {workspace}")];
        for (i, clause) in query.clauses.iter().enumerate() {
            let condition = match &clause.term {
                Term::Status(status) => {
                    let status = select.bind(Arg::Text(status.as_str().to_owned()));
                    format!("r.status = {status}")
                }
                Term::Metadata { key, value } => {
                    let key = select.bind(Arg::Text(key.clone()));
                    let value = select.bind(Arg::Text(value.clone()));
                    if Some(i) == driver {
                        format!("m.key = {key} AND m.value = {value}")
                    } else {
                        format!(
                            "EXISTS (SELECT 1 FROM run_metadata x WHERE x.workspace_id = {workspace} AND x.key = {key} \
                             AND x.value = {value} AND x.created_at = r.created_at AND x.run_id = r.id)"
                        )
                    }
                }
            };
            conditions.push(if clause.negated { format!("NOT ({condition})") } else { condition });
        }
        if let Some(cursor) = cursor {
            let at = select.bind(Arg::Int(cursor.created_at_ms));
            let id = select.bind(Arg::Text(cursor.id.clone()));
            conditions.push(format!("({order}.created_at, {id_column}) < ({at}, {id})"));
        }
        let limit = select.bind(Arg::Int(i64::from(limit)));
        select.sql = format!(
            "SELECT {columns} FROM {from} WHERE {} ORDER BY {order}.created_at DESC, {id_column} DESC LIMIT {limit}",
            conditions.join(" AND ")
        );
        select
    }

    fn bind(&mut self, arg: Arg) -> String {
        self.args.push(arg);
        format!("${}", self.args.len())
    }
}

fn is_positive_metadata(clause: &Clause) -> bool {
    !clause.negated && matches!(clause.term, Term::Metadata { .. })
}
