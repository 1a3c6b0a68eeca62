//! Sessions: the mirrored list, its facets, and totals of a session's runs.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use domain::{ExcludingClause, Facet, FacetValue, Facets, SessionSummary, SessionTotals, SessionsPage};
use protocol::messages::Metadata;
use protocol::query::{Field, Has, Term};
use protocol::{Query, ids, query::words};
use sqlx::Row;
use sqlx::any::AnyRow;

use super::erasure::{ErasedItems, session_hashes};
use super::sql::{Args, fetch};
use super::tags::Tag;
use super::{Result, Store, WorkspaceId, storable};

const COLUMNS: &str = "s.id, s.name, s.status, s.summary, s.metadata, s.created_at, s.last_used_at";

/// Sessions that facets count, metadata values that they read, and values per key.
const FACET_SAMPLE: i64 = 2_000;
const FACET_ROWS: i64 = 400;
const FACET_VALUES: usize = 10;
const COMPLETIONS: i64 = 20;

/// A position in the sessions list: the last session before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionCursor {
    last_used_at_ms: i64,
    id: String,
}

/// The text is not a [`SessionCursor`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadSessionCursor;

impl fmt::Display for SessionCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.last_used_at_ms, self.id)
    }
}

impl FromStr for SessionCursor {
    type Err = BadSessionCursor;

    fn from_str(text: &str) -> std::result::Result<Self, BadSessionCursor> {
        let (at, id) = text.split_once('.').filter(|(_, id)| ids::is_path_id(id)).ok_or(BadSessionCursor)?;
        Ok(Self { last_used_at_ms: at.parse().map_err(|_| BadSessionCursor)?, id: id.to_owned() })
    }
}

impl Store {
    pub async fn upsert_sessions(&self, workspace: WorkspaceId, sessions: &[SessionSummary]) -> Result<()> {
        let sessions: Vec<SessionSummary> = sessions.iter().map(storable::session).collect();
        let mut tx = self.begin_writing(workspace).await?;
        let hashes = || sessions.iter().flat_map(session_hashes).collect();
        let erased = ErasedItems::among(&mut tx, workspace, hashes).await?;
        for session in sessions.iter().filter(|session| !erased.has_session(session)) {
            sqlx::query(
                "INSERT INTO session (workspace_id, id, name, status, summary, metadata, created_at, last_used_at, \
                 search) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (workspace_id, id) DO UPDATE SET \
                 name = COALESCE(excluded.name, session.name), status = excluded.status, \
                 summary = COALESCE(excluded.summary, session.summary), metadata = excluded.metadata, \
                 last_used_at = excluded.last_used_at, search = excluded.search",
            )
            .bind(workspace.0)
            .bind(&session.id)
            .bind(&session.name)
            .bind(&session.status)
            .bind(&session.summary)
            .bind(serde_json::to_string(&session.metadata).unwrap_or_else(|_| "{}".to_owned()))
            .bind(session.created_at_ms)
            .bind(session.last_used_at_ms)
            .bind(search_text(session))
            .execute(&mut *tx)
            .await?;
            for (key, value) in &session.metadata {
                sqlx::query(
                    "INSERT INTO session_metadata (workspace_id, session_id, key, value) VALUES ($1, $2, $3, $4) \
                     ON CONFLICT (workspace_id, session_id, key) DO UPDATE SET value = excluded.value",
                )
                .bind(workspace.0)
                .bind(&session.id)
                .bind(key)
                .bind(value)
                .execute(&mut *tx)
                .await?;
            }
        }
        tx.commit().await
    }

