//! Who changed what is written down, once, and before it is answered.

use serde_json::{Value, json};
use testkit::{Operation, Sample, TestServer, TestService};

use crate::modes::modes;
use crate::operations::{filled, operations};

/// Of each line: who, what, about what, and how it went.
fn told(server: &TestServer) -> Vec<[String; 3]> {
    let text = |line: &Value, name: &str| line[name].as_str().unwrap_or_default().to_owned();
    let lines = server.audited();
    lines.iter().map(|line| ["who", "action", "outcome"].map(|name| text(line, name))).collect()
}

fn line(who: &str, action: &str, outcome: &str) -> [String; 3] {
    [who, action, outcome].map(str::to_owned)
}

#[tokio::test]
async fn s_39_every_change_over_http_is_one_line() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let (client, at) = (server.client(), |rest: &str| format!("/api/session/{session}/{rest}"));
    let other = tempfile::tempdir_in(server.parts.project.path()).unwrap();
    let project = client.post_json("/api/projects", &json!({"path": other.path()})).await.json();
    client.post_json(&at("send"), &json!({"content": "first"})).await;
    let queued = client.post_json(&at("send"), &json!({"content": "second"})).await.json();
    let queued = format!("queue/{}", queued["turnId"].as_str().unwrap());
    let json = client.clone().with_header("Content-Type", "application/json");
    json.request("PATCH", &at(&queued), br#"{"content":"other"}"#).await;
    client.request("DELETE", &at(&queued), b"").await;
    client.post_json(&at("title"), &json!({"title": "t"})).await;
    client.post_json(&at("send"), &json!({"content": ""})).await;
    client.post(&at("kill")).await;
    client.post(&at("archive")).await;
    client.post(&at("unarchive")).await;
    let project = format!("/api/projects/{}", project["id"].as_str().unwrap());
    client.request("DELETE", &project, b"").await;
    client.request("DELETE", &project, b"").await;
    // What only reads is not written down.
    client.get(&at("status")).await;
    client.get("/api/projects").await;
    let by = |action: &str, outcome: &str| line("start token", action, outcome);
    let expected = [
        by("POST /api/session/create", "ok"),
        by("POST /api/projects", "ok"),
        by("POST /api/session/{sessionId}/send", "ok"),
        by("POST /api/session/{sessionId}/send", "ok"),
        by("PATCH /api/session/{sessionId}/queue/{turnId}", "ok"),
        by("DELETE /api/session/{sessionId}/queue/{turnId}", "ok"),
        by("POST /api/session/{sessionId}/title", "ok"),
        by("POST /api/session/{sessionId}/send", "INVALID_REQUEST"),
        by("POST /api/session/{sessionId}/kill", "ok"),
        by("POST /api/session/{sessionId}/archive", "ok"),
        by("POST /api/session/{sessionId}/unarchive", "ok"),
        by("DELETE /api/projects/{projectId}", "ok"),
        by("DELETE /api/projects/{projectId}", "PROJECT_NOT_FOUND"),
    ];
    assert_eq!(told(&server), expected);
    let lines = server.audited();
    assert!(lines.iter().all(|line| line["from"].as_str().unwrap().starts_with("127.0.0.1:")));
    assert!(lines.iter().all(|line| line["at"].as_str().unwrap().ends_with('Z')));
    assert_eq!(lines[0]["session"], session.as_str(), "the one that was made");
    assert_eq!(
        (&lines[4]["session"], &lines[4]["subject"]),
        (&json!(session), &json!(&queued[6..]))
    );
    assert!(!lines.iter().any(|line| line.to_string().contains("second")), "no words of messages");
}

/// The document tells every route, so that a new one cannot be forgotten here.
#[tokio::test]
async fn s_39_every_operation_that_changes_something_is_one_line_however_it_ends() {
    let server = TestServer::start().await;
    let mut lines = 0;
    for operation in operations(&server).await {
        let path = filled(&operation, "nobody");
        let code = server.credentials.login_code().unwrap();
        let body = match operation.id.as_str() {
            "logIn" => json!({"code": code.reveal()}),
            "createToken" => json!({"name": "ci"}),
            _ => json!({}),
        };
        let body = body.to_string();
        // The command line's door leads to all of them; some are not to be had by another.
        let client = match operation.id.as_str() {
            "createLoginLink" | "createToken" | "rotateCredentials" => server.local_client(),
            _ => server.client(),
        };
        let client = client.with_header("Content-Type", "application/json");
        let answer = client.request(&operation.method, &path, body.as_bytes()).await;
        assert_ne!(answer.status, 401, "{}: {}", operation.id, answer.text());
        lines += usize::from(operation.method != "GET");
        let written = server.audited();
        assert_eq!(written.len(), lines, "{}: {:?}", operation.id, written.last());
        if operation.method != "GET" {
            let action = written[lines - 1]["action"].as_str().unwrap();
            assert!(action.starts_with(&operation.method), "{action}");
        }
    }
    assert!(lines > 20, "{lines}");
}

