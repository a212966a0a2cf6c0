//! The acceptance cases of the session API, on the real server.

use contract::{ItemStatus, SessionId};
use serde_json::{Value, json};
use testkit::{Call, HttpResponse, Operation, Sample, TestServer};

fn at(session: &SessionId, route: &str) -> String {
    format!("/api/session/{session}/{route}")
}

async fn send(server: &TestServer, session: &SessionId, content: &str) -> HttpResponse {
    server.client().post_json(&at(session, "send"), &json!({"content": content})).await
}

/// Creates a session in a directory of its own below the project's.
async fn create_in(server: &TestServer, dir: &str) -> (SessionId, String) {
    let path = server.parts.project.path().join(dir);
    std::fs::create_dir_all(&path).unwrap();
    let mut request = serde_json::to_value(server.parts.create_request("scripted")).unwrap();
    request["projectDir"] = json!(path);
    let created = server.client().post_json("/api/session/create", &request).await.json();
    let text = |field: &str| created[field].as_str().unwrap().to_owned();
    (text("sessionId").into(), text("projectId"))
}

async fn list(server: &TestServer, project: &str, query: &str) -> Vec<Value> {
    let path = format!("/api/session/list?projectId={project}{query}");
    let listed = server.client().get(&path).await;
    assert_eq!(listed.status, 200, "{}", listed.text());
    listed.json()["sessions"].as_array().unwrap().clone()
}

#[tokio::test]
async fn tc_6_1a_create_answers_201_with_the_session() {
    let server = TestServer::start().await;
    let project_dir = server.parts.project.path();
    let request = json!({"cliType": "scripted", "projectDir": project_dir});
    let created = server.client().post_json("/api/session/create", &request).await;
    let expected =
        json!({"sessionId": "session-1", "cliType": "scripted", "projectId": "project-1"});
    assert_eq!((created.status, created.json()), (201, expected));
    let dir = project_dir.canonicalize().unwrap().to_str().unwrap().to_owned();
    assert_eq!(server.parts.agent.calls(), [Call::Create("session-1".into(), dir)]);
}

#[tokio::test]
async fn tc_6_1b_create_with_an_unknown_type_answers_400() {
    let server = TestServer::start().await;
    let request = json!({"cliType": "gemini", "projectDir": server.parts.project.path()});
    let refused = server.client().post_json("/api/session/create", &request).await;
    assert_eq!(refused.error(), (400, "UNSUPPORTED_CLI_TYPE".into()));
    assert_eq!(server.parts.agent.calls(), []);
}

#[tokio::test]
async fn tc_6_1c_list_answers_the_open_and_loading_sessions_of_the_project() {
    let server = TestServer::start().await;
    let client = server.client();
    let (open, project) = create_in(&server, "one").await;
    let (loading, _) = create_in(&server, "one").await;
    let (dead, _) = create_in(&server, "one").await;
    let (archived, _) = create_in(&server, "one").await;
    let (elsewhere, other) = create_in(&server, "two").await;
    client.post(&at(&dead, "kill")).await;
    client.post(&at(&archived, "archive")).await;
    client.post(&at(&loading, "kill")).await;
    let calls = server.parts.agent.calls().len();
    let up = server.parts.agent.hold_next(Operation::Load);
    let path = at(&loading, "load");
    let load = server.parts.tasks.spawn(async move { client.post(&path).await.status });
    server.parts.agent.wait_for_calls(calls + 1).await;
    let mut listed: Vec<_> = list(&server, &project, "")
        .await
        .iter()
        .map(|item| (item["sessionId"].clone(), item["status"].clone()))
        .collect();
    listed.sort_by_key(|(id, _)| id.to_string());
    assert_eq!(listed, [(json!(open), json!("open")), (json!(loading), json!("loading"))]);
    up.send(()).unwrap();
    assert_eq!(load.await.unwrap(), 200);
    for item in list(&server, &project, "").await {
        assert_eq!((&item["cliType"], &item["projectId"]), (&json!("scripted"), &json!(project)));
    }
    assert_eq!(list(&server, &project, "&state=all").await.len(), 4);
    let others = list(&server, &other, "").await;
    assert_eq!((others.len(), &others[0]["sessionId"]), (1, &json!(elsewhere)));
}

#[tokio::test]
async fn tc_6_1d_list_without_a_project_answers_400() {
    let server = TestServer::start().await;
    for path in ["/api/session/list", "/api/session/list?projectId="] {
        let refused = server.client().get(path).await;
        assert_eq!(refused.error(), (400, "PROJECT_ID_REQUIRED".into()), "{path}");
    }
    assert_eq!(server.parts.agent.calls(), []);
}

#[tokio::test]
async fn tc_6_1e_load_answers_200_once_the_provider_has_loaded_and_tells_the_history() {
    let server = TestServer::start().await;
    let (session, _) = create_in(&server, "one").await;
    send(&server, &session, "hello").await;
    server.client().post(&at(&session, "kill")).await;
    let mut socket = server.greeted_socket().await;
    socket.send(&json!({"type": "session:open", "sessionId": session})).await;
    socket.receive_type("session:history").await;
    let before = server.parts.agent.calls().len();
    let loaded = server.client().post(&at(&session, "load")).await;
    let expected = json!({"sessionId": session, "cliType": "scripted"});
    assert_eq!((loaded.status, loaded.json()), (200, expected));
    let calls = server.parts.agent.calls();
    assert_eq!(calls[before..], [Call::Load(session.clone())]);
    let history = socket.receive_type("session:history").await;
    assert_eq!((&history["sessionId"], &history["mode"]), (&json!(session), &json!("full")));
    assert_eq!(history["entries"][0]["content"], "hello");
}

