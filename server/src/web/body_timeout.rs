//! Stops waiting for a request's body that does not come, or comes too slowly.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::BoxError;
use axum::body::{Body, BodyDataStream, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use futures::StreamExt;
use futures::stream::{self, Stream};

use crate::limits::Limits;

/// Which bodies have to arrive at which speed.
#[derive(Clone, Debug)]
pub struct BodyTimes {
    limits: Limits,
    /// The paths that accept files. A large body takes a while on a slow line.
    upload_paths: Arc<[&'static str]>,
}

impl BodyTimes {
    pub fn new(limits: Limits, upload_paths: impl IntoIterator<Item = &'static str>) -> Self {
        Self { limits, upload_paths: upload_paths.into_iter().collect() }
    }

    fn pace_of(&self, path: &str) -> Pace {
        let bytes_per_second = self.upload_paths.contains(&path).then_some(self.limits.min_upload_bytes_per_second);
        Pace { pause: self.limits.body_timeout, deadline: self.limits.body_deadline, bytes_per_second }
    }
}

/// How long the server waits for a body.
#[derive(Clone, Copy, Debug)]
struct Pace {
    /// For the next part.
    pause: Duration,
    /// For all parts together.
    deadline: Duration,
    /// Each of these many bytes moves the deadline by a second.
    bytes_per_second: Option<u64>,
}

impl Pace {
    /// Returns how long to wait for the next part.
    fn patience(&self, received_bytes: u64, waited: Duration) -> Duration {
        let earned = self.bytes_per_second.map_or(0, |rate| received_bytes / rate.max(1));
        (self.deadline + Duration::from_secs(earned)).saturating_sub(waited).min(self.pause)
    }
}

pub async fn limit_body_time(State(times): State<BodyTimes>, request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let pace = times.pace_of(request.uri().path());
    next.run(request.map(|body| Body::from_stream(limited(body.into_data_stream(), pace)))).await
}

/// Returns the parts of a body. Fails when the next one does not come in time.
fn limited(body: BodyDataStream, pace: Pace) -> impl Stream<Item = Result<Bytes, BoxError>> {
    stream::unfold(Some((body, 0, Duration::ZERO)), move |body| async move {
        let (mut body, received_bytes, waited) = body?;
        let began = Instant::now();
        match tokio::time::timeout(pace.patience(received_bytes, waited), body.next()).await {
            Ok(Some(Ok(part))) => {
                let received_bytes = received_bytes + part.len() as u64;
                Some((Ok(part), Some((body, received_bytes, waited + began.elapsed()))))
            }
            Ok(Some(Err(error))) => Some((Err(error.into()), None)),
            Ok(None) => None,
            Err(_) => Some((Err("the rest of the request did not come in time".into()), None)),
        }
    })
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    const PAUSE: Duration = Duration::from_millis(40);

    /// A body of parts that come after a pause each.
    async fn read(parts: usize, part_bytes: usize, pace: Pace) -> Result<usize, String> {
        let parts = stream::iter(0..parts).then(move |_| async move {
            tokio::time::sleep(PAUSE).await;
            Ok::<_, Infallible>(Bytes::from(vec![b'x'; part_bytes]))
        });
        let mut body = std::pin::pin!(limited(Body::from_stream(parts).into_data_stream(), pace));
        let mut bytes = 0;
        while let Some(part) = body.next().await {
            bytes += part.map_err(|error| error.to_string())?.len();
        }
        Ok(bytes)
    }

    #[tokio::test]
    async fn a_body_that_trickles_fails_at_its_deadline() {
        let pace = Pace { pause: 10 * PAUSE, deadline: 5 * PAUSE, bytes_per_second: None };
        assert!(read(20, 1_000, pace).await.is_err());
        let pace = Pace { bytes_per_second: Some(1_000_000), ..pace };
        assert!(read(20, 1, pace).await.is_err(), "an upload that trickles");
        assert_eq!(read(20, 1_000_000, pace).await, Ok(20_000_000), "a large upload takes a while");
    }

    #[tokio::test]
    async fn time_in_which_the_server_does_not_read_does_not_count() {
        let pace = Pace { pause: PAUSE, deadline: PAUSE, bytes_per_second: None };
        let parts = stream::iter(0..4).map(|_| Ok::<_, Infallible>(Bytes::from_static(b"x")));
        let mut body = std::pin::pin!(limited(Body::from_stream(parts).into_data_stream(), pace));
        for _ in 0..4 {
            assert!(body.next().await.is_some_and(|part| part.is_ok()));
            tokio::time::sleep(PAUSE).await;
        }
    }
}
