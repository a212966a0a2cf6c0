//! Models, agents and servers that fail.

use std::time::Duration;

use contract::{Delivery, ItemStatus, SessionState, TurnEventKind};
use serde_json::json;
use session::provider::{CliProvider, OutgoingMessage};
use testkit::agents::{ClaudeVersion, claude};
use testkit::claude_house::ClaudeHouse;
use testkit::model_api::{Gate, ModelApi, ModelRequest, Reply};
use testkit::watched_session::WatchedSession;

use crate::conversation::completed;
use crate::sends::last_line;
use crate::{guard, house};

real! {
    a_killed_agent_ends_the_turn_once_and_resumes
    a_killed_agent_in_a_tool_leaves_nothing_running
    a_wrong_key_is_named_and_its_retries_are_shown
    a_rate_limit_is_named
    a_failing_server_is_named
    a_cut_stream_loses_nothing_that_counts
    somebody_who_is_not_logged_in_is_told_so
    lines_that_are_no_json_change_nothing
    an_agent_that_cannot_start_is_told_with_its_own_words
    a_killed_session_leaves_nothing_and_comes_back
    messages_behind_a_turn_that_is_killed_wait_and_run_later
    a_session_that_never_ran_a_turn_is_resumed
    a_cleared_session_comes_back_after_a_kill
    a_message_that_the_agent_may_have_is_answered_all_the_same
    an_output_that_is_cut_in_a_character_is_shown
    an_agent_that_only_closes_its_output_does_not_start
}

fn failure(kind: &TurnEventKind) -> (&str, Option<&str>, &str) {
    match kind {
        TurnEventKind::TurnError { error_code, error_class, error_message } => {
            (error_code.as_str(), error_class.as_deref(), error_message)
        }
        other => panic!("{other:?} is no failure"),
    }
}

/// "slow" is held at the gate, "nap" runs a command, the rest is answered.
fn script(gate: &Gate) -> impl Fn(&ModelRequest) -> Reply + Send + Sync + use<> {
    let gate = gate.clone();
    move |request| match last_line(request).as_str() {
        "slow" => Reply::words(40).words_per_delta(1).hold_after(5, &gate),
        "nap" => {
            let command = "setsid sleep 300 & sleep 300";
            Reply::tool("Bash", json!({ "command": command, "description": "nap" }))
        }
        said => Reply::text(&format!("Answer to {said}, after {}", request.messages().len())),
    }
}

fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid.try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

/// The agent itself, not what it started.
fn agent_of(house: &ClaudeHouse) -> u32 {
    *house.processes().iter().min().expect("an agent runs")
}

async fn nothing_runs(house: &ClaudeHouse) {
    for _ in 0..60 {
        if house.processes().is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{:?} still run", house.processes());
}

async fn a_killed_agent_ends_the_turn_once_and_resumes(version: ClaudeVersion) {
    let gate = Gate::new();
    let house = house(version, script(&gate)).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("first").await.1));
    let turn = session.send("slow").await;
    gate.reached().await;
    session.until("some text is shown", |seen| seen.items.len() > 3).await;
    kill(agent_of(&house));
    let end = session.end(&turn).await;
    let (code, _, message) = failure(&end);
    assert_eq!(code, "PROCESS_CRASH");
    assert!(message.contains("signal 9"), "{message}");
    let kept = session.items.iter().find(|item| item.status == ItemStatus::Error).unwrap();
    assert!(!kept.content().unwrap().is_empty(), "what was said is kept");
    session
        .until("it is dead", |seen| {
            seen.statuses
                .last()
                .is_some_and(|status| status.state == SessionState::Dead && !status.is_alive)
        })
        .await;
    nothing_runs(&house).await;
    let (next, end) = session.turn("again").await;
    assert!(completed(&end), "{end:?}");
    let said = session.said_in(&next).concat();
    assert!(said.starts_with("Answer to again, after "), "{said}");
    assert!(!said.ends_with("after 1"), "the agent remembers what was said before: {said}");
    session.judge();
    house.end().await;
}

async fn a_killed_agent_in_a_tool_leaves_nothing_running(version: ClaudeVersion) {
    let house = house(version, script(&Gate::new())).await;
    let mut session = house.session().await;
    let turn = session.send("nap").await;
    let request = session.asked().await;
    session.choose(&request, "allow").await;
    both_sleep(&house).await;
    kill(agent_of(&house));
    assert_eq!(failure(&session.end(&turn).await).0, "PROCESS_CRASH");
    nothing_runs(&house).await;
    session.judge();
    house.end().await;
}

