//! Messages that wait, join or interrupt, and turns that are stopped.

use contract::{Delivery, ItemStatus, TurnEventKind, TurnStatus};
use serde_json::json;
use testkit::agents::ClaudeVersion;
use testkit::model_api::{Gate, ModelRequest, Reply};

use crate::conversation::completed;
use crate::house;

real! {
    two_sends_wait_their_turn
    a_message_steers_the_running_turn
    a_message_interrupts_the_running_turn
    an_interrupt_in_text_keeps_what_was_said
    an_interrupt_in_a_tool
    an_interrupt_while_a_permission_waits
    an_interrupt_when_idle_does_nothing
    an_interrupt_right_behind_a_message_is_not_missed
    a_denial_that_cancels_ends_the_turn
}

pub(crate) fn cancelled(kind: &TurnEventKind) -> bool {
    matches!(kind, TurnEventKind::TurnComplete { status: TurnStatus::Cancelled, .. })
}

/// What was said last: after an interrupt the agent puts what was said before in the same message.
pub(crate) fn last_line(request: &ModelRequest) -> String {
    request.last_user_text().lines().last().unwrap_or_default().to_owned()
}

/// Answers with the message, slowly until the gate opens if it is about that.
fn gated(gate: &Gate) -> impl Fn(&ModelRequest) -> Reply + Send + Sync + use<> {
    let gate = gate.clone();
    move |request| {
        let said = last_line(request);
        if said.contains("slow") {
            Reply::words(40).words_per_delta(1).hold_after(5, &gate)
        } else {
            Reply::text(&format!("Answer to {said}"))
        }
    }
}

async fn two_sends_wait_their_turn(version: ClaudeVersion) {
    let gate = Gate::new();
    let house = house(version, gated(&gate)).await;
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

async fn a_message_steers_the_running_turn(version: ClaudeVersion) {
    let house = house(version, |request| {
        let results = request.last_tool_results();
        let steered = format!("{:?}", request.messages()).contains("left instead");
        match results.as_slice() {
            [] if steered => Reply::text("On my own: left."),
            [] => Reply::tool(
                "Bash",
                json!({ "command": "sleep 2; echo slept", "description": "nap" }),
            ),
            _ if steered => Reply::text("Going left."),
            _ => Reply::text("Going right."),
        }
    })
    .await;
    let mut session = house.session().await;
    let first = session.send("go right").await;
    session.until("the tool runs", |seen| !seen.tools().is_empty()).await;
    let second = session.deliver("go left instead", Delivery::Steer).await;
    assert!(completed(&session.end(&first).await));
    assert!(completed(&session.end(&second).await));
    let joined = session.turns.iter().find_map(|event| match &event.kind {
        TurnEventKind::TurnStarted { joined_turn_id, .. } if event.turn_id == second => {
            joined_turn_id.clone()
        }
        _ => None,
    });
    assert_eq!(joined, Some(first.clone()), "it joined the running turn");
    assert_eq!(session.said_in(&first).last().unwrap(), "Going left.");
    session.idle().await;
    session.judge();
    house.end().await;
}

async fn a_message_interrupts_the_running_turn(version: ClaudeVersion) {
    let gate = Gate::new();
    let house = house(version, gated(&gate)).await;
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

async fn an_interrupt_in_text_keeps_what_was_said(version: ClaudeVersion) {
    let gate = Gate::new();
    let house = house(version, gated(&gate)).await;
    let mut session = house.session().await;
    let turn = session.send("slow").await;
    gate.reached().await;
    session.until("some text is shown", |seen| seen.items.len() > 1).await;
    assert!(session.cancel().await);
    assert!(cancelled(&session.end(&turn).await));
    let item = session.items.iter().find(|item| item.status == ItemStatus::Error).unwrap();
    assert_eq!(item.error_code.as_ref().unwrap().as_str(), "CANCELLED");
    assert!(!item.content().unwrap().is_empty());
    let (next, end) = session.turn("next").await;
    assert!(completed(&end));
    assert_eq!(session.said_in(&next), ["Answer to next"]);
    session.judge();
    house.end().await;
}

async fn an_interrupt_in_a_tool(version: ClaudeVersion) {
    let house = house(version, |request| match last_line(request).as_str() {
        "next" => Reply::text("Fine."),
        _ => Reply::tool("Bash", json!({ "command": "sleep 60", "description": "nap" })),
    })
    .await;
    let mut session = house.session().await;
    let turn = session.send("sleep").await;
    session
        .until("the tool runs", |seen| {
            seen.items.iter().any(|item| item.status == ItemStatus::Complete && !item.is_final())
        })
        .await;
    assert!(session.cancel().await);
    assert!(cancelled(&session.end(&turn).await));
    assert!(completed(&session.turn("next").await.1));
    session.judge();
    house.end().await;
}

async fn an_interrupt_while_a_permission_waits(version: ClaudeVersion) {
    let house = house(version, |request| match last_line(request).as_str() {
        "next" => Reply::text("Fine."),
        _ => Reply::tool("Bash", json!({ "command": "echo x > y", "description": "write" })),
    })
    .await;
    let mut session = house.session().await;
    let turn = session.send("write").await;
    let request = session.asked().await;
    assert!(session.cancel().await);
    assert!(cancelled(&session.end(&turn).await));
    session.until("it waits no more", |seen| seen.permissions.is_empty()).await;
    let id = request.permission_id.clone();
    let late = house.service.answer(
        &session.id,
        id,
        contract::PermissionAnswer {
            option_id: Some("allow".into()),
            ..contract::PermissionAnswer::default()
        },
    );
    assert!(late.await.is_err(), "too late");
    assert!(completed(&session.turn("next").await.1));
    session.judge();
    house.end().await;
}

async fn an_interrupt_when_idle_does_nothing(version: ClaudeVersion) {
    let house = house(version, |_| Reply::text("Hello.")).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("hi").await.1));
    assert!(!session.cancel().await);
    assert!(completed(&session.turn("hi again").await.1));
    session.judge();
    house.end().await;
}

/// The newer agent loses an interrupt that comes right behind its message; it is written again.
async fn an_interrupt_right_behind_a_message_is_not_missed(version: ClaudeVersion) {
    let gate = Gate::new();
    let house = house(version, gated(&gate)).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("first").await.1));
    for _ in 0..3 {
        let turn = session.send("slow").await;
        assert!(session.cancel().await);
        assert!(cancelled(&session.end(&turn).await));
    }
    assert!(completed(&session.turn("last").await.1));
    session.judge();
    house.end().await;
}

async fn a_denial_that_cancels_ends_the_turn(version: ClaudeVersion) {
    let house = house(version, |request| match last_line(request).as_str() {
        "next" => Reply::text("Fine."),
        _ => Reply::tool("Bash", json!({ "command": "echo x > y", "description": "write" })),
    })
    .await;
    let mut session = house.session().await;
    let turn = session.send("write").await;
    let request = session.asked().await;
    let answer =
        contract::PermissionAnswer { cancel: Some(true), ..contract::PermissionAnswer::default() };
    session.answer(&request, answer).await;
    assert!(cancelled(&session.end(&turn).await));
    assert!(completed(&session.turn("next").await.1));
    session.judge();
    house.end().await;
}
