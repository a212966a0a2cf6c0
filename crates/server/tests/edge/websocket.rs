//! WebSocket: negotiation, requests, answers, and what is not understood.

use contract::ItemStatus;
use serde_json::json;
use testkit::{Sample, TestServer};

#[tokio::test]
async fn a_new_connection_is_told_what_is_the_case() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    drop(server.parts.agent.ask(Sample::new(&session, "t").permission("p1")).await);
    server.client().get(&format!("/api/session/{session}/wait")).await;
    let mut socket = server.greeted_socket().await;
    let status = socket.receive_type("session:status").await;
    assert_eq!(
        (&status["sessionId"], &status["activity"]),
        (&json!(session), &json!("permission"))
    );
    assert_eq!(socket.receive_type("permission:requested").await["permissionId"], "p1");
    let answer = json!({"type": "permission:answer", "sessionId": session, "permissionId": "p1", "optionId": "reject"});
    socket.send(&answer).await;
    let resolved = socket.receive_type("permission:resolved").await;
    assert_eq!(
        (&resolved["outcome"], &resolved["optionId"]),
        (&json!("selected"), &json!("reject"))
    );
    let other = server.create_session("external").await;
    assert_eq!(socket.receive_type("session:created").await["session"]["sessionId"], json!(other));
}

#[tokio::test]
async fn requests_are_answered_with_their_id() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let mut socket = server.greeted_socket().await;
    let send = json!({"type": "session:send", "sessionId": session, "content": "hi", "clientMessageId": "m", "requestId": "1"});
    socket.send(&send).await;
    let expected = json!({"type": "session:sent", "sessionId": session, "turnId": "turn-1", "clientMessageId": "m",
        "state": "started", "requestId": "1"});
    assert_eq!(socket.receive_type("session:sent").await, expected);
    socket.send(&json!({"type": "ping", "requestId": "2"})).await;
    assert_eq!(socket.receive_type("pong").await["requestId"], "2");
    socket.send(&json!({"type": "project:list"})).await;
    let project = socket.receive_type("project:list").await["projects"][0]["id"].clone();
    socket.send(&json!({"type": "session:list", "projectId": project})).await;
    assert_eq!(
        socket.receive_type("session:list").await["sessions"][0]["sessionId"],
        json!(session)
    );
    let mut other = server.greeted_socket().await;
    let create = json!({"type": "session:create", "projectId": project, "cliType": "external", "requestId": "c"});
    socket.send(&create).await;
    let created = socket.receive_type("session:created").await;
    assert_eq!(
        (&created["session"]["cliType"], &created["requestId"]),
        (&json!("external"), &json!("c"))
    );
    let told = other.receive_type("session:created").await;
    assert!(told["requestId"].is_null(), "an id is for who gave it: {told}");
    let turn = Sample::new(&session, "turn-1");
    server.parts.agent.emit_turn(turn.started()).await;
    socket.send(&json!({"type": "session:cancel", "sessionId": session, "requestId": "3"})).await;
    server.parts.agent.wait_for_calls(3).await;
    server.parts.agent.emit_turn(turn.cancelled()).await;
    assert_eq!(socket.receive_type("ok").await, json!({"type": "ok", "requestId": "3"}));
    while other.receive_type("session:status").await["activity"] != "idle" {}
}

#[tokio::test]
async fn what_has_no_answer_of_its_own_is_acknowledged_to_who_asks_for_it() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    for id in ["p1", "p2"] {
        drop(server.parts.agent.ask(Sample::new(&session, "t").permission(id)).await);
    }
    let mut socket = server.greeted_socket().await;
    let answer = |id: &str| json!({"type": "permission:answer", "sessionId": session, "permissionId": id, "optionId": "reject"});
    socket.send(&answer("p1")).await;
    for (mut request, id) in [
        (answer("p2"), "a"),
        (json!({"type": "session:close", "sessionId": session}), "b"),
        (json!({"type": "session:cancel", "sessionId": session}), "c"),
    ] {
        request["requestId"] = json!(id);
        socket.send(&request).await;
        let done = socket.receive_type("ok").await;
        assert_eq!(done, json!({"type": "ok", "requestId": id}), "{request}");
    }
    socket.send(&json!({"type": "session:close", "sessionId": "nope", "requestId": "d"})).await;
    let refused = socket.receive_type("error").await;
    assert_eq!(
        (&refused["code"], &refused["requestId"]),
        (&json!("SESSION_NOT_FOUND"), &json!("d"))
    );
}

