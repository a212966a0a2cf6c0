//! The user's Codex, by codex-acp.

use contract::{PermissionOptionKind, TurnStatus};
use testkit::acp_house::AcpHouse;

use crate::{guard, status};

async fn house() -> AcpHouse<()> {
    AcpHouse::live_codex(guard()).await
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

/// Whether it asks first is the user's own setting; where it asks, it is allowed.
#[tokio::test]
async fn a_tool_runs() {
    let house = house().await;
    let mut session = house.session().await;
    let prompt = "Run exactly this in your shell: echo live > made.txt && cat made.txt";
    let turn = session.send(prompt).await;
    let end = loop {
        session
            .until("it asks or ends", |seen| {
                !seen.permissions.is_empty() || seen.end_of(&turn).is_some()
            })
            .await;
        if let Some(end) = session.end_of(&turn) {
            break end.clone();
        }
        let request = session.asked().await;
        let mut options = request.options.iter();
        let once = options.find(|option| option.kind == PermissionOptionKind::AllowOnce).unwrap();
        session.choose(&request, once.option_id.as_str()).await;
        session.until("it is answered", |seen| !seen.permissions.contains(&request)).await;
    };
    assert_eq!(status(&end), Some(TurnStatus::Completed), "{end:?}");
    assert!(!session.tools().is_empty());
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
