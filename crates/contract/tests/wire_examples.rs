//! Every kind of message, read and written back unchanged: the names on the wire are a promise.
#![cfg(test)]
#![expect(clippy::needless_pass_by_value, reason = "JSON literals read best as arguments")]

use contract::{
    AddProjectRequest, AgentInfo, CancelRequest, Cancelled, ClientFrame, CreateSessionRequest,
    DirectoryCompletions, ErrorBody, EventsAccepted, EventsRejected, FileCompletions, HistoryPage,
    ImportSessionRequest, ImportableSessions, Killed, LegacyHistory, LoginRequest, ModeRequest,
    ModelRequest, PermissionAnswer, PermissionAnswered, PermissionRequest, QueuePatch,
    QueueRemoved, SearchResults, SendRequest, ServerFrame, SessionCreated, SessionLoaded,
    SessionOptions, SessionSent, Sessions, TaskStopped, TitleRequest, Usage, WaitResult,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

#[track_caller]
fn round_trip<T: Serialize + DeserializeOwned>(wire: Value) {
    let read: T =
        serde_json::from_value(wire.clone()).unwrap_or_else(|error| panic!("{error}: {wire}"));
    assert_eq!(serde_json::to_value(read).unwrap(), wire);
}

fn session() -> Value {
    json!({"sessionId": "s", "projectId": "p", "cliType": "external", "title": "t", "status": "open", "activity": "idle",
        "createdAt": "2026-01-01T00:00:00.000Z", "lastActiveAt": "2026-01-01T00:00:00.000Z", "archived": false,
        "source": "created"})
}

fn permission() -> Value {
    json!({"permissionId": "x", "sessionId": "s", "turnId": "t", "title": "Run a command", "toolName": "Bash",
        "toolArguments": {"command": "ls"}, "options": [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}],
        "questions": [{"question": "Which?", "options": [{"label": "A"}], "multiSelect": false}],
        "askedAt": "2026-01-01T00:00:00.000Z"})
}

fn message_item() -> Value {
    json!({"type": "message", "turnId": "t", "sessionId": "s", "itemId": "t:1:0", "sourceTimestamp":
        "2026-01-01T00:00:00.000Z", "emittedAt": "2026-01-01T00:00:00.000Z", "status": "update", "seq": 4, "position": 3,
        "startedAt": "2026-01-01T00:00:00.000Z", "content": "hello", "origin": "agent"})
}

