//! Codex: sessions that it kept, gone on with and told as history.

use contract::UpsertObject;
use session::provider::{CliProvider, ProviderErrorCode};
use testkit::responses_api::{ResponsesReply, ResponsesRequest};

use crate::heard::Heard;
use crate::{CodexHouse, codex, completed};

fn script(request: &ResponsesRequest) -> ResponsesReply {
    match (request.last_user_text().as_str(), request.last_tool_outputs().as_slice()) {
        ("run", _) => ResponsesReply::reasoning("A shell knows.")
            .then_text("Let me see.")
            .then_shell("echo hi > made; cat made"),
        ("", [_, ..]) => ResponsesReply::text("It ran."),
        (said, _) => ResponsesReply::text(&format!("Answer to {said}")),
    }
}

/// A house that a conversation took place in, rebuilt, and what its agent calls the session.
async fn conversation() -> (CodexHouse, String) {
    let house = codex(script).await;
    let mut session = Heard::new(&house);
    session.create().await;
    assert_eq!(session.turn("first").await, "Answer to first");
    assert!(session.turn("run").await.ends_with("It ran."));
    let agent_session = session.agent_session.clone().unwrap();
    session.kill().await;
    (house.rebuilt().await, agent_session)
}

fn remembers(house: &CodexHouse) {
    let input = format!("{:?}", house.api.turns().last().unwrap().input());
    assert!(input.contains("Answer to first"), "the agent remembers: {input}");
}

#[tokio::test]
async fn tc_4_1b_a_session_that_nobody_here_knows_is_told_as_items_and_turns() {
    let (house, agent_session) = conversation().await;
    let mut session = Heard::new(&house);
    session.load(&agent_session, false).await.unwrap();
    assert_eq!(session.agent_session.as_ref(), Some(&agent_session));
    assert!(session.items.iter().all(UpsertObject::is_final), "{:#?}", session.items);
    let told = session.summary();
    let first = ["first", "Answer to first", "run", "thought A shell knows."];
    assert_eq!(told[..4], first, "{told:?}");
    assert_eq!(told[4..], ["Let me see.", "tool said hi", "It ran."], "{told:?}");
    let turns = &session.turns;
    assert_eq!(turns.len(), 4, "{turns:?}");
    assert!(turns[0].0 == turns[1].0 && turns[2].0 == turns[3].0, "{turns:?}");
    assert!(completed(&turns[1].1) && completed(&turns[3].1), "{turns:?}");
    assert_eq!(session.turn("again").await, "Answer to again");
    remembers(&house);
    session.kill().await;
    house.end().await;
}

#[tokio::test]
async fn a_history_that_is_there_is_not_told_again() {
    let (house, agent_session) = conversation().await;
    let mut session = Heard::new(&house);
    session.load(&agent_session, true).await.unwrap();
    assert!(session.items.is_empty() && session.turns.is_empty(), "{:#?}", session.items);
    assert_eq!(session.turn("again").await, "Answer to again");
    remembers(&house);
    session.kill().await;
    house.end().await;
}

#[tokio::test]
async fn a_session_that_the_agent_does_not_keep_is_refused() {
    let house = codex(script).await;
    let mut session = Heard::new(&house);
    let refused = session.load("01a1e0af-8853-7283-bd8a-7c4e4716e685", true).await.unwrap_err();
    assert_eq!(refused.code, ProviderErrorCode::ProcessCrash);
    assert!(refused.message.contains("the agent keeps no such session"), "{}", refused.message);
    assert!(session.items.is_empty() && session.turns.is_empty(), "{:#?}", session.items);
    assert_eq!(session.agent_session, None, "nor was another session begun in its place");
    assert!(house.api.turns().is_empty(), "no model was asked");
    assert!(!house.provider.is_alive(&session.id));
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
