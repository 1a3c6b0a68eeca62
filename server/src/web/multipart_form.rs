//! The extractor of multipart forms: axum's `Multipart`, with a limit for what its parser (multer 3.1) keeps in memory.
//!
//! The parser reads all that has arrived before it looks at it, and keeps what comes before the first boundary, and unfinished
//! headers of a field. Here it gets a small part of the body at a time, and the form fails when a few parts in a row
//! complete nothing.

use std::mem;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use axum::BoxError;
use axum::body::{Body, Bytes};
use axum::extract::multipart::{Field, MultipartError, MultipartRejection};
use axum::extract::{FromRequest, Multipart, Request};
use futures::stream::{Fuse, Stream};
use futures::{StreamExt, TryStreamExt};

/// What the parser gets at a time.
const PART_BYTES: usize = 16 * 1024;
/// What may come between two results of the parser: more than the headers of a field ever need.
const MAX_UNPARSED_BYTES: usize = 64 * 1024;

pub struct MultipartForm {
    form: Multipart,
    flow: Arc<Flow>,
}

/// A field whose content is read in chunks.
pub struct FormField<'a> {
    field: Field<'a>,
    flow: Arc<Flow>,
}

/// Why a form could not be read.
#[derive(Debug)]
pub struct FormError {
    pub message: String,
    /// The body exceeds the limit of this form.
    pub is_too_large: bool,
}

/// How much of the body the parser got.
#[derive(Debug)]
struct Flow {
    total: AtomicUsize,
    max_total: AtomicUsize,
    /// Since the last result of the parser.
    unparsed: AtomicUsize,
    /// Why the parser gets no more.
    stopped: OnceLock<&'static str>,
}

impl<S: Send + Sync> FromRequest<S> for MultipartForm {
    type Rejection = MultipartRejection;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        let flow = Arc::new(Flow::default());
        let parts = |body: Body| SmallParts::new(body.into_data_stream().into_stream().map_err(BoxError::from), &flow);
        let request = request.map(|body| Body::from_stream(parts(body)));
        Ok(Self { form: Multipart::from_request(request, state).await?, flow })
    }
}

impl MultipartForm {
    /// Limits the whole body: names and boundaries count too.
    pub fn limited_to(self, max_bytes: usize) -> Self {
        self.flow.max_total.store(max_bytes, Ordering::Relaxed);
        self
    }

    pub async fn next_field(&mut self) -> Result<Option<FormField<'_>>, FormError> {
        let flow = self.flow.clone();
        let field = self.form.next_field().await.map_err(|error| flow.error(&error))?;
        flow.note_progress();
        Ok(field.map(|field| FormField { field, flow }))
    }
}

impl FormField<'_> {
    pub fn name(&self) -> Option<&str> {
        self.field.name()
    }

    pub fn file_name(&self) -> Option<&str> {
        self.field.file_name()
    }

    pub fn content_type(&self) -> Option<&str> {
        self.field.content_type()
    }

    /// Returns the next part of the content.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, FormError> {
        let chunk = self.field.chunk().await.map_err(|error| self.flow.error(&error))?;
        self.flow.note_progress();
        Ok(chunk)
    }
}

impl Default for Flow {
    fn default() -> Self {
        let (total, max_total, unparsed) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX), AtomicUsize::new(0));
        Self { total, max_total, unparsed, stopped: OnceLock::new() }
    }
}

impl Flow {
    /// Counts a part that the parser is about to get.
    fn count(&self, bytes: usize) -> Result<(), BoxError> {
        self.total.fetch_add(bytes, Ordering::Relaxed);
        let unparsed = self.unparsed.fetch_add(bytes, Ordering::Relaxed);
        let reason = match unparsed >= MAX_UNPARSED_BYTES {
            _ if self.is_too_large() => "it is too large",
            true => "it has too much outside of its fields",
            false => return Ok(()),
        };
        Err((*self.stopped.get_or_init(|| reason)).into())
    }

    fn note_progress(&self) {
        self.unparsed.store(0, Ordering::Relaxed);
    }

    fn is_too_large(&self) -> bool {
        self.total.load(Ordering::Relaxed) > self.max_total.load(Ordering::Relaxed)
    }

    fn error(&self, error: &MultipartError) -> FormError {
        let message = self.stopped.get().map_or_else(|| error.body_text(), |reason| (*reason).to_owned());
        FormError { message, is_too_large: self.is_too_large() }
    }
}

/// A stream of small parts. After each one it is pending, so that the parser looks at the part before it reads the next. It
/// also reports its end in a task wake-up of its own: the parser calls a form incomplete if its body arrives and ends at once.
struct SmallParts<S> {
    parts: Fuse<S>,
    /// What came and is not passed on yet.
    rest: Bytes,
    had_data: bool,
    flow: Arc<Flow>,
}

