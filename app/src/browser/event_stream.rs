//! A stream of server-sent events that is open as long as a component is mounted.

use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{EventSource, MessageEvent};

const RECONNECT_AFTER: Duration = Duration::from_secs(3);

pub enum StreamEvent {
    Opened,
    Message(String),
    /// The state of the connection between the server and MANTYX.
    Upstream(String),
    /// The connection broke, and is opened again.
    Lost,
    /// The server has ended the stream.
    Ended,
}

type Url = Rc<dyn Fn() -> Option<String>>;
type Handler = Rc<dyn Fn(StreamEvent)>;
type OpenStream = StoredValue<Option<Stream>, LocalStorage>;

/// The open stream and its listener. Dropped when the component is unmounted.
struct Stream {
    source: EventSource,
    _listener: Closure<dyn FnMut(MessageEvent)>,
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.source.close();
    }
}

/// Opens the stream after hydration. `url` is called for each connection, and opens none if it returns `None`.
pub fn open(url: Url, handle: Handler) {
    let stream: OpenStream = StoredValue::new_local(None);
    // Effects run after hydration.
    Effect::new(move |_| connect(url.clone(), handle.clone(), stream));
    on_cleanup(move || {
        let _ = stream.try_update_value(Option::take);
    });
}

fn connect(url: Url, handle: Handler, stream: OpenStream) {
    let Some(source) = url().and_then(|url| EventSource::new(&url).ok()) else { return };
    let listener = Closure::new(move |event: MessageEvent| {
        let data = event.data().as_string().unwrap_or_default();
        let (url, handle) = (url.clone(), handle.clone());
        match event.type_().as_str() {
            "open" => handle(StreamEvent::Opened),
            "upstream" => handle(StreamEvent::Upstream(data)),
            "end" => {
                let _ = stream.try_update_value(Option::take);
                handle(StreamEvent::Ended);
            }
            "error" => {
                handle(StreamEvent::Lost);
                // Browsers reconnect by themselves, unless the server responded with an error.
                let is_closed = |stream: &Stream| stream.source.ready_state() == EventSource::CLOSED;
                if stream.try_with_value(|stream| stream.as_ref().is_some_and(is_closed)) == Some(true) {
                    set_timeout(move || reconnect(url, handle, stream), RECONNECT_AFTER);
                }
            }
            _ => handle(StreamEvent::Message(data)),
        }
    });
    for name in ["open", "message", "upstream", "end", "error"] {
        let _ = source.add_event_listener_with_callback(name, listener.as_ref().unchecked_ref());
    }
    stream.set_value(Some(Stream { source, _listener: listener }));
}

/// Connects again, unless the component is gone.
fn reconnect(url: Url, handle: Handler, stream: OpenStream) {
    if stream.try_with_value(|_| ()).is_some() {
        connect(url, handle, stream);
    }
}
