//! Codex: commands and patches, allowed, rejected, shown while they run.

use std::fs;

use contract::{
    ItemStatus, PermissionAnswer, PermissionOptionKind, PermissionRequest, ToolCall, ToolKind,
    UpsertBody,
};
use serde_json::json;
use testkit::responses_api::{ResponsesReply, ResponsesRequest};
use testkit::watched_session::WatchedSession;

use crate::{cancelled, codex, codex_with, completed};

/// The option of a kind that the agent offers.
fn option(request: &PermissionRequest, kind: PermissionOptionKind) -> String {
    let found = request.options.iter().find(|option| option.kind == kind);
    found.expect("it is offered").option_id.as_str().to_owned()
}

/// Allows what is asked for, once.
pub(crate) async fn allow(session: &mut WatchedSession<'_>) {
    let request = session.asked().await;
    session.choose(&request, &option(&request, PermissionOptionKind::AllowOnce)).await;
    session
        .until("it is answered", |seen| {
            seen.permissions.iter().all(|known| known.permission_id != request.permission_id)
        })
        .await;
}

/// Runs what the user says as a command, then says what it printed.
fn shell(request: &ResponsesRequest) -> ResponsesReply {
    match request.last_tool_outputs().as_slice() {
        [] => ResponsesReply::shell(&request.last_user_text()),
        [(_, output), ..] => ResponsesReply::text(&format!("It said: {output}")),
    }
}

fn output(tool: &ToolCall) -> String {
    tool.tool_output.as_ref().map(ToString::to_string).unwrap_or_default()
}

