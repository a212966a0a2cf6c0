//! Message families: chosen once per connection, and nothing of another one ever after.

use contract::{ErrorCode, ItemStatus, MessageOrigin, SessionId, UpsertBody, UpsertObject};
use serde_json::{Value, json};
use testkit::{Sample, SocketClient, TestServer};

const LEGACY: [&str; 4] =
    ["session:update", "session:chunk", "session:complete", "session:cancelled"];
const UPSERTS: [&str; 3] = ["session:upsert", "session:delta", "session:turn"];

/// Opens a session and waits for its history.
async fn open(socket: &mut SocketClient, session: &SessionId) -> Value {
    socket.send(&json!({"type": "session:open", "sessionId": session, "requestId": "open"})).await;
    let history = socket.receive_type("session:history").await;
    assert_eq!(history["requestId"], "open");
    history
}

/// A turn with text that grows and a tool, sent and told.
async fn run_a_turn(server: &TestServer, socket: &mut SocketClient, session: &SessionId) {
    socket.send(&json!({"type": "session:send", "sessionId": session, "content": "hi"})).await;
    let turn = Sample::new(session, "turn-1");
    let agent = &server.parts.agent;
    agent.wait_for_calls(2).await;
    agent.emit_turn(turn.started()).await;
    for (status, text) in [
        (ItemStatus::Create, "one"),
        (ItemStatus::Update, "one two"),
        (ItemStatus::Complete, "one two three"),
    ] {
        agent.emit(turn.message("turn-1:1:0", status, text)).await;
    }
    agent.emit(turn.tool("turn-1:2:0", ItemStatus::Create, None)).await;
    agent.emit(turn.tool("turn-1:2:0", ItemStatus::Complete, Some("done"))).await;
    agent.emit_turn(turn.completed()).await;
    let end = Sample::new(session, "next").message("end", ItemStatus::Complete, "x");
    agent.emit(end).await;
}

/// Everything a connection is told of the turn, and of the item after it.
async fn told(socket: &mut SocketClient) -> Vec<Value> {
    let mut told = Vec::new();
    loop {
        let message = socket.receive().await;
        let is_last = message["payload"]["itemId"] == "end"
            || (message["type"] == "session:complete" && message["entryId"] == "end");
        told.push(message);
        if is_last {
            return told;
        }
    }
}

fn count(messages: &[Value], kinds: &[&str]) -> usize {
    messages.iter().filter(|message| kinds.iter().any(|kind| message["type"] == *kind)).count()
}

#[tokio::test]
async fn tc_6_4a_without_a_hello_a_socket_gets_legacy_messages_and_with_one_upserts() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let (mut old, mut new) = (server.socket().await, server.socket_of("upsert-v1").await);
    open(&mut old, &session).await;
    open(&mut new, &session).await;
    run_a_turn(&server, &mut old, &session).await;
    let (old, new) = (told(&mut old).await, told(&mut new).await);
    assert!(count(&old, &["session:update"]) > 0, "{old:?}");
    assert!(count(&new, &["session:upsert"]) > 0, "{new:?}");
}

#[tokio::test]
async fn tc_6_4b_with_the_window_closed_no_connection_gets_legacy_messages() {
    let server = TestServer::with_window(false).await;
    let session = server.create_session("scripted").await;
    let mut socket = server.socket().await;
    open(&mut socket, &session).await;
    run_a_turn(&server, &mut socket, &session).await;
    let messages = told(&mut socket).await;
    assert_eq!(count(&messages, &LEGACY), 0, "{messages:?}");
    assert!(count(&messages, &["session:upsert"]) > 0, "{messages:?}");
    for asked in [json!({}), json!({"streamProtocol": "legacy"}), json!({"streamProtocol": "v9"})] {
        let mut hello = json!({"type": "session:hello"});
        hello.as_object_mut().unwrap().extend(asked.as_object().unwrap().clone());
        let mut socket = server.socket().await;
        socket.send(&hello).await;
        assert_eq!(socket.receive().await["selectedFamily"], "upsert-v1", "{hello}");
    }
}

#[tokio::test]
async fn tc_6_4c_each_connection_gets_one_family_and_no_event_twice() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let mut sockets = vec![
        server.socket_of("upsert-v1").await,
        server.socket_of("upsert-v2").await,
        server.socket().await,
    ];
    for socket in &mut sockets {
        open(socket, &session).await;
    }
    for (socket, family) in sockets.iter_mut().zip(["upsert-v1", "upsert-v2", "legacy"]) {
        // A later hello changes nothing.
        socket.send(&json!({"type": "session:hello", "streamProtocol": "upsert-v1"})).await;
        assert_eq!(socket.receive_type("session:hello:ack").await["selectedFamily"], family);
    }
    run_a_turn(&server, &mut sockets[0], &session).await;
    for (socket, is_legacy) in sockets.iter_mut().zip([false, false, true]) {
        let messages = told(socket).await;
        let (own, other): (&[&str], &[&str]) =
            if is_legacy { (&LEGACY, &UPSERTS) } else { (&UPSERTS, &LEGACY) };
        assert!(count(&messages, own) > 0, "{messages:?}");
        assert_eq!(count(&messages, other), 0, "{messages:?}");
        let seqs: Vec<_> = messages.iter().filter_map(|message| message["seq"].as_u64()).collect();
        assert!(seqs.is_sorted_by(|a, b| a < b), "no event twice: {seqs:?}");
    }
}

