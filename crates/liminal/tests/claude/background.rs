//! Work that outlives its turn, and the turns that it wakes.

use std::time::Duration;

use contract::{TaskId, TurnEventKind, TurnId, TurnOrigin};
use serde_json::json;
use session::provider::{Adjustment, CliProvider};
use testkit::agents::ClaudeVersion;
use testkit::claude_house::ClaudeHouse;
use testkit::model_api::{Gate, ModelRequest, Reply};
use testkit::watched_session::WatchedSession;

use crate::conversation::completed;
use crate::house;
use crate::sends::{cancelled, last_line};

real! {
    a_finished_task_wakes_the_agent
    a_task_is_stopped_alone
    an_interrupt_leaves_tasks_alive
    an_interrupt_and_a_subagent_in_the_background
    a_message_before_the_task_ends
    a_message_while_the_task_ends
    a_message_when_the_task_has_ended
    a_message_while_the_agent_wakes
    a_message_after_the_agent_woke
    twenty_cycles_of_do_it_again_and_hello_lose_nothing
}

/// "job SECONDS NAME" starts a task; when it ends the agent reports it; everything else is answered.
fn jobs(request: &ModelRequest) -> Reply {
    if let Some(task) = request.task_notification() {
        let name = task.split("job-").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("?");
        return Reply::text(&format!("Finished: {name}."));
    }
    if !request.last_tool_results().is_empty() {
        return Reply::text("Started.");
    }
    let said = last_line(request);
    let words: Vec<_> = said.split_whitespace().collect();
    match words.as_slice() {
        ["job", seconds, name] => {
            let command = format!("sleep {seconds}; echo done");
            let description = format!("job-{name}");
            let input = json!({ "command": command, "description": description, "run_in_background": true });
            Reply::tool("Bash", input)
        }
        _ => Reply::text(&format!("Hello to {said}.")),
    }
}

fn is_autonomous(session: &WatchedSession<'_>, turn: &TurnId) -> bool {
    session.turns.iter().filter(|event| event.turn_id == *turn).any(|event| {
        matches!(
            event.kind,
            TurnEventKind::TurnStarted { origin: Some(TurnOrigin::Autonomous), .. }
        )
    })
}

fn has_said(session: &WatchedSession<'_>, what: &str) -> bool {
    session.said().iter().any(|said| said == what)
}

/// The turn in which something was said.
fn turn_of(session: &WatchedSession<'_>, what: &str) -> TurnId {
    let item = session.items.iter().find(|item| item.content().is_some_and(|text| *text == what));
    item.unwrap_or_else(|| panic!("nobody said {what}")).turn_id.clone()
}

async fn a_finished_task_wakes_the_agent(version: ClaudeVersion) {
    let house = house(version, jobs).await;
    let mut session = house.session().await;
    let (turn, end) = session.turn("job 1 one").await;
    assert!(completed(&end), "{end:?}");
    session
        .until("it is listed", |seen| seen.statuses.iter().any(|s| !s.background_tasks.is_empty()))
        .await;
    session.until("it wakes the agent", |seen| has_said(seen, "Finished: one.")).await;
    let woken = turn_of(&session, "Finished: one.");
    assert_ne!(woken, turn);
    assert!(is_autonomous(&session, &woken));
    session.idle().await;
    assert!(session.status().await.background_tasks.is_empty());
    session.judge();
    house.end().await;
}

async fn a_task_is_stopped_alone(version: ClaudeVersion) {
    let house = house(version, jobs).await;
    let mut session = house.session().await;
    for name in ["kept", "stopped"] {
        assert!(completed(&session.turn(&format!("job 300 {name}")).await.1));
    }
    let tasks = session.status().await.background_tasks.clone();
    assert_eq!(tasks.len(), 2, "{tasks:?}");
    let stopped = tasks.iter().find(|task| task.description == "job-stopped").unwrap();
    let task = TaskId::from(stopped.task_id.as_str());
    house.provider.adjust(&session.id, Adjustment::StopTask(task)).await.unwrap();
    session
        .until("only the other is left", |seen| {
            seen.statuses.last().is_some_and(|status| {
                let left: Vec<_> =
                    status.background_tasks.iter().map(|t| &*t.description).collect();
                left == ["job-kept"]
            })
        })
        .await;
    assert!(completed(&session.turn("you").await.1));
    session.judge();
    house.end().await;
}

async fn an_interrupt_leaves_tasks_alive(version: ClaudeVersion) {
    let gate = Gate::new();
    let held = gate.clone();
    let script = move |request: &ModelRequest| {
        if last_line(request) == "slow" {
            Reply::words(20).words_per_delta(1).hold_after(3, &held)
        } else {
            jobs(request)
        }
    };
    let house = house(version, script).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("job 300 long").await.1));
    let turn = session.send("slow").await;
    gate.reached().await;
    assert!(session.cancel().await);
    assert!(cancelled(&session.end(&turn).await));
    assert_eq!(session.status().await.background_tasks.len(), 1);
    assert!(!session.cancel().await, "there is nothing to cancel");
    assert_eq!(session.status().await.background_tasks.len(), 1);
    session.judge();
    house.end().await;
}

