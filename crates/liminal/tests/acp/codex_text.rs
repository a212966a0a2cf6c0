//! Codex: text, thoughts and plans.

use contract::{ItemId, UpsertBody};
use testkit::responses_api::ResponsesReply;

use crate::{codex, codex_with, completed};

#[tokio::test]
async fn a_plain_answer() {
    let house = codex_with([ResponsesReply::text("Hello there, this is plain.")]).await;
    let mut session = house.session().await;
    let (turn, end) = session.turn("hi").await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(session.said_in(&turn), ["Hello there, this is plain."]);
    assert_eq!(house.api.turns()[0].last_user_text(), "hi");
    session.idle().await;
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_long_answer() {
    let house = codex_with([ResponsesReply::words(2000)]).await;
    let mut session = house.session().await;
    let (turn, end) = session.turn("at length").await;
    assert!(completed(&end), "{end:?}");
    let expected: Vec<String> = (1..=2000).map(|number| format!("word{number}")).collect();
    assert_eq!(session.said_in(&turn), [expected.join(" ")]);
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn thoughts_come_before_text() {
    let reply = ResponsesReply::reasoning("**First** I think it over.").then_text("Then I say it.");
    let house = codex_with([reply]).await;
    let mut session = house.session().await;
    let (turn, end) = session.turn("think").await;
    assert!(completed(&end), "{end:?}");
    let answers = session
        .items
        .iter()
        .filter(|item| item.turn_id == turn && item.item_id != ItemId::of_user_message(&turn));
    let bodies: Vec<_> = answers
        .map(|item| match &item.body {
            UpsertBody::Thinking { content, .. } => format!("thinking {content}"),
            UpsertBody::Message { content, .. } => format!("message {content}"),
            UpsertBody::ToolCall(tool) => tool.tool_name.clone(),
        })
        .collect();
    assert_eq!(bodies, ["thinking **First** I think it over.", "message Then I say it."]);
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn two_turns_share_one_process_and_its_memory() {
    let house =
        codex(|request| ResponsesReply::text(&format!("You said {}", request.last_user_text())))
            .await;
    let mut session = house.session().await;
    let agent = house.agent();
    for word in ["one", "two"] {
        let (turn, end) = session.turn(word).await;
        assert!(completed(&end), "{end:?}");
        assert_eq!(session.said_in(&turn), [format!("You said {word}")]);
    }
    assert_eq!(house.agent(), agent);
    let asked = format!("{:?}", house.api.turns()[1].input());
    assert!(asked.contains("You said one"), "the model is told what it said: {asked}");
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_plan_is_kept_beside_the_items() {
    let steps = [("look", "completed"), ("leap", "in_progress"), ("land", "pending")];
    let house = codex_with([ResponsesReply::plan(&steps), ResponsesReply::text("Planned.")]).await;
    let mut session = house.session().await;
    let (turn, end) = session.turn("plan").await;
    assert!(completed(&end), "{end:?}");
    let plan: Vec<_> =
        session.plan.iter().map(|entry| (entry.content.as_str(), entry.status.as_str())).collect();
    assert_eq!(plan, steps);
    assert_eq!(session.said_in(&turn), ["Planned."]);
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn how_full_the_window_is_comes_with_the_end_of_a_turn() {
    let house = codex_with([ResponsesReply::text("Counted.").usage(300, 40)]).await;
    let mut session = house.session().await;
    let (_, end) = session.turn("count").await;
    let contract::TurnEventKind::TurnComplete { usage: Some(usage), .. } = end else {
        panic!("{end:?}")
    };
    assert_eq!(usage.context_tokens, Some(340));
    assert!(usage.context_window.is_some_and(|window| window > 340), "{usage:?}");
    session.judge();
    house.end().await;
}