#[tokio::test]
async fn an_allowed_command_runs() {
    let house = codex(shell).await;
    let mut session = house.session().await;
    let turn = session.send("echo hi > made.txt; cat made.txt").await;
    let request = session.asked().await;
    assert_eq!(request.turn_id.as_ref(), Some(&turn));
    let item = session.items.iter().find(|item| Some(&item.item_id) == request.item_id.as_ref());
    let item = item.expect("the call is shown while it waits");
    assert!(!item.is_final(), "{item:?}");
    assert!(!house.project().join("made.txt").exists(), "nothing runs unasked");
    allow(&mut session).await;
    let end = session.end(&turn).await;
    assert!(completed(&end), "{end:?}");
    assert!(session.said_in(&turn).concat().contains("hi"), "{:?}", session.said());
    let [tool] = session.tools()[..] else { panic!("one call: {:#?}", session.tools()) };
    assert_eq!((output(tool).as_str(), tool.kind), ("hi\n", Some(ToolKind::Execute)));
    assert_eq!(fs::read_to_string(house.project().join("made.txt")).unwrap(), "hi\n");
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_command_that_fails_is_told_with_its_output() {
    let house = codex(shell).await;
    let mut session = house.session().await;
    let turn = session.send("echo oh no; exit 3").await;
    allow(&mut session).await;
    assert!(completed(&session.end(&turn).await));
    let [tool] = session.tools()[..] else { panic!("one call: {:#?}", session.tools()) };
    assert_eq!((output(tool).as_str(), tool.tool_output_is_error), ("oh no\n", Some(true)));
    session.judge();
    house.end().await;
}

/// With Codex a no ends the turn.
#[tokio::test]
async fn a_rejected_command_does_not_run_and_ends_the_turn() {
    let house = codex(|request| match request.last_user_text().as_str() {
        "next" => ResponsesReply::text("Fine."),
        _ => shell(request),
    })
    .await;
    let mut session = house.session().await;
    let turn = session.send("echo hi > made.txt").await;
    let request = session.asked().await;
    session.choose(&request, &option(&request, PermissionOptionKind::RejectOnce)).await;
    let end = session.end(&turn).await;
    assert!(cancelled(&end), "{end:?}");
    assert!(!house.project().join("made.txt").exists());
    let (next, end) = session.turn("next").await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(session.said_in(&next), ["Fine."]);
    session.judge();
    house.end().await;
}

/// Codex writes the rule into its own home, as its option says.
#[tokio::test]
async fn a_command_that_is_always_allowed_is_asked_for_once() {
    let house = codex(shell).await;
    let mut session = house.session().await;
    let turn = session.send("touch one.txt").await;
    let request = session.asked().await;
    session.choose(&request, &option(&request, PermissionOptionKind::AllowAlways)).await;
    assert!(completed(&session.end(&turn).await));
    let (_, end) = session.turn("touch one.txt").await;
    assert!(completed(&end), "{end:?}");
    assert!(session.permissions.is_empty(), "{:?}", session.permissions);
    assert_eq!(session.tools().len(), 2);
    assert!(house.home().join("rules/default.rules").exists(), "the agent keeps the rule");
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_patch_is_shown_as_a_diff_and_applied_when_it_is_allowed() {
    let patch = "*** Begin Patch\n*** Update File: notes\n@@\n one\n-old\n+new\n*** End Patch\n";
    let house = codex_with([ResponsesReply::patch(patch), ResponsesReply::text("Patched.")]).await;
    fs::write(house.project().join("notes"), "one\nold\n").unwrap();
    let mut session = house.session().await;
    let turn = session.send("patch it").await;
    session.asked().await;
    let shown = session.tools()[0].diff.clone().expect("the diff is there to decide by");
    assert_eq!(shown[0].hunks[0].lines, [" one", "-old", "+new"]);
    assert_eq!(fs::read_to_string(house.project().join("notes")).unwrap(), "one\nold\n");
    allow(&mut session).await;
    let end = session.end(&turn).await;
    assert!(completed(&end), "{end:?}");
    let [tool] = session.tools()[..] else { panic!("one call: {:#?}", session.tools()) };
    assert_eq!(tool.kind, Some(ToolKind::Edit));
    let diff = tool.diff.as_ref().expect("the diff stays");
    assert!(diff[0].path.ends_with("notes"), "{diff:?}");
    assert_eq!(diff[0].hunks[0].lines, [" one", "-old", "+new"]);
    assert_eq!(fs::read_to_string(house.project().join("notes")).unwrap(), "one\nnew\n");
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_rejected_patch_changes_nothing() {
    let patch = "*** Begin Patch\n*** Add File: made\n+line\n*** End Patch\n";
    let house = codex_with([ResponsesReply::patch(patch)]).await;
    let mut session = house.session().await;
    let turn = session.send("patch it").await;
    let request = session.asked().await;
    session.choose(&request, &option(&request, PermissionOptionKind::RejectOnce)).await;
    assert!(cancelled(&session.end(&turn).await));
    assert!(!house.project().join("made").exists());
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_command_is_heard_while_it_runs() {
    let house = codex(|request| match request.last_tool_outputs().as_slice() {
        [] => {
            // What a command writes first Codex tells to its model only.
            let command = "echo one; until [ -e go ]; do sleep 0.1; echo tick; done; echo at last";
            let arguments = json!({"cmd": command, "yield_time_ms": 30_000});
            ResponsesReply::function("exec_command", arguments)
        }
        _ => ResponsesReply::text("Done."),
    })
    .await;
    let mut session = house.session().await;
    let turn = session.send("run").await;
    allow(&mut session).await;
    session
        .until("some of the output is shown", |seen| {
            let running = seen.items.iter().filter(|item| !item.is_final());
            running.into_iter().any(|item| match &item.body {
                UpsertBody::ToolCall(tool) => output(tool).contains("tick\ntick"),
                UpsertBody::Message { .. } | UpsertBody::Thinking { .. } => false,
            })
        })
        .await;
    fs::write(house.project().join("go"), "").unwrap();
    let end = session.end(&turn).await;
    assert!(completed(&end), "{end:?}");
    let [tool] = session.tools()[..] else { panic!("one call: {:#?}", session.tools()) };
    let told = output(tool);
    assert!(told.contains("tick\ntick\n") && told.ends_with("tick\nat last\n"), "{told}");
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn two_commands_of_one_answer_both_run() {
    let house = codex(|request| match request.last_tool_outputs().as_slice() {
        [] => ResponsesReply::shell("echo one > first").then_shell("echo two > second"),
        outputs => ResponsesReply::text(&format!("{} outputs", outputs.len())),
    })
    .await;
    let mut session = house.session().await;
    let turn = session.send("both").await;
    allow(&mut session).await;
    allow(&mut session).await;
    assert!(completed(&session.end(&turn).await));
    assert_eq!(session.said_in(&turn), ["2 outputs"]);
    assert_eq!(session.tools().len(), 2);
    assert!(house.project().join("first").exists() && house.project().join("second").exists());
    session.judge();
    house.end().await;
}

#[tokio::test]
async fn a_permission_is_answered_once_and_with_what_was_offered() {
    let house = codex(shell).await;
    let mut session = house.session().await;
    let turn = session.send("echo hi > made.txt").await;
    let request = session.asked().await;
    let answer = |option: &str| PermissionAnswer {
        option_id: Some(option.into()),
        ..PermissionAnswer::default()
    };
    let give = |option: &str| {
        house.service.answer(&session.id, request.permission_id.clone(), answer(option))
    };
    assert!(give("sudo").await.is_err(), "not on offer");
    assert!(!house.project().join("made.txt").exists());
    give("approved").await.unwrap();
    assert!(give("abort").await.is_err(), "answered already");
    assert!(completed(&session.end(&turn).await));
    assert!(house.project().join("made.txt").exists());
    let failed = session.items.iter().filter(|item| item.status == ItemStatus::Error);
    assert_eq!(failed.count(), 0);
    session.judge();
    house.end().await;
}
