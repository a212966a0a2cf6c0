//! OpenCode and the stand-in for Anthropic's API.

use serde_json::json;
use testkit::agents::opencode;
use testkit::model_api::{Gate, ModelApi, Reply};
use testkit::{AgentHome, OpencodeHome};

use crate::agent::Agent;

async fn start(home: &AgentHome) -> Agent<'_> {
    Agent::start(&opencode(), home).await
}

#[tokio::test]
async fn a_text_of_the_model_is_told_as_it_comes() {
    let api = ModelApi::with_replies([Reply::words(20)]).await;
    let home = OpencodeHome::new(&api);
    let mut agent = start(&home).await;
    assert_eq!(agent.initialized["agentInfo"]["version"], "1.18.33");
    let turn = agent.turn("Talk.").await;
    assert_eq!(turn.stop_reason(), "end_turn");
    assert!(turn.text().starts_with("word1 ") && turn.text().ends_with(" word20"));
    assert!(turn.of_kind("agent_message_chunk").len() >= 5, "it comes in pieces");
    assert_eq!(api.conversation()[0].last_user_text(), "Talk.");
    agent.end();
}

#[tokio::test]
async fn a_command_is_asked_for_and_run() {
    let input = json!({"command": "echo one > first", "description": "writes"});
    let api = ModelApi::with_replies([Reply::tool("bash", input), Reply::text("Done.")]).await;
    let home = OpencodeHome::new(&api);
    let mut agent = start(&home).await;
    let turn = agent.turn("Run.").await;
    assert_eq!((turn.stop_reason(), turn.text().as_str()), ("end_turn", "Done."));
    assert_eq!(turn.permissions.len(), 1);
    assert_eq!(turn.options(0), ["once", "always", "reject"]);
    let call = &turn.permissions[0]["toolCall"]["toolCallId"];
    assert_eq!(turn.last_status(call), Some("completed"));
    assert!(home.project().join("first").exists());
    agent.end();
}

#[tokio::test]
async fn a_cancel_reaches_a_model_that_fell_silent() {
    let gate = Gate::new();
    let held = Reply::words(8).words_per_delta(1).hold_after(2, &gate);
    let api = ModelApi::with_replies([held, Reply::text("Again.")]).await;
    let home = OpencodeHome::new(&api);
    let mut agent = start(&home).await;
    assert_eq!(agent.cancelled_turn("Talk.").await.stop_reason(), "cancelled");
    assert_eq!(agent.turn("And?").await.text(), "Again.");
    agent.end();
}