    /// A page of matching sessions, last used first, after `cursor`.
    pub async fn list_sessions(
        &self,
        plan: &SessionPlan,
        cursor: Option<&SessionCursor>,
        limit: u32,
    ) -> Result<SessionsPage> {
        let (mut args, mut conditions) = (plan.args.clone(), plan.conditions.clone());
        if let Some(cursor) = cursor {
            let (at, id) = (args.bind(cursor.last_used_at_ms), args.bind(cursor.id.as_str()));
            conditions.push(format!("(s.last_used_at, s.id) < ({at}, {id})"));
        }
        let rows = args.bind(i64::from(limit) + 1);
        let sql = format!(
            "SELECT {COLUMNS} FROM session s WHERE {} ORDER BY s.last_used_at DESC, s.id DESC LIMIT {rows}",
            conditions.join(" AND ")
        );
        let rows = fetch(&self.reader, sql, args.into_vec()).await?;
        let mut sessions = rows.iter().map(summary).collect::<Result<Vec<_>>>()?;
        let more = sessions.len() > limit as usize;
        sessions.truncate(limit as usize);
        let cursor =
            |last: &SessionSummary| SessionCursor { last_used_at_ms: last.last_used_at_ms, id: last.id.clone() };
        let next_cursor = sessions.last().filter(|_| more).map(|last| cursor(last).to_string());
        Ok(SessionsPage { sessions, next_cursor, now_ms: plan.now_ms, ..SessionsPage::default() })
    }

    /// For a query that matches nothing: the clauses whose removal would show sessions.
    pub async fn excluding_session_clauses(&self, plan: &SessionPlan) -> Result<Vec<ExcludingClause>> {
        let mut found = Vec::new();
        // Without its only clause the filter shows all sessions, which tells nothing about the clause.
        let clauses = if plan.query.clauses.len() > 1 { plan.query.clauses.as_slice() } else { &[] };
        for (index, clause) in clauses.iter().enumerate() {
            // Clauses that are supported together are supported alone.
            let Ok(without) = SessionPlan::new(plan.workspace, &plan.query.without(index), plan.now_ms) else {
                continue;
            };
            if !self.list_sessions(&without, None, 1).await?.sessions.is_empty() {
                found.push(ExcludingClause { index, text: clause.to_string() });
            }
        }
        Ok(found)
    }

    pub async fn session(&self, workspace: WorkspaceId, id: &str) -> Result<Option<SessionSummary>> {
        let sql = format!("SELECT {COLUMNS} FROM session s WHERE s.workspace_id = $1 AND s.id = $2");
        fetch(&self.reader, sql, vec![workspace.0.into(), id.into()]).await?.first().map(summary).transpose()
    }

    /// The most frequent statuses and metadata values of matching sessions.
    pub async fn session_facets(&self, plan: &SessionPlan) -> Result<Facets> {
        let mut args = plan.args.clone();
        let sample = args.bind(FACET_SAMPLE);
        let matching = format!(
            "(SELECT s.workspace_id, s.id, s.status FROM session s WHERE {} \
             ORDER BY s.last_used_at DESC, s.id DESC LIMIT {sample}) b",
            plan.conditions.join(" AND ")
        );
        let statuses =
            format!("SELECT 'status', b.status, COUNT(*) FROM {matching} GROUP BY b.status ORDER BY 3 DESC, 2");
        let mut rows = fetch(&self.reader, statuses, args.clone().into_vec()).await?;
        let mut counted = 0;
        for row in &rows {
            counted += row.try_get::<i64, _>(2)?;
        }
        let limit = args.bind(FACET_ROWS);
        let metadata = format!(
            "SELECT 'metadata.' || m.key, m.value, COUNT(*) FROM {matching} \
             JOIN session_metadata m ON m.workspace_id = b.workspace_id AND m.session_id = b.id \
             GROUP BY m.key, m.value ORDER BY 3 DESC, 1, 2 LIMIT {limit}"
        );
        rows.extend(fetch(&self.reader, metadata, args.into_vec()).await?);
        let mut facets: Vec<Facet> = Vec::new();
        for row in &rows {
            let key: String = row.try_get(0)?;
            let runs = u64::try_from(row.try_get::<i64, _>(2)?).unwrap_or(0);
            let value = FacetValue { value: row.try_get(1)?, runs, ..FacetValue::default() };
            match facets.iter_mut().find(|facet| facet.key == key) {
                Some(facet) if facet.values.len() == FACET_VALUES => facet.more = true,
                Some(facet) => facet.values.push(value),
                None => facets.push(Facet { key, values: vec![value], ..Facet::default() }),
            }
        }
        let capped = (counted == FACET_SAMPLE).then_some(FACET_SAMPLE.unsigned_abs());
        Ok(Facets { facets, counted_newest: capped })
    }

