//! The open streams to browsers, limited for each session, for each workspace and in total.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use app::AppError;
use domain::LockExt;
use tokio_util::sync::CancellationToken;

use crate::limits::Limits;
use crate::store::WorkspaceId;

/// When a stream can be tried again after all are in use.
const RETRY_AFTER_S: u64 = 30;

#[derive(Clone, Debug, Default)]
pub struct Streams {
    /// Oldest first.
    open: Arc<Mutex<Vec<OpenStream>>>,
    next_id: Arc<AtomicU64>,
}

#[derive(Debug)]
struct OpenStream {
    id: u64,
    workspace: WorkspaceId,
    owner: String,
    close: CancellationToken,
}

/// An open stream. It is removed when this is dropped.
#[derive(Debug)]
pub struct StreamSlot {
    streams: Streams,
    id: u64,
    /// Cancelled when a newer stream of the same session takes its place.
    pub close: CancellationToken,
}

impl Streams {
    /// Opens a stream of a session or a credential. If it has too many, its oldest one is closed.
    pub fn open(&self, workspace: WorkspaceId, owner: String, limits: &Limits) -> Result<StreamSlot, AppError> {
        let mut open = self.open.locked();
        let of_owner = open.iter().filter(|stream| stream.owner == owner && !stream.close.is_cancelled());
        let of_workspace = open.iter().filter(|stream| stream.workspace == workspace).count();
        let is_full = open.len() >= limits.max_streams || of_workspace >= limits.max_streams_per_workspace;
        let oldest = of_owner.clone().next().filter(|_| of_owner.count() >= limits.max_streams_per_session);
        match oldest {
            Some(oldest) => oldest.close.cancel(),
            None if is_full => {
                return Err(AppError::TooManyRequests { retry_after_s: RETRY_AFTER_S });
            }
            None => {}
        }
        let (id, close) = (self.next_id.fetch_add(1, Ordering::Relaxed), CancellationToken::new());
        open.push(OpenStream { id, workspace, owner, close: close.clone() });
        Ok(StreamSlot { streams: self.clone(), id, close })
    }
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        self.streams.open.locked().retain(|stream| stream.id != self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    async fn workspaces() -> anyhow::Result<(WorkspaceId, WorkspaceId)> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        Ok((store.workspace_from_slug("one").await?, store.workspace_from_slug("other").await?))
    }

    #[tokio::test]
    async fn the_oldest_stream_of_a_session_makes_room_and_the_total_is_limited() -> anyhow::Result<()> {
        let limits = Limits { max_streams: 3, max_streams_per_session: 2, ..Limits::default() };
        let (streams, (workspace, _)) = (Streams::default(), workspaces().await?);
        let open = |owner: &str| streams.open(workspace, owner.to_owned(), &limits);
        let (first, second) = (open("a")?, open("a")?);
        let third = open("a").expect("takes the place of the first");
        assert!(first.close.is_cancelled() && !second.close.is_cancelled());
        assert_eq!(open("b").expect_err("full").http_status(), 429);
        drop((first, third));
        assert!(open("b").is_ok());
        Ok(())
    }

    #[tokio::test]
    async fn one_workspace_does_not_take_the_streams_of_another() -> anyhow::Result<()> {
        let limits = Limits { max_streams: 10, max_streams_per_workspace: 2, ..Limits::default() };
        let (streams, (one, other)) = (Streams::default(), workspaces().await?);
        let _held = [streams.open(one, "a".to_owned(), &limits)?, streams.open(one, "b".to_owned(), &limits)?];
        assert_eq!(streams.open(one, "c".to_owned(), &limits).expect_err("full").http_status(), 429);
        assert!(streams.open(other, "d".to_owned(), &limits).is_ok());
        Ok(())
    }
}
