//! The list of sessions.

use app::AppError;
use app::model::list::{FilterErrors, ListAddress};
use app::model::sessions::SessionListModel;
use domain::ViewList;
use domain::url::encode;

use super::list::{Links, PAGE_SIZE, build_facets, build_filter_bar, excluding_chips, opened_view, parse_filter};
use crate::error::Error;
use crate::masking::{mask_sessions, masked_views};
use crate::workspace::SignedInWorkspace;
use crate::{sessions, views};

pub async fn load(workspace: &SignedInWorkspace, address: &ListAddress) -> Result<SessionListModel, Error> {
    let (state, caller) = (&workspace.state, &workspace.caller);
    let views = views::list(state, caller, ViewList::Sessions).await?;
    let opened = opened_view(address, &views);
    let links = Links::with_view(ViewList::Sessions, opened);
    let query = match parse_filter(&links, address, opened.map_or("", |view| view.query.as_str())) {
        Ok(query) => query,
        Err(filter_bar) => {
            return Ok(SessionListModel {
                filter_bar: *filter_bar,
                views: masked_views(views),
                stale: workspace.cannot_save_notice(),
                ..SessionListModel::default()
            });
        }
    };
    let mut filter_bar = build_filter_bar(&links, &query);
    let cursor = address.cursor.as_deref();
    let (plan, mut page) = match sessions::list(state, caller, &query, cursor, PAGE_SIZE).await {
        // A clause that only runs can be filtered by.
        Err(Error::App(AppError::Invalid { field, message })) if field == "q" => {
            filter_bar.errors = FilterErrors { messages: vec![message], ..FilterErrors::default() };
            return Ok(SessionListModel {
                filter_bar,
                views: masked_views(views),
                stale: workspace.cannot_save_notice(),
                ..SessionListModel::default()
            });
        }
        page => page?,
    };
    mask_sessions(&mut page.sessions);
    let url = links.url(&query);
    Ok(SessionListModel {
        facets: build_facets(&links, state.store.session_facets(&plan).await?, &query),
        newest: cursor.map(|_| url.clone()),
        older: page.next_cursor.map(|cursor| format!("{url}&cursor={}", encode(&cursor))),
        excluding: excluding_chips(&links, &query, page.excluding),
        add: links.appendable_url(&query),
        sessions: page.sessions,
        stale: page.stale.or_else(|| workspace.cannot_save_notice()),
        now_ms: page.now_ms,
        filter_bar,
        views: masked_views(views),
    })
}