/// Waits until the command and what it put into a session of its own run. Other processes of the agent come and go.
async fn both_sleep(house: &ClaudeHouse) {
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

/// One failing answer after another, then a turn that works.
async fn fail_with(version: ClaudeVersion, reply: fn() -> Reply, class: &str) -> Vec<String> {
    let house = house(version, move |request| match last_line(request).as_str() {
        "fail" => reply(),
        said => Reply::text(&format!("Answer to {said}")),
    })
    .await;
    let mut session = house.session().await;
    let (_, end) = session.turn("fail").await;
    let (code, told, message) = failure(&end);
    assert_eq!((code, told), ("RESPONSE_ERROR", Some(class)), "{message}");
    assert!(!message.is_empty());
    assert!(completed(&session.turn("next").await.1), "the next turn works");
    assert!(session.status().await.notice.is_none(), "the notice is gone");
    let notices = session.notices();
    session.judge();
    house.end().await;
    notices
}

async fn a_wrong_key_is_named_and_its_retries_are_shown(version: ClaudeVersion) {
    let refuse = || Reply::status(401, "authentication_error").error_message("invalid x-api-key");
    let notices = fail_with(version, refuse, "authentication_failed").await;
    assert!(notices.iter().any(|notice| notice.contains("authentication_failed")), "{notices:?}");
}

async fn a_rate_limit_is_named(version: ClaudeVersion) {
    let refuse = || Reply::status(429, "rate_limit_error").retry_after(1);
    let notices = fail_with(version, refuse, "rate_limit").await;
    assert!(notices.iter().any(|notice| notice.starts_with("retry: ")), "{notices:?}");
}

async fn a_failing_server_is_named(version: ClaudeVersion) {
    fail_with(version, || Reply::status(500, "api_error"), "server_error").await;
}

async fn a_cut_stream_loses_nothing_that_counts(version: ClaudeVersion) {
    let house = house(version, |request| match last_line(request).as_str() {
        "cut" => Reply::words(20).cut_after(3),
        said => Reply::text(&format!("Answer to {said}")),
    })
    .await;
    let mut session = house.session().await;
    let (turn, end) = session.turn("cut").await;
    assert!(completed(&end), "{end:?}");
    let said = session.said_in(&turn);
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(said[0].split_whitespace().count(), 20, "the whole answer, once");
    let taken_back = session.items.iter().filter(|item| item.status == ItemStatus::Error);
    for item in taken_back {
        assert_eq!(item.error_code.as_ref().unwrap().as_str(), "SUPERSEDED");
    }
    assert!(completed(&session.turn("next").await.1));
    session.judge();
    house.end().await;
}

async fn somebody_who_is_not_logged_in_is_told_so(version: ClaudeVersion) {
    let api = ModelApi::start(|_| Reply::text("never")).await;
    let command = vec![claude(version).into()];
    let house = ClaudeHouse::start_with(guard(), api, command, &[("ANTHROPIC_API_KEY", "")]).await;
    let mut session = house.session().await;
    let (_, end) = session.turn("hi").await;
    let (code, class, message) = failure(&end);
    assert_eq!((code, class), ("RESPONSE_ERROR", Some("authentication_failed")));
    assert!(message.contains("Not logged in"), "{message}");
    session.judge();
    house.end().await;
}

async fn lines_that_are_no_json_change_nothing(version: ClaudeVersion) {
    let api = ModelApi::start(|request| Reply::text(&format!("Hi {}", last_line(request)))).await;
    // Before every line of the agent's: half a line, something else, a line of an unknown kind, bytes that are no text.
    let noise = r#"s/^.*$/{"type":"assist\n[1,2]\n{"type":"weather"}\n\xff\xfe\n&/"#;
    let command = format!("\"$0\" \"$@\" | sed -u '{noise}'");
    let command = vec!["sh".into(), "-c".into(), command.into(), claude(version).into()];
    let house = ClaudeHouse::start_with(guard(), api, command, &[]).await;
    let mut session = house.session().await;
    for word in ["one", "two"] {
        let (turn, end) = session.turn(word).await;
        assert!(completed(&end), "{end:?}");
        assert_eq!(session.said_in(&turn), [format!("Hi {word}")]);
    }
    session.judge();
    house.end().await;
}

async fn an_agent_that_cannot_start_is_told_with_its_own_words(version: ClaudeVersion) {
    let api = ModelApi::start(|_| Reply::text("never")).await;
    let command = vec![claude(version).into(), "--no-such-flag".into()];
    let house = ClaudeHouse::start_with(guard(), api, command, &[]).await;
    let error = house.create().await.unwrap_err().to_string();
    assert!(error.contains("no-such-flag"), "{error}");
    nothing_runs(&house).await;
    house.end().await;
}

async fn a_killed_session_leaves_nothing_and_comes_back(version: ClaudeVersion) {
    let gate = Gate::new();
    let house = house(version, script(&gate)).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("first").await.1));
    let turn = session.send("slow").await;
    gate.reached().await;
    house.service.kill(&session.id).await.unwrap();
    assert_eq!(house.processes(), Vec::<u32>::new());
    session.end(&turn).await;
    assert_eq!(session.status().await.state, SessionState::Dead);
    house.service.load(&session.id).await.unwrap();
    assert!(completed(&session.turn("again").await.1));
    session.judge();
    house.end().await;
}