#[tokio::test]
async fn s_39_who_decided_is_written_down_with_what_was_decided() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let turn = Sample::new(&session, "t");
    let page = server.browser().await.with_header("Origin", &server.origin());
    for permission in ["p1", "p2"] {
        drop(server.parts.agent.ask(turn.permission(permission)).await);
    }
    let first = format!("/api/session/{session}/permission/p1");
    assert_eq!(page.post_json(&first, &json!({"optionId": "allow"})).await.status, 200);
    assert_eq!(page.post_json(&first, &json!({"optionId": "allow"})).await.status, 409);
    let mut socket = server.greeted_socket().await;
    let answer = json!({"type": "permission:answer", "sessionId": session, "permissionId": "p2", "cancel": true, "requestId": "r"});
    socket.send(&answer).await;
    socket.receive_type("ok").await;
    let lines = server.audited();
    let browser = lines[1]["who"].as_str().unwrap().to_owned();
    assert!(browser.starts_with("browser "), "{browser}");
    let expected = [
        line("start token", "POST /api/session/create", "ok"),
        line(&browser, "POST /api/login", "ok"),
        line(&browser, "POST /api/session/{sessionId}/permission/{permissionId}", "ok"),
        line(
            &browser,
            "POST /api/session/{sessionId}/permission/{permissionId}",
            "PERMISSION_ALREADY_ANSWERED",
        ),
        line("start token", "permission:answer", "ok"),
    ];
    assert_eq!(told(&server), expected);
    let decided =
        |line: &Value| [&line["session"], &line["subject"], &line["decision"]].map(Clone::clone);
    for answered in &lines[2..4] {
        assert_eq!(decided(answered), [json!(session), json!("p1"), json!("allow")]);
    }
    assert_eq!(decided(&lines[4]), [json!(session), json!("p2"), json!("cancel")]);
}

#[tokio::test]
async fn s_39_every_change_over_a_websocket_is_one_line() {
    let server = TestServer::start().await;
    let mut socket = server.greeted_socket().await;
    let directory = tempfile::tempdir_in(server.parts.project.path()).unwrap();
    socket.send(&json!({"type": "project:add", "path": directory.path()})).await;
    let project = socket.receive_type("project:added").await["project"]["id"].clone();
    socket
        .send(&json!({"type": "session:create", "projectId": project, "cliType": "scripted"}))
        .await;
    let session = socket.receive_type("session:created").await["session"]["sessionId"].clone();
    let sent = json!({"type": "session:send", "sessionId": session, "content": "hello"});
    socket.send(&sent).await;
    socket.receive_type("session:sent").await;
    socket.send(&json!({"type": "session:send", "sessionId": "none", "content": "hello"})).await;
    socket.receive_type("error").await;
    socket.send(&json!({"type": "session:archive", "sessionId": session})).await;
    socket.receive_type("session:archived").await;
    socket.send(&json!({"type": "session:list", "projectId": project})).await;
    socket.receive_type("session:list").await;
    socket.send(&json!({"type": "project:remove", "projectId": project})).await;
    socket.receive_type("project:removed").await;
    // Told to everybody a moment before whoever asked has its answer, which is when it is written down.
    socket.send(&json!({"type": "session:reconnect", "cliType": "none"})).await;
    socket.receive_type("error").await;
    let by = |action: &str, outcome: &str| line("start token", action, outcome);
    let expected = [
        by("project:add", "ok"),
        by("session:create", "ok"),
        by("session:send", "ok"),
        by("session:send", "SESSION_NOT_FOUND"),
        by("session:archive", "ok"),
        by("project:remove", "ok"),
        by("session:reconnect", "UNSUPPORTED_CLI_TYPE"),
    ];
    assert_eq!(told(&server), expected);
    assert_eq!(server.audited()[1]["session"], session, "the one that was made");
}

/// Whoever hangs up early leaves a trace all the same.
#[tokio::test]
async fn s_39_a_change_whose_asker_went_away_is_one_line_too() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let held = server.parts.agent.hold_next(Operation::Kill);
    let (client, path) = (server.client(), format!("/api/session/{session}/kill"));
    let mut asking = tokio::task::JoinSet::new();
    asking.spawn(async move { client.post(&path).await });
    server.parts.agent.wait_for_calls(2).await;
    asking.shutdown().await;
    let unanswered = line("start token", "POST /api/session/{sessionId}/kill", "unanswered");
    while told(&server).last() != Some(&unanswered) {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    drop(held);
    assert_eq!(told(&server).len(), 2);
}

