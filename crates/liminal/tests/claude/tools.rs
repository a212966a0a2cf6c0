//! Tools: allowed, denied, changed, asking, planning, two at once, and run by a subagent.

use contract::{ModeId, PermissionAnswer, ToolArguments, UpsertBody};
use serde_json::{Value, json};
use session::provider::{Adjustment, CliProvider};
use testkit::agents::ClaudeVersion;
use testkit::model_api::{ModelRequest, Reply};

use crate::conversation::completed;
use crate::house;

real! {
    an_allowed_tool_runs
    a_denied_tool_does_not_run_and_the_turn_goes_on
    a_tool_runs_with_the_input_that_was_changed
    a_rule_for_the_session_stops_the_questions_and_writes_no_settings
    s_28_a_rule_for_the_session_is_listed_and_taken_back_with_the_agent
    a_question_is_answered
    a_plan_is_approved
    two_tools_of_one_message_both_run
    a_subagents_work_stands_under_the_call_that_runs_it
}

/// Runs a command once, then says what it printed.
fn run_and_tell(command: &str) -> impl Fn(&ModelRequest) -> Reply + Send + Sync + use<> {
    let input = json!({ "command": command, "description": "do it" });
    move |request| match request.last_tool_results().as_slice() {
        [] => Reply::text("Let me see.").then_tool("Bash", input.clone()),
        [(_, output), ..] => Reply::text(&format!("It said: {output}")),
    }
}

fn arguments(value: Value) -> ToolArguments {
    serde_json::from_value(value).unwrap()
}

async fn an_allowed_tool_runs(version: ClaudeVersion) {
    let house = house(version, run_and_tell("echo hi > made.txt; cat made.txt")).await;
    let mut session = house.session().await;
    let turn = session.send("go").await;
    let request = session.asked().await;
    assert_eq!(request.tool_name.as_deref(), Some("Bash"));
    assert_eq!(request.turn_id.as_ref(), Some(&turn));
    assert!(request.item_id.is_some());
    session.choose(&request, "allow").await;
    let end = session.end(&turn).await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(session.said_in(&turn), ["Let me see.", "It said: hi"]);
    let tools = session.tools();
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0].tool_output.as_ref().map(ToString::to_string).as_deref(), Some("hi"));
    assert_eq!(std::fs::read_to_string(house.project().join("made.txt")).unwrap(), "hi\n");
    session.judge();
    house.end().await;
}

async fn a_denied_tool_does_not_run_and_the_turn_goes_on(version: ClaudeVersion) {
    let house = house(version, run_and_tell("echo hi > made.txt")).await;
    let mut session = house.session().await;
    let turn = session.send("go").await;
    let request = session.asked().await;
    let answer = PermissionAnswer {
        option_id: Some("deny".into()),
        feedback: Some("not on a Monday".to_owned()),
        ..PermissionAnswer::default()
    };
    session.answer(&request, answer).await;
    let end = session.end(&turn).await;
    assert!(completed(&end), "{end:?}");
    assert!(session.said_in(&turn).concat().contains("not on a Monday"));
    assert_eq!(session.tools()[0].tool_output_is_error, Some(true));
    assert!(!house.project().join("made.txt").exists());
    session.judge();
    house.end().await;
}

async fn a_tool_runs_with_the_input_that_was_changed(version: ClaudeVersion) {
    let house = house(version, run_and_tell("echo original > made.txt; cat made.txt")).await;
    let mut session = house.session().await;
    let turn = session.send("go").await;
    let request = session.asked().await;
    let changed = json!({ "command": "echo changed > made.txt; cat made.txt", "description": "x" });
    let answer = PermissionAnswer {
        option_id: Some("allow".into()),
        updated_input: Some(arguments(changed)),
        ..PermissionAnswer::default()
    };
    session.answer(&request, answer).await;
    session.end(&turn).await;
    assert_eq!(session.said_in(&turn).last().unwrap(), "It said: changed");
    session.judge();
    house.end().await;
}

async fn a_rule_for_the_session_stops_the_questions_and_writes_no_settings(version: ClaudeVersion) {
    let house = house(version, |request| match request.last_tool_results().as_slice() {
        [] => {
            let input = json!({ "file_path": request.last_user_text(), "content": "text" });
            Reply::tool("Write", input)
        }
        [(_, output), ..] => Reply::text(&format!("Done: {output}")),
    })
    .await;
    let mut session = house.session().await;
    let path = |name: &str| house.project().join(name).to_str().unwrap().to_owned();
    let turn = session.send(&path("one.txt")).await;
    let request = session.asked().await;
    let always = request.options.iter().find(|option| option.option_id == "allow_always");
    assert!(always.is_some(), "{:?}", request.options);
    session.choose(&request, "allow_always").await;
    assert!(completed(&session.end(&turn).await));
    let (turn, end) = session.turn(&path("two.txt")).await;
    assert!(completed(&end), "{:?} was asked again", session.permissions);
    assert!(session.said_in(&turn).concat().contains("Done"));
    assert!(house.project().join("two.txt").exists());
    assert!(!house.project().join(".claude").exists(), "the user's settings are untouched");
    session.judge();
    house.end().await;
}

async fn s_28_a_rule_for_the_session_is_listed_and_taken_back_with_the_agent(
    version: ClaudeVersion,
) {
    let house = house(version, run_and_tell("python3 -c \"print(6 * 7)\"")).await;
    let mut session = house.session().await;
    let turn = session.send("go").await;
    let request = session.asked().await;
    session.choose(&request, "allow_always").await;
    assert!(completed(&session.end(&turn).await));
    let (_, end) = session.turn("again").await;
    assert!(completed(&end), "{:?} was asked again", session.permissions);
    let [allowed] = &session.status().await.allowed[..] else { panic!("one rule is listed") };
    assert_eq!(allowed.permission_id, request.permission_id);
    assert!(allowed.name.contains("Bash(python3"), "{allowed:?}");
    house.service.kill(&session.id).await.unwrap();
    assert!(session.status().await.allowed.is_empty());
    let turn = session.send("and again").await;
    let request = session.asked().await;
    session.choose(&request, "deny").await;
    assert!(completed(&session.end(&turn).await));
    session.judge();
    house.end().await;
}

