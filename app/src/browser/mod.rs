//! Code that only runs in the browser: live stream, replay player, scrolling, clipboard, upload.
//!
//! Effects run only in the browser, so most of this is ordinary code. Files that need the browser's own types
//! ([`build`], [`stream`], [`post`], [`upload`], [`launch`], [`dom`], [`scroll_anchor`], [`focus`],
//! [`clock`], [`popovers`], [`waiting`]) do nothing on the server.

mod ages;
mod build;
mod clock;
mod dom;
#[cfg(feature = "hydrate")]
mod event_stream;
mod focus;
mod launch;
#[cfg(feature = "hydrate")]
mod launch_check;
mod page_code;
mod player;
mod popovers;
mod post;
mod run_context;
mod run_updates;
mod scroll_anchor;
mod scroll_follow;
mod stream;
#[cfg(feature = "hydrate")]
mod update_html;
mod upload;
mod url_sync;
mod waiting;
mod waterfall;

use std::time::Duration;

use leptos::prelude::*;

pub use ages::count_ages;
pub use build::{is_same_build, reload_for_new_build};
pub use clock::{browser_time_zone, ticking, zone_offset_minutes};
pub use dom::{
    apply_rail, apply_theme, copy_link, copy_text, download, is_in_control, is_on_control, mark_scripted, part_under,
    scroll_to_event, send_on_ctrl_enter, slot_under,
};
pub use focus::restore_after as restore_focus_after;
pub use launch::watch_launch_form;
pub use page_code::load_from_server;
pub use player::{Player, player};
pub use popovers::close_popovers;
pub use post::{FormResult, form_url, post_form};
pub use run_context::RunContext;
pub use run_updates::{WatchedList, watch_runs};
pub use scroll_anchor::NEWEST_ID;
pub use scroll_follow::{ScrollFollow, follow_scroll, scroll_to_anchor};
pub use stream::follow_run;
pub use upload::{Upload, upload_form};
pub use url_sync::{RefreshState, focus_tabs_on_hash, refresh, sync_with_url};
pub use waiting::{
    discard_reply, handle_waiting_keys, has_typed_reply, keep_reply, note_writing, typed_reply, watch_waiting,
};
pub use waterfall::control_waterfall;

/// The state of the live stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Connection {
    #[default]
    Idle,
    Live,
    Reconnecting,
    /// The connection between server and MANTYX broke; the server reconnects.
    Stalled,
    /// The server no longer follows the run.
    Stopped,
}

impl Connection {
    pub fn notice(self) -> Option<&'static str> {
        match self {
            Self::Idle => None,
            Self::Live => Some("Live: new events appear as they happen."),
            Self::Reconnecting => Some("The live connection was lost. Reconnecting; nothing is lost."),
            Self::Stalled => Some("The connection to MANTYX was lost. Reconnecting; no events are lost."),
            Self::Stopped => Some("This sign-in can no longer follow the run. Sign in again, then reload the page."),
        }
    }
}

/// How often a page loads what changes while it is open and has no stream.
pub const POLL_EVERY: Duration = Duration::from_secs(2);

/// Runs a callback regularly while the component is mounted and the tab is visible.
pub fn poll_while_visible(every: Duration, callback: Callback<()>) {
    Effect::new(move |_| {
        let tick = move || {
            if !dom::is_hidden() {
                callback.run(());
            }
        };
        if let Ok(interval) = set_interval_with_handle(tick, every) {
            on_cleanup(move || interval.clear());
        }
    });
}
