//! Text and thinking.

use contract::{TurnEventKind, TurnStatus, UpsertBody};
use testkit::agents::ClaudeVersion;
use testkit::model_api::Reply;

use crate::{house, house_with};

real! { a_plain_answer a_long_answer thinking_comes_before_text two_turns_share_one_process }

pub(crate) fn completed(kind: &TurnEventKind) -> bool {
    matches!(kind, TurnEventKind::TurnComplete { status: TurnStatus::Completed, .. })
}

async fn a_plain_answer(version: ClaudeVersion) {
    let house = house_with(version, [Reply::text("Hello there, this is plain.")]).await;
    let mut session = house.session().await;
    let (turn, end) = session.turn("hi").await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(session.said_in(&turn), ["Hello there, this is plain."]);
    session.idle().await;
    session.judge();
    house.end().await;
}

async fn a_long_answer(version: ClaudeVersion) {
    let house = house_with(version, [Reply::words(2000)]).await;
    let mut session = house.session().await;
    let (turn, end) = session.turn("at length").await;
    assert!(completed(&end), "{end:?}");
    let said = session.said_in(&turn).concat();
    assert_eq!(said.split_whitespace().count(), 2000);
    session.judge();
    house.end().await;
}

async fn thinking_comes_before_text(version: ClaudeVersion) {
    let reply = Reply::thinking("First I think it over.").then_text("Then I say it.");
    let house = house_with(version, [reply]).await;
    let mut session = house.session().await;
    let (turn, _) = session.turn("think").await;
    let bodies: Vec<_> = session
        .items
        .iter()
        .filter(|item| item.turn_id == turn && item.item_id != format!("{turn}:0:0").as_str())
        .map(|item| match &item.body {
            UpsertBody::Thinking { content, .. } => format!("thinking {content}"),
            UpsertBody::Message { content, .. } => format!("message {content}"),
            UpsertBody::ToolCall(tool) => tool.tool_name.clone(),
        })
        .collect();
    assert_eq!(bodies, ["thinking First I think it over.", "message Then I say it."]);
    session.judge();
    house.end().await;
}

async fn two_turns_share_one_process(version: ClaudeVersion) {
    let house =
        house(version, |request| Reply::text(&format!("You said {}", request.last_user_text())))
            .await;
    let mut session = house.session().await;
    let agents = house.agents();
    assert!(!agents.is_empty(), "an agent runs");
    for word in ["one", "two"] {
        let (turn, end) = session.turn(word).await;
        assert!(completed(&end), "{end:?}");
        assert_eq!(session.said_in(&turn), [format!("You said {word}")]);
    }
    assert_eq!(house.agents(), agents);
    session.judge();
    house.end().await;
}
