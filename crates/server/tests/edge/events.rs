//! Posting envelopes: what is taken, what is refused, and what stays.

use serde_json::json;
use testkit::{TestServer, envelope};

use crate::thin_path::ndjson;

#[tokio::test]
async fn a_bad_line_is_named_and_the_lines_before_it_stay() {
    let server = TestServer::start().await;
    let session = server.create_session("external").await;
    let path = format!("/api/session/{session}/events");
    let good = json!({"type": "item_done", "itemId": "a", "finalItem":
        {"type": "message", "content": "kept", "origin": "agent"}});
    let mut bad = envelope(
        &session,
        "t",
        &json!({"type": "item_start", "itemId": "b", "itemType": "message"}),
    );
    bad["payload"].as_object_mut().unwrap().remove("itemId");
    let mut elsewhere = envelope(&session, "t", &good);
    elsewhere["sessionId"] = json!("another");
    for (line, at, accepted) in [
        (bad.to_string(), "payload.itemId", 1),
        (elsewhere.to_string(), "sessionId", 1),
        ("{\"half\":".to_owned(), "", 1),
    ] {
        let mut body = ndjson(&session, std::slice::from_ref(&good));
        body.extend_from_slice(format!("\n{line}\n").as_bytes());
        body.extend_from_slice(&ndjson(&session, std::slice::from_ref(&good)));
        let refused = server.client().request("POST", &path, &body).await;
        assert_eq!(refused.error(), (400, "INVALID_STREAM_EVENT".into()));
        let rejected = refused.json();
        assert_eq!(
            (&rejected["line"], &rejected["path"]),
            (&json!(3), &json!(at)),
            "blank lines count"
        );
        assert_eq!(rejected["accepted"], accepted);
        assert!(rejected["message"].as_str().unwrap().starts_with("line 3: "), "{rejected}");
    }
    let item = server.client().get(&format!("/api/session/{session}/item/a")).await;
    assert_eq!(item.json()["content"], "kept");
}

#[tokio::test]
async fn the_last_line_needs_no_end_and_nothing_is_fine() {
    let server = TestServer::start().await;
    let session = server.create_session("external").await;
    let path = format!("/api/session/{session}/events");
    let line =
        envelope(&session, "t", &json!({"type": "item_cancelled", "itemId": "a"})).to_string();
    for (body, accepted) in
        [(line.clone(), 1), (format!("{line}\r\n\r\n"), 1), (String::new(), 0), ("\n \n".into(), 0)]
    {
        let taken = server.client().request("POST", &path, body.as_bytes()).await;
        assert_eq!((taken.status, taken.json()), (200, json!({"accepted": accepted})));
    }
}

#[tokio::test]
async fn a_body_that_breaks_off_leaves_the_turn_open_for_the_next() {
    let server = TestServer::start().await;
    let session = server.create_session("external").await;
    let path = format!("/api/session/{session}/events");
    let mut posting = server.client().open("POST", &path).await;
    let start = [
        json!({"type": "response_start", "modelId": "m", "providerId": "p"}),
        json!({"type": "item_start", "itemId": "m", "itemType": "message"}),
    ];
    posting.write(&ndjson(&session, &start)).await;
    posting.write(b"{\"eventId\": \"half").await;
    let mut socket = server.greeted_socket().await;
    socket.send(&json!({"type": "session:open", "sessionId": session})).await;
    while server.client().get(&format!("/api/session/{session}/status")).await.json()["activity"]
        != "running"
    {
        tokio::task::yield_now().await;
    }
    drop(posting);
    let end = [
        json!({"type": "item_delta", "itemId": "m", "deltaContent": "still here"}),
        json!({"type": "response_done", "status": "completed"}),
    ];
    assert_eq!(server.client().request("POST", &path, &ndjson(&session, &end)).await.status, 200);
    loop {
        let upsert = socket.receive_type("session:upsert").await;
        if upsert["payload"]["status"] == "complete" {
            assert_eq!(upsert["payload"]["content"], "still here");
            break;
        }
    }
}

#[tokio::test]
async fn what_is_accepted_is_in_the_journal_when_the_answer_comes() {
    let server = TestServer::start().await;
    let session = server.create_session("external").await;
    let path = format!("/api/session/{session}/events");
    let start = [
        json!({"type": "response_start", "modelId": "m", "providerId": "p"}),
        json!({"type": "item_start", "itemId": "m", "itemType": "message", "initialContent": "few"}),
    ];
    let taken = server.client().request("POST", &path, &ndjson(&session, &start)).await;
    assert_eq!(taken.json(), json!({"accepted": 2}));
    let item = format!("/api/session/{session}/item/m");
    assert_eq!(server.client().get(&item).await.json()["content"], "few");
    let mut body =
        ndjson(&session, &[json!({"type": "item_delta", "itemId": "m", "deltaContent": " words"})]);
    body.extend_from_slice(b"{}\n");
    let refused = server.client().request("POST", &path, &body).await;
    assert_eq!(refused.json()["accepted"], 1);
    let text = server.client().get(&item).await.json()["content"].clone();
    assert_eq!(text, "few words", "also if a line after it is bad");
}

#[tokio::test]
async fn a_line_without_end_is_refused_before_it_fills_memory() {
    let server = TestServer::start().await;
    let session = server.create_session("external").await;
    let mut posting = server.client().open("POST", &format!("/api/session/{session}/events")).await;
    for _ in 0..9 {
        posting.write(&vec![b'x'; 1 << 20]).await;
    }
    let refused = posting.response().await;
    assert_eq!(refused.error(), (400, "INVALID_STREAM_EVENT".into()));
    assert_eq!(refused.json()["line"], 1);
}

#[tokio::test]
async fn envelopes_without_effect_are_counted() {
    let server = TestServer::start().await;
    let session = server.create_session("external").await;
    let stray = json!({"type": "item_delta", "itemId": "nobody", "deltaContent": "x"});
    let done = json!({"type": "item_done", "itemId": "a", "finalItem": {"type": "message", "content": "x", "origin": "agent"}});
    let body = ndjson(&session, &[stray, done.clone(), done]);
    let taken =
        server.client().request("POST", &format!("/api/session/{session}/events"), &body).await;
    assert_eq!(taken.json(), json!({"accepted": 3, "ignored": 2}));
}

#[tokio::test]
async fn only_external_sessions_take_envelopes() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let refused = server.client().post(&format!("/api/session/{session}/events")).await;
    assert_eq!(refused.error(), (400, "NOT_SUPPORTED".into()));
    let unknown = server.client().post("/api/session/nobody/events").await;
    assert_eq!(unknown.error(), (404, "SESSION_NOT_FOUND".into()));
}
