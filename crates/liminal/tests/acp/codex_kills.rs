//! Codex: a session that is killed at each step of a turn leaves no process behind, whatever its commands did to get away.

use std::time::Duration;

use contract::SessionState;
use testkit::responses_api::Gate;
use testkit::watched_session::WatchedSession;

use crate::codex_sends::script;
use crate::codex_tools::allow;
use crate::{CodexHouse, codex, completed};

/// Waits until the command and what it put into a session of its own run. Other processes of the agent come and go.
pub(crate) async fn both_sleep(house: &CodexHouse) {
    let is_asleep = |pid: &u32| {
        let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        name.trim() == "sleep"
    };
    for _ in 0..300 {
        if house.processes().iter().filter(|pid| is_asleep(pid)).count() == 2 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the command never ran");
}

/// Kills the session, which has to be over in seconds, and goes on with it.
async fn kill_and_go_on(house: &CodexHouse, session: &mut WatchedSession<'_>) {
    let killed = house.service.kill(&session.id);
    tokio::time::timeout(Duration::from_secs(6), killed).await.expect("in time").unwrap();
    house.nothing_runs().await;
    assert_eq!(session.status().await.state, SessionState::Dead);
    let (turn, end) = session.turn("again").await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(session.said_in(&turn), ["Answer to again"]);
    session.idle().await;
    assert!(session.permissions.is_empty(), "{:?}", session.permissions);
    session.judge();
}

#[tokio::test]
async fn before_any_turn() {
    let house = codex(script(&Gate::new())).await;
    let mut session = house.session().await;
    kill_and_go_on(&house, &mut session).await;
    house.end().await;
}

#[tokio::test]
async fn before_the_first_word() {
    let gate = Gate::new();
    let house = codex(script(&gate)).await;
    let mut session = house.session().await;
    let turn = session.send("silent").await;
    gate.reached().await;
    let killed = house.service.kill(&session.id);
    tokio::time::timeout(Duration::from_secs(6), killed).await.expect("in time").unwrap();
    house.nothing_runs().await;
    gate.open();
    assert!(completed(&session.turn("again").await.1));
    session.end(&turn).await;
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn in_text() {
    let gate = Gate::new();
    let house = codex(script(&gate)).await;
    let mut session = house.session().await;
    let turn = session.send("slow").await;
    gate.reached().await;
    session.until("some text is shown", |seen| seen.items.len() > 1).await;
    kill_and_go_on(&house, &mut session).await;
    assert!(session.end_of(&turn).is_some());
    house.end().await;
}

#[tokio::test]
async fn in_a_command_with_a_session_of_its_own() {
    let house = codex(script(&Gate::new())).await;
    let mut session = house.session().await;
    let turn = session.send("sleep").await;
    allow(&mut session).await;
    both_sleep(&house).await;
    kill_and_go_on(&house, &mut session).await;
    assert!(session.end_of(&turn).is_some());
    house.end().await;
}

/// Codex leaves the command of a cancelled turn running.
#[tokio::test]
async fn after_a_cancel_that_left_a_command_running() {
    let house = codex(script(&Gate::new())).await;
    let mut session = house.session().await;
    let turn = session.send("sleep").await;
    allow(&mut session).await;
    both_sleep(&house).await;
    assert!(session.cancel().await);
    session.end(&turn).await;
    kill_and_go_on(&house, &mut session).await;
    house.end().await;
}

#[tokio::test]
async fn while_a_permission_waits() {
    let house = codex(script(&Gate::new())).await;
    let mut session = house.session().await;
    let turn = session.send("write").await;
    session.asked().await;
    kill_and_go_on(&house, &mut session).await;
    assert!(session.end_of(&turn).is_some());
    assert!(!house.project().join("y").exists());
    house.end().await;
}

#[tokio::test]
async fn after_a_turn() {
    let house = codex(script(&Gate::new())).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("first").await.1));
    kill_and_go_on(&house, &mut session).await;
    house.end().await;
}

#[tokio::test]
async fn one_session_of_two_and_the_other_goes_on() {
    let gate = Gate::new();
    let house = codex(script(&gate)).await;
    let killed = house.session().await;
    let mut other = house.session().await;
    let turn = other.send("slow").await;
    gate.reached().await;
    house.service.kill(&killed.id).await.unwrap();
    gate.open();
    assert!(completed(&other.end(&turn).await));
    other.judge();
    house.end().await;
}
