//! Slow and greedy clients: half requests, clients that do not read, too many streams.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::harness::{DEMO, TestApp, api_key};

/// Sends bytes and waits until the server closes the connection. Returns what it answered.
async fn answer_to(app: &TestApp, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(app.running.addr).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    let read = tokio::time::timeout(Duration::from_secs(60), read).await.expect("the server closes the connection");
    // A reset closes it too.
    let _ = read;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn a_page_that_is_not_rendered_in_time_says_so() {
    let mut app = TestApp::start_apart(|_| {}).await;
    let mut browser = app.signed_in(DEMO).await;
    app.restart(|config| config.limits.render_timeout = Duration::ZERO).await;
    // A response that is there within the timer's resolution counts as in time.
    let mut late = async |path: &str, accept: &str| {
        for _ in 0..100 {
            let url = app.url(path);
            let answer = browser.send(app.http.get(url.clone()).header("accept", accept), url).await;
            if answer.status == 503 {
                return answer.body;
            }
        }
        panic!("{path} was always in time");
    };
    let page = late("/runs?q=status:failed", "text/html").await;
    let link = "href=\"/runs?q=status:failed\"";
    assert!(page.contains("This page took too long.") && page.contains(link), "{page}");
    let data = late("/rpc/runs", "application/json").await;
    assert!(data.contains("\"busy\""), "{data}");
}

#[tokio::test]
async fn half_a_request_is_not_waited_for() {
    let short = Duration::from_millis(200);
    let app = TestApp::start_with(|config| {
        config.limits.header_timeout = short;
        config.limits.idle_timeout = short;
        config.limits.body_timeout = short;
    })
    .await;
    assert_eq!(answer_to(&app, b"").await, "");
    assert_eq!(answer_to(&app, b"GET /healthz HTTP/1.1\r\nHost: x\r\n").await, "");
    let second = answer_to(&app, b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nHo").await;
    assert!(second.starts_with("HTTP/1.1 200") && second.matches("HTTP/1.1").count() == 1, "{second}");
    for path in ["/preferences", "/launch", "/api/import", "/rpc/create-view"] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Length: 1000\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n\r\ntheme=da",
            api_key(DEMO)
        );
        answer_to(&app, head.as_bytes()).await;
    }
}

#[tokio::test]
async fn a_body_that_trickles_is_not_waited_for() {
    let app = TestApp::start_with(|config| {
        config.limits.body_timeout = Duration::from_secs(600);
        config.limits.body_deadline = Duration::from_millis(300);
    })
    .await;
    for path in ["/preferences", "/launch", "/import", "/api/import", "/api/import/batch", "/rpc/create-view"] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Length: 100000\r\n\
             Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n",
            api_key(DEMO)
        );
        let mut stream = TcpStream::connect(app.running.addr).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let (mut reader, mut writer) = stream.into_split();
        let trickle = async {
            while writer.write_all(b"x").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let mut answer = Vec::new();
        let closed = async {
            tokio::select! {
                _ = reader.read_to_end(&mut answer) => {}
                () = trickle => {}
            }
        };
        let closed = tokio::time::timeout(Duration::from_secs(30), closed).await;
        assert!(closed.is_ok(), "{path} still waits");
    }
}

#[tokio::test]
async fn one_client_does_not_take_all_connections() {
    let config = |config: &mut runlens::config::Config| {
        config.limits.max_connections_per_client = 2;
        config.limits.header_timeout = Duration::from_secs(600);
    };
    let app = TestApp::start_with(config).await;
    let connect = async || TcpStream::connect(app.running.addr).await.unwrap();
    let held = [connect().await, connect().await];
    let mut refused = connect().await;
    let read = tokio::time::timeout(Duration::from_secs(60), refused.read(&mut [0; 1])).await;
    assert!(matches!(read, Ok(Ok(0) | Err(_))), "a third connection is closed: {read:?}");
    let other = tokio::net::TcpSocket::new_v4().unwrap();
    other.bind("127.0.0.2:0".parse().unwrap()).unwrap();
    let mut other = other.connect(app.running.addr).await.unwrap();
    other.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    let mut begin = [0; 12];
    tokio::time::timeout(Duration::from_secs(60), other.read_exact(&mut begin)).await.expect("an answer").unwrap();
    assert_eq!(&begin, b"HTTP/1.1 200");
    drop(held);
}