#[tokio::test]
async fn tc_7_4a_a_send_on_a_negotiated_socket_or_with_the_window_closed_gives_nothing_legacy() {
    for (window, family) in [
        (true, Some("upsert-v1")),
        (true, Some("upsert-v2")),
        (false, Some("upsert-v1")),
        (false, None),
    ] {
        let server = TestServer::with_window(window).await;
        let session = server.create_session("scripted").await;
        let mut socket = match family {
            Some(family) => server.socket_of(family).await,
            None => server.socket().await,
        };
        open(&mut socket, &session).await;
        run_a_turn(&server, &mut socket, &session).await;
        let messages = told(&mut socket).await;
        assert_eq!(count(&messages, &LEGACY), 0, "{family:?}: {messages:?}");
        assert!(count(&messages, &UPSERTS) > 0, "{family:?}: {messages:?}");
    }
}

#[tokio::test]
async fn the_first_choice_holds_and_whoever_does_not_choose_is_told_the_default() {
    for (window, default) in [(true, "legacy"), (false, "upsert-v1")] {
        let server = TestServer::with_window(window).await;
        for (asked, expected) in [
            (json!({"type": "session:hello", "streamProtocol": "upsert-v2"}), "upsert-v2"),
            (json!({"type": "session:hello", "streamProtocol": "upsert-v1"}), "upsert-v1"),
            (json!({"type": "session:hello", "streamProtocol": "upsert-v9"}), default),
            (json!({"type": "session:hello"}), default),
            (json!({"type": "ping"}), default),
        ] {
            let mut socket = server.socket().await;
            socket.send(&asked).await;
            socket
                .send(&json!({"type": "session:hello", "streamProtocol": "upsert-v1", "requestId": "2"}))
                .await;
            let mut ack = socket.receive_type("session:hello:ack").await;
            if ack["requestId"].is_null() {
                assert_eq!(ack["selectedFamily"], expected, "{asked}");
                ack = socket.receive_type("session:hello:ack").await;
            }
            assert_eq!(ack["selectedFamily"], expected, "{asked}, and again");
        }
    }
}

#[tokio::test]
async fn a_legacy_client_is_told_a_turn_in_its_own_order() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let mut socket = server.socket().await;
    let history = open(&mut socket, &session).await;
    assert_eq!(
        history,
        json!({"type": "session:history", "requestId": "open", "sessionId": session, "entries": []})
    );
    let turn = Sample::new(&session, "t");
    let agent = &server.parts.agent;
    let tell = async |item: UpsertObject| agent.emit(item).await;
    tell(turn.message("m", ItemStatus::Create, "")).await;
    let first = socket.receive_type("session:update").await["entry"].clone();
    assert_eq!((&first["type"], &first["content"]), (&json!("assistant"), &json!("")));
    assert_eq!(first["entryId"], "m");
    tell(turn.message("m", ItemStatus::Update, "one")).await;
    assert_eq!(socket.receive_type("session:chunk").await["content"], "one");
    tell(turn.message("m", ItemStatus::Update, "one two")).await;
    let chunk = socket.receive_type("session:chunk").await;
    assert_eq!(
        chunk,
        json!({"type": "session:chunk", "sessionId": session, "entryId": "m", "content": " two"})
    );
    tell(turn.message("m", ItemStatus::Update, "something else")).await;
    assert_eq!(socket.receive_type("session:update").await["entry"]["content"], "something else");
    tell(turn.message("m", ItemStatus::Complete, "something else")).await;
    let complete = socket.receive().await;
    assert_eq!(complete, json!({"type": "session:complete", "sessionId": session, "entryId": "m"}));
    tell(turn.message("cut", ItemStatus::Create, "half")).await;
    assert_eq!(socket.receive().await["type"], "session:update");
    assert_eq!(socket.receive().await["content"], "half");
    let cancelled = UpsertObject {
        error_code: Some(ErrorCode::CANCELLED),
        ..turn.message("cut", ItemStatus::Error, "half")
    };
    tell(cancelled).await;
    assert_eq!(socket.receive().await["type"], "session:cancelled");
    let thinking = |status, text: &str| UpsertObject {
        body: UpsertBody::Thinking { content: text.into(), provider_id: "p".into() },
        ..turn.message("think", status, "")
    };
    tell(thinking(ItemStatus::Create, "hm")).await;
    let entry = socket.receive().await["entry"].clone();
    assert_eq!(entry, json!({"type": "thinking", "entryId": "think", "content": "hm"}));
    tell(thinking(ItemStatus::Complete, "hm, so")).await;
    assert_eq!(socket.receive().await["content"], ", so");
}

