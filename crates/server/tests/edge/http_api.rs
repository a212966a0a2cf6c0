//! The HTTP session API on a scripted agent.

use contract::{ErrorCode, ItemStatus, PermissionAnswer};
use serde_json::json;
use session::provider::{PermissionDecision, ProviderErrorCode};
use testkit::{KeptSession, Operation, Sample, TestServer};

#[tokio::test]
async fn a_session_from_create_to_kill() {
    let server = TestServer::start().await;
    let (client, agent) = (server.client(), &server.parts.agent);
    let session = server.create_session("scripted").await;
    let at = |route: &str| format!("/api/session/{session}/{route}");
    let sent = client.post_json(&at("send"), &json!({"content": "hello"})).await;
    assert_eq!((sent.status, sent.json()), (202, json!({"turnId": "turn-1", "state": "started"})));
    let turn = Sample::new(&session, "turn-1");
    agent.emit_turn(turn.started()).await;
    agent.emit(turn.message("turn-1:1:0", ItemStatus::Complete, "hi")).await;
    let status = client.get(&at("status")).await.json();
    assert_eq!(
        (&status["state"], &status["isAlive"], &status["permissions"]),
        (&json!("open"), &json!(true), &json!([]))
    );
    assert_eq!(
        client.get(&at("wait?timeoutMs=1")).await.json(),
        json!({"activity": "running", "timedOut": true})
    );
    agent.emit_turn(turn.completed()).await;
    assert_eq!(
        client.get(&at("wait?timeoutMs=20000")).await.json(),
        json!({"activity": "idle", "timedOut": false})
    );
    let history = client.get(&at("history")).await.json();
    assert_eq!(history["entries"].as_array().unwrap().len(), 2);
    assert_eq!(history["turns"].as_array().unwrap().len(), 2);
    let newer = client.get(&at("history?after=2&limit=1")).await.json();
    assert_eq!((&newer["seq"], &newer["more"]), (&json!(3), &json!(true)));
    let cancelled = client.post(&at("cancel")).await;
    assert_eq!((cancelled.status, cancelled.json()), (200, json!({"cancelled": false})));
    assert_eq!(client.post(&at("kill")).await.json(), json!({"killed": true}));
    assert_eq!(client.get(&at("status")).await.json()["state"], "dead");
    let project = client.get("/api/projects").await.json()[0]["id"].as_str().unwrap().to_owned();
    let list = |query: &str| {
        let (client, path) =
            (client.clone(), format!("/api/session/list?projectId={project}{query}"));
        async move { client.get(&path).await.json()["sessions"].as_array().unwrap().len() }
    };
    assert_eq!((list("").await, list("&state=all").await), (0, 1));
    assert_eq!(
        client.post(&at("load")).await.json(),
        json!({"sessionId": session, "cliType": "scripted"})
    );
    assert_eq!(list("").await, 1);
}

#[tokio::test]
async fn agents_are_told_and_what_programs_feed_is_none() {
    let server = TestServer::start().await;
    let (client, agent) = (server.client(), &server.parts.agent);
    let capabilities = json!({"send": true, "steer": false, "images": false, "resume": true});
    let scripted = json!([{"cliType": "scripted", "name": "Scripted", "available": true, "version": "1.0",
        "models": [], "modes": [], "capabilities": capabilities}]);
    assert_eq!(client.get("/api/agents").await.json(), scripted);
    agent.fail_next(Operation::Check, ProviderErrorCode::ProcessCrash);
    assert_eq!(client.get("/api/agents").await.json(), scripted, "it was found out just now");
    let anew = client.get("/api/agents?refresh=true").await.json();
    assert_eq!(
        (&anew[0]["available"], &anew[0]["problem"]),
        (&json!(false), &json!("it was told to fail"))
    );
    let refused = client.get("/api/agents?refresh=perhaps").await;
    assert_eq!(refused.error(), (400, "INVALID_REQUEST".to_owned()));
    assert_eq!(server.stranger().get("/api/agents").await.status, 401);
}

