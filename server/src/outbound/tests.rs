//! Tests against servers on loopback, with a scripted resolver.

use std::collections::VecDeque;
use std::sync::Mutex;

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Redirect};
use axum::routing::{any, get};
use http::HeaderMap;

use super::*;

const TIMEOUT: Duration = Duration::from_secs(20);

/// Returns one address per query, in order, then none.
struct Scripted(Mutex<VecDeque<SocketAddr>>);

impl Scripted {
    fn new(addresses: impl IntoIterator<Item = SocketAddr>) -> Arc<Self> {
        Arc::new(Self(Mutex::new(addresses.into_iter().collect())))
    }

    fn remaining(&self) -> usize {
        self.0.lock().expect("no panic").len()
    }
}

#[async_trait::async_trait]
impl Resolver for Scripted {
    async fn resolve(&self, _: &str, _: u16) -> std::io::Result<Vec<SocketAddr>> {
        Ok(self.0.lock().expect("no panic").pop_front().into_iter().collect())
    }
}

async fn serve(router: Router) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let address = listener.local_addr().expect("bound");
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

fn url(text: &str) -> Url {
    Url::parse(text).expect(text)
}

fn request(url: Url) -> Request {
    Request { method: Method::GET, url, headers: HeaderMap::new(), body: None }
}

fn allowing(addresses: &[SocketAddr]) -> AllowList {
    let mut allowed = AllowList::default();
    addresses.iter().for_each(|address| allowed.allow_address(*address));
    allowed
}

async fn text(outbound: &Outbound, request: Request) -> Result<String, OutboundError> {
    let bytes = outbound.send(request, TIMEOUT).await?.bytes(1024).await?;
    Ok(String::from_utf8(bytes).expect("UTF-8"))
}

#[tokio::test]
async fn this_machine_is_blocked_in_any_spelling() {
    let port = serve(Router::new().fallback(any(|| async { "secret" }))).await.port();
    let outbound = Outbound::new(AllowList::default());
    for host in [
        "127.0.0.1",
        "localhost",
        "LOCALHOST.",
        "a.localhost",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "127.1",
        "0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "127.0.0.1.",
        "①②⑦.0.0.1",
    ] {
        let refused = outbound.send(request(url(&format!("http://{host}:{port}/"))), TIMEOUT).await.expect_err(host);
        assert!(matches!(refused, OutboundError::NotAllowed(_)), "{host}: {refused}");
    }
}

#[tokio::test]
async fn an_allowed_loopback_address_is_reached_by_its_names_too() {
    let address = serve(Router::new().route("/", get(|| async { "mine" }))).await;
    let outbound = Outbound::with_resolver(allowing(&[address]), Scripted::new([]));
    for host in ["127.0.0.1", "localhost", "a.localhost"] {
        let found = text(&outbound, request(url(&format!("http://{host}:{}/", address.port())))).await;
        assert_eq!(found.as_deref(), Ok("mine"), "{host}");
    }
}

#[tokio::test]
async fn other_schemes_and_credentials_in_the_address_are_refused() {
    for bad in ["file:///etc/passwd", "ftp://x.test/", "http://user:pass@x.test/", "http://user@x.test/", "nonsense"] {
        assert!(matches!(parse_url(bad), Err(OutboundError::BadUrl(_))), "{bad}");
    }
    assert_eq!(parse_url(" https://x.test/mcp ").expect("fine").host_str(), Some("x.test"));
}

#[tokio::test]
async fn a_name_is_pinned_to_its_first_address() {
    let first = serve(Router::new().route("/", get(|| async { "first" }))).await;
    let secret = serve(Router::new().route("/", get(|| async { "secret" }))).await;
    let resolver = Scripted::new([first, secret, secret]);
    let outbound = Outbound::with_resolver(allowing(&[first]), resolver.clone());
    let address = url(&format!("http://rebind.test:{}/", first.port()));
    assert_eq!(text(&outbound, request(address.clone())).await.as_deref(), Ok("first"));
    assert_eq!(resolver.remaining(), 2, "one request, one query");
    // The next request resolves the name again and checks the result again.
    assert!(matches!(text(&outbound, request(address)).await, Err(OutboundError::NotAllowed(_))));
    assert_eq!(resolver.remaining(), 1);
}