async fn a_question_is_answered(version: ClaudeVersion) {
    let house = house(version, |request| match request.last_tool_results().as_slice() {
        [] => {
            let options = json!([{ "label": "Red", "description": "r" }, { "label": "Blue", "description": "b" }]);
            let question = json!({
                "question": "Which colour?", "header": "Colour", "options": options, "multiSelect": false,
            });
            Reply::tool("AskUserQuestion", json!({ "questions": [question] }))
        }
        [(_, output), ..] => Reply::text(&format!("So: {output}")),
    })
    .await;
    let mut session = house.session().await;
    let turn = session.send("ask me").await;
    let request = session.asked().await;
    let questions = request.questions.as_ref().unwrap();
    assert_eq!(questions[0].question, "Which colour?");
    assert_eq!(questions[0].options[1].label, "Blue");
    let answer = PermissionAnswer {
        option_id: Some("allow".into()),
        answers: Some([("Which colour?".to_owned(), vec!["Blue".to_owned()])].into()),
        ..PermissionAnswer::default()
    };
    session.answer(&request, answer).await;
    assert!(completed(&session.end(&turn).await));
    assert!(session.said_in(&turn).concat().contains("Blue"), "{:?}", session.said());
    session.judge();
    house.end().await;
}

async fn a_plan_is_approved(version: ClaudeVersion) {
    let house = house(version, |request| {
        let results = request.last_tool_results();
        match results.as_slice() {
            [] => Reply::tool("ExitPlanMode", json!({ "plan": "1. Do it.\n2. Check it." })),
            [(_, output), ..] => Reply::text(&format!("Now: {output}")),
        }
    })
    .await;
    let mut session = house.session().await;
    let mode = Adjustment::Mode(ModeId::from("plan"));
    house.provider.adjust(&session.id, mode).await.unwrap();
    let turn = session.send("plan it").await;
    let request = session.asked().await;
    assert_eq!(request.tool_name.as_deref(), Some("ExitPlanMode"));
    if version == ClaudeVersion::V2_1_197 {
        assert_eq!(request.plan.as_deref(), Some("1. Do it.\n2. Check it."));
    }
    session.choose(&request, "allow").await;
    assert!(completed(&session.end(&turn).await));
    let mode = house.provider.options(&session.id).unwrap().current_mode_id.unwrap();
    assert_eq!(mode, "default", "an approved plan is left");
    session.judge();
    house.end().await;
}

async fn two_tools_of_one_message_both_run(version: ClaudeVersion) {
    let house = house(version, |request| match request.last_tool_results().as_slice() {
        [] => Reply::tool("Bash", json!({ "command": "echo first", "description": "1" }))
            .then_tool("Bash", json!({ "command": "echo second", "description": "2" })),
        results => {
            let mut outputs: Vec<_> = results.iter().map(|(_, output)| output.as_str()).collect();
            // They may end in any order.
            outputs.sort_unstable();
            Reply::text(&outputs.join(" and "))
        }
    })
    .await;
    let mut session = house.session().await;
    let (turn, end) = session.turn("both").await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(session.said_in(&turn), ["first and second"]);
    let outputs: Vec<_> =
        session.tools().iter().map(|tool| tool.tool_output.as_ref().unwrap().to_string()).collect();
    assert_eq!(outputs, ["first", "second"]);
    session.judge();
    house.end().await;
}

async fn a_subagents_work_stands_under_the_call_that_runs_it(version: ClaudeVersion) {
    let house = house(version, |request| {
        let results = request.last_tool_results();
        match (request.is_subagent(), results.as_slice()) {
            (true, []) => {
                Reply::tool("Bash", json!({ "command": "echo from below", "description": "sub" }))
            }
            (true, [(_, output), ..]) => Reply::text(&format!("Report: {output}")),
            (false, []) if request.task_notification().is_some() => Reply::text("It reported."),
            (false, []) => {
                let input = json!({
                    "description": "sub job", "prompt": "do the sub job", "subagent_type": "general-purpose",
                });
                Reply::text("Delegating.").then_tool("Agent", input)
            }
            (false, [..]) => Reply::text("Delegated."),
        }
    })
    .await;
    let mut session = house.session().await;
    let (turn, end) = session.turn("delegate").await;
    assert!(completed(&end), "{end:?}");
    session
        .until("the subagent's command ran", |seen| {
            seen.tools().iter().any(|tool| {
                tool.tool_name == "Bash"
                    && tool.tool_output.as_ref().is_some_and(|o| *o == "from below")
            })
        })
        .await;
    let is_call =
        |body: &UpsertBody| matches!(body, UpsertBody::ToolCall(tool) if tool.tool_name == "Agent");
    let call = session.items.iter().find(|item| is_call(&item.body)).unwrap();
    let child = session.items.iter().find(|item| item.parent_item_id.is_some()).unwrap();
    assert_eq!(child.parent_item_id.as_ref(), Some(&call.item_id));
    assert_eq!((&child.turn_id, &call.turn_id), (&turn, &turn));
    if version == ClaudeVersion::V2_1_325 {
        // It runs in the background there, and wakes the agent when it is done.
        session
            .until("it woke the agent", |seen| {
                seen.said().iter().any(|said| said == "It reported.")
            })
            .await;
    }
    session.idle().await;
    session.judge();
    house.end().await;
}
