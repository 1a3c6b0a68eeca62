//! The HTML document around the app, as the server renders it.

#[cfg(feature = "ssr")]
pub use server::{announce_page_code, shell};

#[cfg(feature = "ssr")]
mod server {
    use http::header::{CONTENT_SECURITY_POLICY, HeaderValue, LINK};
    use leptos::prelude::*;
    use leptos_axum::ResponseOptions;
    use leptos_meta::MetaTags;

    use crate::App;
    use crate::backend::SiteAssets;
    use crate::preferences;

    pub fn shell() -> impl IntoView {
        set_content_policy();
        let assets = use_context::<SiteAssets>().unwrap_or_default();
        let (theme, rail) = preferences::from_request();
        let zone = preferences::zone_from_request().name();
        let build_id = assets.build_id();
        let scripts = assets.js.zip(assets.wasm).map(|(js, wasm)| {
            view! {
                <link rel="preload" href=wasm r#as="fetch" r#type="application/wasm" crossorigin="anonymous" />
                <script type="module" src=js nonce=use_nonce()></script>
            }
        });
        view! {
            <!DOCTYPE html>
            <html lang="en" data-build=build_id data-theme=theme.as_str() data-rail=rail.as_str() data-zone=zone>
                <head>
                    <meta charset="utf-8" />
                    <meta name="viewport" content="width=device-width, initial-scale=1" />
                    <meta name="color-scheme" content="light dark" />
                    <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
                    {assets.css.map(|css| view! { <link rel="stylesheet" href=css /> })}
                    {scripts}
                    <MetaTags />
                </head>
                <body>
                    <App />
                </body>
            </html>
        }
    }

    /// Tells the browser to load a page's code along with the client, not after it.
    pub fn announce_page_code(page: &str) {
        let (Some(assets), Some(response)) = (use_context::<SiteAssets>(), use_context::<ResponseOptions>()) else {
            return;
        };
        for url in assets.pages.get(page).into_iter().flatten() {
            let link = format!("<{url}>; rel=preload; as=fetch; type=\"application/wasm\"; crossorigin=anonymous");
            if let Ok(link) = HeaderValue::from_str(&link) {
                response.append_header(LINK, link);
            }
        }
    }

    /// Allows scripts only from our own files or with this response's nonce, and forbids everything else, including
    /// framing.
    fn set_content_policy() {
        let (Some(response), Some(nonce)) = (use_context::<ResponseOptions>(), use_nonce()) else { return };
        let policy = format!(
            "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'self'; \
             img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; \
             frame-ancestors 'none'"
        );
        if let Ok(policy) = HeaderValue::from_str(&policy) {
            response.insert_header(CONTENT_SECURITY_POLICY, policy);
        }
    }
}
