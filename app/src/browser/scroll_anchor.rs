//! Where on the page a replay or a run in progress is: at the row of its event, or at the end of the rows.
//! On the server there is no such place.

/// The end of the rows.
pub const NEWEST_ID: &str = "newest";

/// Room that is left below the place: the frame's bar is there on a narrow page.
#[cfg(feature = "hydrate")]
const BELOW_PX: f64 = 72.0;
#[cfg(feature = "hydrate")]
const ABOVE_PX: f64 = 8.0;
/// A line more or less is no going away.
#[cfg(feature = "hydrate")]
const SLACK_PX: f64 = 24.0;

/// Whether its end is between the replay's bar and the foot of the window.
pub fn is_in_view() -> bool {
    #[cfg(feature = "hydrate")]
    return browser::measure().is_some_and(|seen| {
        seen.place.bottom() >= seen.top - SLACK_PX && seen.place.bottom() <= seen.height + SLACK_PX
    });
    #[cfg(not(feature = "hydrate"))]
    true
}

/// Scrolls as far as needed, at once: whatever glides is behind by the next event. With `go`, it gets the focus.
pub fn bring_into_view(go: bool) {
    #[cfg(feature = "hydrate")]
    {
        use wasm_bindgen::JsCast;

        if let Some(offset) = browser::offset().filter(|offset| *offset != 0.0) {
            let options = web_sys::ScrollToOptions::new();
            options.set_top(offset);
            options.set_behavior(web_sys::ScrollBehavior::Instant);
            leptos::prelude::window().scroll_by_with_scroll_to_options(&options);
        }
        let place = browser::place().filter(|_| go).and_then(|place| place.dyn_into::<web_sys::HtmlElement>().ok());
        if let Some(place) = place {
            let _ = place.set_attribute("tabindex", "-1");
            let _ = place.focus();
        }
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = go;
}

/// Whether the reader is writing: then the page stays where it is.
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

    pub fn place() -> Option<Element> {
        let current = document().query_selector(".row.current").ok().flatten();
        current.or_else(|| document().get_element_by_id(NEWEST_ID))
    }

    /// The place in the window, the upper edge of what is seen of the rows, and the window's height.
    pub struct Measured {
        pub place: DomRect,
        pub top: f64,
        pub height: f64,
    }

    pub fn measure() -> Option<Measured> {
        let bar = document().query_selector(".replaying").ok().flatten();
        Some(Measured {
            place: place()?.get_bounding_client_rect(),
            top: bar.map_or(0.0, |bar| bar.get_bounding_client_rect().bottom().max(0.0)),
            height: window().inner_height().ok()?.as_f64()?,
        })
    }

    /// How far the page is to be scrolled.
    pub fn offset() -> Option<f64> {
        let Measured { place, top, height } = measure()?;
        let (top, foot) = (top + ABOVE_PX, height - BELOW_PX);
        let fits = place.height() <= foot - top;
        Some(match () {
            // Of what is higher than the window the end is what is new.
            () if place.bottom() > foot || place.bottom() < top && !fits => place.bottom() - foot,
            () if place.top() < top && fits => place.top() - top,
            () => 0.0,
        })
    }
}
