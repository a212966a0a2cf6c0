//! By which names the server is addressed.

use testkit::{SocketClient, TestServer};

const ROUTES: [&str; 6] = ["/", "/healthz", "/readyz", "/api/projects", "/api/nothing", "/nothing"];

#[tokio::test]
async fn s_07_only_our_own_names_are_answered_on_any_route() {
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
async fn s_07_tricks_with_the_host_are_refused() {
    let server = TestServer::start().await;
    let ours = format!("127.0.0.1:{}", server.port);
    let twice = server.client().with_header("Host", "evil.example").get("/healthz").await;
    assert!(matches!(twice.status, 400 | 403), "two hosts: {}", twice.status);
    let none = server.client().with_host(None).get("/healthz").await;
    assert!(matches!(none.status, 400 | 403), "no host: {}", none.status);
    let absolute = server.client().with_host(Some(&ours)).get("http://evil.example/healthz").await;
    assert_eq!(absolute.error(), (403, "FORBIDDEN_HOST".into()));
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
