//! Routes whose page code is loaded on demand.

/// Defines a lazy route for a page component. `lazy_page!(RunRoute = RunPage, run);` makes `RunPage` available as
/// `<Route view={Lazy::<RunRoute>::new()} … />`.
///
/// Code that only such pages use goes into their files; code that the frame, the sign-in page or the fallback uses is
/// in the main file. The last argument names the file in the build's report; pages with the same name share a file.
macro_rules! lazy_page {
    ($route:ident = $page:ident, $chunk:ident) => {
        pub struct $route;

        const _: () = {
            use ::leptos::prelude::*;
            use ::wasm_split_helpers::{SplitLoaderError, wasm_split};

            impl ::leptos_router::LazyRoute for $route {
                fn data() -> Self {
                    Self
                }

                async fn view(_: Self) -> AnyView {
                    #[cfg(feature = "ssr")]
                    $crate::shell::announce_page_code(stringify!($chunk));
                    page().await.unwrap_or_else(|_| ().into_any())
                }

                async fn preload() {
                    if load().await.is_err() {
                        $crate::browser::load_from_server().await;
                    }
                }
            }

            #[wasm_split($chunk, preload(load), fallible)]
            fn page() -> Result<AnyView, SplitLoaderError> {
                Ok(view! { <$page /> }.into_any())
            }
        };
    };
}

pub(crate) use lazy_page;
