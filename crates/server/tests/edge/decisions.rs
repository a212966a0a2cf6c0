//! What was decided stays readable, with who decided it.

use serde_json::json;
use testkit::{Sample, TestServer};

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
