//! A server that is asked to stop: nothing new begins, what runs may end, everybody is told, and it ends in time.
#![cfg(test)]

use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::json;
use testkit::{ServerPlace, ServerProcess};

/// What is promised.
const IN_TIME: Duration = Duration::from_secs(10);

fn place() -> ServerPlace {
    ServerPlace::new(Path::new(env!("CARGO_BIN_EXE_liminal")), "")
}

/// Waits for the end on a thread of its own, so that the test hears others meanwhile.
async fn ended(server: ServerProcess) -> std::process::ExitStatus {
    tokio::task::spawn_blocking(move || server.ended()).await.unwrap()
}

#[tokio::test]
async fn r_11_sockets_are_told_new_work_is_refused_and_what_runs_may_end() {
    let place = place();
    let server = place.start();
    let session = server.create(&place, "demo").await;
    let mut socket = server.socket("upsert-v1").await;
    socket.send(&json!({"type": "session:open", "sessionId": session})).await;
    socket.receive_type("session:history").await;
    let (client, port) = (server.client(), server.port());
    // A turn that hangs keeps the server from ending before we have looked at it.
    server.send(&session, &json!({"content": "hang"})).await;
    socket.receive_type("session:turn").await;
    let asked = SystemTime::now();
    server.ask_to_stop();
    let told = socket.receive_type("server:draining").await;
    let deadline = told["deadlineMs"].as_u64().unwrap();
    assert!((1..=10_000).contains(&deadline), "{told}");

    let body = json!({"cliType": "demo", "projectDir": place.at("project")});
    let refused = client.post_json("/api/session/create", &body).await;
    assert_eq!(refused.error(), (503, "SHUTTING_DOWN".into()));
    assert!(refused.header("retry-after").is_some());
    let path = format!("/api/session/{session}/send");
    assert_eq!(client.post_json(&path, &json!({"content": "more"})).await.status, 503);
    assert_eq!(client.get("/readyz").await.error(), (503, "SHUTTING_DOWN".into()));
    assert_eq!(client.get("/healthz").await.status, 200);
    let send =
        json!({"type": "session:send", "sessionId": session, "content": "more", "requestId": "s"});
    socket.send(&send).await;
    let refused = socket.receive_type("error").await;
    assert_eq!((&refused["requestId"], &refused["code"]), (&json!("s"), &json!("SHUTTING_DOWN")));

    // The same by both ways: what changes what is kept waits for the next server.
    let project = &client.get("/api/projects").await.json()[0]["id"];
    assert_eq!(client.post(&format!("/api/session/{session}/archive")).await.status, 503);
    for message in [
        json!({"type": "session:archive", "sessionId": session, "requestId": "a"}),
        json!({"type": "project:remove", "projectId": project, "requestId": "a"}),
    ] {
        socket.send(&message).await;
        let refused = socket.receive_type("error").await;
        assert_eq!(refused["code"], "SHUTTING_DOWN", "{message}");
    }

    // What runs is cancelled, as it may be: then there is nothing to wait for.
    assert_eq!(client.post(&format!("/api/session/{session}/cancel")).await.status, 200);
    assert_eq!(socket.close_code().await, Some(1001));
    assert!(ended(server).await.success());
    assert!(asked.elapsed().unwrap() < IN_TIME);
    assert!(tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err());
}

