//! Sessions, from creating to killing one.

use contract::{
    BackgroundTask, ItemStatus, ModeInfo, ModelInfo, SessionOptions, SlashCommand, TurnEvent,
    TurnEventKind, TurnStatus, Usage,
};
use serde_json::{Value, json};
use session::provider::ProviderNotice;
use testkit::{Operation, Sample, envelope};

use super::{INVALID, NO_SESSION};
use crate::visitor::{Visitor, at};

pub(super) async fn exercise(visitor: &Visitor) {
    let session = created(visitor).await;
    listed(visitor, &session).await;
    one_turn(visitor, &session).await;
    read(visitor, &session).await;
    adjusted(visitor, &session).await;
    renamed(visitor, &session).await;
    visitor.succeed("killSession", at(&[&session])).await;
    visitor.refused("killSession", at(&["nobody"]), NO_SESSION).await;
    visitor.succeed("loadSession", at(&[&session])).await;
    visitor.refused("loadSession", at(&["nobody"]), NO_SESSION).await;
    without_directory(visitor).await;
    fed(visitor).await;
}

/// The directory of a project is gone: nothing is started there, and nothing read.
async fn without_directory(visitor: &Visitor) {
    let directory = tempfile::tempdir_in(visitor.server.parts.project.path()).unwrap();
    let path = json!({ "path": directory.path() });
    let project = visitor.succeed("addProject", at(&[]).body(&path)).await.json();
    let project = project["id"].as_str().unwrap();
    let request = json!({"cliType": "scripted", "projectDir": directory.path()});
    let created = visitor.succeed("createSession", at(&[]).body(&request)).await.json();
    let session = created["sessionId"].as_str().unwrap();
    let turns = super::turns::busy(visitor, session).await;
    visitor.succeed("killSession", at(&[session])).await;
    drop(directory);
    let gone = (400, "INVALID_PROJECT_DIR");
    visitor.refused("resumeQueue", at(&[session]), gone).await;
    let now = json!({"sendNow": true});
    visitor.refused("changeQueuedTurn", at(&[session, &turns[1]]).body(&now), gone).await;
    visitor.refused("loadSession", at(&[session]), gone).await;
    let message = json!({"content": "go on"});
    visitor.refused("sendMessage", at(&[session]).body(&message), gone).await;
    visitor.refused("listImportableSessions", at(&[project]), gone).await;
    let kept = json!({"cliType": "scripted", "providerSessionId": "kept", "projectId": project});
    visitor.refused("importSession", at(&[]).body(&kept), gone).await;
}

async fn created(visitor: &Visitor) -> String {
    let directory = visitor.server.parts.project.path();
    let request = json!({"cliType": "scripted", "projectDir": directory, "title": "A title",
        "modelId": "small", "modeId": "plan", "providerOptions": {"maxThinkingTokens": 1}});
    let created = visitor.succeed("createSession", at(&[]).body(&request)).await.json();
    for (field, value, code) in [
        ("cliType", "nobody", "UNSUPPORTED_CLI_TYPE"),
        ("projectDir", "/etc", "INVALID_PROJECT_DIR"),
        ("colour", "red", "INVALID_REQUEST"),
    ] {
        let mut wrong = request.clone();
        wrong[field] = json!(value);
        visitor.refused("createSession", at(&[]).body(&wrong), (400, code)).await;
    }
    visitor.server.parts.agent.panic_next(Operation::Create);
    let bug = (500, "INTERNAL_ERROR");
    visitor.refused("createSession", at(&[]).body(&request), bug).await;
    created["sessionId"].as_str().unwrap().to_owned()
}

async fn listed(visitor: &Visitor, session: &str) {
    let projects = visitor.succeed("listProjects", at(&[])).await.json();
    let query = format!("state=all&projectId={}", projects[0]["id"].as_str().unwrap());
    let listed = visitor.succeed("listSessions", at(&[]).query(&query)).await.json();
    let mut listed = listed["sessions"].as_array().unwrap().iter();
    assert!(listed.any(|known| known["sessionId"] == session));
    visitor.refused("listSessions", at(&[]), (400, "PROJECT_ID_REQUIRED")).await;
    let odd = at(&[]).query("projectId=p&state=odd");
    visitor.refused("listSessions", odd, INVALID).await;
}

