//! claude-agent-acp and OpenCode, with the stand-in for Anthropic's API behind them.

use contract::{
    ItemStatus, PermissionOptionKind, PermissionRequest, SessionState, UpsertBody, UpsertObject,
};
use serde_json::json;
use testkit::acp_house::AcpHouse;
use testkit::model_api::{Gate, ModelApi, ModelRequest, Reply};

use crate::heard::Heard;
use crate::{cancelled, completed, failure, guard, kill};

#[derive(Clone, Copy, Debug)]
enum Agent {
    ClaudeAgent,
    Opencode,
}

/// Makes of each function one test per agent.
macro_rules! real {
    ($($name:ident)*) => {
        mod claude_agent {
            $(#[tokio::test] async fn $name() {
                super::$name(super::Agent::ClaudeAgent).await;
            })*
        }
        mod opencode {
            $(#[tokio::test] async fn $name() {
                super::$name(super::Agent::Opencode).await;
            })*
        }
    };
}

real! {
    a_plain_answer
    a_long_answer
    two_turns_and_the_second_knows_the_first
    an_allowed_command_runs
    a_rejected_command_does_not_run
    a_cancel_in_text_keeps_what_was_said
    a_cancel_while_a_permission_waits
    messages_wait_for_the_turn_that_runs
    a_killed_session_leaves_nothing_and_goes_on
    a_killed_agent_ends_the_turn_once_and_goes_on
    a_failing_model_is_told_and_the_next_turn_works
    thoughts_and_a_plan_are_told_apart
    an_edit_is_shown_as_a_diff_and_made_when_it_is_allowed
    a_session_that_nobody_here_knows_is_told_as_items_and_turns
}

impl Agent {
    async fn house(
        self,
        script: impl Fn(&ModelRequest) -> Reply + Send + Sync + 'static,
    ) -> AcpHouse<ModelApi> {
        let api = ModelApi::start(script).await;
        match self {
            Self::ClaudeAgent => AcpHouse::claude_agent(guard(), api).await,
            Self::Opencode => AcpHouse::opencode(guard(), api).await,
        }
    }

    /// A house whose model holds "slow" at the gate, runs a command at "write", and answers the rest.
    async fn scripted(self, gate: &Gate) -> AcpHouse<ModelApi> {
        let gate = gate.clone();
        self.house(move |request| match last_line(request).as_str() {
            "" => Reply::text("It went on."),
            "slow" => Reply::words(40).words_per_delta(1).hold_after(5, &gate),
            "write" => {
                let input = json!({ "command": "echo hi > made; cat made", "description": "w" });
                Reply::tool(self.shell(), input)
            }
            said => Reply::text(&format!("Answer to {said}")),
        })
        .await
    }

    /// The call that writes one file.
    fn writes(self, path: &str) -> Reply {
        let (name, member) = match self {
            Self::ClaudeAgent => ("Write", "file_path"),
            Self::Opencode => ("write", "filePath"),
        };
        Reply::tool(name, json!({ member: path, "content": "one\ntwo\n" }))
    }

    fn shell(self) -> &'static str {
        match self {
            Self::ClaudeAgent => "Bash",
            Self::Opencode => "bash",
        }
    }
}

/// What was said last: after a cancel an agent may put what was said before in the same message.
fn last_line(request: &ModelRequest) -> String {
    request.last_user_text().lines().last().unwrap_or_default().trim_matches('"').to_owned()
}

fn option(request: &PermissionRequest, kind: PermissionOptionKind) -> String {
    let found = request.options.iter().find(|option| option.kind == kind);
    found.expect("it is offered").option_id.as_str().to_owned()
}

async fn a_plain_answer(agent: Agent) {
    let house = agent.scripted(&Gate::new()).await;
    let mut session = house.session().await;
    let (turn, end) = session.turn("hi").await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(session.said_in(&turn), ["Answer to hi"]);
    session.idle().await;
    session.judge();
    house.end().await;
}

async fn a_long_answer(agent: Agent) {
    let house = agent.house(|_| Reply::words(2000)).await;
    let mut session = house.session().await;
    let (turn, end) = session.turn("at length").await;
    assert!(completed(&end), "{end:?}");
    let expected: Vec<String> = (1..=2000).map(|number| format!("word{number}")).collect();
    assert_eq!(session.said_in(&turn), [expected.join(" ")]);
    session.judge();
    house.end().await;
}

