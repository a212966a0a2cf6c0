//! What operators watch.

use contract::{ErrorCode, ItemStatus, SessionId, TurnEvent};
use serde_json::json;
use session::provider::ProviderErrorCode;
use testkit::{Operation, Sample, TestServer};

#[tokio::test]
async fn turns_words_errors_and_sessions_are_counted() {
    let server = TestServer::start().await;
    assert_eq!(server.stranger().get("/metrics").await.status, 401);
    let client = server.client();
    client.get("/api/session/nobody/status").await;
    let session = server.create_session("scripted").await;
    let path = format!("/api/session/{session}/send");
    let sent = client.post_json(&path, &json!({"content": "go"})).await;
    assert_eq!(sent.status, 202, "{}", sent.text());
    let agent = &server.parts.agent;
    agent.wait_for_calls(2).await;
    let turn = sent.json()["turnId"].as_str().unwrap().to_owned();
    let sample = Sample::new(&session, &turn);
    agent.emit_turn(sample.started()).await;
    agent.emit(sample.message("i", ItemStatus::Complete, "words")).await;
    agent.emit_turn(sample.completed()).await;
    client.get(&format!("/api/session/{session}/wait?timeoutMs=5000")).await;

    let mut socket = server.greeted_socket().await;
    socket.send_text("nonsense".to_owned()).await;
    socket.receive_type("error").await;
    let answer = client.get("/metrics").await;
    assert!(answer.header("content-type").unwrap().starts_with("application/openmetrics-text"));
    let text = answer.text();
    for line in [
        "liminal_errors_total{code=\"UNAUTHORIZED\"} 1",
        "liminal_errors_total{code=\"SESSION_NOT_FOUND\"} 1",
        "liminal_turns_total{outcome=\"completed\"} 1",
        "liminal_first_text_seconds_count 1",
        "liminal_sessions{state=\"open\",activity=\"idle\"} 1",
        "liminal_agents 1",
        "liminal_queued_turns 0",
        "liminal_connections{family=\"upsert-v1\"} 1",
        "liminal_errors_total{code=\"INVALID_REQUEST\"} 1",
    ] {
        assert!(text.lines().any(|told| told == line), "{line} in {text}");
    }
}

#[tokio::test]
async fn what_waits_for_connections_is_told_and_how_late_events_are() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let sample = Sample::new(&session, "t");
    let mut stuck = server.narrow_socket().await;
    stuck.send(&json!({"type": "session:hello", "streamProtocol": "upsert-v1"})).await;
    stuck.send(&json!({"type": "session:open", "sessionId": session})).await;
    stuck.receive_type("session:history").await;
    let figure = async |name: &str| -> f64 {
        let text = server.client().get("/metrics").await.text();
        let line = text.lines().find(|line| line.split(' ').next() == Some(name));
        let line = line.unwrap_or_else(|| panic!("{name} in {text}"));
        line.split(' ').nth(1).unwrap().parse().unwrap()
    };
    // As much as the system takes for a client that reads nothing, and then one that has to wait.
    for n in 0..200 {
        let (id, text) = (format!("i{n}"), "x".repeat(200_000));
        server.parts.agent.emit(sample.message(&id, ItemStatus::Complete, &text)).await;
        if figure("liminal_outbox_bytes").await >= 200_000.0 {
            break;
        }
    }
    assert!(figure("liminal_outbox_bytes").await >= 200_000.0, "something waits");
    assert!(figure("liminal_outbox_frames").await >= 1.0);
    assert!(figure("liminal_event_lag_seconds_count").await >= 2.0);
    assert!(figure("liminal_event_lag_seconds_sum").await > 0.0, "shorter than a millisecond too");
    assert_eq!(figure("liminal_journal_queue").await, 0.0);
    let text = server.client().get("/metrics").await.text();
    assert!(text.contains("liminal_event_lag_seconds_bucket{le=\"0.0001\"}"), "{text}");
}

