//! A server that is killed, and the next one on what it left: what was acknowledged is there, and Codex goes on.

use serde_json::{Value, json};
use testkit::CutShort;
use testkit::responses_api::{Gate, ResponsesApi};

use crate::codex_sends::script;
use crate::server::Product;

#[tokio::test]
async fn nothing_acknowledged_is_lost_and_the_agent_remembers() {
    let gate = Gate::new();
    let api = ResponsesApi::start(script(&gate)).await;
    let mut product = Product::start(&api);
    let session = product.create().await;
    let conversation = CutShort::begin(&product.client, &session).await;
    let asked = api.turns().len();
    product.kill_and_serve().await;
    conversation.judge(&product.client).await;
    assert_eq!(api.turns().len(), asked, "nothing is prompted again by itself");
    gate.open();
    conversation.go_on(&product.client).await;
    let told = json!(api.turns().last().unwrap().input()).to_string();
    for words in ["Answer to first", "slow", "Answer to later", "again"] {
        assert!(told.contains(words), "the agent remembers {words}: {told}");
    }
}

/// Codex keeps nothing of a session in which nothing was said.
#[tokio::test]
async fn a_session_in_which_nothing_was_said_begins_anew() {
    let api = ResponsesApi::start(script(&Gate::new())).await;
    let mut product = Product::start(&api);
    let session = product.create().await;
    product.kill_and_serve().await;
    product.post(&format!("/api/session/{session}/send"), &json!({ "content": "hello" })).await;
    product.client.get(&format!("/api/session/{session}/wait?timeoutMs=60000")).await;
    let history = product.client.get(&format!("/api/session/{session}/history")).await.text();
    assert!(history.contains("Answer to hello"), "{history}");
}

#[tokio::test]
async fn what_was_chosen_is_chosen_again() {
    let api = ResponsesApi::start(script(&Gate::new())).await;
    let mut product = Product::start(&api);
    let session = product.create().await;
    let of_session = |what: &str| format!("/api/session/{session}/{what}");
    let options = product.client.get(&of_session("options")).await.json();
    let is_other = |model: &&Value| model["modelId"] != options["currentModelId"];
    let other = options["models"].as_array().unwrap().iter().find(is_other);
    let model = other.unwrap_or_else(|| panic!("{options}"))["modelId"].clone();
    product.post(&of_session("send"), &json!({ "content": "one" })).await;
    product.client.get(&of_session("wait?timeoutMs=60000")).await;
    product.post(&of_session("model"), &json!({ "modelId": model })).await;
    product.kill_and_serve().await;
    product.post(&of_session("load"), &json!({})).await;
    let options = product.client.get(&of_session("options")).await.json();
    assert_eq!(options["currentModelId"], model, "{options}");
}