#[tokio::test]
async fn connections_beyond_the_limit_wait_for_a_free_place() {
    let app = TestApp::start_with(|config| {
        config.limits.max_connections = 2;
        config.limits.header_timeout = Duration::from_secs(600);
    })
    .await;
    let silent = async || TcpStream::connect(app.running.addr).await.unwrap();
    let silent = [silent().await, silent().await];
    let mut answer = tokio::spawn(app.http.get(app.url("/healthz")).send());
    let early = tokio::time::timeout(Duration::from_millis(500), &mut answer).await;
    assert!(early.is_err(), "both places are taken: {early:?}");
    drop(silent);
    let answer = tokio::time::timeout(Duration::from_secs(60), answer).await.expect("a place is free");
    assert_eq!(answer.unwrap().unwrap().status(), 200);
}

#[tokio::test]
async fn silent_clients_make_room() {
    let app = TestApp::start_with(|config| {
        config.limits.max_connections = 2;
        config.limits.header_timeout = Duration::from_millis(300);
        config.limits.idle_timeout = Duration::from_secs(600);
    })
    .await;
    let silent = async || TcpStream::connect(app.running.addr).await.unwrap();
    let _silent = [silent().await, silent().await];
    let request = app.http.get(app.url("/healthz")).timeout(Duration::from_secs(60));
    assert_eq!(request.send().await.expect("the silent clients are dropped").status(), 200);
}

#[tokio::test]
async fn connections_that_are_done_make_room() {
    let app = TestApp::start_with(|config| {
        config.limits.max_connections = 2;
        config.limits.header_timeout = Duration::from_secs(600);
        config.limits.idle_timeout = Duration::from_secs(600);
    })
    .await;
    let mut idle = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(app.running.addr).await.unwrap();
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
        let mut begin = [0; 12];
        stream.read_exact(&mut begin).await.unwrap();
        assert_eq!(&begin, b"HTTP/1.1 200");
        idle.push(stream);
    }
    let request = app.http.get(app.url("/healthz")).timeout(Duration::from_secs(60));
    assert_eq!(request.send().await.expect("an idle connection is closed").status(), 200);
}

#[tokio::test]
async fn streams_are_limited_for_each_session_and_in_total() {
    let app = TestApp::start_with(|config| {
        config.limits.max_streams_per_session = 2;
        config.limits.max_streams = 3;
    })
    .await;
    let id =
        app.start_run(DEMO, "/call approve {}", json!({ "tools": [{ "kind": "local", "name": "approve" }] })).await;
    app.pending_call(DEMO, &id).await;
    let browsers = [app.signed_in(DEMO).await, app.signed_in(DEMO).await, app.signed_in(DEMO).await];
    let open = async |browser: usize| {
        let session = format!("runlens_session={}", browsers[browser].cookies["runlens_session"]);
        app.http.get(app.url(&format!("/runs/{id}/live"))).header("cookie", session).send().await.unwrap()
    };
    let mut oldest = open(0).await;
    let second = open(0).await;
    let third = open(0).await;
    assert_eq!((oldest.status().as_u16(), second.status().as_u16(), third.status().as_u16()), (200, 200, 200));
    let read = async { while oldest.chunk().await.unwrap().is_some() {} };
    tokio::time::timeout(Duration::from_secs(60), read).await.expect("the oldest stream of the session is closed");
    let other = open(1).await;
    assert_eq!(other.status(), 200);
    let refused = open(2).await;
    assert_eq!(refused.status(), 429);
    assert!(refused.headers().contains_key("retry-after"));
}