async fn a_session_that_never_ran_a_turn_is_resumed(version: ClaudeVersion) {
    let house = house(version, script(&Gate::new())).await;
    let mut session = house.session().await;
    house.service.kill(&session.id).await.unwrap();
    assert!(completed(&session.turn("first").await.1));
    session.judge();
    house.end().await;
}

/// `/clear` gives the conversation a new id; whatever ends the agent then, the next message goes on.
async fn a_cleared_session_comes_back_after_a_kill(version: ClaudeVersion) {
    let house = house(version, script(&Gate::new())).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("first").await.1));
    assert!(completed(&session.turn("/clear").await.1));
    house.service.kill(&session.id).await.unwrap();
    assert!(completed(&session.turn("again").await.1));
    session.judge();
    house.end().await;
}

/// A server that fails may send a message again that is in the agent's transcript, and an agent answers none twice.
async fn a_message_that_the_agent_may_have_is_answered_all_the_same(version: ClaudeVersion) {
    let house = house(version, script(&Gate::new())).await;
    let mut session = house.session().await;
    let (turn, end) = session.turn("first").await;
    assert!(completed(&end));
    house.service.kill(&session.id).await.unwrap();
    house.service.load(&session.id).await.unwrap();
    let message = OutgoingMessage {
        turn_id: Some(turn.clone()),
        content: "again".to_owned(),
        ..OutgoingMessage::default()
    };
    let sent = house.provider.send_message(&session.id, message);
    let sent = tokio::time::timeout(Duration::from_secs(60), sent);
    assert_eq!(sent.await.expect("an answer in time").unwrap(), turn);
    house.end().await;
}

/// The CLI cuts a preview by units of UTF-16, also in the middle of a character.
async fn an_output_that_is_cut_in_a_character_is_shown(version: ClaudeVersion) {
    let house = house(version, |request| match last_line(request).as_str() {
        "one" if request.last_tool_results().is_empty() => Reply::tool("Bash", emojis("x")),
        "two" if request.last_tool_results().is_empty() => Reply::tool("Bash", emojis("xx")),
        _ => Reply::text("Done."),
    })
    .await;
    let mut session = house.session().await;
    for word in ["one", "two"] {
        let turn = session.send(word).await;
        let is_next = |seen: &WatchedSession<'_>| {
            !seen.permissions.is_empty() || seen.end_of(&turn).is_some()
        };
        // Whether it asks first is the agent's own business.
        session.until("it asks or ends", is_next).await;
        if let Some(request) = session.permissions.first().cloned() {
            session.choose(&request, "allow").await;
        }
        assert!(completed(&session.end(&turn).await));
    }
    assert_eq!(session.tools().len(), 2);
    for tool in session.tools() {
        let output = tool.tool_output.as_ref().unwrap();
        assert!(!output.is_empty(), "the output is shown: {tool:?}");
    }
    session.judge();
    house.end().await;
}

/// A command that prints many characters outside the basic plane, at an offset.
fn emojis(offset: &str) -> serde_json::Value {
    let command = format!("printf {offset}; for i in $(seq 20000); do printf '\u{1F600}'; done");
    json!({ "command": command, "description": "print" })
}

async fn an_agent_that_only_closes_its_output_does_not_start(_: ClaudeVersion) {
    let api = ModelApi::start(|_| Reply::text("never")).await;
    let command = ["sh", "-c", "exec >&-; sleep 300"].map(Into::into).into();
    let house = ClaudeHouse::start_with(guard(), api, command, &[]).await;
    assert!(house.create().await.is_err());
    assert_eq!(house.processes(), Vec::<u32>::new());
    house.end().await;
}

async fn messages_behind_a_turn_that_is_killed_wait_and_run_later(version: ClaudeVersion) {
    let gate = Gate::new();
    let house = house(version, script(&gate)).await;
    let mut session = house.session().await;
    session.send("slow").await;
    gate.reached().await;
    let second = session.deliver("second", Delivery::Steer).await;
    let third = session.deliver("third", Delivery::Steer).await;
    house.service.kill(&session.id).await.unwrap();
    let queued = session.status().await.queued.clone();
    let waiting: Vec<_> = queued.iter().map(|turn| (&turn.turn_id, turn.paused)).collect();
    assert_eq!(waiting, [(&second, true), (&third, true)], "they had not begun");
    gate.open();
    let (_, end) = session.turn("again").await;
    assert!(completed(&end), "{end:?}");
    for turn in [&second, &third] {
        assert!(completed(&session.end(turn).await), "{turn}");
    }
    session.idle().await;
    session.judge();
    house.end().await;
}
