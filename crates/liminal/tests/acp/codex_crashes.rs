//! Codex: an agent that dies at each step of a turn. The turn ends once or waits, what was said is kept, and the next
//! message goes on with the conversation.

use contract::{ItemStatus, SessionState, TurnId};
use testkit::responses_api::Gate;
use testkit::watched_session::WatchedSession;

use crate::codex_kills::both_sleep;
use crate::codex_sends::script;
use crate::codex_tools::allow;
use crate::{CodexHouse, codex, completed, failure, kill};

/// Kills the agent and waits until that is known.
async fn crash(house: &CodexHouse, session: &mut WatchedSession<'_>) {
    kill(house.agent());
    session
        .until("it is dead", |seen| {
            let last = seen.statuses.last();
            last.is_some_and(|status| status.state == SessionState::Dead && !status.is_alive)
        })
        .await;
    house.nothing_runs().await;
}

/// The turn that the agent died in has failed, once.
async fn has_failed(session: &mut WatchedSession<'_>, turn: &TurnId) {
    let end = session.end(turn).await;
    let (code, _, message) = failure(&end);
    assert_eq!(code, "PROCESS_CRASH");
    assert!(message.contains("signal 9"), "{message}");
}

/// The next message is answered by an agent that knows what was said before.
async fn goes_on(house: &CodexHouse, session: &mut WatchedSession<'_>) {
    let (turn, end) = session.turn("again").await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(session.said_in(&turn), ["Answer to again"]);
    let asked = house.api.turns();
    let input = format!("{:?}", asked.last().unwrap().input());
    assert!(input.contains("Answer to first"), "the agent remembers: {input}");
    session.idle().await;
    session.judge();
}

#[tokio::test]
async fn before_the_first_word_the_message_waits_or_fails() {
    let gate = Gate::new();
    let house = codex(script(&gate)).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("first").await.1));
    let turn = session.send("silent").await;
    gate.reached().await;
    crash(&house, &mut session).await;
    gate.open();
    if session.end_of(&turn).is_some() {
        has_failed(&mut session, &turn).await;
    } else {
        let queued = &session.status().await.queued;
        assert!(queued.iter().any(|waiting| waiting.turn_id == turn), "{queued:?}");
    }
    goes_on(&house, &mut session).await;
    assert!(session.end_of(&turn).is_some(), "nothing is lost");
    house.end().await;
}

#[tokio::test]
async fn in_text_what_was_said_is_kept() {
    let gate = Gate::new();
    let house = codex(script(&gate)).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("first").await.1));
    let turn = session.send("slow").await;
    gate.reached().await;
    session.until("some text is shown", |seen| seen.items.len() > 3).await;
    crash(&house, &mut session).await;
    has_failed(&mut session, &turn).await;
    let kept = session.items.iter().find(|item| item.status == ItemStatus::Error).unwrap();
    assert!(kept.content().unwrap().to_string().starts_with("word1 word2"), "{kept:?}");
    goes_on(&house, &mut session).await;
    house.end().await;
}

#[tokio::test]
async fn in_a_command_nothing_is_left_running() {
    let house = codex(script(&Gate::new())).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("first").await.1));
    let turn = session.send("sleep").await;
    allow(&mut session).await;
    both_sleep(&house).await;
    crash(&house, &mut session).await;
    has_failed(&mut session, &turn).await;
    goes_on(&house, &mut session).await;
    house.end().await;
}

#[tokio::test]
async fn while_a_permission_waits_nobody_is_asked_any_more() {
    let house = codex(script(&Gate::new())).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("first").await.1));
    let turn = session.send("write").await;
    session.asked().await;
    crash(&house, &mut session).await;
    has_failed(&mut session, &turn).await;
    assert!(session.permissions.is_empty(), "{:?}", session.permissions);
    assert!(!house.project().join("y").exists());
    goes_on(&house, &mut session).await;
    house.end().await;
}

#[tokio::test]
async fn between_turns_no_turn_fails() {
    let house = codex(script(&Gate::new())).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("first").await.1));
    let events = session.turns.len();
    crash(&house, &mut session).await;
    assert_eq!(session.turns.len(), events, "{:?}", session.turns);
    goes_on(&house, &mut session).await;
    house.end().await;
}

/// Codex keeps nothing of a session in which nothing was said.
#[tokio::test]
async fn before_any_turn_the_session_begins_anew() {
    let house = codex(script(&Gate::new())).await;
    let mut session = house.session().await;
    crash(&house, &mut session).await;
    let (turn, end) = session.turn("hello").await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(session.said_in(&turn), ["Answer to hello"]);
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn messages_behind_a_turn_that_crashed_wait_and_run_later() {
    let gate = Gate::new();
    let house = codex(script(&gate)).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("first").await.1));
    let turn = session.send("slow").await;
    gate.reached().await;
    session.until("some text is shown", |seen| seen.items.len() > 3).await;
    let behind = session.send("behind").await;
    crash(&house, &mut session).await;
    has_failed(&mut session, &turn).await;
    assert!(session.end_of(&behind).is_none());
    goes_on(&house, &mut session).await;
    assert!(completed(&session.end(&behind).await));
    assert_eq!(session.said_in(&behind), ["Answer to behind"]);
    session.judge();
    house.end().await;
}
