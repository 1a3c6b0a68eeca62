//! The sandbox as its clients see it: over HTTP, on a free port, in a folder of its own.

mod bad_input;
mod cancel;
mod conformance;
mod crash;
mod demonstration;
mod endings;
mod guards;
mod isolation;
mod kill;
mod lists;
mod load;
mod local_tools;
mod manners;
mod oauth;
mod process;
mod readers;
mod requests;
mod scopes;
mod sessions;
mod start;
mod stream;
mod support;
mod turns;
