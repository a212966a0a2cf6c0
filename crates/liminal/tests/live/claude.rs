//! The user's Claude Code.

use contract::TurnStatus;
use testkit::claude_house::ClaudeHouse;

use crate::{guard, status};

async fn house() -> ClaudeHouse {
    ClaudeHouse::start_live(guard()).await
}

#[tokio::test]
async fn a_plain_answer() {
    let house = house().await;
    let mut session = house.session().await;
    let (turn, end) = session.turn("Answer with the single word PONG and nothing else.").await;
    assert_eq!(status(&end), Some(TurnStatus::Completed), "{end:?}");
    assert!(session.said_in(&turn).concat().contains("PONG"));
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_tool_is_asked_for_and_runs() {
    let house = house().await;
    let mut session = house.session().await;
    let prompt = "Run exactly this with your Bash tool: echo live > made.txt && cat made.txt";
    let turn = session.send(prompt).await;
    let request = session.asked().await;
    session.choose(&request, "allow").await;
    let end = session.end(&turn).await;
    assert_eq!(status(&end), Some(TurnStatus::Completed), "{end:?}");
    assert!(house.project().join("made.txt").exists());
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_turn_is_cancelled() {
    let house = house().await;
    let mut session = house.session().await;
    let turn = session.send("Count from 1 to 500, one number per line, without tools.").await;
    session.until("it says something", |seen| seen.items.len() > 1).await;
    assert!(session.cancel().await);
    assert_eq!(status(&session.end(&turn).await), Some(TurnStatus::Cancelled));
    session.judge();
    house.end().await;
}
