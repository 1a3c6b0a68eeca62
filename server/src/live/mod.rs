//! Runs in progress: one stream from MANTYX for each run that somebody watches, relayed to every browser.
//!
//! The follower stores events before it announces them, and watchers read the store: a slow browser holds nothing up,
//! and whoever comes late or comes again reads on from the seq it has.

mod follower;
mod relay;

pub use follower::Hub;
pub use relay::relay;
