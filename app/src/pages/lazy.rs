//! Pages whose code the browser loads when they are first opened.

/// Makes a page component the route of a page whose code is a file of its own, here `RunPage` as `RunRoute`:
/// `lazy_page!(RunRoute = RunPage, run);`, used as `<Route view={Lazy::<RunRoute>::new()} … />`.
///
/// What only such pages use goes into their files; what the frame, the sign-in page or the fallback use is in everybody's.
/// The last word names the file in the build's report; pages that share the word share the file.
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
