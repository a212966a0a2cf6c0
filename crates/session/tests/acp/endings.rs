//! How agents end, and what is left of what they did.

use std::time::Duration;

use serde_json::json;
use session::provider::{CliProvider, ProviderErrorCode};

use crate::bench::Bench;

#[tokio::test(start_paused = true)]
async fn an_agent_that_dies_ends_its_turn_once_and_says_why() {
    let bench = Bench::new();
    let (session, _prompt) = bench.prompted().await;
    bench.agent.message_chunk("half a").await;
    bench.settle().await;
    bench.agent.die("Codex was ended by signal 9");
    tokio::time::sleep(Duration::from_secs(2)).await;
    let turns = ["turn-1 started", "turn-1 PROCESS_CRASH: Codex was ended by signal 9"];
    assert_eq!(bench.turns(), turns);
    assert_eq!(bench.items().last().unwrap(), "turn-1:1:0 Error INTERRUPTED \"half a\"");
    assert!(bench.notices().iter().any(|notice| notice.starts_with("Exited")));
    assert!(!bench.provider.is_alive(&session));
}

#[tokio::test(start_paused = true)]
async fn a_message_that_no_agent_began_is_given_back_when_it_dies() {
    let bench = Bench::new();
    let session = bench.create().await;
    let sent = bench.send(&session, "go");
    bench.agent.next("session/prompt").await;
    bench.agent.die("gone");
    assert_eq!(sent.await.unwrap().unwrap_err().code, ProviderErrorCode::ProcessCrash);
    assert!(bench.turns().is_empty(), "it neither began nor ended");
}

#[tokio::test(start_paused = true)]
async fn a_kill_stops_lets_go_and_ends() {
    let bench = Bench::new();
    let (session, prompt) = bench.prompted().await;
    bench.agent.message_chunk("half a").await;
    bench.settle().await;
    let agent = async {
        bench.agent.next("session/cancel").await;
        bench.agent.end_turn(&prompt, "cancelled").await;
        bench.agent.next("session/close").await;
    };
    let (killed, ()) = tokio::join!(bench.provider.kill_session(&session), agent);
    killed.unwrap();
    assert_eq!(bench.agent.closes(), 1);
    assert_eq!(bench.turns(), ["turn-1 started", "turn-1 Cancelled"]);
    assert!(!bench.notices().iter().any(|notice| notice.starts_with("Exited")), "it was ended");
}

#[tokio::test(start_paused = true)]
async fn a_kill_does_not_wait_for_ever_for_an_agent_that_does_not_listen() {
    let bench = Bench::new();
    let (session, _prompt) = bench.prompted().await;
    bench.agent.message_chunk("half a").await;
    bench.settle().await;
    bench.agent.be_silent();
    let started = tokio::time::Instant::now();
    bench.provider.kill_session(&session).await.unwrap();
    assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
    let turns = ["turn-1 started", "turn-1 INTERRUPTED: the session was ended"];
    assert_eq!(bench.turns(), turns);
}

#[tokio::test(start_paused = true)]
async fn messages_behind_a_killed_turn_are_given_back() {
    let bench = Bench::new();
    let (session, prompt) = bench.prompted().await;
    bench.agent.message_chunk("half a").await;
    drop(bench.send(&session, "two"));
    bench.settle().await;
    let agent = async {
        bench.agent.next("session/cancel").await;
        bench.agent.end_turn(&prompt, "cancelled").await;
    };
    let (killed, ()) = tokio::join!(bench.provider.kill_session(&session), agent);
    killed.unwrap();
    assert!(bench.notices().contains(&"NeverBegan(\"turn-2\")".to_owned()));
    let prompts = bench.agent.told();
    assert!(prompts.iter().all(|message| message["method"] != "session/prompt"));
}

#[tokio::test(start_paused = true)]
async fn lines_that_are_no_messages_change_nothing() {
    let bench = Bench::new();
    let (_, prompt) = bench.prompted().await;
    for line in ["", "{", "[1,2]", "Welcome to the agent!", "{\"jsonrpc\":\"2.0\"}"] {
        bench.agent.say_line(line.to_owned()).await;
    }
    bench.agent.say(json!({ "method": "x/unknown", "params": {} })).await;
    bench.agent.message_chunk("fine").await;
    bench.agent.end_turn(&prompt, "end_turn").await;
    bench.settle().await;
    assert_eq!(bench.items(), ["turn-1:1:0 Create \"fine\"", "turn-1:1:0 Complete \"fine\""]);
    assert_eq!(bench.turns(), ["turn-1 started", "turn-1 Completed"]);
}
