//! The controls of the waterfall: dragging across the bars zooms in, dragging the marked part of the overview moves it, and
//! keys zoom, move and go from row to row. While a run is in progress, its bars grow.

use crate::browser::RunContext;

pub fn control_waterfall(run: RunContext) {
    #[cfg(feature = "hydrate")]
    browser::control(run);
    #[cfg(not(feature = "hydrate"))]
    let _ = run;
}

#[cfg(feature = "hydrate")]
mod browser {
    use leptos::ev;
    use leptos::prelude::*;
    use leptos::task::spawn_local;
    use leptos_router::NavigateOptions;
    use leptos_router::hooks::use_navigate;
    use protocol::timeline::Density;
    use web_sys::{Element, KeyboardEvent, PointerEvent};

    use super::RunContext;
    use crate::browser::dom::{closest, is_in_control};
    use crate::browser::{POLL_EVERY, focus, poll_while_visible, refresh};
    use crate::model::run::{Zoom, ZoomStep};

    /// A shorter movement is a click.
    const MIN_DRAG_PX: f64 = 4.0;

    /// A drag that began on a bar or on the overview.
    #[derive(Clone, Copy)]
    struct Drag {
        /// Where the time axis begins, and its width, in pixels.
        left: f64,
        width: f64,
        /// Where the drag began.
        from: f64,
        /// The times at both ends, in milliseconds.
        range: Zoom,
        total_ms: u64,
        /// Moves this part instead of selecting a new one.
        moved: Option<Zoom>,
        selection_id: &'static str,
    }

    pub fn control(run: RunContext) {
        let navigate = use_navigate();
        let show = Callback::new(move |zoom: Option<Zoom>| {
            let href = untrack(|| run.href(|view| view.zoomed(zoom)));
            navigate(&href, NavigateOptions { scroll: false, ..Default::default() });
        });
        let drag: StoredValue<Option<Drag>> = StoredValue::new(None);
        Effect::new(move |_| {
            if run.view.with(|view| view.density) != Density::Waterfall {
                return;
            }
            let listeners = [
                window_event_listener(ev::pointerdown, move |event| drag.set_value(begin(&event))),
                window_event_listener(ev::pointermove, move |event| {
                    if let Some(drag) = drag.get_value() {
                        select(&drag, Some(drag.to(f64::from(event.client_x()))));
                    }
                }),
                window_event_listener(ev::pointerup, move |event| {
                    let Some(drag) = drag.try_update_value(Option::take).flatten() else { return };
                    select(&drag, None);
                    let at = f64::from(event.client_x());
                    if (at - drag.from).abs() >= MIN_DRAG_PX {
                        let zoom = drag.to(at);
                        show.run(Zoom::between(zoom.from_ms, zoom.to_ms, drag.total_ms));
                    }
                }),
                window_event_listener(ev::pointercancel, move |_| {
                    if let Some(drag) = drag.try_update_value(Option::take).flatten() {
                        select(&drag, None);
                    }
                }),
                window_event_listener(ev::keydown, move |event| on_key(&event, show)),
            ];
            on_cleanup(move || listeners.into_iter().for_each(|listener| listener.remove()));
        });
        poll_while_visible(
            POLL_EVERY,
            Callback::new(move |()| {
                let is_growing = run.state.with_untracked(|state| !state.ended)
                    && run.view.with_untracked(|view| view.density == Density::Waterfall && view.at.is_none());
                if is_growing && drag.with_value(Option::is_none) {
                    spawn_local(refresh(run));
                }
            }),
        );
    }

    impl Drag {
        /// The part between the beginning of the drag and a place.
        fn to(&self, x: f64) -> Zoom {
            let (from_ms, to_ms) = (self.time_at(self.from), self.time_at(x));
            match self.moved {
                None => Zoom { from_ms: from_ms.min(to_ms), to_ms: from_ms.max(to_ms) },
                Some(zoom) => {
                    let earlier = from_ms.saturating_sub(to_ms).min(zoom.from_ms);
                    let later = to_ms.saturating_sub(from_ms).min(self.total_ms.saturating_sub(zoom.to_ms));
                    Zoom { from_ms: zoom.from_ms + later - earlier, to_ms: zoom.to_ms + later - earlier }
                }
            }
        }

