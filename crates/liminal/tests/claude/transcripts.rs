//! What the CLI keeps on disk, read as history: it tells what was live.

use contract::{
    ImportSessionRequest, ItemStatus, SessionId, TurnEvent, TurnEventKind, TurnId, UpsertBody,
    UpsertObject,
};
use serde_json::json;
use session::provider::{CliProvider, HistoryEvent};
use testkit::agents::ClaudeVersion;
use testkit::claude_house::ClaudeHouse;
use testkit::model_api::{Gate, ModelRequest, Reply};

use crate::conversation::completed;
use crate::house;

real! { a_transcript_tells_what_was_live an_imported_session_goes_on_where_it_ended }

/// Answers each prompt by its name.
fn script(gate: &Gate) -> impl Fn(&ModelRequest) -> Reply + Send + Sync + use<> {
    let gate = gate.clone();
    let bash = |command: &str| json!({ "command": command, "description": "do it" });
    move |request| {
        let text = request.last_user_text();
        let is = |name: &str| text.ends_with(name);
        match request.last_tool_results().as_slice() {
            [] if is("both") => Reply::thinking("Two at once.")
                .then_text("Both.")
                .then_tool("Bash", bash("sleep 1; echo first"))
                .then_tool("Bash", bash("echo second")),
            [] if is("denied") => Reply::text("Try.").then_tool("Bash", bash("touch made")),
            [] if is("unknown") => Reply::tool("NoSuchTool", json!({ "a": 1 })),
            [] if is("interrupted") => Reply::words(40).words_per_delta(1).hold_after(5, &gate),
            [] if is("refused") => Reply::status(400, "invalid_request_error"),
            [] if is("nothing") || text.contains("no visible output") => Reply::empty(),
            _ => Reply::text("Done."),
        }
    }
}

async fn a_transcript_tells_what_was_live(version: ClaudeVersion) {
    let gate = Gate::new();
    let house = house(version, script(&gate)).await;
    let mut session = house.session().await;
    for content in ["both", "unknown", "nothing"] {
        let (_, end) = session.turn(content).await;
        assert!(completed(&end), "{content}: {end:?}");
    }
    let turn = session.send("denied").await;
    let request = session.asked().await;
    session.choose(&request, "deny").await;
    session.end(&turn).await;
    let turn = session.send("interrupted").await;
    session.until("it speaks", |seen| seen.items.iter().any(|item| is_first(item, &turn))).await;
    assert!(session.cancel().await);
    session.end(&turn).await;
    session.turn("refused").await;
    // The agent writes a little later than it speaks.
    house.service.kill(&session.id).await.unwrap();
    let live: Vec<_> = session.items.iter().map(|item| told(item)).collect();
    let ends: Vec<_> = session.turns.iter().filter_map(|event| end(event)).collect();
    assert_eq!(ends.len(), 6);
    assert_eq!(read(&house, &session.id).await, (live, ends));
    house.end().await;
}

fn is_first(item: &UpsertObject, turn: &TurnId) -> bool {
    item.item_id == format!("{turn}:1:0").as_str()
}

/// A session that began elsewhere: what the agent keeps of one of ours, under another id.
async fn an_imported_session_goes_on_where_it_ended(version: ClaudeVersion) {
    let house =
        house(version, |request| Reply::text(&format!("Heard {}", request.last_user_text()))).await;
    let mut session = house.session().await;
    session.turn("the first thing").await;
    house.service.kill(&session.id).await.unwrap();
    let own = format!("{}.jsonl", session.id);
    let projects = std::fs::read_dir(house.home().join(".claude/projects")).unwrap();
    let directory =
        projects.map(|entry| entry.unwrap().path()).find(|path| path.join(&own).exists());
    let directory = directory.unwrap();
    let text = std::fs::read_to_string(directory.join(&own)).unwrap();
    let elsewhere = "0b2d4a1e-5a0f-4c51-9d6a-6f1f5a7f3c11";
    let text = text.replace(session.id.as_str(), elsewhere);
    std::fs::write(directory.join(format!("{elsewhere}.jsonl")), text).unwrap();
    let project = house.service.projects().await.unwrap().remove(0).id;
    let offered = house.service.importable(&project).await.unwrap();
    assert_eq!((offered.len(), &*offered[0].provider_session_id), (1, elsewhere));
    let request = ImportSessionRequest {
        cli_type: "claude-code".into(),
        provider_session_id: elsewhere.to_owned(),
        project_id: project,
    };
    let imported = house.service.import(request).await.unwrap();
    let mut session = house.watch(imported.session_id).await;
    let (_, end) = session.turn("the second thing").await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(session.said(), ["Heard the first thing", "Heard the second thing"]);
    let asked = house.api.requests();
    let last = asked.iter().rev().find(|request| request.last_user_text().contains("second"));
    assert!(
        format!("{last:?}").contains("Heard the first thing"),
        "the model is told what was before"
    );
    session.judge();
    house.end().await;
}

async fn read(house: &ClaudeHouse, session: &SessionId) -> (Vec<Told>, Vec<String>) {
    let project = house.project();
    let project = project.to_str().unwrap();
    let transcripts = house.provider.transcripts().unwrap();
    let listed = transcripts.importable(project).await.unwrap();
    assert_eq!(listed.iter().map(|session| &*session.id).collect::<Vec<_>>(), [session.as_str()]);
    let history = transcripts.history(session, project).await.unwrap();
    let (mut items, mut ends) = (Vec::new(), Vec::new());
    for event in &history.events {
        match event {
            HistoryEvent::Upsert(item) => items.push(told(item)),
            HistoryEvent::Turn(event) => ends.extend(end(event)),
        }
    }
    (items, ends)
}

type Told = (String, ItemStatus, String);

fn told(item: &UpsertObject) -> Told {
    let words = match &item.body {
        UpsertBody::Message { content, .. } | UpsertBody::Thinking { content, .. } => {
            content.to_string()
        }
        UpsertBody::ToolCall(tool) => format!("{:?} {:?}", tool.tool_arguments, tool.tool_output),
    };
    (item.item_id.to_string(), item.status, words)
}

fn end(event: &TurnEvent) -> Option<String> {
    let turn = &event.turn_id;
    match &event.kind {
        TurnEventKind::TurnStarted { .. } => None,
        TurnEventKind::TurnComplete { status, .. } => Some(format!("{turn} {status:?}")),
        TurnEventKind::TurnError { error_code, error_class, error_message } => {
            Some(format!("{turn} {error_code} {error_class:?} {error_message}"))
        }
    }
}
