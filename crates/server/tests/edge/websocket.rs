//! WebSocket: negotiation, requests, answers, and what is not understood.

use std::sync::Arc;

use contract::{ItemStatus, SessionId, SessionSource, Timestamp};
use serde_json::json;
use store::{AgentChoices, Journal, MemoryJournal, SessionRecord};
use testkit::{KeptSession, Operation, Sample, TestServer, TestService};

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
    let emit = |session: &SessionId, item: &str| {
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

#[tokio::test]
async fn a_pong_comes_after_all_that_was_the_case() {
    let server = TestServer::start().await;
    for _ in 0..200 {
        server.parts.create("external").await;
    }
    for _ in 0..5 {
        let mut socket = server.socket().await;
        socket.send(&json!({"type": "session:hello", "streamProtocol": "upsert-v2"})).await;
        socket.send(&json!({"type": "ping"})).await;
        let mut told = 0;
        loop {
            match socket.receive().await["type"].as_str() {
                Some("session:status") => told += 1,
                Some("pong") => break,
                _ => {}
            }
        }
        assert_eq!(told, 200);
    }
}

#[tokio::test]
async fn whoever_opens_a_session_that_nobody_used_since_the_start_is_told_how_it_stands() {
    let journal = Arc::new(MemoryJournal::default());
    let before = TestService::with_journal(journal.clone()).await;
    let (session, _) = before.create("scripted").await;
    before.stop().await;

    let server = TestServer::of(TestService::with_journal(journal).await).await;
    let (mut other, mut socket) = (server.greeted_socket().await, server.greeted_socket().await);
    socket.send(&json!({"type": "session:open", "sessionId": session})).await;
    let mut before = Vec::new();
    while before.last().is_none_or(|last: &serde_json::Value| last["type"] != "session:history") {
        before.push(socket.receive().await);
    }
    let status = before.iter().find(|told| told["type"] == "session:status").expect("a status");
    assert_eq!((&status["sessionId"], &status["isAlive"]), (&json!(session), &json!(false)));
    // As every connection is.
    assert_eq!(other.receive_only("session:status").await["sessionId"], json!(session));
}

const KEPT: &str = "8aef91cc-bc1d-4f52-8f04-6a9a4a1f2f7c";

/// A server that knows a session by name only, whose agent keeps what was said in it.
async fn with_a_session_to_be_read() -> TestServer {
    let journal = Arc::new(MemoryJournal::default());
    let parts = TestService::with_journal(journal.clone()).await;
    let project_dir = parts.project.path().to_str().unwrap().to_owned();
    let project = parts.service.add_project(&project_dir).await.unwrap();
    let record = SessionRecord {
        session_id: KEPT.into(),
        project_id: project.id,
        project_dir,
        cli_type: "scripted".into(),
        agent_session: None,
        choices: AgentChoices::default(),
        epoch: "epoch".into(),
        title: "long ago".to_owned(),
        created_at: Timestamp::default(),
        last_active_at: Timestamp::default(),
        archived: false,
        dead: false,
        source: SessionSource::Imported,
    };
    journal.create_session(record).await.unwrap();
    let said = Sample::new(&SessionId::from(KEPT), "t").message("i", ItemStatus::Complete, "said");
    parts.agent.keep(KeptSession::new(KEPT, "long ago", [said.into()]));
    TestServer::of(parts).await
}

#[tokio::test]
async fn a_session_that_takes_long_to_be_read_keeps_a_connection_from_no_other() {
    let server = with_a_session_to_be_read().await;
    let other = server.create_session("external").await;
    let mut socket = server.greeted_socket().await;
    let read = server.parts.agent.hold_next(Operation::Read);
    let ask = |kind: &str, session: &str, id: &str| json!({"type": kind, "sessionId": session, "requestId": id});
    socket.send(&ask("session:open", KEPT, "1")).await;
    socket.send(&ask("session:close", KEPT, "2")).await;
    socket.send(&ask("session:open", KEPT, "3")).await;
    socket.send(&ask("session:open", other.as_str(), "4")).await;
    socket.send(&json!({"type": "ping", "requestId": "5"})).await;
    let told = socket.receive_type("session:history").await;
    assert_eq!(told["sessionId"], json!(other), "it waits for nobody");
    socket.send(&json!({"type": "ping", "requestId": "6"})).await;
    while socket.receive_type("pong").await["requestId"] != "6" {}

    read.send(()).unwrap();
    // What was said to it meanwhile is taken in its order: it is open in the end.
    assert_eq!(socket.receive_type("ok").await["requestId"], "2");
    let told = socket.receive_type("session:history").await;
    assert_eq!((&told["sessionId"], &told["requestId"]), (&json!(KEPT), &json!("3")));
    assert_eq!(told["entries"][0]["content"], "said");
}