#[tokio::test]
async fn tc_6_1f_load_of_an_unknown_session_answers_404() {
    let server = TestServer::start().await;
    let unknown = server.client().post("/api/session/nobody/load").await;
    assert_eq!(unknown.error(), (404, "SESSION_NOT_FOUND".into()));
}

#[tokio::test]
async fn tc_6_2a_send_answers_202_once_the_message_is_in_the_journal() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    // An agent that does not take the message keeps nobody from being answered.
    let _held = server.parts.agent.hold_next(Operation::Send);
    let sent = send(&server, &session, "hello").await;
    assert_eq!((sent.status, sent.json()), (202, json!({"turnId": "turn-1", "state": "started"})));
    let history = server.client().get(&at(&session, "history")).await.json();
    let item = &history["entries"][0];
    assert_eq!((&item["itemId"], &item["content"]), (&json!("turn-1:0:0"), &json!("hello")));
    let queued = send(&server, &session, "and then").await;
    assert_eq!(queued.json(), json!({"turnId": "turn-2", "state": "queued"}));
    let queue = server.client().get(&at(&session, "queue")).await.json();
    assert_eq!((&queue[0]["turnId"], &queue[0]["content"]), (&json!("turn-2"), &json!("and then")));
}

#[tokio::test]
async fn tc_6_2b_send_to_an_unknown_session_answers_404() {
    let server = TestServer::start().await;
    let unknown = send(&server, &"nobody".into(), "hello").await;
    assert_eq!(unknown.error(), (404, "SESSION_NOT_FOUND".into()));
}

#[tokio::test]
async fn tc_6_2c_cancel_answers_200_once_the_end_of_the_turn_is_told() {
    let server = TestServer::start().await;
    let (client, agent) = (server.client(), &server.parts.agent);
    let session = server.create_session("scripted").await;
    send(&server, &session, "hello").await;
    agent.emit_turn(Sample::new(&session, "turn-1").started()).await;
    while client.get(&at(&session, "history")).await.json()["turns"] == json!([]) {}
    let path = at(&session, "cancel");
    let ending = async {
        let calls = agent.wait_for_calls(3).await;
        assert_eq!(calls[2], Call::Cancel(session.clone()));
        agent.emit_turn(Sample::new(&session, "turn-1").cancelled()).await;
    };
    let (cancelled, ()) = tokio::join!(client.post(&path), ending);
    assert_eq!((cancelled.status, cancelled.json()), (200, json!({"cancelled": true})));
    let turns = client.get(&at(&session, "history")).await.json()["turns"].clone();
    assert_eq!(
        (&turns[1]["type"], &turns[1]["status"]),
        (&json!("turn_complete"), &json!("cancelled"))
    );
    let unknown = client.post("/api/session/nobody/cancel").await;
    assert_eq!(unknown.error(), (404, "SESSION_NOT_FOUND".into()));
}

#[tokio::test]
async fn tc_6_2d_the_turn_id_that_send_returns_stands_on_everything_of_the_turn() {
    let server = TestServer::start().await;
    let (client, agent) = (server.client(), &server.parts.agent);
    let session = server.create_session("scripted").await;
    let sent = send(&server, &session, "hello").await.json();
    let id = sent["turnId"].as_str().unwrap();
    let calls = agent.wait_for_calls(2).await;
    assert!(matches!(&calls[1], Call::Send(_, turn, ..) if *turn == id), "{calls:?}");
    let turn = Sample::new(&session, id);
    agent.emit_turn(turn.started()).await;
    agent.emit(turn.message(&format!("{id}:1:0"), ItemStatus::Complete, "hi")).await;
    agent.emit_turn(turn.completed()).await;
    client.get(&at(&session, "wait?timeoutMs=20000")).await;
    let history = client.get(&at(&session, "history")).await.json();
    let told = |of: &str| history[of].as_array().unwrap().clone();
    assert_eq!((told("entries").len(), told("turns").len()), (2, 2));
    for part in told("entries").iter().chain(&told("turns")) {
        assert_eq!(part["turnId"], sent["turnId"], "{part}");
    }
}

#[tokio::test]
async fn tc_6_3a_kill_answers_200_and_the_session_leaves_the_default_list() {
    let server = TestServer::start().await;
    let (session, project) = create_in(&server, "one").await;
    let killed = server.client().post(&at(&session, "kill")).await;
    assert_eq!((killed.status, killed.json()), (200, json!({"killed": true})));
    assert_eq!(server.parts.agent.calls().last(), Some(&Call::Kill(session.clone())));
    assert_eq!(list(&server, &project, "").await, [json!(null); 0]);
    let all = list(&server, &project, "&state=all").await;
    assert_eq!((&all[0]["sessionId"], &all[0]["status"]), (&json!(session), &json!("dead")));
}

#[tokio::test]
async fn tc_6_3b_status_answers_200_with_type_liveness_and_state() {
    let server = TestServer::start().await;
    let client = server.client();
    let session = server.create_session("scripted").await;
    let expected = |is_alive: bool, state: &str| json!({"sessionId": session, "cliType": "scripted", "isAlive": is_alive, "state": state});
    let told = async || {
        let status = client.get(&at(&session, "status")).await;
        assert_eq!(status.status, 200);
        let status = status.json();
        let fields = ["sessionId", "cliType", "isAlive", "state"].map(|name| (name, &status[name]));
        json!(std::collections::HashMap::from(fields))
    };
    assert_eq!(told().await, expected(true, "open"));
    client.post(&at(&session, "kill")).await;
    assert_eq!(told().await, expected(false, "dead"));
    let unknown = client.get("/api/session/nobody/status").await;
    assert_eq!(unknown.error(), (404, "SESSION_NOT_FOUND".into()));
}