    /// Values of a session key with a prefix, most frequent first.
    pub async fn complete_session_values(
        &self,
        workspace: WorkspaceId,
        key: &str,
        prefix: &str,
    ) -> Result<Vec<FacetValue>> {
        let of_metadata = "FROM session_metadata WHERE workspace_id = $1 AND";
        let (sql, key) = match key.strip_prefix("metadata.") {
            Some(key) => (format!("SELECT value, COUNT(*) {of_metadata} key = $5 AND value >= $2 AND value < $3"), key),
            None if key == "has" => {
                let named = "'metadata.' || key";
                (format!("SELECT {named}, COUNT(*) {of_metadata} $5 = 'has' AND {named} >= $2 AND {named} < $3"), key)
            }
            None if matches!(key, "name" | "status") => {
                let of_session = "FROM session WHERE workspace_id = $1 AND $5 <> ''";
                (format!("SELECT {key}, COUNT(*) {of_session} AND {key} >= $2 AND {key} < $3"), key)
            }
            None => return Ok(Vec::new()),
        };
        let end = format!("{prefix}\u{10ffff}");
        let args = vec![workspace.0.into(), prefix.into(), end.into(), COMPLETIONS.into(), key.into()];
        let rows = fetch(&self.reader, format!("{sql} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT $4"), args).await?;
        let value = |row: &AnyRow| -> Result<FacetValue> {
            let runs = u64::try_from(row.try_get::<i64, _>(1)?).unwrap_or(0);
            Ok(FacetValue { value: row.try_get(0)?, runs, ..FacetValue::default() })
        };
        rows.iter().map(value).collect()
    }

    /// The prompt of the first stored run of each session.
    pub async fn first_prompts(&self, workspace: WorkspaceId, ids: &[&str]) -> Result<BTreeMap<String, String>> {
        let tags: Vec<Tag> = ids.iter().map(|id| Tag::new("session", id)).collect();
        let found = self.counted_tags(workspace, &tags.iter().collect::<Vec<_>>()).await?;
        if found.is_empty() {
            return Ok(BTreeMap::new());
        }
        let tag_ids: Vec<String> = found.iter().map(|counted| counted.id.to_string()).collect();
        let sql = format!(
            "SELECT g.value, r.input_preview FROM tag g CROSS JOIN run r WHERE g.id IN ({}) AND r.workspace_id = $1 \
             AND r.input_preview IS NOT NULL AND r.n = (SELECT MIN(t.n) FROM run_tag t WHERE t.tag_id = g.id)",
            tag_ids.join(", ")
        );
        let rows = fetch(&self.reader, sql, vec![workspace.0.into()]).await?;
        rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
    }

    /// Totals of the stored runs of a session.
    pub async fn session_totals(&self, workspace: WorkspaceId, id: &str) -> Result<SessionTotals> {
        let tag = Tag::new("session", id);
        let Some(found) = self.counted_tags(workspace, &[&tag]).await?.pop() else {
            return Ok(SessionTotals::default());
        };
        let sql = "SELECT COUNT(*), CAST(COALESCE(SUM(r.input_tokens + r.output_tokens), 0) AS BIGINT), \
             CAST(COALESCE(SUM(r.cost_micros), 0) AS BIGINT), CAST(COALESCE(SUM(r.duration_ms), 0) AS BIGINT) \
             FROM run_tag t CROSS JOIN run r WHERE t.tag_id = $1 AND r.n = t.n AND r.workspace_id = $2";
        let row = sqlx::query(sql).bind(found.id).bind(workspace.0).fetch_one(&self.reader).await?;
        let number = |index: usize| -> Result<u64> { Ok(u64::try_from(row.try_get::<i64, _>(index)?).unwrap_or(0)) };
        Ok(SessionTotals { runs: number(0)?, tokens: number(1)?, cost_micros: number(2)?, duration_ms: number(3)? })
    }
}

