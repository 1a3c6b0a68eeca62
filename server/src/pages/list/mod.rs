//! Parts that the lists of runs and sessions share.

mod chart;
pub mod completion;
mod facets;
mod filter_bar;
mod links;
mod measure_chart;
mod ticks;
mod time_range;

use app::model::list::Chip;
use domain::ExcludingClause;
use protocol::Query;

pub use chart::{build_chart, slot_label};
pub use facets::{build_facets, term, title};
pub use filter_bar::{build_filter_bar, parse_filter};
pub use links::{Links, opened_view};
pub use measure_chart::{ChartMeasure, build_measure_chart};
pub use time_range::{build_time_range, only_time_range, without_time_range};

/// Rows on one page of a list.
pub const PAGE_SIZE: u32 = 25;

/// Links to the list without one clause, for each clause that alone excludes every result.
pub fn excluding_chips(links: &Links, query: &Query, excluding: Vec<ExcludingClause>) -> Vec<Chip> {
    let chip = |clause: ExcludingClause| Chip { text: clause.text, href: links.url(&query.without(clause.index)) };
    excluding.into_iter().map(chip).collect()
}
