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

#[cfg(feature = "hydrate")]
mod browser {
    use std::sync::LazyLock;
    use std::time::Duration;

    use leptos::prelude::*;

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
}
