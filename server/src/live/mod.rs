//! Runs in progress: one stream from MANTYX for each watched run, relayed to every browser.
//!
//! The hub stores events before it announces them, and the relay reads the store. So a slow browser delays no other, and a
//! browser that connects late or again continues from its last seq.

mod follower;
mod hub;
mod lifetime;
mod relay;
mod streams;

pub use hub::{Hub, Progress};
pub use lifetime::Lifetime;
pub use relay::relay;
pub use streams::{StreamSlot, Streams};
