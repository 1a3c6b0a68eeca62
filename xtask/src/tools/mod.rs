//! Finds or installs external programs. If neither works, the error says exactly what is missing.

pub mod apt;
pub mod chromium;
pub mod curl;
pub mod npm;
pub mod postgres;
pub mod python;
pub mod sandbox;
pub mod wasm_target;

use std::net::TcpListener;

use anyhow::Result;

/// A free loopback port.
pub fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
