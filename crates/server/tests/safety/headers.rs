//! The headers that tell a browser what it may do with an answer.

use serde_json::json;
use testkit::{HttpResponse, TestServer};

use crate::operations::{filled, operations};

#[track_caller]
fn check(what: &str, response: &HttpResponse) {
    let policy = response.header("content-security-policy");
    let policy = policy.unwrap_or_else(|| panic!("{what} has no policy"));
    // What is not of the page may run nothing at all.
    let scripts = if policy.contains("sandbox;") { "sandbox;" } else { "script-src 'self'" };
    for rule in [
        "default-src 'none'",
        scripts,
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
    ] {
        assert!(policy.contains(rule), "{what}: {rule}");
    }
    assert!(!policy.contains("unsafe") && !policy.contains('*'), "{what}");
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(response.header(name), Some(value), "{what}");
    }
}

#[tokio::test]
async fn s_15_every_answer_carries_the_security_headers() {
    let server = TestServer::start().await;
    let foreign = server.stranger().with_host(Some("evil.example"));
    let page = server.stranger().get("/").await;
    let known = page.header("etag").unwrap().to_owned();
    let again = server.stranger().with_header("If-None-Match", &known).get("/").await;
    assert_eq!(again.status, 304);
    let answers = [
        ("page", page),
        ("unchanged page", again),
        ("asset", server.stranger().get("/index.html").await),
        ("not found", server.client().get("/nothing").await),
        ("asset not found", server.stranger().get("/assets/nothing.js").await),
        ("api not found", server.client().get("/api/nothing").await),
        ("no credential", server.stranger().get("/api/projects").await),
        ("answer", server.client().get("/api/projects").await),
        ("wrong host", foreign.get("/healthz").await),
        ("wrong method", server.client().request("DELETE", "/healthz", b"").await),
        ("bad body", server.client().post_json("/api/session/create", &json!({"x": 1})).await),
        (
            "too large",
            server.stranger().post_json("/api/login", &json!({"code": "x".repeat(2000)})).await,
        ),
        ("health", server.stranger().get("/healthz").await),
    ];
    for (what, response) in &answers {
        check(what, response);
    }
    // What the page loads, where one is embedded.
    let page = answers[0].1.text();
    for path in page.split('"').filter(|word| word.starts_with("/assets/")) {
        check(path, &server.stranger().get(path).await);
    }
}

#[tokio::test]
async fn s_15_every_operation_answers_everybody_with_the_security_headers() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let foreign = server.client().with_header("Origin", "https://evil.example");
    let mut statuses = std::collections::BTreeSet::new();
    for operation in operations(&server).await {
        for client in [server.stranger(), foreign.clone(), server.client(), server.local_client()] {
            for id in ["nobody", session.as_str()] {
                let path = filled(&operation, id);
                let answer = client.request(&operation.method, &path, b"").await;
                let what = format!("{} {path}: {}", operation.method, answer.status);
                check(&what, &answer);
                statuses.insert(answer.status);
            }
        }
    }
    for status in [200, 400, 401, 403, 404] {
        assert!(statuses.contains(&status), "{status} was never answered: {statuses:?}");
    }
}