#[tokio::test]
async fn what_is_not_understood_gets_an_error_and_the_socket_stays_open() {
    let server = TestServer::start().await;
    let mut socket = server.greeted_socket().await;
    socket.send_text("{nonsense".into()).await;
    let invalid = socket.receive_type("error").await;
    assert!(invalid["message"].as_str().unwrap().starts_with("Invalid JSON"), "{invalid}");
    assert_eq!(invalid["code"], "INVALID_REQUEST");
    for (bad, what) in [
        (json!({"type": "session:open", "requestId": "7"}), "missing field `sessionId`"),
        (json!({"type": "nothing:known", "requestId": "7"}), "unknown variant `nothing:known`"),
        (json!({"type": "ping", "extra": true, "requestId": "7"}), "unknown field `extra`"),
    ] {
        socket.send(&bad).await;
        let mut error = socket.receive_type("error").await;
        let detail = error.as_object_mut().unwrap().remove("detail").unwrap();
        assert!(detail.as_str().unwrap().starts_with(what), "{detail}");
        assert_eq!(
            error,
            json!({"type": "error", "requestId": "7", "code": "INVALID_REQUEST", "message": "Invalid message format"}),
            "{bad}"
        );
    }
    for bad in [json!([]), json!("hello"), json!(null), json!({})] {
        socket.send(&bad).await;
        assert_eq!(
            socket.receive_type("error").await["message"],
            "Invalid message format",
            "{bad}"
        );
    }
    socket.send_binary(vec![0, 1, 2]).await;
    assert_eq!(socket.receive_type("error").await["message"], "Invalid message format");
    for (request, code) in [
        (json!({"type": "session:open", "sessionId": "nobody"}), "SESSION_NOT_FOUND"),
        (
            json!({"type": "session:send", "sessionId": "nobody", "content": "x"}),
            "SESSION_NOT_FOUND",
        ),
        (
            json!({"type": "session:create", "projectId": "nobody", "cliType": "external"}),
            "PROJECT_NOT_FOUND",
        ),
        (json!({"type": "project:add", "path": "/etc"}), "INVALID_PATH"),
        (json!({"type": "session:archive", "sessionId": "x"}), "SESSION_NOT_FOUND"),
        (json!({"type": "project:remove", "projectId": "x"}), "PROJECT_NOT_FOUND"),
        (json!({"type": "session:reconnect", "cliType": "x"}), "UNSUPPORTED_CLI_TYPE"),
    ] {
        socket.send(&request).await;
        assert_eq!(socket.receive_type("error").await["code"], code, "{request}");
    }
    socket.send(&json!({"type": "ping"})).await;
    socket.receive_type("pong").await;
}

#[tokio::test]
async fn a_message_that_is_too_big_closes_with_1009() {
    let server = TestServer::start().await;
    let mut socket = server.greeted_socket().await;
    socket.send_text("x".repeat((1 << 20) + 1)).await;
    assert_eq!(socket.close_code().await, Some(1009));
}

#[tokio::test]
async fn a_stopping_server_says_goodbye() {
    let server = TestServer::start().await;
    let mut socket = server.greeted_socket().await;
    server.parts.stop.cancel();
    assert_eq!(socket.close_code().await, Some(1001));
    server.parts.tasks.close();
    server.parts.tasks.wait().await;
}

#[tokio::test]
async fn only_what_was_opened_is_streamed() {
    let server = TestServer::start().await;
    let (one, two) =
        (server.create_session("scripted").await, server.create_session("scripted").await);
    let mut socket = server.greeted_socket().await;
    let emit = |session: &contract::SessionId, item: &str| {
        let upsert = Sample::new(session, "t").message(item, ItemStatus::Complete, item);
        let agent = server.parts.agent.clone();
        async move { agent.emit(upsert).await }
    };
    socket.send(&json!({"type": "session:open", "sessionId": one})).await;
    socket.receive_type("session:history").await;
    emit(&two, "unseen").await;
    emit(&one, "seen").await;
    assert_eq!(socket.receive_type("session:upsert").await["payload"]["itemId"], "seen");
    socket.send(&json!({"type": "session:close", "sessionId": one})).await;
    socket.send(&json!({"type": "session:open", "sessionId": two})).await;
    let history = socket.receive_type("session:history").await;
    assert_eq!(history["entries"][0]["itemId"], "unseen");
    emit(&one, "closed").await;
    emit(&two, "open").await;
    assert_eq!(socket.receive_type("session:upsert").await["payload"]["itemId"], "open");
}

#[tokio::test]
async fn thousands_of_sessions_do_not_keep_a_connection_from_working() {
    let server = TestServer::start().await;
    for _ in 0..2100 {
        server.parts.create("external").await;
    }
    let mut socket = server.greeted_socket().await;
    for _ in 0..2100 {
        socket.receive_type("session:status").await;
    }
    socket.send(&json!({"type": "ping"})).await;
    socket.receive_type("pong").await;
    assert_eq!(server.stranger().get("/healthz").await.status, 200);
}

#[tokio::test]
async fn a_place_beyond_all_places_is_no_place() {
    let server = TestServer::start().await;
    let session = server.create_session("external").await;
    let mut socket = server.greeted_socket().await;
    let epoch =
        server.client().get(&format!("/api/session/{session}/history")).await.json()["epoch"]
            .clone();
    socket.send(&json!({"type": "session:open", "sessionId": session, "after": u64::MAX, "epoch": epoch})).await;
    assert_eq!(socket.receive_type("session:history").await["mode"], "reset");
    let page =
        server.client().get(&format!("/api/session/{session}/history?after={}", u64::MAX)).await;
    assert_eq!(page.status, 200);
}