fn tool_item() -> Value {
    json!({"type": "tool_call", "turnId": "t", "sessionId": "s", "itemId": "t:1:1", "sourceTimestamp":
        "2026-01-01T00:00:00.000Z", "emittedAt": "2026-01-01T00:00:00.000Z", "status": "error", "errorCode": "CANCELLED",
        "errorMessage": "stopped", "parentItemId": "t:1:0", "truncated": {"bytes": 300_000}, "toolName": "Edit",
        "toolArguments": {"path": "a"}, "callId": "c", "toolOutput": "…", "toolOutputIsError": true, "kind": "edit",
        "locations": [{"path": "a", "line": 3}], "diff": [{"path": "a", "hunks":
            [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-a", "+b"]}]}]})
}

fn turns() -> Vec<Value> {
    vec![
        json!({"type": "turn_started", "turnId": "t", "sessionId": "s", "seq": 1, "at": "2026-01-01T00:00:00.000Z",
            "modelId": "m", "providerId": "p", "origin": "autonomous", "joinedTurnId": "u"}),
        json!({"type": "turn_complete", "turnId": "t", "sessionId": "s", "status": "cancelled",
            "usage": {"inputTokens": 1, "outputTokens": 2, "cacheReadInputTokens": 3, "costUsd": 0.25}}),
        json!({"type": "turn_error", "turnId": "t", "sessionId": "s", "errorCode": "RESPONSE_ERROR",
            "errorMessage": "slow down", "errorClass": "rate_limit"}),
    ]
}

#[test]
fn client_messages() {
    for wire in [
        json!({"type": "session:hello", "streamProtocol": "upsert-v1", "capabilities": {"x": 1}, "requestId": "r"}),
        json!({"type": "session:hello"}),
        json!({"type": "project:add", "path": "/p"}),
        json!({"type": "project:remove", "projectId": "p"}),
        json!({"type": "project:list"}),
        json!({"type": "session:create", "projectId": "p", "cliType": "codex"}),
        json!({"type": "session:open", "sessionId": "s", "after": 3, "epoch": "e"}),
        json!({"type": "session:close", "sessionId": "s"}),
        json!({"type": "session:send", "sessionId": "s", "content": "hi", "clientMessageId": "m", "delivery": "steer"}),
        json!({"type": "session:cancel", "sessionId": "s"}),
        json!({"type": "session:archive", "sessionId": "s"}),
        json!({"type": "session:list", "projectId": "p"}),
        json!({"type": "session:reconnect", "cliType": "codex"}),
        json!({"type": "permission:answer", "sessionId": "s", "permissionId": "x", "optionId": "yes",
            "updatedInput": {"command": "pwd"}, "answers": {"Which?": ["A"]}, "feedback": "no"}),
        json!({"type": "permission:answer", "sessionId": "s", "permissionId": "x", "cancel": true}),
        json!({"type": "ping"}),
    ] {
        round_trip::<ClientFrame>(wire);
    }
}

#[test]
fn server_messages_of_the_stream() {
    let mut messages = vec![
        json!({"type": "session:hello:ack", "selectedFamily": "upsert-v1", "requestId": "r"}),
        json!({"type": "session:upsert", "sessionId": "s", "seq": 4, "payload": message_item()}),
        json!({"type": "session:upsert", "sessionId": "s", "seq": 4, "payload": tool_item()}),
        json!({"type": "session:delta", "sessionId": "s", "seq": 5, "itemId": "t:1:0", "status": "complete", "offset": 5,
            "append": " world", "emittedAt": "2026-01-01T00:00:00.000Z"}),
        json!({"type": "session:history", "sessionId": "s", "epoch": "e", "seq": 9, "mode": "since", "resync": true,
            "entries": [message_item()], "turns": turns(), "more": false}),
        json!({"type": "session:plan", "sessionId": "s", "entries": [{"content": "a", "status": "pending"}]}),
        json!({"type": "session:glance", "sessionId": "s", "turnStartedAt": "2026-01-01T00:00:00.000Z",
            "tool": "Bash: make", "line": "It builds.", "at": "2026-01-01T00:00:01.000Z"}),
        json!({"type": "session:glance", "sessionId": "s", "at": "2026-01-01T00:00:01.000Z"}),
        json!({"type": "permission:requested"}),
        json!({"type": "permission:resolved", "outcome": "selected", "optionId": "yes",
            "answer": {"by": "browser", "updatedInput": {"command": "pwd"}, "answers": {"Which?": ["A"]}, "feedback": "no"},
            "resolvedAt": "2026-01-01T00:00:00.000Z"}),
    ];
    for request in messages
        .iter_mut()
        .filter(|message| message["type"].as_str().unwrap().starts_with("permission:"))
    {
        request.as_object_mut().unwrap().extend(permission().as_object().unwrap().clone());
    }
    messages.extend(
        turns().into_iter().map(
            |turn| json!({"type": "session:turn", "sessionId": "s", "seq": 1, "payload": turn}),
        ),
    );
    messages.into_iter().for_each(round_trip::<ServerFrame>);
}

#[test]
fn server_messages_about_sessions() {
    for wire in [
        json!({"type": "session:status", "sessionId": "s", "cliType": "codex", "isAlive": true, "state": "open",
            "activity": "running", "lastActiveAt": "2026-01-01T00:00:00.000Z", "turnId": "t",
            "queued": [{"turnId": "u", "content": "x", "delivery": "queue",
            "queuedAt": "2026-01-01T00:00:00.000Z", "paused": true}],
            "backgroundTasks": [{"taskId": "b", "kind": "shell", "description": "make"}],
            "allowed": [{"permissionId": "p", "title": "make", "name": "Allow make",
            "since": "2026-01-01T00:00:00.000Z"}],
            "notice": {"kind": "retry", "text": "trying again"}}),
        json!({"type": "session:sent", "sessionId": "s", "turnId": "t", "clientMessageId": "m", "state": "queued"}),
        json!({"type": "session:created", "session": session()}),
        json!({"type": "session:archived", "sessionId": "s"}),
        json!({"type": "session:title-updated", "sessionId": "s", "title": "x"}),
        json!({"type": "session:list", "projectId": "p", "sessions": [session()]}),
        json!({"type": "session:error", "sessionId": "s", "message": "x"}),
        json!({"type": "project:added", "project":
            {"id": "p", "path": "/p", "name": "p", "addedAt": "2026-01-01T00:00:00.000Z"}}),
        json!({"type": "project:removed", "projectId": "p"}),
        json!({"type": "project:list", "projects": []}),
        json!({"type": "agent:status", "cliType": "codex", "status": "reconnecting"}),
        json!({"type": "server:draining", "deadlineMs": 10_000}),
        json!({"type": "pong"}),
        json!({"type": "ok", "requestId": "r"}),
        json!({"type": "error", "code": "NOT_SUPPORTED", "message": "x", "requestId": "r"}),
    ] {
        round_trip::<ServerFrame>(wire);
    }
}

#[test]
fn legacy_messages() {
    let time = "2026-01-01T00:00:00.000Z";
    for entry in [
        json!({"type": "user", "entryId": "e", "content": "hi", "timestamp": time}),
        json!({"type": "assistant", "entryId": "e", "content": "", "timestamp": time}),
        json!({"type": "thinking", "entryId": "e", "content": "hm"}),
        json!({"type": "tool-call", "entryId": "e", "toolCallId": "c", "name": "Bash", "status": "error", "error": "x"}),
    ] {
        round_trip::<ServerFrame>(
            json!({"type": "session:update", "sessionId": "s", "entry": entry}),
        );
    }
    let entry = json!({"type": "thinking", "entryId": "e", "content": "hm"});
    round_trip::<LegacyHistory>(
        json!({"type": "session:history", "sessionId": "s", "entries": [entry]}),
    );
    for kind in ["session:complete", "session:cancelled"] {
        round_trip::<ServerFrame>(json!({"type": kind, "sessionId": "s", "entryId": "e"}));
    }
    round_trip::<ServerFrame>(
        json!({"type": "session:chunk", "sessionId": "s", "entryId": "e", "content": "x"}),
    );
}

#[test]
fn requests_refuse_what_they_do_not_know() {
    let create = json!({"cliType": "codex", "projectDir": "/p", "providerOptions": {"maxThinkingTokens": 1000}});
    round_trip::<CreateSessionRequest>(create.clone());
    for (pointer, field) in [("", "command"), ("/providerOptions", "maxTokens")] {
        let mut wire = create.clone();
        wire.pointer_mut(pointer).unwrap().as_object_mut().unwrap().insert(field.into(), json!(1));
        let error = serde_json::from_value::<CreateSessionRequest>(wire).unwrap_err().to_string();
        assert!(error.contains(field), "{error}");
    }
    round_trip::<SendRequest>(json!({"content": "hi", "attachments":
        [{"name": "a.png", "mimeType": "image/png", "data": "aGk="}]}));
    round_trip::<PermissionAnswer>(json!({"cancel": true}));
    assert!(serde_json::from_value::<PermissionAnswer>(json!({"option": "yes"})).is_err());
}

#[test]
fn bodies_of_requests() {
    round_trip::<CancelRequest>(json!({"turnId": "t"}));
    round_trip::<QueuePatch>(json!({"content": "x", "before": "t", "sendNow": true}));
    round_trip::<ImportSessionRequest>(
        json!({"cliType": "codex", "providerSessionId": "x", "projectId": "p"}),
    );
    round_trip::<ModeRequest>(json!({"modeId": "plan"}));
    round_trip::<ModelRequest>(json!({"modelId": "m"}));
    round_trip::<TitleRequest>(json!({"title": "t"}));
    round_trip::<AddProjectRequest>(json!({"path": "/p"}));
    round_trip::<LoginRequest>(json!({"code": "c"}));
}

#[test]
fn bodies_of_answers() {
    let time = "2026-01-01T00:00:00.000Z";
    round_trip::<SessionCreated>(json!({"sessionId": "s", "cliType": "codex", "projectId": "p"}));
    round_trip::<SessionLoaded>(json!({"sessionId": "s", "cliType": "codex"}));
    round_trip::<Sessions>(json!({"sessions": [session()]}));
    round_trip::<SessionSent>(json!({"turnId": "t", "state": "started"}));
    round_trip::<Cancelled>(json!({"cancelled": true}));
    round_trip::<Killed>(json!({"killed": true}));
    round_trip::<WaitResult>(json!({"activity": "error", "timedOut": false}));
    round_trip::<PermissionAnswered>(json!({"answered": true}));
    round_trip::<QueueRemoved>(json!({"removed": true}));
    round_trip::<TaskStopped>(json!({"stopped": true}));
    round_trip::<EventsAccepted>(json!({"accepted": 3}));
    round_trip::<EventsAccepted>(json!({"accepted": 3, "ignored": 1}));
    round_trip::<EventsRejected>(
        json!({"code": "INVALID_STREAM_EVENT", "message": "m", "line": 3, "path": "type", "accepted": 2}),
    );
    round_trip::<SessionOptions>(
        json!({"models": [{"modelId": "m", "name": "M"}], "currentModelId": "m",
        "modes": [{"modeId": "plan", "name": "Plan", "description": "d", "neverAsks": false}], "currentModeId": "plan",
        "commands": [{"name": "clear", "description": "d", "argumentHint": "h"}]}),
    );
    round_trip::<ImportableSessions>(
        json!({"sessions": [{"cliType": "codex", "providerSessionId": "x", "title": "t", "createdAt": time,
        "lastActiveAt": time, "prompts": 2}]}),
    );
    round_trip::<DirectoryCompletions>(json!({"dirs": ["/a"]}));
    round_trip::<FileCompletions>(json!({"files": ["a.rs"]}));
    round_trip::<SearchResults>(
        json!({"hits": [{"sessionId": "s", "itemId": "i", "snippet": "…"}]}),
    );
    round_trip::<AgentInfo>(
        json!({"cliType": "codex", "name": "Codex", "available": false, "version": "1", "problem": "p",
        "installHint": "npm", "models": [], "modes": [],
        "capabilities": {"send": true, "steer": false, "images": false, "resume": true}}),
    );
    round_trip::<ErrorBody>(json!({"code": "NOT_FOUND", "message": "m"}));
    round_trip::<ErrorBody>(json!({"code": "DUPLICATE_PROJECT", "message": "m", "projectId": "p"}));
    round_trip::<HistoryPage>(
        json!({"epoch": "e", "seq": 3, "entries": [message_item(), tool_item()], "turns": turns(), "more": true}),
    );
    let mut asked = permission();
    let more = json!({"itemId": "i", "callId": "c", "plan": "p", "questions": [{"question": "Which?", "header": "h",
        "options": [{"label": "A", "description": "d"}], "multiSelect": true}]});
    asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    round_trip::<PermissionRequest>(asked);
    round_trip::<Usage>(
        json!({"inputTokens": 1, "outputTokens": 2, "cacheCreationInputTokens": 3, "contextTokens": 4, "contextWindow": 5}),
    );
}