#[tokio::test]
async fn a_public_name_that_points_inside_is_refused() {
    let outbound = Outbound::with_resolver(AllowList::default(), Scripted::new(["127.0.0.1:80".parse().expect("ok")]));
    let refused = outbound.check(&url("http://inside.test/")).await;
    assert!(matches!(refused, Err(OutboundError::NotAllowed(_))), "{refused:?}");
    assert!(matches!(outbound.check(&url("http://gone.test/")).await, Err(OutboundError::UnknownName(_))));
}

#[tokio::test]
async fn a_redirect_to_loopback_is_not_followed() {
    let secret = serve(Router::new().route("/", get(|| async { "secret" }))).await;
    let target = format!("http://{secret}/");
    let door = serve(Router::new().route("/", get(move || async move { Redirect::temporary(&target) }))).await;
    let outbound = Outbound::new(allowing(&[door]));
    let refused = outbound.send(request(url(&format!("http://{door}/"))), TIMEOUT).await.expect_err("refused");
    assert!(matches!(refused, OutboundError::NotAllowed(_)), "{refused}");
}

#[tokio::test]
async fn redirects_are_followed_three_times() {
    let hops = |n: u32| Redirect::to(&if n == 0 { "/end".to_owned() } else { format!("/{}", n - 1) });
    let router = Router::new()
        .route("/end", get(|| async { "arrived" }))
        .route("/{n}", get(move |axum::extract::Path(n): axum::extract::Path<u32>| async move { hops(n) }));
    let address = serve(router).await;
    let outbound = Outbound::new(allowing(&[address]));
    let go = |n: u32| text(&outbound, request(url(&format!("http://{address}/{n}"))));
    assert_eq!(go(2).await.as_deref(), Ok("arrived"));
    assert_eq!(go(3).await, Err(OutboundError::TooManyRedirects));
}

#[tokio::test]
async fn credentials_stay_on_the_origin_they_were_given_for() {
    let echo = |headers: HeaderMap| async move {
        let seen = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("-").to_owned();
        format!("{} {} {}", seen("authorization"), seen("x-key"), seen("accept"))
    };
    let other = serve(Router::new().route("/", any(echo))).await;
    let away = format!("http://{other}/");
    let router = Router::new()
        .route("/away", any(move || async move { Redirect::temporary(&away) }))
        .route("/near", any(|| async { Redirect::temporary("/echo") }))
        .route("/echo", any(echo));
    let door = serve(router).await;
    let outbound = Outbound::new(allowing(&[door, other]));
    let mut sent = request(url(&format!("http://{door}/near")));
    sent.headers.insert("authorization", "Bearer abc".parse().expect("a header"));
    sent.headers.insert("x-key", "k".parse().expect("a header"));
    sent.headers.insert("accept", "text/plain".parse().expect("a header"));
    assert_eq!(text(&outbound, sent.clone()).await.as_deref(), Ok("Bearer abc k text/plain"));
    sent.url.set_path("/away");
    assert_eq!(text(&outbound, sent.clone()).await.as_deref(), Ok("- - text/plain"));
    // A body does not travel to another origin at all.
    sent.method = Method::POST;
    sent.body = Some(b"private".to_vec());
    assert!(matches!(text(&outbound, sent.clone()).await, Err(OutboundError::RedirectedElsewhere(_))));
    sent.url.set_path("/near");
    assert_eq!(text(&outbound, sent).await.as_deref(), Ok("Bearer abc k text/plain"));
}

#[tokio::test]
async fn a_response_is_read_up_to_its_limit() {
    let endless =
        || async { Body::from_stream(futures::stream::repeat_with(|| Ok::<_, std::io::Error>("x".repeat(500)))) };
    let address = serve(Router::new().route("/", get(move || async move { endless().await.into_response() }))).await;
    let outbound = Outbound::new(allowing(&[address]));
    assert_eq!(
        text(&outbound, request(url(&format!("http://{address}/")))).await,
        Err(OutboundError::Http(HttpError::TooLarge(1024)))
    );
}

#[tokio::test]
async fn a_server_that_never_answers_times_out() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let address = silent.local_addr().expect("bound");
    let stuck =
        serve(Router::new().route(
            "/",
            get(|| async { Body::from_stream(futures::stream::pending::<Result<&str, std::io::Error>>()) }),
        ))
        .await;
    let outbound = Outbound::new(allowing(&[address, stuck]));
    for address in [address, stuck] {
        let sent = request(url(&format!("http://{address}/")));
        let body = async { Ok(outbound.send(sent, Duration::from_millis(50)).await?.bytes(1024).await?) };
        assert_eq!(body.await, Err(OutboundError::Http(HttpError::TimedOut)));
    }
}
