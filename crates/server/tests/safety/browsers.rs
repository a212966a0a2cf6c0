//! What pages in a browser can and cannot make the server do.

use serde_json::json;
use testkit::{SocketClient, TestServer};

use crate::operations::{filled, operations};

#[tokio::test]
async fn s_08_foreign_pages_change_nothing() {
    let server = TestServer::start().await;
    let request = serde_json::to_value(server.parts.create_request("external")).unwrap();
    let browser = server.browser().await;
    let port = server.port;
    let foreign = [
        "https://evil.example".to_owned(),
        "null".to_owned(),
        "http://127.0.0.1:5173".to_owned(),
        format!("https://127.0.0.1:{port}"),
        format!("http://127.0.0.1:{port}.evil.example"),
        format!("http://localhost.evil.example:{port}"),
    ];
    for origin in &foreign {
        for client in [browser.clone(), server.client()] {
            let refused = client
                .with_header("Origin", origin)
                .post_json("/api/session/create", &request)
                .await;
            assert_eq!(refused.error(), (403, "FORBIDDEN_ORIGIN".into()), "{origin}");
            assert!(refused.header("access-control-allow-origin").is_none());
        }
        assert_eq!(connect(&server, &[("Origin", origin)]).await.err(), Some(403), "{origin}");
    }
    let without = browser.post_json("/api/session/create", &request).await;
    assert_eq!(
        without.error(),
        (403, "FORBIDDEN_ORIGIN".into()),
        "a cookie alone does not prove whose page it is"
    );
    assert!(without.text().contains("use the token in a script"), "{}", without.text());
    let cross_site = browser
        .clone()
        .with_header("Origin", &server.origin())
        .with_header("Sec-Fetch-Site", "cross-site");
    assert_eq!(cross_site.post_json("/api/session/create", &request).await.status, 403);
    assert!(server.parts.service.projects().await.unwrap().is_empty(), "nothing was made");
    for origin in
        [server.origin(), format!("http://localhost:{port}"), format!("http://[::1]:{port}")]
    {
        let page = browser
            .clone()
            .with_header("Origin", &origin)
            .with_header("Sec-Fetch-Site", "same-origin");
        assert_eq!(page.post_json("/api/session/create", &request).await.status, 201, "{origin}");
    }
}

#[tokio::test]
async fn s_08_no_operation_that_changes_something_is_open_to_a_foreign_page() {
    let server = TestServer::start().await;
    let (browser, mut tried) = (server.browser().await, 0);
    let lines = server.audited().len();
    for operation in operations(&server).await.iter().filter(|it| it.method != "GET") {
        let path = filled(operation, "nobody");
        for client in [browser.clone(), server.client(), server.stranger()] {
            let client = client.with_header("Origin", "http://127.0.0.1:5173");
            let client = client.with_header("Content-Type", "application/json");
            let refused = client.request(&operation.method, &path, b"{}").await;
            assert_eq!(refused.error(), (403, "FORBIDDEN_ORIGIN".into()), "{}", operation.id);
        }
        tried += 1;
    }
    assert!(tried > 20, "{tried}");
    assert_eq!(server.audited().len(), lines, "nothing was tried");
}

#[tokio::test]
async fn s_08_a_cookie_opens_a_socket_only_from_our_page() {
    let server = TestServer::start().await;
    let browser = server.browser().await;
    let cookie = browser.header("Cookie").unwrap().to_owned();
    let page_key = browser.header("Liminal-Page-Key").unwrap();
    let protocols = format!("liminal, liminal.page-key.{page_key}");
    let connect = async |origin: Option<&str>, protocols: &str| {
        let mut head = vec![("Cookie", cookie.as_str()), ("Sec-WebSocket-Protocol", protocols)];
        head.extend(origin.map(|origin| ("Origin", origin)));
        SocketClient::connect(server.port, &head).await.err()
    };
    let origin = server.origin();
    assert_eq!(connect(None, &protocols).await, Some(403), "no origin");
    assert_eq!(connect(Some("http://127.0.0.1:5173"), &protocols).await, Some(403));
    assert_eq!(connect(Some(&origin), "liminal").await, Some(401), "no key");
    assert_eq!(connect(Some(&origin), "liminal, liminal.page-key.x").await, Some(401));
    assert_eq!(connect(Some(&origin), &protocols).await, None);
}

/// Browsers send cookies to every port of a host, so the server that a user previews on another port knows ours. It can
/// send any header it likes, but it does not know the key that our page keeps.
#[tokio::test]
async fn s_08_a_cookie_that_another_port_was_sent_is_worth_nothing_there() {
    let server = TestServer::start().await;
    let browser = server.browser().await;
    let stolen = server
        .stranger()
        .with_header("Cookie", browser.header("Cookie").unwrap())
        .with_header("Origin", &server.origin())
        .with_header("Sec-Fetch-Site", "same-origin");
    let request = serde_json::to_value(server.parts.create_request("external")).unwrap();
    assert_eq!(stolen.get("/api/projects").await.status, 401);
    assert_eq!(stolen.post_json("/api/session/create", &request).await.status, 401);
    for guess in ["", "0", browser.header("Cookie").unwrap()] {
        let guessing = stolen.clone().with_header("Liminal-Page-Key", guess);
        assert_eq!(guessing.get("/api/projects").await.status, 401, "{guess}");
    }
    assert_eq!(stolen.post("/api/logout").await.status, 401, "nor can it log us out");
    assert_eq!(browser.get("/api/projects").await.status, 200);
}

