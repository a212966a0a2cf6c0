//! Codex: what is long, large, stubborn, or comes at the wrong moment.

use std::time::Duration;

use contract::{
    Attachment, Delivery, ErrorCode, ItemStatus, SendRequest, SessionId, TurnEventKind,
};
use serde_json::json;
use testkit::responses_api::{Gate, ResponsesReply, ResponsesRequestKind};

use crate::codex_sends::script;
use crate::codex_tools::allow;
use crate::{CodexHouse, cancelled, codex, codex_with, completed};

const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn signal(house: &CodexHouse, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(house.agent().try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

#[tokio::test]
async fn a_message_of_a_megabyte_arrives_whole() {
    let house = codex(|request| {
        ResponsesReply::text(&format!("I read {} bytes.", request.last_user_text().len()))
    })
    .await;
    let mut session = house.session().await;
    let message = "tall tales ".repeat(95_000);
    let (turn, end) = session.turn(message.trim()).await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(session.said_in(&turn), [format!("I read {} bytes.", message.trim().len())]);
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_command_that_writes_a_lot_ends_its_turn() {
    let calls = ResponsesReply::shell("seq 1 200000; printf '\\377\\376 no text\\n'");
    let house = codex_with([calls, ResponsesReply::text("Counted.")]).await;
    let mut session = house.session().await;
    let turn = session.send("count").await;
    allow(&mut session).await;
    let end = session.end(&turn).await;
    assert!(completed(&end), "{end:?}");
    let [tool] = session.tools()[..] else { panic!("one call: {:#?}", session.tools()) };
    let output = tool.tool_output.as_ref().unwrap().to_string();
    assert!(output.len() > 1000, "{output}");
    session.judge();
    house.end().await;
}

/// Codex hands a command that takes long back to its model, and says nothing of it any more.
#[tokio::test]
async fn a_command_that_outlives_its_turn_leaves_nothing_open() {
    let arguments = json!({"cmd": "echo begun; sleep 300", "yield_time_ms": 250});
    let calls = ResponsesReply::function("exec_command", arguments);
    let house = codex(move |request| match request.last_user_text().as_str() {
        "run" => calls.clone(),
        "" => ResponsesReply::text("It runs on."),
        said => ResponsesReply::text(&format!("Answer to {said}")),
    })
    .await;
    let mut session = house.session().await;
    let turn = session.send("run").await;
    allow(&mut session).await;
    assert!(completed(&session.end(&turn).await));
    session.idle().await;
    session.judge();
    let (next, end) = session.turn("next").await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(session.said_in(&next), ["Answer to next"]);
    session.judge();
    house.service.kill(&session.id).await.unwrap();
    house.nothing_runs().await;
    house.end().await;
}

#[tokio::test]
async fn a_no_to_one_of_two_questions_leaves_none_open() {
    let calls = ResponsesReply::shell("echo one > first").then_shell("echo two > second");
    let house = codex_with([calls, ResponsesReply::text("Fine.")]).await;
    let mut session = house.session().await;
    let turn = session.send("both").await;
    let request = session.asked().await;
    session.choose(&request, "abort").await;
    assert!(cancelled(&session.end(&turn).await));
    session.until("nobody is asked any more", |seen| seen.permissions.is_empty()).await;
    assert!(!house.project().join("first").exists() && !house.project().join("second").exists());
    assert!(completed(&session.turn("next").await.1));
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn an_image_reaches_the_model_and_other_files_are_refused() {
    let house = codex(|request| {
        let images = format!("{:?}", request.input()).matches("input_image").count();
        ResponsesReply::text(&format!("I see {images}."))
    })
    .await;
    let mut session = house.session().await;
    let with_file = |mime_type: &str| SendRequest {
        content: "look".to_owned(),
        client_message_id: None,
        delivery: Some(Delivery::Queue),
        attachments: Some(vec![Attachment {
            name: "file".to_owned(),
            mime_type: mime_type.to_owned(),
            data: PNG.to_owned(),
        }]),
    };
    let refused = house.service.send(&session.id, with_file("video/mp4")).await.unwrap_err();
    assert_eq!(refused.code(), ErrorCode::INVALID_REQUEST);
    let sent = house.service.send(&session.id, with_file("image/png")).await.unwrap();
    let turn = sent.answer().await.unwrap().turn_id;
    assert!(completed(&session.end(&turn).await));
    assert_eq!(session.said_in(&turn), ["I see 1."]);
    session.judge();
    house.end().await;
}

/// Codex tells them a moment after it has opened a session.
async fn commands_are_told(house: &CodexHouse, session: &SessionId) {
    for _ in 0..600 {
        let options = house.service.options(session).await.unwrap();
        if options.commands.iter().any(|command| command.name == "compact") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the commands are never told");
}

#[tokio::test]
async fn a_command_of_the_agents_own_is_offered_and_works() {
    let house = codex(script(&Gate::new())).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("first").await.1));
    commands_are_told(&house, &session.id).await;
    let (_, end) = session.turn("/compact").await;
    assert!(completed(&end), "{end:?}");
    let asked = house.api.requests();
    assert!(asked.iter().any(|asked| asked.kind == ResponsesRequestKind::Compaction));
    assert!(completed(&session.turn("next").await.1));
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_turn_names_its_model() {
    let house = codex(script(&Gate::new())).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("first").await.1));
    let TurnEventKind::TurnStarted { model_id, provider_id, .. } = &session.turns[0].kind else {
        panic!("{:?}", session.turns)
    };
    assert_eq!((model_id.as_str(), provider_id.as_str()), ("gpt-5.4", "codex"));
    house.end().await;
}

/// It cannot even be interrupted; only a kill helps, and that leaves nothing.
#[tokio::test]
async fn an_agent_that_stands_still_is_told_and_can_be_killed() {
    let gate = Gate::new();
    let house = codex(script(&gate)).await;
    let mut session = house.session().await;
    let turn = session.send("slow").await;
    gate.reached().await;
    session.until("some text is shown", |seen| seen.items.len() > 1).await;
    signal(&house, rustix::process::Signal::STOP);
    let cancelled = house.service.cancel(&session.id, None).await.unwrap();
    let refused = cancelled.answer().await.unwrap_err();
    assert_eq!(refused.code(), ErrorCode::INTERRUPT_FAILED);
    assert!(session.end_of(&turn).is_none(), "it still runs");
    let killed = house.service.kill(&session.id);
    tokio::time::timeout(Duration::from_secs(10), killed).await.expect("in time").unwrap();
    house.nothing_runs().await;
    session.end(&turn).await;
    let kept = session.items.iter().find(|item| item.status == ItemStatus::Error).unwrap();
    assert!(kept.content().unwrap().to_string().starts_with("word1 "), "{kept:?}");
    assert!(completed(&session.turn("again").await.1));
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn an_agent_that_stood_still_for_a_while_goes_on() {
    let gate = Gate::new();
    let house = codex(script(&gate)).await;
    let mut session = house.session().await;
    let turn = session.send("slow").await;
    gate.reached().await;
    session.until("some text is shown", |seen| seen.items.len() > 1).await;
    signal(&house, rustix::process::Signal::STOP);
    gate.open();
    let behind = session.send("behind").await;
    signal(&house, rustix::process::Signal::CONT);
    assert!(completed(&session.end(&turn).await));
    assert_eq!(session.said_in(&turn).concat().split_whitespace().count(), 40);
    assert!(completed(&session.end(&behind).await));
    session.judge();
    house.end().await;
}

/// The agent's own record is gone, and with it the conversation: that is told, not hidden by a new one.
#[tokio::test]
async fn a_session_that_the_agent_lost_is_refused_with_a_reason() {
    let house = codex(script(&Gate::new())).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("first").await.1));
    let asked = house.api.turns().len();
    house.service.kill(&session.id).await.unwrap();
    std::fs::remove_dir_all(house.home().join("sessions")).unwrap();
    for name in ["state_5.sqlite", "state_5.sqlite-wal", "state_5.sqlite-shm"] {
        std::fs::remove_file(house.home().join(name)).ok();
    }
    let request = SendRequest {
        content: "again".to_owned(),
        client_message_id: None,
        delivery: None,
        attachments: None,
    };
    let refused = match house.service.send(&session.id, request).await {
        Ok(sent) => sent.answer().await.unwrap_err(),
        Err(refused) => refused,
    };
    assert_eq!(refused.code(), ErrorCode::PROCESS_CRASH);
    let reason = refused.to_string();
    assert!(reason.contains("the agent keeps no such session"), "{reason}");
    house.nothing_runs().await;
    session.idle().await;
    assert_eq!(house.api.turns().len(), asked, "no other session was begun in its place");
    assert_eq!(session.turns.len(), 2, "nothing began: {:#?}", session.turns);
    assert_eq!(session.said().len(), 1, "what was said before stays: {:#?}", session.items);
    let again =
        session.items.iter().any(|item| item.content().is_some_and(|text| *text == *"again"));
    assert!(!again, "a message that was refused is not in the history");
    session.judge();
    house.end().await;
}

/// A server that stops does not wait for an agent that is only being started, and leaves none.
#[tokio::test]
async fn a_start_that_is_overtaken_by_the_end_leaves_nothing() {
    for delay in [0, 5, 20, 60, 120] {
        let house = codex(script(&Gate::new())).await;
        let create = tokio::time::timeout(Duration::from_millis(delay), house.create());
        drop(create.await);
        house.end().await;
    }
}
