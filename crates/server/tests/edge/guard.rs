//! Who may talk to the server.

use serde_json::json;
use testkit::{HttpClient, SocketClient, TestServer};

const ROUTES: [&str; 6] = ["/", "/healthz", "/readyz", "/api/projects", "/api/nothing", "/nothing"];

#[tokio::test]
async fn only_our_own_names_are_answered_on_any_route() {
    let server = TestServer::start().await;
    let port = server.port;
    let foreign = [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.evil.com:{port}"),
        format!("localhost.evil.com:{port}"),
        format!("127.0.0.1.nip.io:{port}"),
        format!("[::ffff:127.0.0.1]:{port}"),
        format!("0.0.0.0:{port}"),
        "127.0.0.1".to_owned(),
        "127.0.0.1:1".to_owned(),
        String::new(),
    ];
    for host in foreign {
        for route in ROUTES {
            let refused = server.client().with_host(Some(&host)).get(route).await;
            assert_eq!(refused.error(), (403, "FORBIDDEN_HOST".into()), "{host} {route}");
        }
        assert_eq!(connect(&server, &[("Host", host.as_str())]).await.err(), Some(403), "{host}");
    }
    for host in [
        format!("127.0.0.1:{port}"),
        format!("localhost:{port}"),
        format!("[::1]:{port}"),
        format!("LOCALHOST:{port}"),
    ] {
        assert_eq!(
            server.client().with_host(Some(&host)).get("/api/projects").await.status,
            200,
            "{host}"
        );
    }
}

#[tokio::test]
async fn tricks_with_the_host_are_refused() {
    let server = TestServer::start().await;
    let ours = format!("127.0.0.1:{}", server.port);
    let twice = server.client().with_header("Host", "evil.example").get("/healthz").await;
    assert!(matches!(twice.status, 400 | 403), "two hosts: {}", twice.status);
    let none = server.client().with_host(None).get("/healthz").await;
    assert!(matches!(none.status, 400 | 403), "no host: {}", none.status);
    let absolute = server.client().with_host(Some(&ours)).get("http://evil.example/healthz").await;
    assert_eq!(absolute.error(), (403, "FORBIDDEN_HOST".into()));
}

#[tokio::test]
async fn everything_but_the_page_needs_a_credential() {
    let server = TestServer::start().await;
    let stranger = server.stranger();
    for route in [
        "/api/projects",
        "/api/session/list?projectId=p",
        "/api/permissions",
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

#[tokio::test]
async fn a_login_code_becomes_a_cookie_once() {
    let server = TestServer::start().await;
    let code = server.credentials.login_code().unwrap();
    let login = || async {
        server.stranger().post_json("/api/login", &json!({"code": code.reveal()})).await
    };
    let first = login().await;
    assert_eq!(first.status, 204);
    let cookie = first.header("set-cookie").unwrap();
    assert!(cookie.starts_with(&format!("liminal_{}=", server.port)), "{cookie}");
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

#[tokio::test]
async fn foreign_pages_change_nothing() {
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
async fn a_cookie_opens_a_socket_only_from_our_page() {
    let server = TestServer::start().await;
    let browser = server.browser().await;
    let cookie = cookie_of(&browser);
    assert_eq!(
        SocketClient::connect(server.port, &[("Cookie", &cookie)]).await.err(),
        Some(403),
        "no origin"
    );
    let foreign = [("Cookie", cookie.as_str()), ("Origin", "http://127.0.0.1:5173")];
    assert_eq!(SocketClient::connect(server.port, &foreign).await.err(), Some(403));
    let origin = server.origin();
    let ours = [("Cookie", cookie.as_str()), ("Origin", origin.as_str())];
    assert!(SocketClient::connect(server.port, &ours).await.is_ok());
}

#[tokio::test]
async fn forms_and_beacons_are_no_json() {
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

#[tokio::test]
async fn every_answer_carries_the_security_headers() {
    let server = TestServer::start().await;
    for (route, client) in [
        ("/", server.client()),
        ("/nothing", server.client()),
        ("/api/projects", server.stranger()),
    ] {
        let response = client.get(route).await;
        let policy = response.header("content-security-policy").unwrap();
        assert!(
            policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{route}"
        );
        assert!(!policy.contains("unsafe"), "{route}");
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"), "{route}");
        assert_eq!(response.header("referrer-policy"), Some("no-referrer"), "{route}");
        assert_eq!(response.header("cross-origin-opener-policy"), Some("same-origin"), "{route}");
    }
}

#[tokio::test]
async fn a_stranger_cannot_make_us_hold_much() {
    let server = TestServer::start().await;
    let long = server.stranger().post_json("/api/login", &json!({"code": "x".repeat(2000)})).await;
    assert_eq!(long.error(), (413, "PAYLOAD_TOO_LARGE".into()));
    let wrong = server.stranger().post_json("/api/login", &json!({"code": "x"})).await;
    assert_eq!(wrong.error(), (401, "UNAUTHORIZED".into()));
}

#[tokio::test]
async fn foreign_pages_read_nothing_either() {
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
async fn cookies_of_other_ports_do_not_lock_us_out() {
    let server = TestServer::start().await;
    let ours = cookie_of(&server.browser().await);
    let name = ours.split('=').next().unwrap();
    for line in
        [format!("{name}=junk; {ours}"), format!("other=J\u{f6}rg; {ours}"), format!("=; ;{ours};")]
    {
        let client = server.stranger().with_header("Cookie", &line);
        assert_eq!(client.get("/api/projects").await.status, 200, "{line}");
    }
}

fn cookie_of(browser: &HttpClient) -> String {
    format!("{browser:?}")
        .split("\"Cookie\", \"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap()
        .to_owned()
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
