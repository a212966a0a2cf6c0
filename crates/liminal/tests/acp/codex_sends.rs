//! Codex: messages that wait or interrupt, turns that are stopped, sessions side by side.

use contract::{Delivery, ItemStatus, PermissionAnswer};
use testkit::responses_api::{Gate, ResponsesReply, ResponsesRequest};

use crate::codex_tools::allow;
use crate::{cancelled, codex, completed};

/// "slow" is held at the gate, "write" and "sleep" are commands, the rest is answered.
pub(crate) fn script(
    gate: &Gate,
) -> impl Fn(&ResponsesRequest) -> ResponsesReply + Send + Sync + use<> {
    let gate = gate.clone();
    move |request| match request.last_user_text().as_str() {
        "" => ResponsesReply::text("It ran."),
        "slow" => ResponsesReply::words(40).words_per_delta(1).hold_after(5, &gate),
        "silent" => ResponsesReply::words(40).hold_before(&gate),
        "write" => ResponsesReply::shell("echo x > y"),
        "sleep" => ResponsesReply::shell("setsid sleep 300 & sleep 300"),
        said => ResponsesReply::text(&format!("Answer to {said}")),
    }
}

/// Codex would never answer a second prompt on a busy session.
#[tokio::test]
async fn messages_wait_for_the_turn_that_runs() {
    let gate = Gate::new();
    let house = codex(script(&gate)).await;
    let mut session = house.session().await;
    let first = session.send("slow").await;
    gate.reached().await;
    let second = session.send("two").await;
    let third = session.send("three").await;
    assert_eq!(session.status().await.queued.len(), 2);
    gate.open();
    for turn in [&first, &second, &third] {
        assert!(completed(&session.end(turn).await));
    }
    assert_eq!(session.said_in(&second), ["Answer to two"]);
    assert_eq!(session.said_in(&third), ["Answer to three"]);
    session.idle().await;
    session.judge();
    house.end().await;
}

/// An agent of this protocol cannot be steered, so such a message waits.
#[tokio::test]
async fn a_message_that_would_steer_waits() {
    let gate = Gate::new();
    let house = codex(script(&gate)).await;
    let mut session = house.session().await;
    let first = session.send("slow").await;
    gate.reached().await;
    let second = session.deliver("two", Delivery::Steer).await;
    gate.open();
    assert!(completed(&session.end(&first).await));
    assert!(completed(&session.end(&second).await));
    assert_eq!(session.said_in(&second), ["Answer to two"]);
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_message_interrupts_the_running_turn() {
    let gate = Gate::new();
    let house = codex(script(&gate)).await;
    let mut session = house.session().await;
    let first = session.send("slow").await;
    gate.reached().await;
    let second = session.deliver("urgent", Delivery::Interrupt).await;
    assert!(cancelled(&session.end(&first).await));
    assert!(completed(&session.end(&second).await));
    assert_eq!(session.said_in(&second), ["Answer to urgent"]);
    session.idle().await;
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_cancel_in_text_keeps_what_was_said() {
    let gate = Gate::new();
    let house = codex(script(&gate)).await;
    let mut session = house.session().await;
    let turn = session.send("slow").await;
    gate.reached().await;
    session.until("some text is shown", |seen| seen.items.len() > 1).await;
    assert!(session.cancel().await);
    assert!(cancelled(&session.end(&turn).await));
    let item = session.items.iter().find(|item| item.status == ItemStatus::Error).unwrap();
    assert_eq!(item.error_code.as_ref().unwrap().as_str(), "CANCELLED");
    assert!(item.content().unwrap().to_string().starts_with("word1 "), "{item:?}");
    let (next, end) = session.turn("next").await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(session.said_in(&next), ["Answer to next"]);
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_cancel_before_the_first_word() {
    let gate = Gate::new();
    let house = codex(script(&gate)).await;
    let mut session = house.session().await;
    let turn = session.send("silent").await;
    gate.reached().await;
    assert!(session.cancel().await);
    assert!(cancelled(&session.end(&turn).await));
    assert!(completed(&session.turn("next").await.1));
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_cancel_right_behind_a_message_is_not_missed() {
    let gate = Gate::new();
    let house = codex(script(&gate)).await;
    let mut session = house.session().await;
    for _ in 0..10 {
        let turn = session.send("slow").await;
        assert!(session.cancel().await);
        assert!(cancelled(&session.end(&turn).await));
    }
    assert!(completed(&session.turn("last").await.1));
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_cancel_in_a_command() {
    let house = codex(script(&Gate::new())).await;
    let mut session = house.session().await;
    let turn = session.send("sleep").await;
    allow(&mut session).await;
    session
        .until("the command runs", |seen| {
            seen.items.iter().any(|item| item.status == ItemStatus::Complete && !item.is_final())
        })
        .await;
    assert!(session.cancel().await);
    assert!(cancelled(&session.end(&turn).await));
    let stopped = session.items.iter().find(|item| item.status == ItemStatus::Error).unwrap();
    assert_eq!(stopped.error_code.as_ref().unwrap().as_str(), "CANCELLED");
    assert!(completed(&session.turn("next").await.1));
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_cancel_while_a_permission_waits() {
    let house = codex(script(&Gate::new())).await;
    let mut session = house.session().await;
    let turn = session.send("write").await;
    let request = session.asked().await;
    assert!(session.cancel().await);
    assert!(cancelled(&session.end(&turn).await));
    session.until("it waits no more", |seen| seen.permissions.is_empty()).await;
    let late =
        PermissionAnswer { option_id: Some("approved".into()), ..PermissionAnswer::default() };
    let late = house.service.answer(&session.id, request.permission_id.clone(), late);
    assert!(late.await.is_err(), "too late");
    assert!(!house.project().join("y").exists());
    assert!(completed(&session.turn("next").await.1));
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_cancel_when_idle_does_nothing() {
    let house = codex(script(&Gate::new())).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("one").await.1));
    assert!(!session.cancel().await);
    assert!(completed(&session.turn("two").await.1));
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn two_sessions_do_not_hinder_each_other() {
    let gate = Gate::new();
    let house = codex(script(&gate)).await;
    let mut slow = house.session().await;
    let mut quick = house.session().await;
    let held = slow.send("slow").await;
    gate.reached().await;
    let (turn, end) = quick.turn("quick").await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(quick.said_in(&turn), ["Answer to quick"]);
    assert!(slow.end_of(&held).is_none());
    gate.open();
    assert!(completed(&slow.end(&held).await));
    assert_eq!(slow.said_in(&held).concat().split_whitespace().count(), 40);
    assert_eq!(quick.items.len(), 2, "each hears its own");
    slow.judge();
    quick.judge();
    house.end().await;
}
