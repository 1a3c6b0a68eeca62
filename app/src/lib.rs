//! Runlens's pages, the models they render, and the server functions that load these.
//!
//! The same code renders on the server (`ssr`) and takes over in the browser (`hydrate`). Code for one side only lives in
//! [`backend`] (the interface that the server implements) and [`browser`].

// A page is a deep tree of view types; the default limit is too low for it.
#![recursion_limit = "512"]

pub mod api;
pub mod app;
#[cfg(feature = "ssr")]
pub mod backend;
pub mod browser;
pub mod components;
pub mod error;
pub mod format;
pub mod launch;
pub mod model;
pub mod pages;
pub mod plain_text;
pub mod preferences;
pub mod query_string;
pub mod shell;
pub mod wire;

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