/// It is refused an answer, not undone.
#[tokio::test]
async fn s_39_a_change_that_is_cut_off_with_its_credential_is_not_called_refused() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let held = server.parts.agent.hold_next(Operation::Kill);
    let (client, path) = (server.client(), format!("/api/session/{session}/kill"));
    let rotate = async {
        server.parts.agent.wait_for_calls(2).await;
        server.credentials.rotate().unwrap();
    };
    let (answer, ()) = tokio::join!(client.post(&path), rotate);
    assert_eq!(answer.status, 401, "{}", answer.text());
    drop(held);
    let unanswered = line("start token", "POST /api/session/{sessionId}/kill", "unanswered");
    assert_eq!(told(&server).last(), Some(&unanswered));
}

#[tokio::test]
async fn s_39_strangers_leave_no_lines() {
    let server = TestServer::start().await;
    server.stranger().post("/api/session/x/kill").await;
    server.stranger().post_json("/api/login", &json!({"code": "wrong"})).await;
    assert_eq!(told(&server), Vec::<[String; 3]>::new());
}

/// It may be a mode in which nothing is asked: then what its agent does was allowed here.
#[tokio::test]
async fn s_39_the_mode_that_a_session_is_set_to_is_written_down_however_it_ends() {
    let parts = TestService::without_bypass().await;
    parts.agent.offer(modes());
    let server = TestServer::of(parts).await;
    let (client, mut request) = (server.client(), server.parts.create_request("scripted"));
    for mode in ["acceptEdits", "full-access"] {
        request.mode_id = Some(mode.into());
        let body = serde_json::to_value(&request).unwrap();
        client.post_json("/api/session/create", &body).await;
    }
    let session = server.create_session("scripted").await;
    let path = format!("/api/session/{session}/mode");
    for mode in ["acceptEdits", "full-access", "none"] {
        client.post_json(&path, &json!({"modeId": mode})).await;
    }
    let chosen =
        |line: &Value| [&line["action"], &line["mode"], &line["outcome"]].map(Clone::clone);
    let (create, set) = ("POST /api/session/create", "POST /api/session/{sessionId}/mode");
    let expected = [
        [json!(create), json!("acceptEdits"), json!("ok")],
        [json!(create), json!("full-access"), json!("MODE_FORBIDDEN")],
        [json!(create), json!(null), json!("ok")],
        [json!(set), json!("acceptEdits"), json!("ok")],
        [json!(set), json!("full-access"), json!("MODE_FORBIDDEN")],
        [json!(set), json!("none"), json!("INVALID_REQUEST")],
    ];
    assert_eq!(server.audited().iter().map(chosen).collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn s_39_which_directory_and_which_token_it_was_is_written_down_however_it_ends() {
    let server = TestServer::start().await;
    let directory = tempfile::tempdir_in(server.parts.project.path()).unwrap();
    let path = json!(directory.path());
    for _ in 0..2 {
        server.client().post_json("/api/projects", &json!({"path": path})).await;
        server.local_client().post_json("/api/tokens", &json!({"name": "ci"})).await;
    }
    let subjects =
        |line: &Value| [&line["action"], &line["subject"], &line["outcome"]].map(Clone::clone);
    let (project, token) = (json!("POST /api/projects"), json!("POST /api/tokens"));
    let expected = [
        [project.clone(), path.clone(), json!("ok")],
        [token.clone(), json!("ci"), json!("ok")],
        [project, path, json!("DUPLICATE_PROJECT")],
        [token, json!("ci"), json!("INVALID_REQUEST")],
    ];
    assert_eq!(server.audited().iter().map(subjects).collect::<Vec<_>>(), expected);
}

/// Else whoever hangs up early would hide what was decided.
#[tokio::test]
async fn s_39_what_was_asked_for_is_written_down_also_if_its_asker_went_away() {
    let server = TestServer::start().await;
    let mut request = serde_json::to_value(server.parts.create_request("scripted")).unwrap();
    request["modeId"] = json!("full-access");
    let held = server.parts.agent.hold_next(Operation::Create);
    let client = server.client();
    let mut asking = tokio::task::JoinSet::new();
    asking.spawn(async move { client.post_json("/api/session/create", &request).await });
    server.parts.agent.wait_for_calls(1).await;
    asking.shutdown().await;
    while server.audited().is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    drop(held);
    let line = server.audited().remove(0);
    assert_eq!((&line["mode"], &line["outcome"]), (&json!("full-access"), &json!("unanswered")));
}