async fn two_turns_and_the_second_knows_the_first(agent: Agent) {
    let house = agent.scripted(&Gate::new()).await;
    let mut session = house.session().await;
    for word in ["one", "two"] {
        let (turn, end) = session.turn(word).await;
        assert!(completed(&end), "{end:?}");
        assert_eq!(session.said_in(&turn), [format!("Answer to {word}")]);
    }
    remembers(&house, "Answer to one");
    session.judge();
    house.end().await;
}

/// The model was told, with the last question, what was said before.
fn remembers(house: &AcpHouse<ModelApi>, said: &str) {
    let asked = house.api.conversation();
    let messages = format!("{:?}", asked.last().unwrap().messages());
    assert!(messages.contains(said), "the agent remembers: {messages}");
}

async fn an_allowed_command_runs(agent: Agent) {
    let house = agent.scripted(&Gate::new()).await;
    let mut session = house.session().await;
    let turn = session.send("write").await;
    let request = session.asked().await;
    assert!(!house.project().join("made").exists(), "nothing runs unasked");
    session.choose(&request, &option(&request, PermissionOptionKind::AllowOnce)).await;
    let end = session.end(&turn).await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(std::fs::read_to_string(house.project().join("made")).unwrap(), "hi\n");
    let [tool] = session.tools()[..] else { panic!("one call: {:#?}", session.tools()) };
    let output = tool.tool_output.as_ref().unwrap().to_string();
    assert!(output.contains("hi"), "{output}");
    assert_eq!(session.said_in(&turn).last().unwrap(), "It went on.");
    session.judge();
    house.end().await;
}

/// What a no does to the turn is the agent's own choice.
async fn a_rejected_command_does_not_run(agent: Agent) {
    let house = agent.scripted(&Gate::new()).await;
    let mut session = house.session().await;
    let turn = session.send("write").await;
    let request = session.asked().await;
    session.choose(&request, &option(&request, PermissionOptionKind::RejectOnce)).await;
    session.end(&turn).await;
    assert!(!house.project().join("made").exists());
    let (next, end) = session.turn("next").await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(session.said_in(&next), ["Answer to next"]);
    session.judge();
    house.end().await;
}

async fn a_cancel_in_text_keeps_what_was_said(agent: Agent) {
    let gate = Gate::new();
    let house = agent.scripted(&gate).await;
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

async fn a_cancel_while_a_permission_waits(agent: Agent) {
    let house = agent.scripted(&Gate::new()).await;
    let mut session = house.session().await;
    let turn = session.send("write").await;
    session.asked().await;
    assert!(session.cancel().await);
    assert!(cancelled(&session.end(&turn).await));
    session.until("it waits no more", |seen| seen.permissions.is_empty()).await;
    assert!(!house.project().join("made").exists());
    assert!(completed(&session.turn("next").await.1));
    session.judge();
    house.end().await;
}

async fn messages_wait_for_the_turn_that_runs(agent: Agent) {
    let gate = Gate::new();
    let house = agent.scripted(&gate).await;
    let mut session = house.session().await;
    let first = session.send("slow").await;
    gate.reached().await;
    let second = session.send("two").await;
    gate.open();
    assert!(completed(&session.end(&first).await));
    assert!(completed(&session.end(&second).await));
    assert_eq!(session.said_in(&second), ["Answer to two"]);
    session.judge();
    house.end().await;
}

async fn a_killed_session_leaves_nothing_and_goes_on(agent: Agent) {
    let gate = Gate::new();
    let house = agent.scripted(&gate).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("first").await.1));
    let turn = session.send("slow").await;
    gate.reached().await;
    house.service.kill(&session.id).await.unwrap();
    house.nothing_runs().await;
    session.end(&turn).await;
    assert_eq!(session.status().await.state, SessionState::Dead);
    let items = session.items.len();
    let (next, end) = session.turn("again").await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(session.said_in(&next), ["Answer to again"]);
    assert_eq!(session.items.len(), items + 2, "nothing is told twice: {:#?}", session.items);
    remembers(&house, "Answer to first");
    session.judge();
    house.end().await;
}

async fn a_killed_agent_ends_the_turn_once_and_goes_on(agent: Agent) {
    let gate = Gate::new();
    let house = agent.scripted(&gate).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("first").await.1));
    let turn = session.send("slow").await;
    gate.reached().await;
    session.until("some text is shown", |seen| seen.items.len() > 3).await;
    kill(house.agent());
    let end = session.end(&turn).await;
    assert_eq!(failure(&end).0, "PROCESS_CRASH");
    let kept = session.items.iter().find(|item| item.status == ItemStatus::Error).unwrap();
    assert!(kept.content().unwrap().to_string().starts_with("word1 "), "{kept:?}");
    house.nothing_runs().await;
    let (next, end) = session.turn("again").await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(session.said_in(&next), ["Answer to again"]);
    remembers(&house, "Answer to first");
    session.judge();
    house.end().await;
}

