//! Reloads a page whose code belongs to another build than the server's, for example during an upgrade.

/// The attribute of the root element with the build that rendered the page, and whose code the page loaded.
#[cfg(feature = "hydrate")]
const ATTRIBUTE: &str = "data-build";
/// Without this limit, two servers of different builds behind one URL could make a page reload forever.
#[cfg(feature = "hydrate")]
const RELOAD_AT_MOST_EVERY_S: u64 = 30;
#[cfg(feature = "hydrate")]
const LAST_RELOAD_KEY: &str = "runlens-reloaded-for-build";

/// Returns true if data of this build can be read here. The server reads only its own data.
pub fn is_same_build(build_id: &str) -> bool {
    #[cfg(feature = "hydrate")]
    {
        let root = leptos::prelude::document().document_element();
        root.and_then(|root| root.get_attribute(ATTRIBUTE)).is_none_or(|own| own == build_id)
    }
    #[cfg(not(feature = "hydrate"))]
    {
        let _ = build_id;
        true
    }
}

/// Loads the page again from the server, unless that just happened.
pub fn reload_for_new_build() {
    #[cfg(feature = "hydrate")]
    {
        let window = leptos::prelude::window();
        let Ok(Some(storage)) = window.session_storage() else { return };
        // Whole seconds: parsing and formatting floats would add 20 KB to the client.
        let now = (web_sys::js_sys::Date::now() / 1000.0) as u64;
        let last = storage.get_item(LAST_RELOAD_KEY).ok().flatten().and_then(|at| at.parse::<u64>().ok());
        if last.is_some_and(|last| now.saturating_sub(last) < RELOAD_AT_MOST_EVERY_S) {
            return;
        }
        let _ = storage.set_item(LAST_RELOAD_KEY, &now.to_string());
        let _ = window.location().reload();
    }
}
