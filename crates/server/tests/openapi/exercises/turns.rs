//! Turns that run and wait, and what their agents ask.

use serde_json::json;
use testkit::Sample;

use super::{INVALID, NO_CREDENTIAL, NO_SESSION};
use crate::visitor::{Visitor, at};

pub(super) async fn exercise(visitor: &Visitor) {
    let session = visitor.server.create_session("scripted").await;
    let session = session.as_str();
    let turns = busy(visitor, session).await;
    let turns: Vec<_> = turns.iter().map(String::as_str).collect();
    queue(visitor, session, &turns).await;
    permissions(visitor, session, turns[0]).await;
    visitor.refused("cancelTurn", at(&["nobody"]), NO_SESSION).await;
    visitor.succeed("killSession", at(&[session])).await;
    visitor.succeed("cancelTurn", at(&[session])).await;
    let waiting = json!({"turnId": turns[3]});
    visitor.succeed("cancelTurn", at(&[session]).body(&waiting)).await;
    visitor.succeed("resumeQueue", at(&[session])).await;
    visitor.refused("resumeQueue", at(&["nobody"]), NO_SESSION).await;
}

/// The first runs, the others wait.
pub(super) async fn busy(visitor: &Visitor, session: &str) -> Vec<String> {
    let mut turns = Vec::new();
    for content in ["one", "two", "three", "four"] {
        let message = json!({"content": content});
        let sent = visitor.succeed("sendMessage", at(&[session]).body(&message)).await.json();
        turns.push(sent["turnId"].as_str().unwrap().to_owned());
    }
    let first = Sample::new(&session.into(), &turns[0]);
    visitor.server.parts.agent.emit_turn(first.started()).await;
    turns
}

async fn queue(visitor: &Visitor, session: &str, turns: &[&str]) {
    visitor.succeed("listQueue", at(&[session])).await;
    visitor.refused("listQueue", at(&["nobody"]), NO_SESSION).await;
    visitor.succeed("sessionStatus", at(&[session])).await;
    let patch = json!({"content": "vier", "before": turns[1]});
    visitor.succeed("changeQueuedTurn", at(&[session, turns[3]]).body(&patch)).await;
    let begun = (409, "TURN_ALREADY_STARTED");
    visitor.refused("changeQueuedTurn", at(&[session, turns[0]]).body(&patch), begun).await;
    visitor.refused("changeQueuedTurn", at(&[session, turns[3]]).body(&json!({})), INVALID).await;
    visitor.succeed("removeQueuedTurn", at(&[session, turns[1]])).await;
    visitor.refused("removeQueuedTurn", at(&[session, "t"]), (404, "TURN_NOT_FOUND")).await;
}

async fn permissions(visitor: &Visitor, session: &str, turn: &str) {
    let sample = Sample::new(&session.into(), turn);
    let _decision = visitor.server.parts.agent.ask(sample.permission("p1")).await;
    let _other = visitor.server.parts.agent.ask(sample.permission("p2")).await;
    let waiting = visitor.succeed("listPermissions", at(&[])).await.json();
    assert_eq!(waiting.as_array().unwrap().len(), 2);
    visitor.succeed("sessionStatus", at(&[session])).await;
    let stranger = visitor.server.stranger();
    visitor.refused_as(&stranger, "listPermissions", at(&[]), NO_CREDENTIAL).await;
    let (allow, cancel) = (json!({"optionId": "allow"}), json!({"cancel": true}));
    let first = [session, "p1"];
    let answer = at(&first);
    let both = json!({"optionId": "allow", "cancel": true});
    visitor.refused("answerPermission", answer.body(&both), INVALID).await;
    visitor.succeed("answerPermission", answer.body(&allow)).await;
    let answered = (409, "PERMISSION_ALREADY_ANSWERED");
    visitor.refused("answerPermission", answer.body(&allow), answered).await;
    visitor.succeed("answerPermission", at(&[session, "p2"]).body(&cancel)).await;
    let of_session = format!("sessionId={session}&limit=1");
    visitor.succeed("listDecisions", at(&[]).query(&of_session)).await;
    let decided = visitor.succeed("listDecisions", at(&[])).await.json();
    assert_eq!(decided.as_array().unwrap().len(), 2);
    visitor.refused("listDecisions", at(&[]).query("sessionId=nobody"), NO_SESSION).await;
    visitor.refused("listDecisions", at(&[]).query("limit=x"), INVALID).await;
    let unknown = (404, "PERMISSION_NOT_FOUND");
    visitor.refused("answerPermission", at(&[session, "p9"]).body(&allow), unknown).await;
}