async fn one_turn(visitor: &Visitor, session: &str) {
    let agent = &visitor.server.parts.agent;
    let image = json!({"name": "a.png", "mimeType": "image/png", "data": "aGk="});
    let refused = json!({"content": "x", "attachments": [image]});
    visitor.refused("sendMessage", at(&[session]).body(&refused), INVALID).await;
    let message = json!({"content": "hello", "clientMessageId": "mine", "delivery": "queue"});
    let sent = visitor.succeed("sendMessage", at(&[session]).body(&message)).await.json();
    let turn_id = sent["turnId"].as_str().unwrap();
    let (turn, item) = (Sample::new(&session.into(), turn_id), format!("{turn_id}:1:0"));
    agent.emit_turn(turn.started()).await;
    agent.emit(turn.message(&item, ItemStatus::Update, "hi")).await;
    visitor.succeed("sessionStatus", at(&[session])).await;
    visitor.succeed("waitForSession", at(&[session]).query("timeoutMs=1")).await;
    agent.emit(turn.tool(&format!("{turn_id}:1:1"), ItemStatus::Error, None)).await;
    let usage = Usage {
        input_tokens: 1,
        output_tokens: 2,
        cache_read_input_tokens: Some(3),
        cache_creation_input_tokens: None,
        cost_usd: Some(0.5),
        context_tokens: Some(4),
        context_window: Some(5),
    };
    let kind = TurnEventKind::TurnComplete { status: TurnStatus::Completed, usage: Some(usage) };
    agent.emit_turn(TurnEvent { kind, ..turn.completed() }).await;
    visitor.succeed("waitForSession", at(&[session])).await;
    visitor.refused("waitForSession", at(&["nobody"]), NO_SESSION).await;
    visitor.succeed("sessionItem", at(&[session, &item])).await;
    visitor.refused("sessionItem", at(&[session, "other"]), (404, "ITEM_NOT_FOUND")).await;
}

async fn read(visitor: &Visitor, session: &str) {
    let page = visitor.succeed("sessionHistory", at(&[session]).query("after=0&limit=500")).await;
    assert_eq!(page.json()["entries"].as_array().unwrap().len(), 3);
    visitor.succeed("sessionHistory", at(&[session]).query("before=2")).await;
    visitor.refused("sessionHistory", at(&[session]).query("limit=0"), INVALID).await;
    visitor.refused("sessionStatus", at(&["nobody"]), NO_SESSION).await;
    visitor.refused("sessionStatus", at(&["%FF"]), INVALID).await;
    visitor.succeed("exportSession", at(&[session])).await;
    let lines = visitor.succeed("exportSession", at(&[session]).query("format=jsonl")).await;
    assert_eq!(lines.text().lines().count(), 6, "the session, its items and turn events");
    visitor.refused("exportSession", at(&[session]).query("format=pdf"), INVALID).await;
}

async fn adjusted(visitor: &Visitor, session: &str) {
    let agent = &visitor.server.parts.agent;
    let plan = json!({"modeId": "plan"});
    visitor.refused("setMode", at(&[session]).body(&plan), (400, "NOT_SUPPORTED")).await;
    agent.offer(SessionOptions {
        models: vec![ModelInfo { model_id: "small".into(), name: "S".into(), description: None }],
        current_model_id: None,
        modes: vec![ModeInfo {
            mode_id: "plan".into(),
            name: "P".into(),
            description: None,
            never_asks: false,
        }],
        current_mode_id: None,
        commands: vec![SlashCommand {
            name: "compact".into(),
            description: "Shortens".into(),
            argument_hint: Some("what".into()),
        }],
    });
    visitor.succeed("sessionOptions", at(&[session])).await;
    visitor.refused("sessionOptions", at(&["nobody"]), NO_SESSION).await;
    visitor.succeed("setMode", at(&[session]).body(&plan)).await;
    visitor.succeed("setModel", at(&[session]).body(&json!({"modelId": "small"}))).await;
    let other = json!({"modelId": "other"});
    visitor.refused("setModel", at(&[session]).body(&other), INVALID).await;
    let (kind, description) = ("shell".to_owned(), "make".to_owned());
    let task = BackgroundTask { task_id: "task".into(), kind, description };
    agent.notify(&session.into(), ProviderNotice::BackgroundTasks(vec![task])).await;
    visitor.succeed("sessionStatus", at(&[session])).await;
    visitor.succeed("stopTask", at(&[session, "task"])).await;
    visitor.refused("stopTask", at(&[session, "other"]), (404, "NOT_FOUND")).await;
}