#[tokio::test]
async fn directories_are_offered_below_the_allowed_roots_only() {
    let server = TestServer::start().await;
    let client = server.client();
    let root = server.parts.project.path().canonicalize().unwrap();
    for name in ["app", "apple", "bee", ".hidden"] {
        std::fs::create_dir(root.join(name)).unwrap();
    }
    std::fs::write(root.join("app.txt"), "").unwrap();
    std::os::unix::fs::symlink("/", root.join("bypass")).unwrap();
    let root = root.to_str().unwrap();
    let offered = |prefix: String| {
        let (client, path) = (client.clone(), format!("/api/fs/dirs?prefix={prefix}"));
        async move { client.get(&path).await }
    };
    let within = |names: &[&str]| -> serde_json::Value {
        let paths: Vec<_> = names.iter().map(|name| format!("{root}/{name}")).collect();
        json!({ "dirs": paths })
    };
    assert_eq!(client.get("/api/fs/dirs").await.json(), json!({ "dirs": [root] }));
    assert_eq!(offered(format!("{root}/ap")).await.json(), within(&["app", "apple"]));
    assert_eq!(offered(format!("{root}/.h")).await.json(), within(&[".hidden"]));
    let all = offered(format!("{root}/")).await.json();
    assert_eq!(all, within(&["app", "apple", "bee", "bypass"]));
    let to_the_root = &root[..root.len() - 2];
    assert_eq!(offered(to_the_root.to_owned()).await.json(), json!({ "dirs": [root] }));
    for outside in ["/etc/ap", "ap", "~", &format!("{root}/bypass/e"), &format!("{root}/../x")] {
        let told = offered(outside.to_owned()).await;
        assert_eq!((told.status, told.json()), (200, json!({ "dirs": [] })), "{outside}");
    }
}

#[tokio::test]
async fn permissions_are_listed_and_answered_once() {
    let server = TestServer::start().await;
    let client = server.client();
    let session = server.create_session("scripted").await;
    let turn = Sample::new(&session, "turn-1");
    let decision = server.parts.agent.ask(turn.permission("p1")).await;
    assert_eq!(
        client.get(&format!("/api/session/{session}/wait")).await.json()["activity"],
        "permission"
    );
    assert_eq!(client.get("/api/permissions").await.json()[0]["permissionId"], "p1");
    let answer = |body| {
        let (client, path) = (client.clone(), format!("/api/session/{session}/permission/p1"));
        async move { client.post_json(&path, &body).await }
    };
    assert_eq!(answer(json!({"optionId": "never"})).await.error(), (400, "INVALID_REQUEST".into()));
    assert_eq!(answer(json!({"optionId": "allow"})).await.json(), json!({"answered": true}));
    assert_eq!(
        answer(json!({"optionId": "allow"})).await.error(),
        (409, "PERMISSION_ALREADY_ANSWERED".into())
    );
    let chosen =
        PermissionAnswer { option_id: Some("allow".into()), ..PermissionAnswer::default() };
    assert_eq!(decision.await.unwrap(), PermissionDecision::Selected(Box::new(chosen)));
    let unknown = client
        .post_json(&format!("/api/session/{session}/permission/p9"), &json!({"cancel": true}))
        .await;
    assert_eq!(unknown.error(), (404, "PERMISSION_NOT_FOUND".into()));
}

#[tokio::test]
async fn what_is_wrong_has_a_stable_code() {
    let server = TestServer::start().await;
    let client = server.client();
    for route in ["status", "history", "item/x", "wait"] {
        let missing = client.get(&format!("/api/session/nobody/{route}")).await;
        assert_eq!(missing.error(), (404, "SESSION_NOT_FOUND".into()), "{route}");
    }
    for route in ["load", "kill", "cancel"] {
        let missing = client.post(&format!("/api/session/nobody/{route}")).await;
        assert_eq!(missing.error(), (404, "SESSION_NOT_FOUND".into()), "{route}");
    }
    assert_eq!(client.get("/api/session/list").await.error(), (400, "PROJECT_ID_REQUIRED".into()));
    assert_eq!(
        client.get("/api/session/list?projectId=").await.error(),
        (400, "PROJECT_ID_REQUIRED".into())
    );
    for odd in ["/api/session/%FF/status", "/api/session/%FF/item/%FE", "/ws"] {
        assert_eq!(client.get(odd).await.error(), (400, "INVALID_REQUEST".into()), "{odd}");
    }
    assert_eq!(client.get("/api/nothing").await.error(), (404, "NOT_FOUND".into()));
    assert_eq!(client.get("/api/session/create").await.error(), (405, "METHOD_NOT_ALLOWED".into()));
    let session = server.create_session("scripted").await;
    let at = |route: &str| format!("/api/session/{session}/{route}");
    for query in [
        "history?limit=0",
        "history?limit=501",
        "history?after=1&before=2",
        "history?after=x",
        "history?afer=1",
        "wait?timeout=1",
    ] {
        assert_eq!(
            client.get(&at(query)).await.error(),
            (400, "INVALID_REQUEST".into()),
            "{query}"
        );
    }
    for body in [
        json!({}),
        json!({"content": ""}),
        json!({"content": "x", "colour": "red"}),
        json!([]),
        json!({"content": 1}),
    ] {
        assert_eq!(
            client.post_json(&at("send"), &body).await.error(),
            (400, "INVALID_REQUEST".into()),
            "{body}"
        );
    }
}

