//! The routes of the app.

use leptos::prelude::*;
use leptos_meta::{Title, provide_meta_context};
use leptos_router::components::{ParentRoute, Route, Router, Routes};
use leptos_router::{Lazy, SsrMode, path};

use crate::components::frame::Frame;
use crate::pages::api_docs::ApiDocsRoute;
use crate::pages::batch::BatchRoute;
use crate::pages::compare::CompareRoute;
use crate::pages::deletion::{DeleteRunRoute, DeleteSessionRoute};
use crate::pages::failure::FailureRoute;
use crate::pages::failures::FailuresRoute;
use crate::pages::import::ImportRoute;
use crate::pages::insights::InsightsRoute;
use crate::pages::launch::LaunchRoute;
use crate::pages::new_session::NewSessionRoute;
use crate::pages::not_found::NotFound;
use crate::pages::run::RunRoute;
use crate::pages::runs::RunsRoute;
use crate::pages::session::SessionRoute;
use crate::pages::sessions::SessionsRoute;
use crate::pages::settings::SettingsRoute;
use crate::pages::sign_in::SignIn;
use crate::pages::waiting::WaitingRoute;

/// Pages are rendered completely before they are sent, so that they work without JavaScript and have the right HTTP
/// status. The code of each page is a separate file, which the browser loads when the page is opened.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    view! {
        <Title formatter=|page: String| if page.is_empty() { "Runlens".to_owned() } else { format!("{page} · Runlens") } />
        <Router>
            <Routes fallback=NotFound>
                <Route path=path!("/sign-in") view=SignIn ssr=SsrMode::Async />
                <ParentRoute path=path!("/") view=Frame ssr=SsrMode::Async>
                    <Route path=path!("api/docs") view={Lazy::<ApiDocsRoute>::new()} ssr=SsrMode::Async />
                    <Route path=path!("compare") view={Lazy::<CompareRoute>::new()} ssr=SsrMode::Async />
                    <Route path=path!("failures") view={Lazy::<FailuresRoute>::new()} ssr=SsrMode::Async />
                    <Route path=path!("failures/:id") view={Lazy::<FailureRoute>::new()} ssr=SsrMode::Async />
                    <Route path=path!("import") view={Lazy::<ImportRoute>::new()} ssr=SsrMode::Async />
                    <Route path=path!("insights") view={Lazy::<InsightsRoute>::new()} ssr=SsrMode::Async />
                    <Route path=path!("launch") view={Lazy::<LaunchRoute>::new()} ssr=SsrMode::Async />
                    <Route path=path!("launch/batches/:id") view={Lazy::<BatchRoute>::new()} ssr=SsrMode::Async />
                    <Route path=path!("runs") view={Lazy::<RunsRoute>::new()} ssr=SsrMode::Async />
                    <Route path=path!("runs/:id") view={Lazy::<RunRoute>::new()} ssr=SsrMode::Async />
                    <Route path=path!("runs/:id/delete") view={Lazy::<DeleteRunRoute>::new()} ssr=SsrMode::Async />
                    <Route path=path!("sessions") view={Lazy::<SessionsRoute>::new()} ssr=SsrMode::Async />
                    <Route path=path!("sessions/new") view={Lazy::<NewSessionRoute>::new()} ssr=SsrMode::Async />
                    <Route path=path!("sessions/:id") view={Lazy::<SessionRoute>::new()} ssr=SsrMode::Async />
                    <Route path=path!("sessions/:id/delete") view={Lazy::<DeleteSessionRoute>::new()} ssr=SsrMode::Async />
                    <Route path=path!("settings") view={Lazy::<SettingsRoute>::new()} ssr=SsrMode::Async />
                    <Route path=path!("waiting") view={Lazy::<WaitingRoute>::new()} ssr=SsrMode::Async />
                </ParentRoute>
            </Routes>
        </Router>
    }
}
