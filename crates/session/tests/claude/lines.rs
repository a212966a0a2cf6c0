//! The other input: lines of the CLI, said by a scripted agent.

use contract::{Attachment, PermissionAnswer, TurnEventKind, TurnStatus};
use serde_json::{Value, json};
use session::provider::claude::Input;
use session::provider::{
    Adjustment, CliProvider, OutgoingMessage, PermissionDecision, ProviderErrorCode, ProviderNotice,
};

use crate::bench::Bench;

fn init(turn: &str) -> Value {
    json!({
        "type": "system", "subtype": "init", "session_id": "agent-1", "model": "claude-x",
        "permissionMode": "default", "capabilities": ["msg_lifecycle_v1"], "user_message_uuids": [turn],
    })
}

fn woken() -> Value {
    json!({
        "type": "system", "subtype": "init", "session_id": "agent-1", "model": "claude-x",
        "permissionMode": "default", "capabilities": ["msg_lifecycle_v1"],
    })
}

fn said(id: &str, text: &str) -> Value {
    let content = json!([{ "type": "text", "text": text }]);
    json!({ "type": "assistant", "message": { "id": id, "model": "claude-x", "content": content } })
}

fn done() -> Value {
    json!({ "type": "result", "subtype": "success", "is_error": false, "num_turns": 1 })
}

fn aborted() -> Value {
    json!({
        "type": "result", "subtype": "error_during_execution", "is_error": true,
        "terminal_reason": "aborted_streaming", "num_turns": 1,
    })
}

fn ask() -> Value {
    let suggestion = json!({
        "type": "addRules", "rules": [{ "toolName": "Bash", "ruleContent": "echo *" }],
        "behavior": "allow", "destination": "localSettings",
    });
    let request = json!({
        "subtype": "can_use_tool", "tool_name": "Bash", "input": { "command": "echo hi" },
        "permission_suggestions": [suggestion], "tool_use_id": "toolu-1",
    });
    json!({ "type": "control_request", "request_id": "ask-1", "request": request })
}

fn answer_line(bench: &Bench) -> Value {
    loop {
        match bench.agent.told().expect("an answer was given") {
            Input::Answer(line) => return serde_json::from_str(&line).unwrap(),
            Input::Message(_) | Input::Control { .. } => {}
        }
    }
}

/// Answers the one permission that waits.
fn decide(bench: &Bench, decision: PermissionDecision) {
    let notices = std::mem::take(&mut *bench.notices.lock().unwrap());
    let asked = notices.into_iter().find_map(|notice| match notice {
        ProviderNotice::PermissionAsked { answer, .. } => Some(answer),
        _ => None,
    });
    asked.expect("a permission waits").send(decision).unwrap();
}

