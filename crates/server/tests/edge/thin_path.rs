//! The first thin path: envelopes by HTTP, through the processor and a session, to a WebSocket.

use contract::SessionId;
use serde_json::{Value, json};
use testkit::{TestServer, envelope};

pub(crate) fn ndjson(session: &SessionId, payloads: &[Value]) -> Vec<u8> {
    let lines: Vec<_> =
        payloads.iter().map(|payload| envelope(session, "turn-a", payload).to_string()).collect();
    (lines.join("\n") + "\n").into_bytes()
}

fn delta(text: &str) -> Value {
    json!({"type": "item_delta", "itemId": "m", "deltaContent": text})
}

#[tokio::test]
async fn text_posted_as_envelopes_grows_on_every_connection_that_opened_the_session() {
    let server = TestServer::start().await;
    let session = server.create_session("external").await;
    let mut socket = server.greeted_socket().await;
    socket
        .send(&json!({"type": "session:open", "sessionId": session, "requestId": "open-1"}))
        .await;
    let history = socket.receive_type("session:history").await;
    assert_eq!(
        (&history["requestId"], &history["mode"], &history["seq"]),
        (&json!("open-1"), &json!("full"), &json!(0))
    );

    let mut posting = server.client().open("POST", &format!("/api/session/{session}/events")).await;
    let start = [
        json!({"type": "response_start", "modelId": "m", "providerId": "p"}),
        json!({"type": "item_start", "itemId": "m", "itemType": "message"}),
        delta("one two three four five six seven eight nine ten eleven"),
    ];
    posting.write(&ndjson(&session, &start)).await;
    let started = socket.receive_type("session:turn").await;
    assert_eq!((&started["seq"], &started["payload"]["type"]), (&json!(1), &json!("turn_started")));
    let create = socket.receive_type("session:upsert").await;
    assert_eq!(create["payload"]["status"], "create", "while the request is still open: {create}");
    assert_eq!(create["payload"]["itemId"], "m");

    // Half a line now, the rest later: it counts when it is whole.
    let more = ndjson(&session, &[delta(&" more".repeat(30))]);
    let (half, rest) = more.split_at(40);
    posting.write(half).await;
    posting.write(rest).await;
    let update = socket.receive_type("session:upsert").await;
    assert_eq!((&update["payload"]["status"], &update["seq"]), (&json!("update"), &json!(3)));
    let text = update["payload"]["content"].as_str().unwrap();
    assert!(text.starts_with(create["payload"]["content"].as_str().unwrap()) && text.len() > 150);

    let end = [
        json!({"type": "item_done", "itemId": "m", "finalItem": {"type": "message", "content": "all", "origin": "agent"}}),
        json!({"type": "response_done", "status": "completed", "usage": {"inputTokens": 1, "outputTokens": 2}}),
    ];
    posting.write(&ndjson(&session, &end)).await;
    let response = posting.finish().await;
    assert_eq!((response.status, response.json()), (200, json!({"accepted": 6})));
    let complete = socket.receive_type("session:upsert").await;
    assert_eq!(complete["payload"]["status"], "complete");
    assert_eq!(
        (&complete["payload"]["position"], &complete["payload"]["content"]),
        (&json!(2), &json!("all"))
    );
    let ended = socket.receive_type("session:turn").await;
    assert_eq!(ended["payload"]["usage"]["outputTokens"], 2);
}

#[tokio::test]
async fn a_client_that_comes_back_gets_only_what_it_missed() {
    let server = TestServer::start().await;
    let session = server.create_session("external").await;
    let done = |item: &str| json!({"type": "item_done", "itemId": item, "finalItem": {"type": "message", "content": item, "origin": "agent"}});
    let post = |items: Vec<Value>| {
        let (client, body) = (server.client(), ndjson(&session, &items));
        let path = format!("/api/session/{session}/events");
        async move { assert_eq!(client.request("POST", &path, &body).await.status, 200) }
    };
    post(vec![done("a"), done("b")]).await;
    let mut socket = server.greeted_socket().await;
    socket.send(&json!({"type": "session:open", "sessionId": session})).await;
    let full = socket.receive_type("session:history").await;
    assert_eq!(full["entries"].as_array().unwrap().len(), 2);
    drop(socket);

    post(vec![done("c")]).await;
    let mut socket = server.greeted_socket().await;
    let open = json!({"type": "session:open", "sessionId": session, "after": full["seq"], "epoch": full["epoch"]});
    socket.send(&open).await;
    let since = socket.receive_type("session:history").await;
    assert_eq!((&since["mode"], &since["seq"]), (&json!("since"), &json!(3)));
    assert_eq!(since["entries"][0]["itemId"], "c");
    assert_eq!(since["entries"].as_array().unwrap().len(), 1);

    for stale in [
        json!({"after": 1, "epoch": "another"}),
        json!({"after": 99, "epoch": full["epoch"]}),
        json!({"after": 1}),
    ] {
        let mut open = json!({"type": "session:open", "sessionId": session});
        open.as_object_mut().unwrap().extend(stale.as_object().unwrap().clone());
        socket.send(&open).await;
        let reset = socket.receive_type("session:history").await;
        assert_eq!(reset["mode"], "reset", "{stale}");
        assert_eq!(reset["entries"].as_array().unwrap().len(), 3);
    }
}

#[tokio::test]
async fn a_slow_reader_is_told_again_and_ends_with_the_newest_state() {
    let server = TestServer::start().await;
    let session = server.create_session("external").await;
    let mut slow = server.greeted_socket().await;
    slow.send(&json!({"type": "session:open", "sessionId": session})).await;
    slow.receive_type("session:history").await;
    // Far more than the outbox and the sockets' buffers hold, while nobody reads.
    let items: Vec<_> = (0..300)
        .map(|n| {
            let content = format!("{n}:{}", "x".repeat(100_000));
            json!({"type": "item_done", "itemId": format!("i{n}"), "finalItem":
                {"type": "message", "content": content, "origin": "agent"}})
        })
        .collect();
    for batch in items.chunks(10) {
        let body = ndjson(&session, batch);
        let posted =
            server.client().request("POST", &format!("/api/session/{session}/events"), &body).await;
        assert_eq!(posted.status, 200, "{}", posted.text());
    }
    let mut resynced = false;
    let mut last = 0;
    let mut newest = 0;
    while newest < 300 {
        let message = slow.receive().await;
        match message["type"].as_str().unwrap() {
            "session:upsert" => newest = message["seq"].as_u64().unwrap(),
            "session:history" => {
                assert_eq!(message["resync"], true);
                resynced = true;
                newest = message["seq"].as_u64().unwrap();
            }
            _ => continue,
        }
        assert!(newest >= last, "seq never goes back");
        last = newest;
    }
    assert!(resynced, "the outbox is bounded");
}