async fn a_failing_model_is_told_and_the_next_turn_works(agent: Agent) {
    let house = agent
        .house(|request| match last_line(request).as_str() {
            "fail" => Reply::status(401, "authentication_error").error_message("a wrong key"),
            said => Reply::text(&format!("Answer to {said}")),
        })
        .await;
    let mut session = house.session().await;
    let (_, end) = session.turn("fail").await;
    let (code, _, message) = failure(&end);
    assert_eq!(code, "RESPONSE_ERROR");
    assert!(message.contains("a wrong key"), "{message}");
    let (next, end) = session.turn("next").await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(session.said_in(&next).last().unwrap(), "Answer to next");
    session.judge();
    house.end().await;
}

async fn thoughts_and_a_plan_are_told_apart(agent: Agent) {
    let todo =
        json!({"content": "look", "status": "in_progress", "priority": "high", "activeForm": "x"});
    let plans = match agent {
        Agent::ClaudeAgent => "TodoWrite",
        Agent::Opencode => "todowrite",
    };
    let plans = Reply::thinking("I need a plan.").then_tool(plans, json!({ "todos": [todo] }));
    let house = agent
        .house(move |request| match request.last_tool_results().as_slice() {
            [] => plans.clone(),
            _ => Reply::text("Planned."),
        })
        .await;
    let mut session = house.session().await;
    let (turn, end) = session.turn("plan").await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(session.said_in(&turn), ["Planned."]);
    let thoughts = session.items.iter().filter_map(|item| match &item.body {
        UpsertBody::Thinking { content, .. } => Some(content.to_string()),
        _ => None,
    });
    assert_eq!(thoughts.collect::<Vec<_>>(), ["I need a plan."]);
    let plan: Vec<_> =
        session.plan.iter().map(|step| (step.content.as_str(), step.status.as_str())).collect();
    match agent {
        Agent::ClaudeAgent => assert_eq!(plan, [("look", "in_progress")]),
        // It tells its plan as the call of a tool.
        Agent::Opencode => assert_eq!(session.tools().len(), 1),
    }
    session.judge();
    house.end().await;
}

async fn an_edit_is_shown_as_a_diff_and_made_when_it_is_allowed(agent: Agent) {
    let house = agent
        .house(move |request| match request.last_tool_results().as_slice() {
            [] => agent.writes(last_line(request).trim_start_matches("write ")),
            _ => Reply::text("Written."),
        })
        .await;
    let file = house.project().join("made.txt");
    let mut session = house.session().await;
    let turn = session.send(&format!("write {}", file.display())).await;
    let request = session.asked().await;
    assert!(!file.exists(), "nothing is written unasked");
    session.choose(&request, &option(&request, PermissionOptionKind::AllowOnce)).await;
    let end = session.end(&turn).await;
    assert!(completed(&end), "{end:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\ntwo\n");
    let [tool] = session.tools()[..] else { panic!("one call: {:#?}", session.tools()) };
    let diff = tool.diff.as_ref().expect("a diff");
    assert_eq!(diff[0].hunks[0].lines, ["+one", "+two"]);
    session.judge();
    house.end().await;
}

async fn a_session_that_nobody_here_knows_is_told_as_items_and_turns(agent: Agent) {
    let house = agent.scripted(&Gate::new()).await;
    let mut session = Heard::new(&house);
    session.create().await;
    assert_eq!(session.turn("first").await, "Answer to first");
    assert!(session.turn("write").await.ends_with("It went on."));
    let agent_session = session.agent_session.clone().unwrap();
    session.kill().await;
    let house = house.rebuilt().await;
    let mut session = Heard::new(&house);
    session.load(&agent_session, false).await.unwrap();
    assert!(session.items.iter().all(UpsertObject::is_final), "{:#?}", session.items);
    let told = session.summary();
    let expected = ["first", "Answer to first", "write", "tool said hi", "It went on."];
    assert_eq!(told, expected);
    assert_eq!(session.turns.len(), 4, "{:?}", session.turns);
    assert_eq!(session.turn("again").await, "Answer to again");
    remembers(&house, "Answer to first");
    session.kill().await;
    house.end().await;
}