        fn time_at(&self, x: f64) -> u64 {
            let part = ((x - self.left) / self.width.max(1.0)).clamp(0.0, 1.0);
            self.range.from_ms + (part * (self.range.to_ms - self.range.from_ms) as f64) as u64
        }
    }

    fn begin(event: &PointerEvent) -> Option<Drag> {
        if event.button() != 0 {
            return None;
        }
        let overview = closest(event, ".overview");
        let is_overview = overview.is_some();
        let area = overview.or_else(|| closest(event, ".waterfall-row .track, .ticks"))?;
        let (range, total_ms) = shown_range()?;
        event.prevent_default();
        let bounds = area.get_bounding_client_rect();
        let is_on_brush = is_overview && closest(event, ".brush").is_some();
        Some(Drag {
            left: bounds.left(),
            width: bounds.width(),
            from: f64::from(event.client_x()),
            range: if is_overview { Zoom::all(total_ms) } else { range },
            total_ms,
            moved: is_on_brush.then_some(range),
            selection_id: if is_overview { "overview-selection" } else { "waterfall-selection" },
        })
    }

    /// Marks the range that is being selected, or nothing. The mark is behind the bars of every row.
    fn select(drag: &Drag, zoom: Option<Zoom>) {
        let Some(selection) = document().get_element_by_id(drag.selection_id) else { return };
        let span = (drag.range.to_ms - drag.range.from_ms).max(1) as f64;
        let zoom = zoom.unwrap_or(Zoom { from_ms: drag.range.from_ms, to_ms: drag.range.from_ms });
        // In hundredths of a percent: numbers with decimals need more code.
        let part = |ms: u64| (ms as f64 / span * 10_000.0) as u64;
        let set = |name: &str, hundredths: u64| {
            let _ = selection.set_attribute(name, &format!("{}.{:02}%", hundredths / 100, hundredths % 100));
        };
        set("x", part(zoom.from_ms.saturating_sub(drag.range.from_ms)));
        set("width", part(zoom.to_ms - zoom.from_ms));
    }

    /// The part of the axis that is shown, and the length of the run.
    fn shown_range() -> Option<(Zoom, u64)> {
        let ticks = first(".timeline .ticks")?;
        let number = |name: &str| ticks.get_attribute(name)?.parse::<u64>().ok();
        Some((Zoom { from_ms: number("data-from")?, to_ms: number("data-to")? }, number("data-total")?))
    }

    fn on_key(event: &KeyboardEvent, show: Callback<Option<Zoom>>) {
        if event.ctrl_key() || event.meta_key() || event.alt_key() || is_in_control(event) {
            return;
        }
        let step = match (event.key().as_str(), event.shift_key()) {
            ("+" | "=", _) => Some(ZoomStep::In),
            ("-", _) => Some(ZoomStep::Out),
            ("ArrowLeft", true) => Some(ZoomStep::Earlier),
            ("ArrowRight", true) => Some(ZoomStep::Later),
            ("0", _) => None,
            ("ArrowDown", _) => return move_focus(event, true),
            ("ArrowUp", _) => return move_focus(event, false),
            _ => return,
        };
        let Some((range, total_ms)) = shown_range() else { return };
        event.prevent_default();
        show.run(step.and_then(|step| range.step(step, total_ms)));
    }

    /// From a row, moves the focus to the next or the previous row.
    fn move_focus(event: &KeyboardEvent, forward: bool) {
        let Some(row) = closest(event, ".waterfall-row") else { return };
        let next = if forward { row.next_element_sibling() } else { row.previous_element_sibling() };
        if let Some(label) = next.and_then(|next| next.query_selector(".bar-label").ok().flatten()) {
            event.prevent_default();
            focus::focus(label);
        }
    }

    fn first(selector: &str) -> Option<Element> {
        document().query_selector(selector).ok().flatten()
    }
}
