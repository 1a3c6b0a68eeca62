//! Runlens's pages, the models they render, and the server functions that load these.
//!
//! The same code renders on the server (`ssr`) and takes over in the browser (`hydrate`). Code for one side only lives in
//! [`backend`] (the interface that the server implements) and [`browser`].

// A page is a deep tree of view types; the default limit is too low for it.
#![recursion_limit = "512"]

pub mod api;
mod app;
#[cfg(feature = "ssr")]
pub mod backend;
// The server calls only a part of it.
#[cfg_attr(not(feature = "hydrate"), allow(dead_code, unused_imports))]
mod browser;
pub mod components;
mod error;
pub mod format;
pub mod launch;
pub mod model;
mod pages;
pub mod plain_text;
pub mod preferences;
mod query_string;
pub mod shell;
pub mod wire;
pub mod zone;

pub use app::App;
pub use error::AppError;

/// Called by the site's script once the client is loaded.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    let Some(body) = leptos::prelude::document().body() else { return };
    wasm_bindgen_futures::spawn_local(async {
        // Waits for the code of the page.
        leptos::mount::hydrate_from_async(body, App).await.forget();
        browser::mark_scripted();
    });
}
