//! The TypeScript twin of the contract, committed with the web sources and kept current by a test.

use std::path::Path;

use ts_rs::{Config, TS};

use crate::*;

/// Written by hand: the envelope's `type` repeats that of its payload and is no field of ours.
const ENVELOPE: &str = "StreamEventEnvelope = { eventId: EventId, timestamp: Timestamp, turnId: TurnId, sessionId: SessionId, type: EventPayload[\"type\"], payload: EventPayload, }";

/// Written by hand: the exporter takes the value of `type` for the name.
const LEGACY_HISTORY: &str = "LegacyHistory = { type: \"session:history\", sessionId: SessionId, entries: Array<ChatEntry>, }";

macro_rules! declarations {
    ($config:expr; $($name:ty),* $(,)?) => { vec![$(<$name>::decl($config)),*] };
}

#[test]
fn typescript_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/contract.ts");
    let expected = module();
    if std::env::var_os("UPDATE_TYPESCRIPT").is_some() {
        write(&path, &expected);
    }
    let found = read(&path);
    assert!(found == expected, "web/src/contract.ts is not current: run `cargo xtask codegen`");
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that compares with the committed file"
)]
fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

#[expect(clippy::disallowed_methods, reason = "the one place that refreshes the committed file")]
fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
}

fn module() -> String {
    let mut text = String::from(
        "// This file is generated from crates/contract by `cargo xtask codegen`. Do not edit it.\n",
    );
    for declaration in declarations() {
        text.push_str("\nexport ");
        text.push_str(declaration.trim_end_matches(';'));
        text.push_str(";\n");
    }
    text
}

fn declarations() -> Vec<String> {
    let config = &Config::default();
    let mut all = declarations![config;
        // Ids and small values.
        CallId, CliType, ClientMessageId, Epoch, EventId, ItemId, ModeId, ModelId, OptionId, PermissionId,
        ProjectId, ProviderId, RequestId, SessionId, TaskId, TurnId, Seq, Text, Timestamp, ErrorCode,
        // Items and turns.
        ItemStatus, MessageOrigin, Truncation, ToolArguments, ToolKind, Location, DiffHunk, FileDiff, ToolCall,
        UpsertBody, UpsertObject, TurnOrigin, TurnStatus, Usage, TurnEventKind, TurnEvent,
        // Permissions.
        PermissionOptionKind, PermissionOption, QuestionOption, Question, PermissionOutcome, GivenAnswer, PermissionRequest,
        PermissionAnswer,
        // Sessions, projects, agents.
        Project, SessionState, Activity, SessionSource, SessionListItem, Delivery, QueuedTurn, BackgroundTask, StandingPermission,
        Notice, SessionStatus, SessionGlance, ModelInfo, ModeInfo, SlashCommand, AgentCapabilities, AgentConnection, AgentInfo,
        // Canonical envelopes.
        EventError, ItemStart, FinalItem, ResponseStatus, ResponseDone, EventPayload,
        // HTTP.
        ErrorBody, ProviderOptions, CreateSessionRequest, Attachment, SendRequest, CancelRequest, ModeRequest,
        ModelRequest, TitleRequest, QueuePatch, AddProjectRequest, ImportSessionRequest, LoginRequest,
        SessionCreated, SessionLoaded, Sessions, SendState, SessionSent, Cancelled, Killed, WaitResult,
        PermissionAnswered, QueueRemoved, ProjectRemoved, TaskStopped, SessionOptions, EventsAccepted, EventsRejected,
        ImportableSession, ImportableSessions, DirectoryCompletions, FileCompletions, SearchHit, SearchResults, LoggedIn,
        HistoryPage,
        // WebSocket.
        StreamProtocol, ClientMessage, ClientFrame, Family, HistoryMode, PlanEntry, TextDelta, LegacyToolStatus,
        ChatEntry, ServerMessage, ServerFrame,
    ];
    all.push(format!("type {ENVELOPE}"));
    all.push(format!("type {LEGACY_HISTORY}"));
    all
}
