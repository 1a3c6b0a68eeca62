//! The number of runs, and the progress of the sync. The settings pause and resume it.

use leptos::prelude::*;

use crate::format::grouped;
use domain::{HistoryState, SyncProgress};

#[component]
pub fn SyncLine(
    /// The number of matching runs: `12,431 matching`.
    matching: Option<String>,
    sync: RwSignal<SyncProgress>,
) -> impl IntoView {
    view! {
        <div class="sync">
            <p class="hint" role="status" title=move || sync.with(|sync| sync.last_error.clone())>
                {matching.map(|matching| view! { <span class="matching">{matching}</span> " of " })}
                {move || sync.with(describe)}
            </p>
            {sync.with_untracked(|sync| sync.paused).then(|| view! { <a href="/settings">"Resume in Settings"</a> })}
        </div>
    }
}

/// Missing logs are counted up to this number.
const MANY_LOGS: u64 = 20_000;

fn describe(sync: &SyncProgress) -> String {
    let runs = grouped(sync.runs);
    let noun = if sync.runs == 1 { "run" } else { "runs" };
    let so_far = match (sync.history, sync.total) {
        _ if !sync.can_list => format!("{runs} {noun} stored here"),
        (HistoryState::Complete, _) => format!("{runs} {noun}"),
        (_, Some(total)) if total > sync.runs => format!("{runs} of about {} runs", grouped(total)),
        _ => format!("{runs} {noun} so far"),
    };
    let so_far = match sync.logs_missing {
        0 => so_far,
        MANY_LOGS.. => format!("{so_far}, more than {} logs not synced yet", grouped(MANY_LOGS)),
        missing => format!("{so_far}, logs: {} of {} synced", grouped(sync.logs), grouped(sync.logs + missing)),
    };
    match (sync.paused, &sync.last_error) {
        (true, _) => format!("{so_far}, paused"),
        (false, Some(_)) => format!("{so_far}, sync failed, retrying soon"),
        (false, None) => so_far,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_described() {
        let sync = SyncProgress {
            runs: 12_400,
            total: Some(31_000),
            can_list: true,
            history: HistoryState::UnderWay,
            ..SyncProgress::default()
        };
        assert_eq!(describe(&sync), "12,400 of about 31,000 runs");
        assert_eq!(describe(&SyncProgress { paused: true, ..sync.clone() }), "12,400 of about 31,000 runs, paused");
        assert_eq!(describe(&SyncProgress { history: HistoryState::Complete, ..sync.clone() }), "12,400 runs");
        let complete = SyncProgress { history: HistoryState::Complete, ..sync.clone() };
        let fetching = SyncProgress { logs: 12_000, logs_missing: 350, ..complete.clone() };
        assert_eq!(describe(&fetching), "12,400 runs, logs: 12,000 of 12,350 synced");
        let many = SyncProgress { logs_missing: MANY_LOGS, ..complete };
        assert_eq!(describe(&many), "12,400 runs, more than 20,000 logs not synced yet");
        assert_eq!(describe(&SyncProgress { can_list: false, ..sync }), "12,400 runs stored here");
    }
}
