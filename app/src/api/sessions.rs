//! Sessions: their list, one of them, its conversation page by page, and what is said in it next.

use leptos::prelude::*;

use crate::AppError;
use crate::browse::{ListAddress, SessionList, Turns};
use crate::model::SessionPage;
use crate::wire::Wire;

/// Runs that are looked at beside a page of messages.
#[cfg(feature = "ssr")]
const RUNS_BESIDE: u32 = 120;

#[server(prefix = "/rpc", endpoint = "sessions", input = leptos::server_fn::codec::GetUrl)]
pub async fn browse_sessions(#[server(default)] address: ListAddress) -> Result<Wire<SessionList>, AppError> {
    use super::browse::PAGE_SIZE;
    use crate::browse::{Bar, Chip, Links, compose_facets, opened_view, read_bar};
    use domain::url::encode;
    use domain::{ExcludingClause, ViewList};

    let composed = async {
        let workspace = crate::backend::workspace()?;
        let views = workspace.views(ViewList::Sessions).await?;
        let opened = opened_view(&address, &views);
        let links = Links::with_view(ViewList::Sessions, opened);
        let default = opened.map_or("", |view| view.query.as_str());
        let query = match read_bar(ViewList::Sessions, &address, default) {
            Ok(query) => query,
            Err(bar) => return Ok(SessionList { bar: *bar, views, ..SessionList::default() }),
        };
        let bar = Bar::of(&links, &query);
        let page = match workspace.sessions(&query, address.cursor.as_deref(), PAGE_SIZE).await {
            Err(AppError::Invalid { field, message }) if field == "q" => {
                return Ok(SessionList { bar: bar.faulty(message), views, ..SessionList::default() });
            }
            page => page?,
        };
        let url = links.under(&query);
        let drop =
            |clause: ExcludingClause| Chip { text: clause.text, href: links.under(&query.without(clause.index)) };
        Ok(SessionList {
            facets: compose_facets(&links, workspace.session_facets(&query).await?, &query),
            newest: address.cursor.as_ref().map(|_| url.clone()),
            older: page.next_cursor.map(|cursor| format!("{url}&cursor={}", encode(&cursor))),
            drops: page.excluding.into_iter().map(drop).collect(),
            add: links.adding_to(&query),
            sessions: page.sessions,
            stale: page.stale,
            now_ms: page.now_ms,
            bar,
            views,
        })
    };
    super::with_status(composed.await).map(Wire)
}

#[server(prefix = "/rpc", endpoint = "session", input = leptos::server_fn::codec::GetUrl)]
pub async fn open_session(id: String) -> Result<Wire<SessionPage>, AppError> {
    super::with_status(async { crate::backend::workspace()?.session(&id).await }.await).map(Wire)
}

/// A page of a conversation: the last one, or the one before `before`, whose runs come after `runs`.
#[server(prefix = "/rpc", endpoint = "session-turns", input = leptos::server_fn::codec::GetUrl)]
pub async fn read_turns(id: String, before: Option<u64>, runs: Option<String>) -> Result<Wire<Turns>, AppError> {
    use crate::browse::pair_turns;
    use domain::url::encode;
    use protocol::Query;
    use protocol::query::{Field, Term};

    let read = async {
        let workspace = crate::backend::workspace()?;
        let of_session = Query::default().with(Term::Field { field: Field::Session, value: id.clone() });
        let beside = workspace.runs(&of_session, runs.as_deref(), RUNS_BESIDE).await?;
        let session = workspace.known_session(&id).await?;
        let messages = workspace.session_messages(&id, before).await?;
        let (turns, used) = pair_turns(&messages.events, &beside.runs, &session.metadata, before.is_none());
        let earlier = match messages.next_before_seq {
            None => None,
            Some(seq) => {
                // Where the runs of the earlier messages begin.
                let next = match u32::try_from(used) {
                    Ok(used) if used > 0 => workspace.runs(&of_session, runs.as_deref(), used).await?.next_cursor,
                    _ => runs,
                };
                let next = next.map(|next| format!("&runs={}", encode(&next))).unwrap_or_default();
                Some(format!("/sessions/{}?before={seq}{next}", encode(&id)))
            }
        };
        let going = before.is_none() && beside.runs.iter().any(|run| !run.status.is_terminal());
        Ok(Turns { turns, earlier, going, now_ms: beside.now_ms })
    };
    super::with_status(read.await).map(Wire)
}

/// Says something in a session: a run answers it.
#[server(prefix = "/rpc", endpoint = "send-message")]
pub async fn send_message(id: String, text: String) -> Result<(), AppError> {
    super::with_status(async { crate::backend::workspace()?.send_message(&id, text.trim()).await }.await)
}

/// Ends a session for good.
#[server(prefix = "/rpc", endpoint = "end-session")]
pub async fn end_session(id: String) -> Result<(), AppError> {
    super::with_status(async { crate::backend::workspace()?.end_session(&id).await }.await)
}
