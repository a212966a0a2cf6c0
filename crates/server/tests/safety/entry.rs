//! What needs a credential, and how one is had.

use serde_json::json;
use testkit::{SocketClient, TestServer};

#[tokio::test]
async fn s_03_everything_but_the_page_needs_a_credential() {
    let server = TestServer::start().await;
    let stranger = server.stranger();
    for route in [
        "/api/projects",
        "/api/session/list?projectId=p",
        "/api/permissions",
        "/api/decisions",
        "/readyz",
        "/api/nothing",
        "/api/session/x/status",
    ] {
        assert_eq!(stranger.get(route).await.error(), (401, "UNAUTHORIZED".into()), "{route}");
    }
    for route in [
        "/api/session/create",
        "/api/session/x/send",
        "/api/session/x/kill",
        "/api/session/x/events",
        "/api/logout",
    ] {
        assert_eq!(stranger.post(route).await.error(), (401, "UNAUTHORIZED".into()), "{route}");
    }
    assert_eq!(
        SocketClient::connect(server.port, &[]).await.err(),
        Some(401),
        "refused before 101"
    );
    for route in ["/", "/healthz"] {
        assert_eq!(stranger.get(route).await.status, 200, "{route}");
    }
    for wrong in [
        "Bearer ",
        "Bearer wrong",
        "bearer",
        "Basic abc",
        &format!("Bearer {}x", server.token),
        &format!("Bearer {}", &server.token[..63]),
    ] {
        let refused =
            stranger.clone().with_header("Authorization", wrong).get("/api/projects").await;
        assert_eq!(refused.status, 401, "{wrong}");
    }
    let query = stranger.get(&format!("/api/projects?token={}", server.token)).await;
    assert_eq!(query.status, 401, "a token in an address is none");
}

/// What is there under another method looks like what is not there at all.
#[tokio::test]
async fn s_03_a_stranger_is_not_told_which_methods_there_are() {
    let server = TestServer::start().await;
    let stranger = server.stranger();
    for (method, route) in [
        ("PUT", "/api/nothing"),
        ("PUT", "/api/projects"),
        ("GET", "/api/session/create"),
        ("DELETE", "/api/session/x/status"),
        ("GET", "/api/tokens"),
        ("OPTIONS", "/api/permissions"),
        ("POST", "/api/openapi.json"),
        ("POST", "/metrics"),
        ("POST", "/readyz"),
        ("POST", "/ws"),
    ] {
        let refused = stranger.request(method, route, b"").await;
        assert_eq!(refused.error(), (401, "UNAUTHORIZED".into()), "{method} {route}");
        assert_eq!(refused.header("allow"), None, "{method} {route}");
    }
    let known = server.client().request("PUT", "/api/projects", b"").await;
    assert_eq!(known.error(), (405, "METHOD_NOT_ALLOWED".into()));
    assert_eq!(known.header("allow"), Some("GET,HEAD,POST"), "who is let in is told more");
}

#[tokio::test]
async fn s_05_a_login_code_becomes_a_cookie_once() {
    let server = TestServer::start().await;
    let code = server.credentials.login_code().unwrap();
    let login = || async {
        server.stranger().post_json("/api/login", &json!({"code": code.reveal()})).await
    };
    let first = login().await;
    assert_eq!(first.status, 200);
    let cookie = first.header("set-cookie").unwrap();
    assert!(cookie.starts_with("liminal_"), "{cookie}");
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert_eq!(login().await.error(), (401, "UNAUTHORIZED".into()));
    let browser = server.browser().await;
    assert_eq!(browser.get("/api/projects").await.status, 200);
    let page = browser.clone().with_header("Origin", &server.origin());
    assert_eq!(page.post("/api/logout").await.status, 204);
    assert_eq!(browser.get("/api/projects").await.status, 401);
}