/// A query on the sessions of one workspace, ready to run.
pub struct SessionPlan {
    workspace: WorkspaceId,
    query: Query,
    /// The time that relative times in the query refer to.
    now_ms: i64,
    args: Args,
    /// SQL conditions on `s`.
    conditions: Vec<String>,
}

/// A clause that sessions cannot be filtered by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedClause(pub String);

impl SessionPlan {
    /// Builds the plan of a query. Relative times count from `now_ms`.
    pub fn new(workspace: WorkspaceId, query: &Query, now_ms: i64) -> std::result::Result<Self, UnsupportedClause> {
        let mut args = Args::default();
        let conditions = vec![format!("s.workspace_id = {}", args.bind(workspace.0))];
        let mut plan = Self { workspace, query: query.clone(), now_ms, args, conditions };
        for clause in &query.clauses {
            let terms = clause.terms().map(|term| plan.term(term).ok_or_else(|| UnsupportedClause(clause.to_string())));
            let any = terms.collect::<std::result::Result<Vec<_>, _>>()?.join(" OR ");
            let not = if clause.negated { "NOT " } else { "" };
            // A value that a session does not have is NULL: it matches no condition.
            plan.conditions.push(format!("{not}COALESCE({any}, FALSE)"));
        }
        Ok(plan)
    }

    /// The SQL condition of a term. `None` if sessions cannot be filtered by it.
    fn term(&mut self, term: &Term) -> Option<String> {
        let entry = "EXISTS (SELECT 1 FROM session_metadata m WHERE m.workspace_id = s.workspace_id \
             AND m.session_id = s.id AND m.key =";
        Some(match term {
            Term::Metadata { key, value } => {
                let (key, value) = (self.args.bind(key.as_str()), self.args.bind(value.as_str()));
                format!("{entry} {key} AND m.value = {value})")
            }
            Term::Has(Has::Metadata(key)) => {
                let key = self.args.bind(key.as_str());
                format!("{entry} {key})")
            }
            Term::Field { field: Field::Name | Field::Agent, value } => {
                format!("s.name = {}", self.args.bind(value.as_str()))
            }
            Term::Field { field: Field::Id | Field::Session, value } => {
                format!("s.id = {}", self.args.bind(value.as_str()))
            }
            Term::Field { field: Field::SessionStatus, value } => {
                format!("s.status = {}", self.args.bind(value.as_str()))
            }
            Term::Since(when) => format!("s.last_used_at >= {}", self.args.bind(when.resolve(self.now_ms))),
            Term::Before(when) => format!("s.last_used_at < {}", self.args.bind(when.resolve(self.now_ms))),
            // Names and summaries are short enough to search without an index.
            Term::Word(text) | Term::Phrase(text) => {
                let each: Vec<String> = words(text)
                    .map(|word| {
                        let word = self.args.bind(format!("%{word}%"));
                        format!("s.search LIKE {word}")
                    })
                    .collect();
                format!("({})", each.join(" AND "))
            }
            _ => return None,
        })
    }
}

/// The searchable text of a session, in lower case.
fn search_text(session: &SessionSummary) -> String {
    let part = |text: &Option<String>| text.as_deref().unwrap_or("").to_lowercase();
    format!("{} {}", part(&session.name), part(&session.summary))
}

fn summary(row: &AnyRow) -> Result<SessionSummary> {
    Ok(SessionSummary {
        id: row.try_get("id")?,
        name: row.try_get("name")?,
        status: row.try_get("status")?,
        summary: row.try_get("summary")?,
        metadata: serde_json::from_str::<Metadata>(row.try_get("metadata")?).unwrap_or_default(),
        created_at_ms: row.try_get("created_at")?,
        last_used_at_ms: row.try_get("last_used_at")?,
    })
}
