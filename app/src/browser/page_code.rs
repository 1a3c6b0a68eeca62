//! Fallback for page code that can't be loaded because the network failed or the server has a newer build.

use leptos::prelude::*;
use leptos_router::hooks::use_location;

/// Makes the browser load the page from the server, which doesn't need the page's code. Never returns, because the
/// browser leaves the page.
///
/// A page that the server just rendered stays as it is; the next page is loaded this way.
pub async fn load_from_server() {
    let location = use_location();
    let rendered = Owner::current_shared_context().is_some_and(|context| context.during_hydration());
    Effect::new(move |before: Option<()>| {
        let mut address = location.pathname.get();
        for (mark, part) in [("?", location.search.get()), ("", location.hash.get())] {
            if !part.is_empty() {
                address = format!("{address}{mark}{part}");
            }
        }
        if !rendered || before.is_some() {
            super::dom::open(&address);
        }
    });
    std::future::pending().await
}
