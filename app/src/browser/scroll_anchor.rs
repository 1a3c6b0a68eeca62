//! The current position of a replay or of a run in progress: the row of its event, or the end of the timeline. On the
//! server there is no such position.

/// The id of the element at the end of the timeline.
pub const NEWEST_ID: &str = "newest";

/// Space below the anchor, because narrow pages have a bar at the bottom.
#[cfg(feature = "hydrate")]
const BELOW_PX: f64 = 72.0;
#[cfg(feature = "hydrate")]
const ABOVE_PX: f64 = 8.0;
/// The reader is still at the anchor after scrolling by about one line.
#[cfg(feature = "hydrate")]
const SLACK_PX: f64 = 24.0;

/// Returns true if the end of the anchor is between the replay bar and the bottom of the window.
pub fn is_in_view() -> bool {
    #[cfg(feature = "hydrate")]
    return browser::measure().is_some_and(|position| {
        position.anchor.bottom() >= position.top - SLACK_PX && position.anchor.bottom() <= position.height + SLACK_PX
    });
    #[cfg(not(feature = "hydrate"))]
    true
}

/// Scrolls as far as needed, without animation: a smooth scroll would still be running at the next event. With `focus`,
/// the anchor gets the focus.
pub fn bring_into_view(focus: bool) {
    #[cfg(feature = "hydrate")]
    {
        use wasm_bindgen::JsCast;

        if let Some(offset) = browser::offset().filter(|offset| *offset != 0.0) {
            let options = web_sys::ScrollToOptions::new();
            options.set_top(offset);
            options.set_behavior(web_sys::ScrollBehavior::Instant);
            leptos::prelude::window().scroll_by_with_scroll_to_options(&options);
        }
        let anchor =
            browser::anchor().filter(|_| focus).and_then(|anchor| anchor.dyn_into::<web_sys::HtmlElement>().ok());
        if let Some(anchor) = anchor {
            let _ = anchor.set_attribute("tabindex", "-1");
            let _ = anchor.focus();
        }
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = focus;
}

/// Returns true if the reader is typing. The page must not scroll then.
pub fn is_typing() -> bool {
    #[cfg(feature = "hydrate")]
    return leptos::prelude::document().active_element().is_some_and(|element| element.tag_name() == "TEXTAREA");
    #[cfg(not(feature = "hydrate"))]
    false
}

#[cfg(feature = "hydrate")]
mod browser {
    use leptos::prelude::{document, window};
    use web_sys::{DomRect, Element};

    use super::*;

    pub fn anchor() -> Option<Element> {
        let current = document().query_selector(".row.current").ok().flatten();
        current.or_else(|| document().get_element_by_id(NEWEST_ID))
    }

    /// The anchor's rectangle, the upper edge of the visible rows, and the window's height.
    pub struct Measured {
        pub anchor: DomRect,
        pub top: f64,
        pub height: f64,
    }

    pub fn measure() -> Option<Measured> {
        let bar = document().query_selector(".replaying").ok().flatten();
        Some(Measured {
            anchor: anchor()?.get_bounding_client_rect(),
            top: bar.map_or(0.0, |bar| bar.get_bounding_client_rect().bottom().max(0.0)),
            height: window().inner_height().ok()?.as_f64()?,
        })
    }

    /// Returns the distance to scroll.
    pub fn offset() -> Option<f64> {
        let Measured { anchor, top, height } = measure()?;
        let (top, bottom) = (top + ABOVE_PX, height - BELOW_PX);
        let fits = anchor.height() <= bottom - top;
        Some(match () {
            // If the row is taller than the window, its new content is at its end.
            () if anchor.bottom() > bottom || anchor.bottom() < top && !fits => anchor.bottom() - bottom,
            () if anchor.top() < top && fits => anchor.top() - top,
            () => 0.0,
        })
    }
}
