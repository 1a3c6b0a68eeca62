//! What only a browser does: follow a run, a list and their addresses, play a log, copy, change the frame at once.
//!
//! Effects run in a browser alone, so most of this is ordinary code. What needs the browser's own types stands in
//! [`stream`], [`post`], [`upload`], [`launch`], [`page`], [`place`] and [`focus`], which do nothing on the server.

mod address;
mod ages;
mod chunk;
mod focus;
mod follow;
mod launch;
#[cfg(feature = "hydrate")]
mod launch_check;
mod news;
mod page;
mod place;
mod player;
mod post;
mod stream;
mod upload;

use leptos::prelude::*;

pub use address::{Asking, follow_address, follow_hash, refresh};
pub use ages::count_ages;
pub use chunk::without_page_code;
pub use follow::{Follow, bring_place, follow_place};
pub use launch::{LaunchFormState, launch_form_state};
pub use news::{Watched, watch_runs};
pub use page::{
    apply_rail, apply_theme, copy_link, copy_text, is_in_control, is_on_control, mark_scripted, part_under,
    scroll_to_event, slot_under,
};
pub use place::NEWEST_ID;
pub use player::{Player, player};
pub use post::{Sent, form_address, post_form};
pub use stream::follow_run;
pub use upload::{Upload, upload_form};

/// How the stream of a run in progress stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Connection {
    #[default]
    Idle,
    Live,
    Reconnecting,
    /// MANTYX does not send, and this server tries again.
    Stalled,
    /// Nobody follows the run any more.
    Stopped,
}

impl Connection {
    pub fn notice(self) -> Option<&'static str> {
        match self {
            Self::Idle => None,
            Self::Live => Some("Live: new events appear as they happen."),
            Self::Reconnecting => Some("The live connection was lost. Reconnecting; nothing is lost."),
            Self::Stalled => Some("MANTYX's stream broke. It is taken up again where it broke; nothing is lost."),
            Self::Stopped => {
                Some("MANTYX does not let this sign-in follow the run any more. Sign in again, then reload.")
            }
        }
    }
}

/// Does something again and again for as long as the component is there and somebody can see it.
pub fn while_shown(again: Callback<()>) {
    Effect::new(move |_| {
        let look = move || {
            if !page::is_hidden() {
                again.run(());
            }
        };
        if let Ok(interval) = set_interval_with_handle(look, std::time::Duration::from_secs(2)) {
            on_cleanup(move || interval.clear());
        }
    });
}
