//! Lists as they are drawn. The server composes them whole: links are ready to follow and the query language stays out of
//! the browser, which draws them and asks for another list when its address changes.

mod address;
mod bar;
mod chart;
mod columns;
mod facets;
mod places;
mod runs;
mod sessions;
mod suggest;

pub use address::{Links, ListAddress, opened_view};
pub use bar::{Bar, Chip, Fault, read_bar};
pub use chart::{Chart, ChartPart, ChartSlot, compose_chart};
pub use columns::Column;
pub use facets::{FacetGroup, FacetLink, FacetPanel, compose_facets};
pub use places::{places, text_query};
pub use runs::{Peek, RunList, RunNews};
pub use sessions::{SessionList, Turn, TurnRun, Turns, pair_turns};
pub use suggest::{Suggestion, Typed, typed};
