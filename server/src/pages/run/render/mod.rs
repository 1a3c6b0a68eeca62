//! Renders the parts of the run page that have no interaction.
//!
//! They are sent as HTML, because their rules and models would weigh more in the browser than their output. They contain
//! links, and nothing that needs scripts. All text goes through views or [`crate::markdown`], which escape it.

mod banners;
mod call_age;
mod highlight;
mod import_report;
mod loops;
mod output_schema;
mod plan;
mod related_runs;
pub mod rows;
mod sentence;
mod text;
mod tools;
mod truncation;
mod waterfall;

use app::format::grouped;
use app::model::run::{RunView, TABS_ID, Tab, density_name};
use leptos::prelude::*;
use protocol::timeline::Density;

use crate::html::render as html;

pub use banners::{Permissions, findings};
pub use call_age::call_age;
pub use import_report::import_report;
pub use loops::loops;
pub use output_schema::schema_result;
pub use plan::checklist;
pub use related_runs::related_runs;
pub use text::text_html;
pub use tools::tools;
pub use truncation::{partial_document, truncated_here, truncation_card};
pub use waterfall::{Axis, AxisRow, Bar, BarKind, WaterfallRow, ZoomLinks, axis, row as waterfall_row};

/// Links to other views of the run.
#[derive(Clone, Copy)]
pub struct Links<'a> {
    pub run_id: &'a str,
    pub view: &'a RunView,
}

impl Links<'_> {
    /// `#12`: a link that scrolls to the event.
    pub fn event(&self, seq: u64) -> AnyView {
        view! { <a class="event-link" href=self.focus(seq)>{format!("#{seq}")}</a> }.into_any()
    }

    pub fn focus(&self, seq: u64) -> String {
        self.view.focused(seq).href(self.run_id)
    }

    /// The URL of the Loop tab, which is far below on a narrow page.
    pub fn loops(&self) -> String {
        let href = self.to(RunView { tab: Tab::Loop, focus: None, ..self.view.clone() });
        format!("{href}#{TABS_ID}")
    }

    /// The URL of an event among the steps, which also have the reply box of a call.
    pub fn step(&self, seq: u64) -> String {
        self.to(RunView { density: Density::Normal, ..self.view.focused(seq) })
    }

    pub fn to(&self, view: RunView) -> String {
        view.href(self.run_id)
    }
}

/// A link to the matches in another density.
pub fn hits_in(density: Density, hits: usize, links: Links<'_>) -> String {
    let href = links.to(links.view.in_density(density));
    let words = format!("{} in “{}”", grouped(hits as u64), density_name(density));
    html(view! { <a href=href data-noscroll="">{words}</a> })
}

/// A link that loads the page again, for browsers without JavaScript.
pub fn refresh_link(href: &str) -> String {
    let note = view! { <p class="notice">"This run is in progress. "<a href=href.to_owned()>"Refresh"</a></p> };
    format!("<noscript>{}</noscript>", html(note))
}
