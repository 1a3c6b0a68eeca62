//! Sites that are not embedded, in debug builds only: the folder that `cargo xtask dev` rewrites while the server runs, and
//! an optimised site for browser tests.

use std::convert::Infallible;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream;
use tokio_util::sync::CancellationToken;

use super::assets::{Asset, Site, content_type};

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

/// Loads a site that `cargo xtask build` wrote.
pub fn load_site(folder: &Path) -> anyhow::Result<Site> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(current) = folders.pop() {
        for entry in fs::read_dir(&current).with_context(|| format!("cannot read {}", current.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.extension().is_some_and(|extension| extension == "br" || extension == "gz") {
                files.push(load_asset(folder, &path)?);
            }
        }
    }
    let manifest = fs::read_to_string(folder.join("manifest.json")).context("the site has no manifest.json")?;
    Ok(Site { files: files.leak(), manifest: manifest.leak() })
}

fn load_asset(folder: &Path, path: &Path) -> anyhow::Result<Asset> {
    let compressed = |extension: &str| -> Option<&'static [u8]> {
        let path = format!("{}.{extension}", path.display());
        fs::read(path).ok().map(|content| &*content.leak())
    };
    let url = format!("/{}", path.strip_prefix(folder)?.display());
    Ok(Asset {
        // Names under /pkg/ contain a hash, and no other file changes while the server runs.
        tag: url.clone().leak(),
        path: url.leak(),
        plain: fs::read(path)?.leak(),
        br: compressed("br"),
        gz: compressed("gz"),
    })
}

fn unix_ms(time: SystemTime) -> u128 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()
}