async fn asked(bench: &Bench) {
    bench.sent().await;
    bench.agent.say_line(init("turn-1")).await;
    bench.agent.say_line(ask()).await;
    bench.settle().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_allowed_goes_back_with_its_input() {
    let bench = Bench::new();
    asked(&bench).await;
    let answer =
        PermissionAnswer { option_id: Some("allow".into()), ..PermissionAnswer::default() };
    decide(&bench, PermissionDecision::Selected(Box::new(answer)));
    bench.settle().await;
    let line = answer_line(&bench);
    assert_eq!(line["response"]["request_id"], "ask-1");
    let body = &line["response"]["response"];
    assert_eq!(body["behavior"], "allow");
    assert_eq!(body["updatedInput"], json!({ "command": "echo hi" }));
    assert!(body["updatedPermissions"].is_null());
}

#[tokio::test(start_paused = true)]
async fn a_rule_is_taken_for_the_session_and_never_for_the_settings() {
    let bench = Bench::new();
    asked(&bench).await;
    let answer =
        PermissionAnswer { option_id: Some("allow_always".into()), ..PermissionAnswer::default() };
    decide(&bench, PermissionDecision::Selected(Box::new(answer)));
    bench.settle().await;
    let body = answer_line(&bench)["response"]["response"].clone();
    assert_eq!(body["updatedPermissions"][0]["destination"], "session");
}

#[tokio::test(start_paused = true)]
async fn a_decision_to_cancel_denies_and_interrupts() {
    let bench = Bench::new();
    asked(&bench).await;
    decide(&bench, PermissionDecision::Cancelled);
    bench.settle().await;
    let body = answer_line(&bench)["response"]["response"].clone();
    assert_eq!((&body["behavior"], &body["interrupt"]), (&json!("deny"), &json!(true)));
}

#[tokio::test(start_paused = true)]
async fn what_an_agent_agreed_to_be_it_is_at_once() {
    let bench = Bench::new();
    let session = bench.create().await;
    let options = || bench.provider.options(&session).unwrap();
    assert_eq!(options().current_mode_id, Some("default".into()));
    for (adjustment, agrees) in [
        (Adjustment::Mode("plan".into()), true),
        (Adjustment::Model("small".into()), true),
        (Adjustment::Mode("acceptEdits".into()), false),
    ] {
        let adjusting = bench.provider.adjust(&session, adjustment);
        let answering = async {
            bench.settle().await;
            let Some(Input::Control { request_id, .. }) = bench.agent.told() else { panic!() };
            let subtype = if agrees { "success" } else { "error" };
            let response = json!({ "subtype": subtype, "request_id": request_id, "error": "no" });
            bench.agent.say_line(json!({ "type": "control_response", "response": response })).await;
        };
        let (adjusted, ()) = tokio::join!(adjusting, answering);
        assert_eq!(adjusted.is_ok(), agrees, "{adjusted:?}");
    }
    assert_eq!(options().current_mode_id, Some("plan".into()));
    assert_eq!(options().current_model_id, Some("small".into()));
}

#[tokio::test(start_paused = true)]
async fn a_file_of_an_unknown_kind_never_reaches_the_agent() {
    let bench = Bench::new();
    let session = bench.create().await;
    let file = Attachment { name: "a.txt".into(), mime_type: "text/plain".into(), data: "".into() };
    let message = OutgoingMessage { attachments: vec![file], ..OutgoingMessage::default() };
    let refused = bench.provider.send_message(&session, message).await.unwrap_err();
    assert_eq!(refused.code, ProviderErrorCode::ProtocolError);
    assert!(bench.agent.told().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_withdrawn_is_told() {
    let bench = Bench::new();
    asked(&bench).await;
    bench.agent.say_line(json!({ "type": "control_cancel_request", "request_id": "ask-1" })).await;
    bench.settle().await;
    let notices = bench.notices.lock().unwrap();
    assert!(notices.iter().any(|notice| {
        matches!(notice, ProviderNotice::PermissionWithdrawn(id) if *id == "ask-1")
    }));
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_nobody_asked_for_is_cancelled_without_a_foreground_run() {
    let bench = Bench::new();
    let session = bench.create().await;
    bench.agent.say_line(woken()).await;
    bench.agent.say_line(said("msg-1", "I woke up.")).await;
    bench.settle().await;
    bench.provider.cancel_turn(&session, None).await.unwrap();
    assert_eq!(bench.agent.interrupts(), 1);
    bench.agent.say_line(aborted()).await;
    bench.settle().await;
    let ends = bench.ends();
    assert!(matches!(
        ends.as_slice(),
        [TurnEventKind::TurnComplete { status: TurnStatus::Cancelled, .. }]
    ));
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_that_missed_its_turn_is_sent_again_when_it_begins() {
    let bench = Bench::new();
    let session = bench.sent().await;
    bench.provider.cancel_turn(&session, Some(&"turn-1".into())).await.unwrap();
    assert_eq!(bench.agent.interrupts(), 1);
    bench.agent.say_line(init("turn-1")).await;
    bench.settle().await;
    assert_eq!(bench.agent.interrupts(), 2);
    let told = |notice: &ProviderNotice| matches!(notice, ProviderNotice::InterruptedAgain);
    assert!(bench.notices.lock().unwrap().iter().any(told), "who waits is told");
    bench.agent.say_line(aborted()).await;
    bench.settle().await;
    assert_eq!(bench.ends().len(), 1);
    drop(bench.send(&session, "next"));
    bench.agent.message().await;
    bench.agent.say_line(init("turn-2")).await;
    bench.settle().await;
    assert_eq!(bench.agent.interrupts(), 2, "the next turn is left alone");
}

#[tokio::test(start_paused = true)]
async fn a_late_stop_does_not_hit_the_turn_that_came_after() {
    let bench = Bench::new();
    let session = bench.sent().await;
    bench.agent.say_line(init("turn-1")).await;
    bench.agent.say_line(done()).await;
    drop(bench.send(&session, "next"));
    bench.agent.message().await;
    bench.agent.say_line(init("turn-2")).await;
    bench.settle().await;
    bench.provider.cancel_turn(&session, Some(&"turn-1".into())).await.unwrap();
    assert_eq!(bench.agent.interrupts(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_message_behind_a_wake_up_is_taken_back_when_it_is_cancelled() {
    let bench = Bench::new();
    let session = bench.sent().await;
    bench.agent.say_line(woken()).await;
    bench.agent.say_line(said("msg-1", "I woke up.")).await;
    bench.settle().await;
    bench.provider.cancel_turn(&session, Some(&"turn-1".into())).await.unwrap();
    assert_eq!(bench.agent.interrupts(), 0, "the other turn goes on");
    let Some(Input::Control { request_id, .. }) = bench.agent.told() else { panic!() };
    let response = json!({
        "subtype": "success", "request_id": request_id, "response": { "cancelled": true },
    });
    bench.agent.say_line(json!({ "type": "control_response", "response": response })).await;
    bench.agent.say_line(done()).await;
    bench.settle().await;
    assert_eq!(never_began(&bench), ["turn-1"]);
    let ended: Vec<_> = bench
        .turns()
        .into_iter()
        .filter(|event| event.kind.is_terminal())
        .map(|event| event.turn_id.as_str().to_owned())
        .collect();
    assert_eq!(ended, ["turn-2"], "only the wake-up had a turn");
}

fn never_began(bench: &Bench) -> Vec<String> {
    let notices = bench.notices.lock().unwrap();
    let turns = notices.iter().filter_map(|notice| match notice {
        ProviderNotice::NeverBegan(turn) => Some(turn.as_str().to_owned()),
        _ => None,
    });
    turns.collect()
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_dies_ends_its_turn_once_and_says_why() {
    let bench = Bench::new();
    let session = bench.sent().await;
    bench.agent.say_line(init("turn-1")).await;
    bench.agent.say_line(said("msg-1", "Half way")).await;
    bench.settle().await;
    let waiting = bench.send(&session, "next");
    bench.settle().await;
    bench.agent.die("Claude Code exited with code 1: out of memory");
    let error = waiting.await.unwrap().unwrap_err();
    assert_eq!(error.code, ProviderErrorCode::ProcessCrash);
    bench.settle().await;
    let ends = bench.ends();
    let [TurnEventKind::TurnError { error_code, error_message, .. }] = ends.as_slice() else {
        panic!("{ends:?}")
    };
    assert_eq!(error_code.as_str(), "PROCESS_CRASH");
    assert!(error_message.contains("out of memory"));
    let notices = bench.notices.lock().unwrap();
    let exits = notices.iter().filter(|notice| matches!(notice, ProviderNotice::Exited { .. }));
    assert_eq!(exits.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_ends_when_idle_fails_no_turn() {
    let bench = Bench::new();
    bench.create().await;
    bench.agent.die("exited with code 0");
    bench.settle().await;
    assert!(bench.turns().is_empty());
    assert_eq!(bench.notices.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_retry_is_shown_while_it_lasts() {
    let bench = Bench::new();
    bench.sent().await;
    bench.agent.say_line(init("turn-1")).await;
    let retry = json!({
        "type": "system", "subtype": "api_retry", "attempt": 3, "max_retries": 10,
        "retry_delay_ms": 2000, "error_status": 529, "error": "overloaded",
    });
    bench.agent.say_line(retry).await;
    bench.agent.say_line(done()).await;
    bench.settle().await;
    let notices = bench.notices.lock().unwrap();
    let shown: Vec<_> = notices
        .iter()
        .filter_map(|notice| match notice {
            ProviderNotice::Notice(notice) => {
                Some(notice.as_ref().map(|notice| notice.text.clone()))
            }
            _ => None,
        })
        .collect();
    let [Some(text), None] = shown.as_slice() else { panic!("{shown:?}") };
    assert!(text.contains("overloaded") && text.contains("3 of 10"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_message_that_never_reached_the_agent_is_cancelled_at_once() {
    let bench = Bench::new();
    let session = bench.sent().await;
    let waiting = bench.send(&session, "second");
    bench.settle().await;
    bench.provider.cancel_turn(&session, Some(&"turn-2".into())).await.unwrap();
    assert!(waiting.await.unwrap().is_err(), "its turn never began");
    assert_eq!(never_began(&bench), ["turn-2"]);
    assert!(bench.turns().is_empty());
    bench.agent.say_line(init("turn-1")).await;
    bench.agent.say_line(done()).await;
    bench.settle().await;
    assert!(bench.agent.told().is_none(), "it is not sent afterwards");
}

#[tokio::test(start_paused = true)]
async fn more_messages_than_can_wait_are_refused() {
    let bench = Bench::new();
    let session = bench.sent().await;
    let waiting: Vec<_> = (0..16).map(|_| bench.send(&session, "more")).collect();
    bench.settle().await;
    let error = bench.send(&session, "too many").await.unwrap().unwrap_err();
    assert_eq!(error.code, ProviderErrorCode::ProtocolError);
    assert!(waiting.iter().all(|send| !send.is_finished()));
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_no_permission_is_refused_and_not_left_waiting() {
    let bench = Bench::new();
    bench.sent().await;
    let request = json!({ "subtype": "hook_callback", "callback_id": "x" });
    bench
        .agent
        .say_line(json!({ "type": "control_request", "request_id": "hook-1", "request": request }))
        .await;
    bench.settle().await;
    let line = answer_line(&bench);
    assert_eq!(line["response"]["subtype"], "error");
    assert_eq!(line["response"]["request_id"], "hook-1");
}

#[tokio::test(start_paused = true)]
async fn a_message_behind_a_wake_up_is_taken_back_when_the_session_is_killed() {
    let bench = Bench::new();
    let session = bench.sent().await;
    bench.agent.say_line(woken()).await;
    bench.agent.say_line(said("msg-1", "I woke up.")).await;
    bench.settle().await;
    let provider = bench.provider.clone();
    let killing = async { provider.kill_session(&session).await.unwrap() };
    let answering = async {
        bench.settle().await;
        let Some(Input::Control { request_id, .. }) = bench.agent.told() else { panic!() };
        let response = json!({
            "subtype": "success", "request_id": request_id, "response": { "cancelled": true },
        });
        bench.agent.say_line(json!({ "type": "control_response", "response": response })).await;
        bench.agent.say_line(aborted()).await;
    };
    tokio::join!(killing, answering);
    assert_eq!(never_began(&bench), ["turn-1"]);
    assert_eq!(bench.agent.closes(), 1);
}