#[tokio::test]
async fn a_large_form_of_an_anonymous_client_is_answered_before_it_is_read() {
    let app = TestApp::start().await;
    let origin = app.url("/");
    let origin = origin.as_str().trim_end_matches('/');
    // The rest of the announced body never comes.
    let head = format!(
        "POST /launch HTTP/1.1\r\nHost: {}\r\nOrigin: {origin}\r\nContent-Length: 15000000\r\n\
         Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\nContent-Disposition: form-data; name=\"json\"\r\n\r\n",
        app.running.addr
    );
    let answer = answer_to(&app, format!("{head}{}", "x".repeat(200_000)).as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 409"), "{answer}");
    let head = format!(
        "POST /preferences HTTP/1.1\r\nHost: {}\r\nOrigin: {origin}\r\nContent-Length: 15000000\r\n\
         Content-Type: application/x-www-form-urlencoded\r\n\r\ntheme=",
        app.running.addr
    );
    let answer = answer_to(&app, format!("{head}{}", "x".repeat(200_000)).as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
}

#[tokio::test]
async fn a_form_of_an_anonymous_client_is_limited_beside_its_fields_too() {
    let app = TestApp::start().await;
    let origin = app.url("/");
    let origin = origin.as_str().trim_end_matches('/');
    // The rest of the announced body never comes.
    let head = format!(
        "POST /launch HTTP/1.1\r\nHost: {}\r\nOrigin: {origin}\r\nContent-Length: 15000000\r\n\
         Content-Type: multipart/form-data; boundary=b\r\n\r\n",
        app.running.addr
    );
    let fields = "--b\r\nContent-Disposition: form-data; name=\"json\"\r\n\r\n\r\n".repeat(4_000);
    let answer = answer_to(&app, format!("{head}{fields}").as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 409"), "{answer}");
    let answer = answer_to(&app, format!("{head}{}", "x".repeat(200_000)).as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
}

#[tokio::test]
async fn templates_that_are_saved_at_the_same_time_do_not_exceed_the_limit() {
    let app = TestApp::start().await;
    let mut browsers = Vec::new();
    for _ in 0..8 {
        browsers.push(app.signed_in(DEMO).await);
    }
    let database = app.database.connect().await;
    for number in 0..199 {
        sqlx::query(
            "INSERT INTO launch_template (workspace_id, id, subject, email, shared, name, notes, content, changed_at) \
             SELECT workspace_id, $1, subject, email, 0, 'a name', '', access_token, 0 FROM oauth_grant LIMIT 1",
        )
        .bind(format!("template {number}"))
        .execute(&database)
        .await
        .unwrap();
    }
    let saves = browsers.iter_mut().map(|browser| async {
        let spec = json!({ "systemPrompt": "You help.", "modelId": "sandbox/script", "prompt": "/say hello" });
        let page = browser.launch_page("").await;
        let page = browser.change_launch_form(&page, &[("json", &spec.to_string())]).await;
        browser.send_launch_form(&page, &[("template.name", "one more"), ("action", "save-template")]).await
    });
    futures::future::join_all(saves).await;
    let saved: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM launch_template").fetch_one(&database).await.unwrap();
    assert_eq!(saved, 200);
}

#[tokio::test]
async fn refused_credentials_of_one_address_are_limited() {
    let app = TestApp::start_with(|config| config.limits.anonymous_writes_per_minute = 3).await;
    let get = async |token: String| {
        let request = app.http.get(app.url("/api/runs")).bearer_auth(token);
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!(get(api_key(DEMO)).await, 200);
    let mut answers = Vec::new();
    for number in 0..5 {
        answers.push(get(format!("mantyx_guess_{number}")).await);
    }
    assert_eq!(answers, [401, 401, 401, 429, 429]);
    // A credential that is known to be good still works.
    assert_eq!(get(api_key(DEMO)).await, 200);
}

#[tokio::test]
async fn sign_ins_of_one_address_are_limited() {
    let app = TestApp::start_with(|config| {
        config.limits.sign_ins_per_minute = 2;
        config.limits.anonymous_writes_per_minute = 1;
    })
    .await;
    let mut answers = Vec::new();
    for path in ["/auth/start", "/auth/callback?state=x"].repeat(3) {
        answers.push(app.http.get(app.url(path)).send().await.unwrap().status().as_u16());
    }
    assert_eq!(answers[4..], [429, 429], "{answers:?}");
    assert!(!answers[..4].contains(&429), "each sign-in counts once, and not as another change: {answers:?}");
    assert_eq!(app.http.get(app.url("/sign-in")).send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn a_change_that_takes_long_is_not_stopped_halfway() {
    let mut app = TestApp::start_apart(|_| {}).await;
    let mut browser = app.signed_in(DEMO).await;
    app.restart(|config| config.limits.render_timeout = Duration::ZERO).await;
    for number in 0..10 {
        let name = format!("View {number}");
        let view = [("list", "runs"), ("name", name.as_str()), ("query", "status:failed")];
        let (status, body) = browser.call("create-view", &view).await;
        assert_eq!(status, 200, "{body}");
    }
}
