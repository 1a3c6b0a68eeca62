//! Parts of the page that only say something: drawn on the server, and sent to the browser as they are.
//!
//! Their rules, words and models would weigh more there than all that they show. They hold links and nothing that needs
//! scripts; whoever follows a link has the part drawn anew for the view that it leads to. Every text goes through views,
//! which escape it.

mod age;
mod banners;
mod fit;
mod highlight;
mod imported;
mod loops;
mod plan;
mod prose;
pub mod rows;
mod tools;
mod truncated;
mod verdict;

use leptos::prelude::*;

use protocol::timeline::Density;

use super::{RunView, Tab, density_name};
use crate::format::grouped;

pub use age::call_age;
pub use banners::{May, banners, next_step};
pub use fit::fit;
pub use imported::imported;
pub use loops::loops;
pub use plan::checklist;
pub use prose::prose;
pub use tools::tools;
pub use truncated::truncation_card;
pub use verdict::verdict_part;

/// The part of the page with the tabs, as addresses name it.
pub const SIDE_ID: &str = "side";

/// Where the links of a part lead: to other views of one run.
#[derive(Clone, Copy)]
pub struct Links<'a> {
    pub run_id: &'a str,
    pub view: &'a RunView,
}

impl Links<'_> {
    /// `#12`: scrolls to that event, on whatever part of the timeline it is.
    pub fn event(&self, seq: u64) -> AnyView {
        view! { <a class="event-link" href=self.focus(seq)>{format!("#{seq}")}</a> }.into_any()
    }

    pub fn focus(&self, seq: u64) -> String {
        self.view.focused(seq).href(self.run_id)
    }

    /// To the reply box of a call: rows that only list events have none.
    pub fn reply(&self, seq: u64) -> String {
        self.to(RunView { density: Density::Normal, ..self.view.focused(seq) })
    }

    /// The iterations of the run's loops, scrolled to: on a narrow page they are far below.
    pub fn lens(&self) -> String {
        let href = self.to(RunView { tab: Tab::Loop, focus: None, ..self.view.clone() });
        format!("{href}#{SIDE_ID}")
    }

    pub fn to(&self, view: RunView) -> String {
        view.href(self.run_id)
    }
}

/// Where something is found that the rows shown do not have.
pub fn hits_in(density: Density, hits: usize, links: Links<'_>) -> String {
    let href = links.to(links.view.in_density(density));
    let words = format!("{} in “{}”", grouped(hits as u64), density_name(density));
    html(view! { <a href=href data-noscroll="">{words}</a> })
}

/// A part as text. The page takes it in whole and never hydrates it.
fn html(view: impl IntoView) -> String {
    view.into_view().to_html()
}