impl<S: Stream> SmallParts<S> {
    fn new(parts: S, flow: &Arc<Flow>) -> Self {
        Self { parts: parts.fuse(), rest: Bytes::new(), had_data: false, flow: flow.clone() }
    }
}

impl<S: Stream<Item = Result<Bytes, BoxError>> + Unpin> Stream for SmallParts<S> {
    type Item = Result<Bytes, BoxError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if mem::take(&mut self.had_data) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        while self.rest.is_empty() {
            match self.parts.poll_next_unpin(cx) {
                Poll::Ready(Some(Ok(part))) => self.rest = part,
                other => return other,
            }
        }
        let length = self.rest.len().min(PART_BYTES);
        let part = self.rest.split_to(length);
        self.had_data = true;
        Poll::Ready(Some(self.flow.count(part.len()).map(|()| part)))
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use axum::http::header::CONTENT_TYPE;
    use futures::stream;

    use super::*;

    const FORM: &str = "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\n--x--\r\n";

    /// A body that arrives as a whole after the first poll.
    fn arrives_late() -> Body {
        let (mut polls, mut form) = (0, Some(FORM));
        Body::from_stream(stream::poll_fn(move |cx| {
            polls += 1;
            if polls == 1 {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            Poll::Ready(form.take().map(|form| Ok::<_, Infallible>(Bytes::from_static(form.as_bytes()))))
        }))
    }

    fn request(body: Body) -> Request {
        Request::post("/").header(CONTENT_TYPE, "multipart/form-data; boundary=x").body(body).expect("a request")
    }

    async fn form(body: impl Into<Body>) -> MultipartForm {
        MultipartForm::from_request(request(body.into()), &()).await.expect("a form")
    }

    async fn read(mut form: MultipartForm) -> Result<Vec<(String, usize)>, String> {
        let mut fields = Vec::new();
        while let Some(mut field) = form.next_field().await.map_err(|error| error.message)? {
            let (name, mut bytes) = (field.name().unwrap_or_default().to_owned(), 0);
            while let Some(chunk) = field.chunk().await.map_err(|error| error.message)? {
                bytes += chunk.len();
            }
            fields.push((name, bytes));
        }
        Ok(fields)
    }

    #[tokio::test]
    async fn a_form_that_arrives_between_two_polls_is_complete() {
        let fields = Ok(vec![("a".to_owned(), 3)]);
        for body in [arrives_late(), Body::from(FORM)] {
            assert_eq!(read(form(body).await).await, fields);
        }
        assert!(read(form(&FORM[..FORM.len() - 6]).await).await.is_err());
    }

    /// When this fails, the stream can report its end with its last part.
    #[tokio::test]
    async fn axum_alone_calls_it_incomplete() {
        let mut form = Multipart::from_request(request(arrives_late()), &()).await.expect("a form");
        let error = loop {
            match form.next_field().await {
                Ok(Some(field)) => {
                    if let Err(error) = field.text().await {
                        break error;
                    }
                }
                Ok(None) => panic!("the parser is repaired"),
                Err(error) => break error,
            }
        };
        assert!(error.body_text().contains("incomplete"), "{}", error.body_text());
    }

    #[tokio::test]
    async fn a_large_field_is_read_whole() {
        let content = "y".repeat(1_000_000);
        let body = FORM.replace("one", &content);
        assert_eq!(read(form(body).await).await, Ok(vec![("a".to_owned(), content.len())]));
        let many = "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\n".repeat(5_000) + "--x--\r\n";
        assert_eq!(read(form(many).await).await.map(|fields| fields.len()), Ok(5_000));
    }

    #[tokio::test]
    async fn what_is_outside_of_fields_is_limited() {
        let preamble = "y".repeat(1_000_000) + "\r\n" + FORM;
        let header =
            "--x\r\nContent-Disposition: form-data; name=\"a\"\r\nX-Long: ".to_owned() + &"y".repeat(1_000_000);
        for body in [preamble, header] {
            let form = form(body).await;
            let flow = form.flow.clone();
            assert!(read(form).await.is_err_and(|message| message.contains("outside of its fields")));
            assert!(flow.total.load(Ordering::Relaxed) <= MAX_UNPARSED_BYTES + 2 * PART_BYTES);
        }
    }

    #[tokio::test]
    async fn a_limit_counts_names_and_boundaries() {
        let many = "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n".repeat(5_000) + "--x--\r\n";
        let mut form = form(many).await.limited_to(50_000);
        let error = loop {
            match form.next_field().await {
                Ok(Some(_)) => {}
                Ok(None) => panic!("the form was read whole"),
                Err(error) => break error,
            }
        };
        assert!(error.is_too_large, "{error:?}");
    }
}