/// Starts a task that takes a second, does something while it ends, and looks at what came of it.
async fn race(version: ClaudeVersion, when: impl AsyncFn(&mut WatchedSession<'_>)) {
    let house = house(version, jobs).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("job 1 one").await.1));
    when(&mut session).await;
    let turn = session.send("you").await;
    assert!(completed(&session.end(&turn).await));
    assert_eq!(session.said_in(&turn), ["Hello to you."], "the answer is in the turn that asked");
    session.until("the task is reported", |seen| has_said(seen, "Finished: one.")).await;
    let woken = turn_of(&session, "Finished: one.");
    assert_ne!(woken, turn);
    assert!(is_autonomous(&session, &woken));
    session.idle().await;
    session.judge();
    compare_with_transcript(&house, &session).await;
    house.end().await;
}

async fn a_message_before_the_task_ends(version: ClaudeVersion) {
    race(version, async |_| tokio::time::sleep(Duration::from_millis(700)).await).await;
}

async fn a_message_while_the_task_ends(version: ClaudeVersion) {
    race(version, async |_| tokio::time::sleep(Duration::from_millis(980)).await).await;
}

async fn a_message_when_the_task_has_ended(version: ClaudeVersion) {
    race(version, async |session| {
        let is_over = |seen: &WatchedSession<'_>| {
            let had = seen.statuses.iter().any(|status| !status.background_tasks.is_empty());
            had && seen.statuses.last().is_some_and(|status| status.background_tasks.is_empty())
        };
        session.until("the task is over", is_over).await;
    })
    .await;
}

async fn a_message_while_the_agent_wakes(version: ClaudeVersion) {
    race(version, async |session| {
        let autonomous = |seen: &WatchedSession<'_>| {
            seen.turns.iter().any(|event| is_autonomous(seen, &event.turn_id))
        };
        session.until("the agent wakes", autonomous).await;
    })
    .await;
}

async fn a_message_after_the_agent_woke(version: ClaudeVersion) {
    race(version, async |session| {
        session.until("it is reported", |seen| has_said(seen, "Finished: one.")).await;
        session.idle().await;
    })
    .await;
}

/// What the agent wrote down as its own words is what the timeline holds, no more and no less. It writes with delay.
async fn compare_with_transcript(house: &ClaudeHouse, session: &WatchedSession<'_>) {
    let sorted = |mut texts: Vec<String>| {
        texts.sort();
        texts
    };
    let told = sorted(session.said());
    let mut written = Vec::new();
    for _ in 0..100 {
        written = sorted(house.transcript(&session.id));
        if written.len() >= told.len() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(told, written);
}

async fn twenty_cycles_of_do_it_again_and_hello_lose_nothing(version: ClaudeVersion) {
    let house = house(version, jobs).await;
    let mut session = house.session().await;
    for cycle in 1..=20 {
        let again = session.send(&format!("job 0.2 {cycle}")).await;
        assert!(completed(&session.end(&again).await));
        let hello = session.send(&format!("cycle{cycle}")).await;
        assert!(completed(&session.end(&hello).await));
        assert_eq!(session.said_in(&hello), [format!("Hello to cycle{cycle}.")]);
        let report = format!("Finished: {cycle}.");
        session.until("the task is reported", |seen| has_said(seen, &report)).await;
        session.idle().await;
    }
    let reports = session.said().iter().filter(|said| said.starts_with("Finished")).count();
    assert_eq!(reports, 20);
    session.judge();
    compare_with_transcript(&house, &session).await;
    house.end().await;
}

/// Newer agents leave subagents alone that were declared stoppable one by one; older ones end them with the turn.
async fn an_interrupt_and_a_subagent_in_the_background(version: ClaudeVersion) {
    let (below, above) = (Gate::new(), Gate::new());
    let (held_below, held_above) = (below.clone(), above.clone());
    let script = move |request: &ModelRequest| {
        let is_told = request.task_notification().is_some();
        match last_line(request).as_str() {
            _ if request.is_subagent() => Reply::text("Below.").hold_before(&held_below),
            "slow" => Reply::words(20).words_per_delta(1).hold_after(3, &held_above),
            "delegate" if request.last_tool_results().is_empty() => {
                let input = json!({
                    "description": "sub job", "prompt": "do it", "subagent_type": "general-purpose",
                    "run_in_background": true,
                });
                Reply::tool("Agent", input)
            }
            _ if is_told => Reply::text("It reported."),
            _ => Reply::text("Launched."),
        }
    };
    let house = house(version, script).await;
    let mut session = house.session().await;
    assert!(completed(&session.turn("delegate").await.1));
    below.reached().await;
    let turn = session.send("slow").await;
    above.reached().await;
    assert!(session.cancel().await);
    assert!(cancelled(&session.end(&turn).await));
    let survives = version == ClaudeVersion::V2_1_325;
    if survives {
        assert_eq!(session.status().await.background_tasks.len(), 1);
        below.open();
        session.until("it reports", |seen| has_said(seen, "It reported.")).await;
    }
    session
        .until("nothing is left in the background", |seen| {
            seen.statuses.last().is_some_and(|status| status.background_tasks.is_empty())
        })
        .await;
    session.idle().await;
    session.judge();
    house.end().await;
}