#[tokio::test]
async fn a_legacy_client_is_told_tools_failures_and_questions() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let mut socket = server.socket().await;
    open(&mut socket, &session).await;
    let turn = Sample::new(&session, "t");
    let agent = &server.parts.agent;
    agent.emit_turn(turn.started()).await;
    agent.emit(turn.tool("ok", ItemStatus::Create, None)).await;
    let running = socket.receive_type("session:update").await["entry"].clone();
    let expected = json!({"type": "tool-call", "entryId": "ok", "toolCallId": "call-ok", "name": "Bash", "status": "running"});
    assert_eq!(running, expected);
    agent.emit(turn.tool("ok", ItemStatus::Complete, Some("files"))).await;
    let ended = socket.receive_type("session:update").await["entry"].clone();
    assert_eq!((&ended["status"], &ended["result"]), (&json!("complete"), &json!("files")));
    agent.emit(turn.tool("bad", ItemStatus::Error, None)).await;
    let failed = socket.receive_type("session:update").await["entry"].clone();
    assert_eq!((&failed["status"], &failed["error"]), (&json!("error"), &json!("INTERRUPTED")));
    drop(agent.ask(turn.permission("p")).await);
    let asked = socket.receive_type("session:error").await;
    assert!(asked["message"].as_str().unwrap().contains("Run a command"), "{asked}");
    // Whoever comes later is told as well what waits.
    let mut later = server.socket().await;
    later.send(&json!({"type": "ping"})).await;
    assert!(later.receive_type("session:error").await["message"].as_str().unwrap().contains("Run"));
    agent.emit_turn(turn.failed(ErrorCode::RESPONSE_ERROR)).await;
    while socket.receive_type("session:error").await["message"] != "it broke" {}
    let history = open(&mut later, &session).await;
    let kinds: Vec<_> =
        history["entries"].as_array().unwrap().iter().map(|entry| &entry["type"]).collect();
    assert_eq!(kinds, ["tool-call", "tool-call"]);
}

#[tokio::test]
async fn what_an_agent_took_back_ends_for_a_legacy_client_and_stands_in_no_history() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let mut socket = server.socket().await;
    open(&mut socket, &session).await;
    let turn = Sample::new(&session, "t");
    let agent = &server.parts.agent;
    let taken_back = |item: UpsertObject| UpsertObject {
        status: ItemStatus::Error,
        error_code: Some(ErrorCode::SUPERSEDED),
        ..item
    };
    let thought = |text: &str| UpsertObject {
        body: UpsertBody::Thinking { content: text.into(), provider_id: "p".into() },
        ..turn.message("thought", ItemStatus::Create, "")
    };
    agent.emit(turn.message("told", ItemStatus::Create, "I was")).await;
    assert_eq!(socket.receive().await["type"], "session:update");
    assert_eq!(socket.receive().await["content"], "I was");
    agent.emit(turn.tool("call", ItemStatus::Create, None)).await;
    agent.emit(thought("hm")).await;
    for id in ["call", "thought"] {
        assert_eq!(socket.receive().await["entry"]["entryId"], id);
    }
    agent.emit(taken_back(turn.message("told", ItemStatus::Error, "I was only sl"))).await;
    agent.emit(taken_back(thought("hm, so"))).await;
    agent.emit(taken_back(turn.tool("call", ItemStatus::Error, None))).await;
    agent.emit(taken_back(turn.message("untold", ItemStatus::Error, "never seen"))).await;
    let cancelled = json!({"type": "session:cancelled", "sessionId": session, "entryId": "told"});
    assert_eq!(socket.receive().await, cancelled, "and no more of its text");
    let call = socket.receive().await["entry"].clone();
    assert_eq!((&call["entryId"], &call["status"]), (&json!("call"), &json!("error")));
    agent.emit(turn.message("anew", ItemStatus::Complete, "I was only sleeping")).await;
    assert_eq!(socket.receive().await["entry"]["entryId"], "anew", "nothing was told in between");
    let history = open(&mut server.socket().await, &session).await;
    let entries = history["entries"].as_array().unwrap();
    assert_eq!((entries.len(), &entries[0]["entryId"]), (1, &json!("anew")));
}

#[tokio::test]
async fn a_history_that_a_legacy_client_asks_for_again_is_whole() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let user = UpsertObject {
        body: UpsertBody::Message { content: "hello".into(), origin: MessageOrigin::User },
        ..Sample::new(&session, "t").message("t:0:0", ItemStatus::Complete, "")
    };
    let mut witness = server.greeted_socket().await;
    open(&mut witness, &session).await;
    server.parts.agent.emit(user).await;
    witness.receive_type("session:upsert").await;
    let mut socket = server.socket().await;
    for after in [0, 1] {
        let epoch =
            server.client().get(&format!("/api/session/{session}/history")).await.json()["epoch"]
                .clone();
        socket
            .send(&json!({"type": "session:open", "sessionId": session, "after": after, "epoch": epoch}))
            .await;
        let history = socket.receive_type("session:history").await;
        assert_eq!(history["entries"][0]["type"], "user", "it replaces all that the client has");
    }
}
