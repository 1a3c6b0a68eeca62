//! Shows a value from the server once it has loaded. While the next value loads, the previous one stays on screen.

use leptos::prelude::*;

/// A part of a page that waits for its data, with a placeholder.
#[component]
pub fn WhenLoaded<T>(data: Resource<T>, show: impl Fn(T) -> AnyView + Clone + Send + Sync + 'static) -> impl IntoView
where
    T: Clone + Send + Sync + 'static,
{
    view! {
        <Transition fallback=|| view! { <p class="skeleton" aria-hidden="true"></p> }>{when_loaded(data, show)}</Transition>
    }
}

/// The content for a `Suspense` or `Transition`.
///
/// When a page is left, its effects may run once more after its signals are gone, where reading one of them would
/// panic. So this checks for it, before it waits and before it calls `show`.
pub fn when_loaded<T>(
    data: Resource<T>,
    show: impl Fn(T) -> AnyView + Clone + Send + Sync + 'static,
) -> impl Fn() -> Suspend<Option<AnyView>> + Clone + Send + Sync + 'static
where
    T: Clone + Send + Sync + 'static,
{
    move || {
        let loading = (!data.is_disposed()).then(|| data.into_future());
        let show = show.clone();
        Suspend::new(async move {
            let value = loading?.await;
            (!data.is_disposed()).then(|| show(value))
        })
    }
}
