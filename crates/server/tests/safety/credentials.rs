//! Tokens, codes and cookies: who has one, who guesses, and how they end.

use std::time::Duration;

use serde_json::json;
use testkit::{SocketClient, TestServer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A second, and what a busy machine adds to it.
const SOON: Duration = Duration::from_secs(3);

#[tokio::test]
async fn s_03_there_is_no_way_in_without_a_token_and_no_token_is_empty() {
    let server = TestServer::start().await;
    for token in ["", " ", "null", "undefined", "liminal", "0000"] {
        let client = server.stranger().with_header("Authorization", &format!("Bearer {token}"));
        assert_eq!(client.get("/api/projects").await.status, 401, "{token:?}");
    }
    assert_eq!(server.token.len(), 64, "256 bits");
}

/// As often as a server might be started: what each start makes is never there again.
#[tokio::test]
async fn s_03_of_a_thousand_starts_no_two_share_a_secret() {
    let mut seen = std::collections::HashSet::new();
    for _ in 0..1000 {
        let token = server::Secret::random().unwrap();
        let credentials = server::Credentials::new(&token);
        for secret in [token, credentials.login_code().unwrap()] {
            assert_eq!(secret.reveal().len(), 64);
            assert!(secret.reveal().bytes().all(|byte| byte.is_ascii_hexdigit()));
            assert!(seen.insert(secret.reveal().to_owned()));
        }
    }
    // 256 bits of noise: every one of the 16 digits is about as frequent as the others.
    let digits = seen.iter().flat_map(|secret| secret.bytes());
    let mut counts = std::collections::HashMap::new();
    digits.for_each(|digit| *counts.entry(digit).or_insert(0_u32) += 1);
    assert!(
        counts.len() == 16 && counts.values().all(|count| (7200..8800).contains(count)),
        "{counts:?}"
    );
}

#[tokio::test]
async fn s_04_nothing_that_resembles_the_token_is_taken_for_it() {
    let server = TestServer::start().await;
    let token = &server.token;
    let mut guesses: Vec<String> = (0..8).map(|cut| token[cut..].to_owned()).skip(1).collect();
    guesses.extend((1..8).map(|cut| token[..64 - cut].to_owned()));
    guesses.extend([format!("{token}0"), format!("0{token}"), format!("{token}{token}")]);
    guesses.extend([
        token.to_uppercase() + "x",
        token.replace('0', "O"),
        format!("{token}\u{200b}"),
    ]);
    for guess in guesses.iter().filter(|guess| *guess != token) {
        let client = server.stranger().with_header("Authorization", &format!("Bearer {guess}"));
        let refused = client.get("/api/projects").await.status;
        assert!(matches!(refused, 400 | 401), "{guess}: {refused}");
    }
    assert_eq!(server.client().get("/api/projects").await.status, 200);
}

#[tokio::test]
async fn s_05_two_servers_do_not_share_a_cookie_and_a_code_is_good_for_one_of_them() {
    let (one, two) = (TestServer::start().await, TestServer::start().await);
    let name = async |server: &TestServer| {
        let code = server.credentials.login_code().unwrap();
        let body = json!({"code": code.reveal()});
        let login = server.stranger().post_json("/api/login", &body).await;
        let cookie = login.header("set-cookie").unwrap().to_owned();
        cookie.split('=').next().unwrap().to_owned()
    };
    assert_ne!(name(&one).await, name(&two).await, "they would overwrite each other's");
    let code = one.credentials.login_code().unwrap();
    let elsewhere = two.stranger().post_json("/api/login", &json!({"code": code.reveal()})).await;
    assert_eq!(elsewhere.status, 401);
}

#[tokio::test]
async fn s_06_a_credential_in_an_address_is_none() {
    let server = TestServer::start().await;
    for query in ["token", "access_token", "auth", "Authorization", "code", "login"] {
        let path = format!("/api/projects?{query}={}", server.token);
        assert_eq!(server.stranger().get(&path).await.status, 401, "{query}");
    }
    let head = [("Sec-WebSocket-Protocol", server.token.as_str())];
    assert_eq!(SocketClient::connect(server.port, &head).await.err(), Some(401), "before 101");
    for query in ["token", "access_token", "ticket"] {
        let host = format!("127.0.0.1:{}", server.port);
        let head = format!(
            "GET /ws?{query}={} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
            server.token
        );
        let mut stream = TcpStream::connect(&host).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut status = [0; 12];
        stream.read_exact(&mut status).await.unwrap();
        assert_eq!(&status, b"HTTP/1.1 401", "{query}");
    }
}

#[tokio::test]
async fn s_11_wrong_credentials_are_told_to_come_later_and_right_ones_are_let_in() {
    let server = TestServer::start().await;
    let wrong_token = server.stranger().with_header("Authorization", "Bearer wrong");
    let name = cookie_name(&server).await;
    let wrong_cookie = server.stranger().with_header("Cookie", &format!("{name}=wrong"));
    let wrong_cookie = wrong_cookie.with_header("Liminal-Page-Key", "wrong");
    // Another credential beside it does not switch the count off.
    let decoy = wrong_token.clone().with_header("Cookie", &format!("{name}=wrong"));
    let (mut heard, mut later) = (0, 0);
    for round in 0..200 {
        let client = if round % 2 == 0 { &wrong_token } else { &decoy };
        let refused = client.get("/api/projects").await;
        match refused.status {
            401 => heard += 1,
            429 => {
                later += 1;
                let seconds: u64 = refused.header("retry-after").unwrap().parse().unwrap();
                assert!((1..=60).contains(&seconds), "{seconds}");
                assert_eq!(refused.error().1, "TOO_MANY_REQUESTS");
            }
            other => panic!("{other}"),
        }
    }
    assert!((30..60).contains(&heard) && later > 100, "{heard} were heard, {later} were not");
    assert_eq!(wrong_cookie.get("/api/projects").await.status, 401, "each kind has its own count");
    let code = |code: &str| json!({"code": code});
    let wrong_code = server.stranger().post_json("/api/login", &code("wrong")).await;
    assert_eq!(wrong_code.status, 401);
    for _ in 0..60 {
        server.stranger().post_json("/api/login", &code("wrong")).await;
    }
    let limited = server.stranger().post_json("/api/login", &code("wrong")).await;
    assert_eq!(limited.status, 429);
    assert_eq!(server.client().get("/api/projects").await.status, 200, "the right one");
    let browser = server.browser().await;
    assert_eq!(browser.get("/api/projects").await.status, 200, "the right code");
}

#[tokio::test]
async fn s_12_a_logout_ends_what_that_browser_had_open_and_nothing_else() {
    let server = TestServer::start().await;
    let (leaving, staying) = (server.browser().await, server.browser().await);
    let mut ours = server.browser_socket(&leaving).await;
    let mut others = server.browser_socket(&staying).await;
    let page = leaving.clone().with_header("Origin", &server.origin());
    assert_eq!(page.post("/api/logout").await.status, 204);
    let closed = tokio::time::timeout(SOON, ours.close_code()).await.expect("soon");
    assert_eq!(closed, Some(4401));
    assert_eq!(leaving.get("/api/projects").await.status, 401);
    others.send(&json!({"type": "ping"})).await;
    others.receive_type("pong").await;
    assert_eq!(staying.get("/api/projects").await.status, 200);
}

#[tokio::test]
async fn s_12_rotating_ends_every_credential_and_every_socket_at_once() {
    let server = TestServer::start().await;
    let browser = server.browser().await;
    let named = server.credentials.create_token("ci").unwrap();
    let code = server.credentials.login_code().unwrap();
    let bearer = format!("Bearer {}", named.reveal());
    let mut sockets = vec![server.socket().await, server.browser_socket(&browser).await];
    let head = [("Authorization", bearer.as_str())];
    sockets.push(SocketClient::connect(server.port, &head).await.unwrap());
    server.credentials.rotate().unwrap();
    for socket in &mut sockets {
        let closed = tokio::time::timeout(SOON, socket.close_code()).await.expect("soon");
        assert_eq!(closed, Some(4401));
    }
    let named = server.stranger().with_header("Authorization", &bearer);
    for client in [server.client(), browser, named] {
        assert_eq!(client.get("/api/projects").await.status, 401);
    }
    let login = server.stranger().post_json("/api/login", &json!({"code": code.reveal()})).await;
    assert_eq!(login.status, 401);
}

#[tokio::test]
async fn s_12_a_request_that_is_still_sending_ends_with_its_credential() {
    let server = TestServer::start().await;
    let session = server.create_session("external").await;
    let mut open = server.client().open("POST", &format!("/api/session/{session}/events")).await;
    open.write(b"\n").await;
    let start = json!({"eventId": "e", "timestamp": "2026-01-01T00:00:00Z", "turnId": "t", "sessionId": session,
        "type": "response_start", "payload": {"type": "response_start", "modelId": "m", "providerId": "p"}});
    open.write(format!("{start}\n").as_bytes()).await;
    let mut watcher = server.greeted_socket().await;
    while watcher.receive_type("session:status").await["activity"] != "running" {}
    server.credentials.rotate().unwrap();
    let feeding = tokio::time::timeout(SOON, open.response()).await.expect("soon");
    assert_eq!(feeding.status, 401);
}

#[tokio::test]
async fn s_12_a_client_that_reads_nothing_is_cut_off_too() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let mut deaf = server.greeted_socket().await;
    deaf.send(&json!({"type": "session:open", "sessionId": session})).await;
    let long = "x".repeat(1 << 20);
    for item in 0..64 {
        let upsert = testkit::Sample::new(&session, "t").message(
            &format!("i{item}"),
            contract::ItemStatus::Complete,
            &long,
        );
        server.parts.agent.emit(upsert).await;
    }
    server.credentials.rotate().unwrap();
    server.parts.stop.cancel();
    server.parts.tasks.close();
    // The server waits for its sockets when it ends, and none is held up by who does not read.
    tokio::time::timeout(SOON * 3, server.parts.tasks.wait()).await.expect("an end");
}

async fn cookie_name(server: &TestServer) -> String {
    let code = server.credentials.login_code().unwrap();
    let login = server.stranger().post_json("/api/login", &json!({"code": code.reveal()})).await;
    login.header("set-cookie").unwrap().split('=').next().unwrap().to_owned()
}
