//! The routes of the app.

use leptos::prelude::*;
use leptos_meta::{Title, provide_meta_context};
use leptos_router::components::{ParentRoute, Route, Router, Routes};
use leptos_router::{SsrMode, path};

use crate::components::frame::Frame;
use crate::pages::not_found::NotFound;
use crate::pages::run::RunPage;
use crate::pages::runs::RunsPage;
use crate::pages::session::SessionPage;
use crate::pages::sessions::SessionsPage;
use crate::pages::sign_in::SignIn;

/// Pages are rendered whole before they are sent, so that they read without JavaScript and carry the right status.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    view! {
        <Title formatter=|page: String| if page.is_empty() { "Runlens".to_owned() } else { format!("{page} · Runlens") } />
        <Router>
            <Routes fallback=NotFound>
                <Route path=path!("/sign-in") view=SignIn ssr=SsrMode::Async />
                <ParentRoute path=path!("/") view=Frame ssr=SsrMode::Async>
                    <Route path=path!("runs") view=RunsPage ssr=SsrMode::Async />
                    <Route path=path!("runs/:id") view=RunPage ssr=SsrMode::Async />
                    <Route path=path!("sessions") view=SessionsPage ssr=SsrMode::Async />
                    <Route path=path!("sessions/:id") view=SessionPage ssr=SsrMode::Async />
                </ParentRoute>
            </Routes>
        </Router>
    }
}
