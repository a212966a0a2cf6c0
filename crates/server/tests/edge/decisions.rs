//! What was decided stays readable, with who decided it.

use serde_json::json;
use session::Autonomous;
use testkit::{Sample, ScriptedProvider, TestServer, TestService};

#[tokio::test]
async fn decisions_are_told_the_last_asked_first_with_who_made_them() {
    let server = TestServer::start().await;
    let (session, other) =
        (server.create_session("scripted").await, server.create_session("scripted").await);
    for (session, id) in [(&session, "p1"), (&session, "p2"), (&other, "p3"), (&session, "p4")] {
        drop(server.parts.agent.ask(Sample::new(session, "t").permission(id)).await);
    }
    let answers = json!({"optionId": "reject", "feedback": "not today"});
    let answered =
        server.client().post_json(&format!("/api/session/{session}/permission/p1"), &answers).await;
    assert_eq!(answered.status, 200, "{}", answered.text());
    let browser = server.browser().await;
    let mut socket = server.browser_socket(&browser).await;
    socket.send(&json!({"type": "session:hello", "streamProtocol": "upsert-v2"})).await;
    let stop = json!({"type": "permission:answer", "sessionId": session, "permissionId": "p2", "cancel": true});
    socket.send(&stop).await;
    let resolved = socket.receive_type("permission:resolved").await;
    assert_eq!(resolved["answer"], json!({"by": "browser"}));
    let allow = json!({"optionId": "allow"});
    server.client().post_json(&format!("/api/session/{other}/permission/p3"), &allow).await;

    let all = server.client().get("/api/decisions").await.json();
    let ids: Vec<_> =
        all.as_array().unwrap().iter().map(|one| one["permissionId"].as_str().unwrap()).collect();
    assert_eq!(ids, ["p3", "p2", "p1"], "what waits is not decided");
    let of_one =
        server.client().get(&format!("/api/decisions?sessionId={session}&limit=5")).await.json();
    assert_eq!(of_one.as_array().unwrap().len(), 2);
    assert_eq!(of_one[1]["answer"], json!({"by": "start token", "feedback": "not today"}));
    assert_eq!(
        (&of_one[1]["optionId"], &of_one[0]["outcome"]),
        (&json!("reject"), &json!("cancelled"))
    );
    assert_eq!(
        server.client().get("/api/decisions?limit=1").await.json().as_array().unwrap().len(),
        1
    );
    assert_eq!(server.client().get("/api/decisions?sessionId=nobody").await.status, 404);
}

#[tokio::test]
async fn an_answer_that_the_agent_cannot_be_told_is_refused_by_both_ways_and_can_be_given_anew() {
    let agent = ScriptedProvider::told_options_only();
    let parts = TestService::with_agent(agent, Autonomous::default()).await;
    let server = TestServer::of(parts).await;
    let session = server.create_session("scripted").await;
    drop(server.parts.agent.ask(Sample::new(&session, "t").permission("p1")).await);
    let path = format!("/api/session/{session}/permission/p1");
    let other = json!({"optionId": "allow", "updatedInput": {"command": "make test"}});
    let refused = server.client().post_json(&path, &other).await;
    assert_eq!(refused.error(), (400, "NOT_SUPPORTED".into()), "{}", refused.text());
    let mut socket = server.greeted_socket().await;
    let reasoned = json!({"type": "permission:answer", "sessionId": session, "permissionId": "p1",
        "optionId": "reject", "feedback": "not today", "requestId": "r"});
    socket.send(&reasoned).await;
    let refused = socket.receive_type("error").await;
    assert_eq!((&refused["requestId"], &refused["code"]), (&json!("r"), &json!("NOT_SUPPORTED")));
    assert_eq!(server.client().get("/api/permissions").await.json().as_array().unwrap().len(), 1);
    let allowed = server.client().post_json(&path, &json!({"optionId": "allow"})).await;
    assert_eq!(allowed.status, 200, "{}", allowed.text());
}

#[tokio::test]
async fn what_was_allowed_instead_stands_among_the_decisions_and_is_marked_in_the_audit_log() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    for id in ["p1", "p2"] {
        drop(server.parts.agent.ask(Sample::new(&session, "t").permission(id)).await);
    }
    let other = json!({"command": "make test"});
    let answer = json!({"optionId": "allow", "updatedInput": other});
    let path = format!("/api/session/{session}/permission/p1");
    assert_eq!(server.client().post_json(&path, &answer).await.status, 200);
    let mut socket = server.greeted_socket().await;
    let answer = json!({"type": "permission:answer", "sessionId": session, "permissionId": "p2",
        "optionId": "allow", "updatedInput": other, "requestId": "r"});
    socket.send(&answer).await;
    socket.receive_type("ok").await;
    let decisions = server.client().get("/api/decisions").await.json();
    for decision in decisions.as_array().unwrap() {
        let kept = json!({"by": "start token", "updatedInput": other});
        assert_eq!(decision["answer"], kept, "{decision}");
    }
    let lines = server.audited();
    let marked = lines.iter().filter(|line| line["changedInput"] == true);
    assert_eq!(marked.map(|line| &line["decision"]).collect::<Vec<_>>(), ["allow", "allow"]);
    assert!(!lines.iter().any(|line| line.to_string().contains("make test")), "no arguments");
}
