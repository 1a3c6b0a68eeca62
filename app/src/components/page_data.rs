//! The data of a page, or of a part of it: loads it from the server, and shows it once it has arrived.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use leptos::prelude::*;
use serde::de::DeserializeOwned;

use crate::AppError;
use crate::wire::{Encoded, Wire};

/// Data that a server function loads. On the first visit it comes with the HTML.
///
/// Everything that needs no `T` is in functions without type parameters: the client would contain a copy for each page
/// otherwise, half as large as the page itself.
pub struct PageData<T> {
    resource: Resource<Loaded>,
    model: PhantomData<fn() -> T>,
}

/// `None` if there is nothing to load.
type Loaded = Option<Result<Encoded, AppError>>;
type Loading = Pin<Box<dyn Future<Output = Loaded> + Send>>;
type Show = Arc<dyn Fn(Loaded) -> AnyView + Send + Sync>;

impl<T> Clone for PageData<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for PageData<T> {}

impl<T: DeserializeOwned + 'static> PageData<T> {
    /// Calls `load` with the value of `source`, and again whenever that value changes.
    pub fn load<S, F>(
        source: impl Fn() -> S + Send + Sync + 'static,
        load: impl Fn(S) -> F + Send + Sync + 'static,
    ) -> Self
    where
        S: PartialEq + Clone + Send + Sync + 'static,
        F: Future<Output = Result<Wire<T>, AppError>> + Send + 'static,
    {
        Self::load_some(move || Some(source()), load)
    }

    /// As `load`; while `source` is `None`, nothing is loaded or shown.
    pub fn load_some<S, F>(
        source: impl Fn() -> Option<S> + Send + Sync + 'static,
        load: impl Fn(S) -> F + Send + Sync + 'static,
    ) -> Self
    where
        S: PartialEq + Clone + Send + Sync + 'static,
        F: Future<Output = Result<Wire<T>, AppError>> + Send + 'static,
    {
        let source = ArcMemo::new(move |_| source());
        // Reads the value as well: a memo without one counts as changed, and data that came with the HTML would load again.
        let tracked = source.clone();
        let start = move || -> Loading {
            let loading = source.get_untracked().map(&load);
            Box::pin(async move { Some(loading?.await.map(Encoded::from)) })
        };
        Self { resource: resource(Arc::new(move || tracked.with(|_| ())), Arc::new(start)), model: PhantomData }
    }

    pub fn reload(self) {
        self.resource.refetch();
    }

    /// The data, for effects. `None` until it has arrived.
    pub fn get(self) -> Option<Result<T, AppError>> {
        self.resource.get().flatten().map(decode)
    }

    /// Shows the data, and a placeholder until it has arrived. While the next data loads, the previous one stays on screen.
    pub fn show(self, show: impl Fn(Result<T, AppError>) -> AnyView + Send + Sync + 'static) -> AnyView {
        when_loaded(self.resource, erased(show), || view! { <p class="skeleton" aria-hidden="true"></p> }.into_any())
    }

    /// As `show`, without a placeholder.
    pub fn show_later(self, show: impl Fn(Result<T, AppError>) -> AnyView + Send + Sync + 'static) -> AnyView {
        when_loaded(self.resource, erased(show), || ().into_any())
    }
}

fn decode<T: DeserializeOwned>(loaded: Result<Encoded, AppError>) -> Result<T, AppError> {
    Wire::from(loaded?).decode()
}

fn erased<T: DeserializeOwned>(show: impl Fn(Result<T, AppError>) -> AnyView + Send + Sync + 'static) -> Show {
    Arc::new(move |loaded| match loaded {
        Some(loaded) => show(decode(loaded)),
        None => ().into_any(),
    })
}

/// Calls `start` once, and again whenever the signals that `track` reads have changed.
fn resource(track: Arc<dyn Fn() + Send + Sync>, start: Arc<dyn Fn() -> Loading + Send + Sync>) -> Resource<Loaded> {
    let changes = AtomicU64::new(0);
    let source = move || {
        track();
        changes.fetch_add(1, Ordering::Relaxed)
    };
    Resource::new_blocking(source, move |_| start())
}

/// When a page is left, its effects may run once more after its signals are gone, where reading one of them would panic. So
/// this checks for it, before it waits and before it calls `show`.
fn when_loaded(data: Resource<Loaded>, show: Show, placeholder: fn() -> AnyView) -> AnyView {
    let content = move || {
        let loading = (!data.is_disposed()).then(|| data.into_future());
        let show = show.clone();
        Suspend::new(async move {
            let value = loading?.await;
            (!data.is_disposed()).then(|| show(value))
        })
    };
    view! { <Transition fallback=placeholder>{content}</Transition> }.into_any()
}
