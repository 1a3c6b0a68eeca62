//! The clock behind relative times: they change while the page is open.

/// Returns the server's time when the page was rendered, plus the time that has passed in the browser since. Reading it
/// in a view renders that view again as time passes.
pub fn ticking(now_ms: i64) -> impl Fn() -> i64 + Clone + Send + Sync + 'static {
    #[cfg(feature = "hydrate")]
    {
        use leptos::prelude::Get;
        let (clock, start_ms) = (browser::clock(), browser::now_ms());
        move || now_ms + (clock.get() - start_ms).max(0)
    }
    #[cfg(not(feature = "hydrate"))]
    move || now_ms
}

/// The browser's time in Unix milliseconds.
pub fn now_ms() -> u64 {
    #[cfg(feature = "hydrate")]
    return browser::now_ms().unsigned_abs();
    #[cfg(not(feature = "hydrate"))]
    0
}

/// The distance from UTC at a time, in the time zone that the viewer chose.
pub fn zone_offset_minutes(at_ms: i64) -> i32 {
    #[cfg(feature = "hydrate")]
    return browser::zone_offset_minutes(at_ms).unwrap_or(0);
    #[cfg(not(feature = "hydrate"))]
    {
        let _ = at_ms;
        0
    }
}

/// The name of the browser's own time zone.
pub fn browser_time_zone() -> Option<String> {
    #[cfg(feature = "hydrate")]
    return browser::time_zone();
    #[cfg(not(feature = "hydrate"))]
    None
}

#[cfg(feature = "hydrate")]
mod browser {
    use std::sync::LazyLock;
    use std::time::Duration;

    use leptos::prelude::*;
    use wasm_bindgen::{JsCast, JsValue};
    use web_sys::js_sys::{Date, Function, Intl, Object, Reflect};

    const TICK: Duration = Duration::from_secs(10);

    /// Lives as long as the tab, because many components on all pages read it.
    static CLOCK: LazyLock<ArcRwSignal<i64>> = LazyLock::new(|| {
        let clock = ArcRwSignal::new(now_ms());
        let ticked = clock.clone();
        set_interval(move || ticked.set(now_ms()), TICK);
        clock
    });

    pub fn clock() -> ArcRwSignal<i64> {
        CLOCK.clone()
    }

    pub fn now_ms() -> i64 {
        web_sys::js_sys::Date::now() as i64
    }

    /// The browser shows the time as a clock in the zone would, and the difference is the offset. `None` if it does not know
    /// the zone.
    pub fn zone_offset_minutes(at_ms: i64) -> Option<i32> {
        let zone = document().document_element()?.get_attribute("data-zone").filter(|zone| zone != "UTC")?;
        let (date, options) = (Date::new(&JsValue::from_f64(at_ms as f64)), JsValue::from(Object::new()));
        Reflect::set(&options, &JsValue::from_str("timeZone"), &JsValue::from_str(&zone)).ok()?;
        let format = Reflect::get(&date, &JsValue::from_str("toLocaleString")).ok()?.dyn_into::<Function>().ok()?;
        // Sweden writes 2026-11-16 04:34:13.
        let clock: JsValue = format.call2(&date, &JsValue::from_str("sv-SE"), &options).ok()?;
        let clock = clock.as_string()?;
        let clock_ms = Date::parse(&format!("{}Z", clock.replace(' ', "T")));
        let minutes = (clock_ms - (at_ms - at_ms.rem_euclid(1000)) as f64) / 60_000.0;
        minutes.is_finite().then_some(minutes as i32)
    }

    pub fn time_zone() -> Option<String> {
        let options = Intl::DateTimeFormat::default().resolved_options();
        Reflect::get(&options, &JsValue::from_str("timeZone")).ok()?.as_string()
    }
}