#[tokio::test]
async fn r_11_a_turn_that_waits_is_not_begun_and_waits_for_the_next_server() {
    let place = place();
    let server = place.start();
    let session = server.create(&place, "demo").await;
    let mut socket = server.socket("upsert-v1").await;
    socket.send(&json!({"type": "session:open", "sessionId": session})).await;
    socket.receive_type("session:history").await;
    let client = server.client();
    server.send(&session, &json!({"content": "hang"})).await;
    socket.receive_type("session:turn").await;
    let queued = server.send(&session, &json!({"content": "hang"})).await;
    assert_eq!(queued["state"], "queued");
    server.ask_to_stop();
    socket.receive_type("server:draining").await;
    // Neither is an agent started to look at it.
    socket
        .send(&json!({"type": "session:reconnect", "cliType": "external", "requestId": "r"}))
        .await;
    let refused = socket.receive_type("error").await;
    assert_eq!((&refused["requestId"], &refused["code"]), (&json!("r"), &json!("SHUTTING_DOWN")));
    let looked = client.get("/api/agents?refresh=true").await;
    assert_eq!(looked.error(), (503, "SHUTTING_DOWN".into()));
    // The turn that runs ends, and nothing takes its place.
    assert_eq!(client.post(&format!("/api/session/{session}/cancel")).await.status, 200);
    assert!(ended(server).await.success());

    let server = place.start();
    let status = server.get(&format!("/api/session/{session}/status")).await;
    let waiting = status["queued"].as_array().unwrap().iter();
    let waiting: Vec<_> = waiting.map(|turn| (&turn["turnId"], &turn["paused"])).collect();
    assert_eq!(waiting, [(&queued["turnId"], &json!(true))]);
    let history = server.history(&session).await;
    let events = history["turns"].as_array().unwrap().iter();
    assert_eq!(events.filter(|event| event["type"] == "turn_started").count(), 1, "{history}");
}

#[tokio::test]
async fn r_11_a_turn_that_does_not_end_is_interrupted_in_time() {
    let place = place();
    let server = place.start();
    let session = server.create(&place, "demo").await;
    server.send(&session, &json!({"content": "hang"})).await;
    // A request that waits for the turn does not hold the server up either.
    let client = server.client();
    let path = format!("/api/session/{session}/wait?timeoutMs=600000");
    let asked = SystemTime::now();
    server.ask_to_stop();
    let (status, _) = tokio::join!(ended(server), client.get(&path));
    assert!(status.success());
    assert!(asked.elapsed().unwrap() < IN_TIME, "{:?}", asked.elapsed());
    place.nothing_runs().await;
    let server = place.start();
    let history = server.history(&session).await;
    let turns = history["turns"].as_array().unwrap().iter();
    let ends = turns.filter(|event| event["type"] != "turn_started").count();
    assert_eq!(ends, 1, "it ended once: {history}");
}

/// Neither the end of its input nor a request to end moves it.
const DEAF: &str = "trap '' TERM; \"$0\" demo-agent; while :; do sleep 1; done";

#[tokio::test]
async fn r_11_an_agent_that_will_not_end_is_killed_in_time() {
    let program = env!("CARGO_BIN_EXE_liminal");
    let settings =
        format!("[agents.deaf]\ncommand = [\"/bin/sh\", \"-c\", {DEAF:?}, {program:?}]\n");
    let place = ServerPlace::new(Path::new(program), &settings);
    let server = place.start();
    let session = server.create(&place, "deaf").await;
    server.send(&session, &json!({"content": "hang"})).await;
    let asked = SystemTime::now();
    server.ask_to_stop();
    assert!(ended(server).await.success());
    assert!(asked.elapsed().unwrap() < IN_TIME, "{:?}", asked.elapsed());
    place.nothing_runs().await;
}

#[tokio::test]
async fn r_11_a_second_signal_ends_it_at_once_and_leaves_nothing() {
    let place = place();
    let server = place.start();
    let session = server.create(&place, "demo").await;
    let mut socket = server.socket("upsert-v1").await;
    server.send(&session, &json!({"content": "hang"})).await;
    while socket.receive_type("session:status").await["activity"] != "running" {}
    server.ask_to_stop();
    socket.receive_type("server:draining").await;
    let again = SystemTime::now();
    server.ask_to_stop();
    assert_eq!(ended(server).await.code(), Some(1));
    assert!(again.elapsed().unwrap() < Duration::from_secs(3), "{:?}", again.elapsed());
    place.nothing_runs().await;
}
