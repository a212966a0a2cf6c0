//! Codex: sessions that it kept, gone on with and told as history.

use contract::{ItemStatus, SessionId, TurnEventKind, TurnId, UpsertBody, UpsertObject};
use session::provider::{CliProvider, LoadSession, OutgoingMessage, ProviderNotice, Sink};
use testkit::responses_api::{ResponsesReply, ResponsesRequest};
use tokio::sync::mpsc;

use crate::codex_tools::allow;
use crate::{CodexHouse, codex, completed};

enum Told {
    Item(Box<UpsertObject>),
    Turn(TurnId, TurnEventKind),
    AgentSession(String),
    Other,
}

/// Everything that a provider tells of a session, in its order.
fn listen(house: &CodexHouse, session: &SessionId) -> mpsc::Receiver<Told> {
    let (told, heard) = mpsc::channel(10_000);
    let provider = &house.provider;
    provider.on_upsert(session, Sink::channel(told.clone(), |item| Told::Item(Box::new(item))));
    provider.on_turn(
        session,
        Sink::channel(told.clone(), |event| Told::Turn(event.turn_id, event.kind)),
    );
    provider.on_notice(
        session,
        Sink::channel(told, |notice| match notice {
            ProviderNotice::AgentSession(id) => Told::AgentSession(id),
            _ => Told::Other,
        }),
    );
    heard
}

fn script(request: &ResponsesRequest) -> ResponsesReply {
    match (request.last_user_text().as_str(), request.last_tool_outputs().as_slice()) {
        ("run", _) => ResponsesReply::text("Let me see.").then_shell("echo hi > made; cat made"),
        ("", [_, ..]) => ResponsesReply::text("It ran."),
        (said, _) => ResponsesReply::text(&format!("Answer to {said}")),
    }
}

/// A house that a conversation took place in, rebuilt, and what its agent calls the session.
async fn conversation() -> (CodexHouse, String) {
    let house = codex(script).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("first").await.1));
    let turn = session.send("run").await;
    allow(&mut session).await;
    assert!(completed(&session.end(&turn).await));
    let agent_session = house.api.turns()[0].session().unwrap().to_owned();
    session.judge();
    (house.rebuilt().await, agent_session)
}

fn kept(house: &CodexHouse, agent_session: String, holds_history: bool) -> LoadSession {
    LoadSession {
        project_dir: Some(house.project().to_str().unwrap().to_owned()),
        agent_session: Some(agent_session),
        holds_history,
        ..LoadSession::default()
    }
}

/// Sends, and gives what was told until the turn ended.
async fn turn(house: &CodexHouse, session: &SessionId, heard: &mut mpsc::Receiver<Told>) -> String {
    let message = OutgoingMessage { content: "again".to_owned(), ..OutgoingMessage::default() };
    let turn = house.provider.send_message(session, message).await.unwrap();
    let mut said = String::new();
    while let Some(told) = heard.recv().await {
        match told {
            Told::Item(item) if item.status == ItemStatus::Complete => {
                said = item.content().map(ToString::to_string).unwrap_or_default();
            }
            Told::Turn(ended, kind) if ended == turn && kind.is_terminal() => {
                assert!(completed(&kind), "{kind:?}");
                break;
            }
            _ => {}
        }
    }
    said
}

#[tokio::test]
async fn tc_4_1b_a_session_that_nobody_here_knows_is_told_as_items_and_turns() {
    let (house, agent_session) = conversation().await;
    let session = SessionId::from("ours");
    let mut heard = listen(&house, &session);
    let options = kept(&house, agent_session.clone(), false);
    house.provider.load_session(&session, options).await.unwrap();
    let (mut items, mut turns) = (Vec::<UpsertObject>::new(), Vec::new());
    while let Ok(told) = heard.try_recv() {
        match told {
            Told::Item(item) => {
                items.retain(|known| known.item_id != item.item_id);
                items.push(*item);
            }
            Told::Turn(turn, kind) => turns.push((turn, kind)),
            Told::AgentSession(id) => assert_eq!(id, agent_session),
            Told::Other => {}
        }
    }
    assert!(items.iter().all(UpsertObject::is_final), "{items:#?}");
    let told: Vec<String> = items.iter().map(summary).collect();
    assert_eq!(
        told,
        ["first", "Answer to first", "run", "Let me see.", "tool hi", "It ran."],
        "{items:#?}"
    );
    let ids: Vec<&TurnId> = turns.iter().map(|(turn, _)| turn).collect();
    assert_eq!((ids.len(), ids[0], ids[2]), (4, ids[1], ids[3]), "{turns:?}");
    assert!(completed(&turns[1].1) && completed(&turns[3].1), "{turns:?}");
    assert_eq!(turn(&house, &session, &mut heard).await, "Answer to again");
    let input = format!("{:?}", house.api.turns().last().unwrap().input());
    assert!(input.contains("Answer to first"), "the agent remembers: {input}");
    house.provider.kill_session(&session).await.unwrap();
    house.end().await;
}

fn summary(item: &UpsertObject) -> String {
    match &item.body {
        UpsertBody::Message { content, .. } | UpsertBody::Thinking { content, .. } => {
            content.to_string()
        }
        UpsertBody::ToolCall(tool) => {
            let output = tool.tool_output.as_ref().map(ToString::to_string).unwrap_or_default();
            format!("tool {}", output.trim().lines().last().unwrap_or_default())
        }
    }
}

#[tokio::test]
async fn a_history_that_is_there_is_not_told_again() {
    let (house, agent_session) = conversation().await;
    let session = SessionId::from("ours");
    let mut heard = listen(&house, &session);
    let options = kept(&house, agent_session, true);
    house.provider.load_session(&session, options).await.unwrap();
    while let Ok(told) = heard.try_recv() {
        assert!(!matches!(told, Told::Item(_) | Told::Turn(..)), "it is known already");
    }
    assert_eq!(turn(&house, &session, &mut heard).await, "Answer to again");
    let input = format!("{:?}", house.api.turns().last().unwrap().input());
    assert!(input.contains("Answer to first"), "the agent remembers: {input}");
    house.provider.kill_session(&session).await.unwrap();
    house.end().await;
}

#[tokio::test]
async fn a_session_that_the_agent_does_not_keep_is_refused() {
    let house = codex(script).await;
    let session = SessionId::from("ours");
    let options = kept(&house, "01a1e0af-8853-7283-bd8a-7c4e4716e685".to_owned(), true);
    let refused = house.provider.load_session(&session, options).await.unwrap_err();
    assert!(!refused.message.is_empty());
    assert!(!house.provider.is_alive(&session));
    house.nothing_runs().await;
    house.end().await;
}

#[tokio::test]
async fn a_killed_session_is_loaded_without_telling_anything_twice() {
    let house = codex(script).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("first").await.1));
    let items = session.items.len();
    house.service.kill(&session.id).await.unwrap();
    house.service.load(&session.id).await.unwrap();
    assert!(completed(&session.turn("again").await.1));
    assert_eq!(session.items.len(), items + 2, "{:#?}", session.items);
    assert_eq!(session.said(), ["Answer to first", "Answer to again"]);
    let input = format!("{:?}", house.api.turns().last().unwrap().input());
    assert!(input.contains("Answer to first"), "the agent remembers: {input}");
    session.judge();
    house.end().await;
}
