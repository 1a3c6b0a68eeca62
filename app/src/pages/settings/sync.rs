//! The state of the sync, and a button that pauses or resumes the sync of older runs.

use leptos::prelude::*;

use crate::components::post_form::PostForm;
use crate::components::time::RelativeTime;
use crate::format::grouped;
use domain::{HistoryState, SyncProgress};

#[component]
pub fn SyncState(
    sync: Option<SyncProgress>,
    /// Why the viewer cannot pause it.
    refusal: Option<String>,
    now_ms: i64,
    reload: Callback<()>,
) -> impl IntoView {
    let Some(sync) = sync else {
        let text = "Your sign-in does not include runs:read, so the state of the sync is not shown.";
        return view! { <p class="hint">{text}</p> }.into_any();
    };
    let state = describe(&sync);
    let at_mantyx = sync.total.map(|total| view! { <dt>"Runs at MANTYX"</dt><dd>{grouped(total)}</dd> });
    let last = match sync.synced_at_ms {
        Some(at_ms) => view! { <RelativeTime at_ms now_ms /> }.into_any(),
        None => "Not yet".into_any(),
    };
    let error = sync.last_error.map(|error| view! { <dt>"Last error"</dt><dd class="field-error">{error}</dd> });
    let logs = match sync.logs_missing {
        0 => grouped(sync.logs),
        missing => format!("{}, {} not synced yet", grouped(sync.logs), grouped(missing)),
    };
    let paused = sync.paused;
    let switch = match refusal {
        Some(refusal) => view! { <p class="hint">{refusal}</p> }.into_any(),
        None => view! {
            <PostForm action="/rpc/pause-sync" class="form-buttons" done="" on_done=reload>
                <input type="hidden" name="paused" value=(!paused).to_string() />
                <button class="button" type="submit">{if paused { "Resume sync" } else { "Pause sync" }}</button>
                <span class="hint">"Older runs and logs. New runs are synced either way."</span>
            </PostForm>
        }
        .into_any(),
    };
    view! {
        <dl>
            <dt>"State"</dt><dd>{state}</dd>
            <dt>"Runs stored here"</dt><dd>{grouped(sync.runs)}</dd>
            {at_mantyx}
            <dt>"Logs"</dt><dd>{logs}</dd>
            <dt>"Last synced"</dt><dd>{last}</dd>
            {error}
        </dl>
        {switch}
    }
    .into_any()
}

fn describe(sync: &SyncProgress) -> &'static str {
    match sync.history {
        _ if sync.paused => "Paused",
        _ if !sync.can_list => {
            "This MANTYX cannot list runs: only runs that were opened, launched or imported here are shown"
        }
        _ if sync.last_error.is_some() => "Failed, retrying soon",
        HistoryState::NotBegun => "Not started",
        HistoryState::UnderWay => "Syncing older runs",
        HistoryState::Complete if sync.logs_missing > 0 => "Syncing logs",
        HistoryState::Complete => "Complete",
    }
}
