//! Serves the site from a folder and tells open pages when to reload, for `cargo xtask dev`. Debug builds only.

use std::convert::Infallible;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream;
use tokio_util::sync::CancellationToken;

use super::assets::{Site, content_type};

/// The variable by which `cargo xtask dev` names the folder.
const FOLDER: &str = "RUNLENS_DEV_SITE";
const CHANGES_PATH: &str = "/dev/changes";
const STYLES: &str = "pkg/runlens.css";
const POLL_EVERY: Duration = Duration::from_millis(50);
/// For the browser: how long to wait before it connects to a restarted server.
const RECONNECT_AFTER: Duration = Duration::from_millis(100);

/// A site whose files change while the server runs.
pub(crate) struct DevSite {
    folder: PathBuf,
    started_at_ms: u128,
    shutdown: CancellationToken,
}

impl DevSite {
    pub(crate) fn from_env(shutdown: &CancellationToken) -> Option<Arc<Self>> {
        let folder = std::env::var_os(FOLDER)?.into();
        Some(Arc::new(Self { folder, started_at_ms: unix_ms(SystemTime::now()), shutdown: shutdown.clone() }))
    }

    /// The URLs of the files. They are the same in every build, so one read is enough.
    pub(crate) fn site(&self) -> Site {
        let manifest = fs::read_to_string(self.folder.join("manifest.json")).unwrap_or_else(|_| "{}".to_owned());
        Site { files: &[], manifest: manifest.leak() }
    }

    /// Answers requests for the folder's files, and passes all others on.
    pub(crate) fn serve_before(self: Arc<Self>, router: Router) -> Router {
        router.layer(from_fn_with_state(self, serve))
    }

    fn file(&self, url_path: &str) -> Option<Vec<u8>> {
        let path = Path::new(url_path.strip_prefix('/')?);
        let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        if is_inside { fs::read(self.folder.join(path)).ok() } else { None }
    }

    fn styles_changed_at_ms(&self) -> Option<u128> {
        fs::metadata(self.folder.join(STYLES)).and_then(|file| file.modified()).ok().map(unix_ms)
    }
}

async fn serve(State(site): State<Arc<DevSite>>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    if path == CHANGES_PATH {
        return changes(site);
    }
    match site.file(path) {
        Some(content) => ([(CACHE_CONTROL, "no-cache"), (CONTENT_TYPE, content_type(path))], content).into_response(),
        None => next.run(request).await,
    }
}

/// First the time at which this server started: a page that sees another one than before reloads. Then an event for
/// each new stylesheet.
fn changes(site: Arc<DevSite>) -> Response {
    let started = Event::default().event("started").data(site.started_at_ms.to_string()).retry(RECONNECT_AFTER);
    let styles_at_ms = site.styles_changed_at_ms();
    let events = stream::unfold((Some(started), styles_at_ms), move |(first, seen)| {
        let site = site.clone();
        async move {
            if let Some(first) = first {
                return Some((Ok::<_, Infallible>(first), (None, seen)));
            }
            loop {
                tokio::select! {
                    () = tokio::time::sleep(POLL_EVERY) => {}
                    () = site.shutdown.cancelled() => return None,
                }
                let current = site.styles_changed_at_ms();
                if let Some(at_ms) = current.filter(|_| current != seen) {
                    return Some((Ok(Event::default().event("styles").data(at_ms.to_string())), (None, current)));
                }
            }
        }
    });
    Sse::new(events).into_response()
}

fn unix_ms(time: SystemTime) -> u128 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()
}