#[tokio::test]
async fn s_09_forms_and_beacons_are_no_json() {
    let server = TestServer::start().await;
    let body = serde_json::to_vec(&server.parts.create_request("external")).unwrap();
    for kind in
        ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
    {
        let form = server.client().with_header("Content-Type", kind);
        let refused = form.request("POST", "/api/session/create", &body).await;
        assert_eq!(refused.error(), (400, "INVALID_REQUEST".into()), "{kind}");
    }
}

/// What needs no body has no type to be refused by, and envelopes may be called anything: whose page it is decides alone.
#[tokio::test]
async fn s_09_changes_without_a_body_are_no_business_of_a_foreign_page() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let (client, at) = (server.client(), |rest: &str| format!("/api/session/{session}/{rest}"));
    for content in ["first", "second"] {
        client.post_json(&at("send"), &json!({"content": content})).await;
    }
    server.parts.agent.wait_for_calls(2).await;
    let browser = server.browser().await;
    let state = async || {
        let told = [at("status"), at("queue"), "/api/projects".to_owned()].map(|path| {
            let client = client.clone();
            async move { client.get(&path).await.text() }
        });
        let [status, queue, projects] = told;
        (status.await, queue.await, projects.await, server.parts.agent.calls().len())
    };
    let before = state().await;
    let (evil, sly) = ("https://evil.example", "http://127.0.0.1:5173");
    let ours = server.origin();
    let without_key = server.stranger().with_header("Cookie", browser.header("Cookie").unwrap());
    let pages = [
        ("foreign origin", browser.clone().with_header("Origin", evil)),
        ("another port", browser.clone().with_header("Origin", sly)),
        ("hidden origin", browser.clone().with_header("Origin", "null")),
        ("no origin", browser.clone()),
        (
            "cross-site",
            browser
                .clone()
                .with_header("Origin", &ours)
                .with_header("Sec-Fetch-Site", "cross-site"),
        ),
        ("no key", without_key.with_header("Origin", &ours)),
        ("token, foreign origin", client.clone().with_header("Origin", evil)),
    ];
    let changes =
        ["kill", "archive", "unarchive", "queue/resume", "load", "cancel", "events"].map(at);
    for (what, page) in pages {
        for page in [page.clone(), page.with_header("Content-Type", "text/plain")] {
            for path in changes.iter().map(String::as_str).chain(["/api/logout"]) {
                let status = page.post(path).await.status;
                assert!(matches!(status, 401 | 403), "{what}, {path}: {status}");
            }
        }
    }
    assert_eq!(state().await, before);
    assert_eq!(browser.get("/api/projects").await.status, 200, "nobody was logged out");
}

#[tokio::test]
async fn s_10_no_other_page_is_ever_allowed_to_read_an_answer() {
    let server = TestServer::start().await;
    for origin in ["https://evil.example", "null", "http://127.0.0.1:5173", &server.origin()] {
        let page = server.stranger().with_header("Origin", origin);
        let asking = page
            .clone()
            .with_header("Access-Control-Request-Method", "POST")
            .with_header("Access-Control-Request-Headers", "authorization,content-type")
            .with_header("Access-Control-Request-Private-Network", "true");
        for answer in [
            asking.request("OPTIONS", "/api/session/create", b"").await,
            asking.request("OPTIONS", "/ws", b"").await,
            page.get("/healthz").await,
            page.get("/").await,
            server.client().with_header("Origin", origin).get("/api/projects").await,
        ] {
            let allows = |(name, _): &&(String, String)| name.starts_with("access-control-");
            assert_eq!(answer.headers.iter().find(allows), None, "{origin}");
        }
    }
}

#[tokio::test]
async fn s_33_a_stranger_cannot_make_us_hold_much() {
    let server = TestServer::start().await;
    let long = server.stranger().post_json("/api/login", &json!({"code": "x".repeat(2000)})).await;
    assert_eq!(long.error(), (413, "PAYLOAD_TOO_LARGE".into()));
    let wrong = server.stranger().post_json("/api/login", &json!({"code": "x"})).await;
    assert_eq!(wrong.error(), (401, "UNAUTHORIZED".into()));
}

#[tokio::test]
async fn s_09_foreign_pages_read_nothing_either() {
    let server = TestServer::start().await;
    let browser = server.browser().await;
    let foreign = browser.clone().with_header("Origin", "http://127.0.0.1:9999");
    assert_eq!(foreign.get("/api/projects").await.error(), (403, "FORBIDDEN_ORIGIN".into()));
    let same_site = browser.clone().with_header("Sec-Fetch-Site", "same-site");
    assert_eq!(same_site.get("/api/projects").await.error(), (403, "FORBIDDEN_ORIGIN".into()));
    let link = browser.with_header("Sec-Fetch-Site", "cross-site");
    assert_eq!(link.get("/").await.status, 200, "a link may lead to the page");
}

#[tokio::test]
async fn s_05_cookies_of_other_ports_do_not_lock_us_out() {
    let server = TestServer::start().await;
    let browser = server.browser().await;
    let ours = browser.header("Cookie").unwrap();
    let page_key = browser.header("Liminal-Page-Key").unwrap().to_owned();
    let name = ours.split('=').next().unwrap();
    for line in
        [format!("{name}=junk; {ours}"), format!("other=J\u{f6}rg; {ours}"), format!("=; ;{ours};")]
    {
        let client = server.stranger().with_header("Cookie", &line);
        let client = client.with_header("Liminal-Page-Key", &page_key);
        assert_eq!(client.get("/api/projects").await.status, 200, "{line}");
    }
}

async fn connect(
    server: &TestServer,
    headers: &[(&'static str, &str)],
) -> Result<SocketClient, u16> {
    let token = format!("Bearer {}", server.token);
    let mut all = vec![("Authorization", token.as_str())];
    all.extend_from_slice(headers);
    SocketClient::connect(server.port, &all).await
}
