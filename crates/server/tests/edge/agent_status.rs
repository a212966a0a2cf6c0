//! How it stands with a type of agent, as every connection is told.

use serde_json::{Value, json};
use session::provider::ProviderErrorCode;
use testkit::{Operation, SocketClient, TestServer};

async fn next_status(socket: &mut SocketClient) -> Value {
    let message = socket.receive_type("agent:status").await;
    assert_eq!(message["cliType"], "scripted");
    message["status"].clone()
}

#[tokio::test]
async fn a_crash_is_told_and_a_reconnect_tries_again() {
    let server = TestServer::start().await;
    let agent = &server.parts.agent;
    let mut socket = server.greeted_socket().await;
    assert_eq!(next_status(&mut socket).await, "connected", "nothing is wrong");
    let session = server.create_session("scripted").await;
    assert_eq!(next_status(&mut socket).await, "starting");
    assert_eq!(next_status(&mut socket).await, "connected");
    agent.exit(&session, "gone").await;
    assert_eq!(next_status(&mut socket).await, "disconnected");
    let mut late = server.greeted_socket().await;
    assert_eq!(next_status(&mut late).await, "disconnected", "also to who comes later");

    agent.fail_next(Operation::Check, ProviderErrorCode::ProcessCrash);
    let reconnect = json!({"type": "session:reconnect", "cliType": "scripted", "requestId": "r"});
    socket.send(&reconnect).await;
    let refused = socket.receive_type("error").await;
    assert_eq!((&refused["code"], &refused["requestId"]), (&json!("PROCESS_CRASH"), &json!("r")));
    assert!(refused["message"].as_str().unwrap().contains("it was told to fail"), "{refused}");

    for status in ["reconnecting", "disconnected"] {
        assert_eq!(next_status(&mut late).await, status);
    }
    socket.send(&reconnect).await;
    let answer = loop {
        let status = socket.receive_type("agent:status").await;
        if status["requestId"] == "r" {
            break status["status"].clone();
        }
    };
    assert_eq!(answer, "connected");
    let sent = server
        .client()
        .post_json(&format!("/api/session/{session}/send"), &json!({"content": "again"}))
        .await;
    assert_eq!(sent.status, 202, "the session goes on with the next message");
    let unknown = json!({"type": "session:reconnect", "cliType": "gemini", "requestId": "u"});
    socket.send(&unknown).await;
    assert_eq!(socket.receive_type("error").await["code"], "UNSUPPORTED_CLI_TYPE");
}

#[tokio::test]
async fn an_agent_that_does_not_come_up_is_disconnected() {
    let server = TestServer::start().await;
    let mut socket = server.greeted_socket().await;
    next_status(&mut socket).await;
    server.parts.agent.fail_next(Operation::Create, ProviderErrorCode::SessionCreateFailed);
    let request = serde_json::to_value(server.parts.create_request("scripted")).unwrap();
    server.client().post_json("/api/session/create", &request).await;
    assert_eq!(next_status(&mut socket).await, "starting");
    assert_eq!(next_status(&mut socket).await, "disconnected");
    server.create_session("scripted").await;
    assert_eq!(next_status(&mut socket).await, "starting");
    assert_eq!(next_status(&mut socket).await, "connected");
}