#[tokio::test]
async fn an_envelope_that_is_refused_is_counted_as_every_error() {
    let server = TestServer::start().await;
    let client = server.client();
    let session = server.create_session("external").await;
    let refused =
        client.request("POST", &format!("/api/session/{session}/events"), b"nonsense").await;
    assert_eq!(refused.error(), (400, "INVALID_STREAM_EVENT".into()));
    let text = client.get("/metrics").await.text();
    let line = "liminal_errors_total{code=\"INVALID_STREAM_EVENT\"} 1";
    assert!(text.lines().any(|told| told == line), "{line} in {text}");
}

#[tokio::test]
async fn what_goes_wrong_over_a_websocket_is_counted_also_when_it_takes_a_while() {
    let server = TestServer::start().await;
    let mut socket = server.greeted_socket().await;
    server.parts.agent.fail_next(Operation::Create, ProviderErrorCode::SessionCreateFailed);
    let (_, project) = server.parts.create("external").await;
    let create = json!({"type": "session:create", "projectId": project, "cliType": "scripted"});
    socket.send(&create).await;
    assert_eq!(socket.receive_type("error").await["code"], "SESSION_CREATE_FAILED");
    let text = server.client().get("/metrics").await.text();
    assert!(text.contains("liminal_errors_total{code=\"SESSION_CREATE_FAILED\"} 1"), "{text}");
    assert!(text.contains("liminal_agents 0"), "what is fed from outside is no agent: {text}");
    assert!(text.contains("liminal_duplicate_deliveries_total 0"), "{text}");
}

/// Sends a message and has the agent end its turn as `end` says.
async fn run_a_turn(
    server: &TestServer,
    session: &SessionId,
    end: impl FnOnce(&Sample) -> TurnEvent,
) {
    let path = format!("/api/session/{session}/send");
    let sent = server.client().post_json(&path, &json!({"content": "go"})).await;
    assert_eq!(sent.status, 202, "{}", sent.text());
    let turn = Sample::new(session, sent.json()["turnId"].as_str().unwrap());
    server.parts.agent.emit_turn(turn.started()).await;
    server.parts.agent.emit_turn(end(&turn)).await;
    let path = format!("/api/session/{session}/wait?timeoutMs=5000");
    assert_eq!(server.client().get(&path).await.json()["timedOut"], false);
}

#[tokio::test]
async fn turns_are_counted_by_how_they_ended_and_agents_while_they_run() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let other = server.create_session("scripted").await;
    for _ in 0..2 {
        run_a_turn(&server, &session, Sample::cancelled).await;
    }
    run_a_turn(&server, &session, |turn| turn.failed(ErrorCode::RESPONSE_ERROR)).await;
    run_a_turn(&server, &other, Sample::completed).await;
    let figures = async |lines: &[&str]| {
        let text = server.client().get("/metrics").await.text();
        for line in lines {
            assert!(text.lines().any(|told| told == *line), "{line} in {text}");
        }
    };
    figures(&[
        "liminal_turns_total{outcome=\"cancelled\"} 2",
        "liminal_turns_total{outcome=\"error\"} 1",
        "liminal_turns_total{outcome=\"completed\"} 1",
        "liminal_errors_total{code=\"RESPONSE_ERROR\"} 1",
        "liminal_agents 2",
    ])
    .await;
    let killed = server.client().post(&format!("/api/session/{session}/kill")).await;
    assert_eq!(killed.status, 200, "{}", killed.text());
    figures(&["liminal_agents 1"]).await;
}

#[tokio::test]
async fn turns_that_wait_are_counted() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let path = format!("/api/session/{session}/send");
    for text in ["with the agent", "waits", "waits too"] {
        let sent = server.client().post_json(&path, &json!({"content": text})).await;
        assert_eq!(sent.status, 202, "{}", sent.text());
    }
    let text = server.client().get("/metrics").await.text();
    assert!(text.contains("liminal_queued_turns 2"), "{text}");
}