async fn renamed(visitor: &Visitor, session: &str) {
    visitor.succeed("renameSession", at(&[session]).body(&json!({"title": "Better"}))).await;
    visitor.refused("renameSession", at(&[session]).body(&json!({"name": "x"})), INVALID).await;
    for id in ["archiveSession", "unarchiveSession"] {
        visitor.succeed(id, at(&[session])).await;
        visitor.refused(id, at(&["nobody"]), NO_SESSION).await;
    }
}

async fn fed(visitor: &Visitor) {
    let request = serde_json::to_value(visitor.server.parts.create_request("external")).unwrap();
    let created = visitor.succeed("createSession", at(&[]).body(&request)).await.json();
    let session = created["sessionId"].as_str().unwrap();
    for payload in payloads() {
        let line = envelope(&session.into(), "t", &payload);
        visitor.succeed("sendEvents", at(&[session]).body(&line)).await;
    }
    let odd = json!({"type": "odd"});
    let expected = (400, "INVALID_STREAM_EVENT");
    visitor.refused("sendEvents", at(&[session]).body(&odd), expected).await;
    visitor.succeed("sessionHistory", at(&[session])).await;
    let message = json!({"content": "x"});
    let expected = (400, "NOT_SUPPORTED");
    visitor.refused("sendMessage", at(&[session]).body(&message), expected).await;
}

/// One of each, so that each is held against its schema.
fn payloads() -> Vec<Value> {
    let call = json!({"type": "function_call", "name": "f", "callId": "c", "arguments": {"a": 1}});
    let output =
        json!({"type": "function_call_output", "callId": "c", "output": "o", "isError": false});
    let thought = json!({"type": "reasoning", "content": "hm", "providerId": "p"});
    let text = json!({"type": "message", "content": "hi", "origin": "agent"});
    let error = json!({"code": "ODD", "message": "it broke"});
    vec![
        json!({"type": "response_start", "modelId": "m", "providerId": "p"}),
        json!({"type": "item_start", "itemId": "1", "itemType": "message", "initialContent": "h"}),
        json!({"type": "item_delta", "itemId": "1", "deltaContent": "i"}),
        json!({"type": "item_done", "itemId": "1", "finalItem": text}),
        json!({"type": "item_start", "itemId": "2", "itemType": "reasoning"}),
        json!({"type": "item_done", "itemId": "2", "finalItem": thought}),
        json!({"type": "item_start", "itemId": "3", "itemType": "function_call", "name": "f", "callId": "c"}),
        json!({"type": "item_done", "itemId": "3", "finalItem": call}),
        json!({"type": "item_start", "itemId": "4", "itemType": "function_call_output", "callId": "c"}),
        json!({"type": "item_done", "itemId": "4", "finalItem": output}),
        json!({"type": "item_start", "itemId": "5", "itemType": "message"}),
        json!({"type": "item_error", "itemId": "5", "error": error}),
        json!({"type": "item_start", "itemId": "6", "itemType": "message"}),
        json!({"type": "item_cancelled", "itemId": "6", "reason": "why not"}),
        json!({"type": "response_done", "status": "completed", "finishReason": "end",
            "usage": {"inputTokens": 1, "outputTokens": 2}}),
        json!({"type": "response_error", "error": error}),
    ]
}