#[tokio::test]
async fn bodies_are_bounded_and_unknown_fields_are_named() {
    let server = TestServer::start().await;
    let client = server.client();
    let session = server.create_session("scripted").await;
    let at = |route: &str| format!("/api/session/{session}/{route}");
    let huge = json!({"content": "x".repeat((1 << 20) + 1)});
    assert_eq!(
        client.post_json(&at("send"), &huge).await.error(),
        (413, "PAYLOAD_TOO_LARGE".into())
    );
    let unknown = client
        .post_json(
            "/api/session/create",
            &json!({"cliType": "x", "projectDir": "/", "command": "sh"}),
        )
        .await;
    assert_eq!(unknown.error(), (400, "INVALID_REQUEST".into()));
    assert!(unknown.text().contains("command"), "the field is named: {}", unknown.text());
}

#[tokio::test]
async fn failures_of_the_agent_are_told_as_such() {
    let server = TestServer::start().await;
    let agent = &server.parts.agent;
    agent.fail_next(Operation::Create, ProviderErrorCode::SessionCreateFailed);
    let request = serde_json::to_value(server.parts.create_request("scripted")).unwrap();
    let refused = server.client().post_json("/api/session/create", &request).await;
    assert_eq!(refused.error(), (502, ErrorCode::SESSION_CREATE_FAILED.to_string()));
    let session = server.create_session("scripted").await;
    server.client().post(&format!("/api/session/{session}/kill")).await;
    agent.fail_next(Operation::Load, ProviderErrorCode::ProcessCrash);
    let dead = server
        .client()
        .post_json(&format!("/api/session/{session}/send"), &json!({"content": "x"}))
        .await;
    assert_eq!(dead.error(), (502, "PROCESS_CRASH".into()));
}

#[tokio::test]
async fn projects_are_added_once_by_their_real_path() {
    let server = TestServer::start().await;
    let client = server.client();
    let path = server
        .parts
        .project
        .path()
        .join("..")
        .join(server.parts.project.path().file_name().unwrap());
    let added = client.post_json("/api/projects", &json!({"path": path})).await;
    assert_eq!(added.status, 201, "{}", added.text());
    assert!(!added.json()["path"].as_str().unwrap().contains(".."));
    let again =
        client.post_json("/api/projects", &json!({"path": server.parts.project.path()})).await;
    assert_eq!(again.error(), (409, "DUPLICATE_PROJECT".into()));
    let outside = client.post_json("/api/projects", &json!({"path": "/etc"})).await;
    assert_eq!(outside.error(), (400, "INVALID_PATH".into()));
    assert_eq!(client.get("/api/projects").await.json().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_session_that_the_agent_keeps_is_offered_and_imported() {
    let server = TestServer::start().await;
    let client = server.client();
    let path = server.parts.project.path().to_str().unwrap().to_owned();
    let project = client.post_json("/api/projects", &json!({"path": path})).await.json();
    let project = project["id"].as_str().unwrap().to_owned();
    let turn = Sample::new(&"kept".into(), "t");
    let item = turn.message("t:1:0", ItemStatus::Complete, "long ago");
    let events = [turn.started().into(), item.into(), turn.completed().into()];
    server.parts.agent.keep(KeptSession::new("kept", "fix it", events));
    let offered = client.get(&format!("/api/projects/{project}/importable")).await;
    assert_eq!(
        (offered.status, offered.json()),
        (
            200,
            json!({"sessions": [{"cliType": "scripted", "providerSessionId": "kept", "title": "fix it",
            "lastActiveAt": "1970-01-01T00:00:01.000Z", "prompts": 1}]})
        )
    );
    let import = |id: &str, project: &str| {
        let body = json!({"cliType": "scripted", "providerSessionId": id, "projectId": project});
        let client = client.clone();
        async move { client.post_json("/api/session/import", &body).await }
    };
    let imported = import("kept", &project).await;
    assert_eq!(
        (imported.status, imported.json()),
        (201, json!({"sessionId": "kept", "cliType": "scripted", "projectId": project}))
    );
    let history = client.get("/api/session/kept/history").await.json();
    assert_eq!(history["entries"][0]["content"], "long ago");
    let unknown = import("other", &project).await;
    assert_eq!((unknown.status, &unknown.json()["code"]), (404, &json!("SESSION_NOT_FOUND")));
    assert!(!unknown.text().contains("failed"), "nothing failed: {}", unknown.text());
    let unknown = import("kept", "nowhere").await;
    assert_eq!((unknown.status, &unknown.json()["code"]), (404, &json!("PROJECT_NOT_FOUND")));
    let unknown = client.get("/api/projects/nowhere/importable").await;
    assert_eq!((unknown.status, &unknown.json()["code"]), (404, &json!("PROJECT_NOT_FOUND")));
}

#[tokio::test]
async fn a_file_that_the_agent_cannot_be_given_is_refused_at_once() {
    let server = TestServer::start().await;
    let client = server.client();
    let file = json!({"name": "a.txt", "mimeType": "text/plain", "data": "aGk="});
    let body = json!({"content": "look", "attachments": [file]});
    let session = server.create_session("scripted").await;
    let refused = client.post_json(&format!("/api/session/{session}/send"), &body).await;
    assert_eq!(refused.error(), (400, "INVALID_REQUEST".into()));
    assert!(refused.text().contains("text/plain"), "{}", refused.text());
    let history = client.get(&format!("/api/session/{session}/history")).await.json();
    assert_eq!((&history["seq"], &history["entries"]), (&json!(0), &json!([])));
    let fed = server.create_session("external").await;
    let refused = client.post_json(&format!("/api/session/{fed}/send"), &body).await;
    assert_eq!(refused.error(), (400, "NOT_SUPPORTED".into()));
}

#[tokio::test]
async fn a_session_that_is_not_there_is_named_on_every_route() {
    let server = TestServer::start().await;
    let client = server.client();
    for route in ["status", "history", "item/i", "wait?timeoutMs=1", "options"] {
        let unknown = client.get(&format!("/api/session/nope/{route}")).await;
        let expected = json!({"code": "SESSION_NOT_FOUND", "message": "there is no session nope"});
        assert_eq!((unknown.status, unknown.json()), (404, expected), "{route}");
    }
    for route in ["cancel", "kill", "load", "task/t/stop"] {
        let unknown = client.post(&format!("/api/session/nope/{route}")).await;
        let expected = json!({"code": "SESSION_NOT_FOUND", "message": "there is no session nope"});
        assert_eq!((unknown.status, unknown.json()), (404, expected), "{route}");
    }
}

#[tokio::test]
async fn a_body_that_is_no_json_is_told_as_such_and_where() {
    let server = TestServer::start().await;
    let client = server.client().with_header("Content-Type", "application/json");
    for (body, words) in [
        (&b"nonsense"[..], "the body is not JSON: expected ident at line 1 column 2"),
        (b"{\n\"path\" 1}", "the body is not JSON: expected `:` at line 2 column 8"),
        (b"\xff", "the body is not JSON: expected value at line 1 column 1"),
        (b" [\"/\"]", "the body must be a JSON object, not a list"),
        (b"{\"way\":1}", "unknown field `way`, expected `path` at line 1 column 6"),
    ] {
        let refused = client.request("POST", "/api/projects", body).await;
        assert_eq!(refused.error(), (400, "INVALID_REQUEST".into()));
        assert_eq!(refused.json()["message"], words);
    }
}

#[tokio::test]
async fn a_body_that_breaks_off_is_not_told_to_be_too_large() {
    let server = TestServer::start().await;
    let client = server.client().with_header("Content-Type", "application/json");
    let mut open = client.open("POST", "/api/projects").await;
    open.write_raw(b"no length\r\n").await;
    let refused = open.response().await;
    assert_eq!(refused.error(), (400, "INVALID_REQUEST".into()));
    assert_eq!(refused.json()["message"], "the body broke off");
}
