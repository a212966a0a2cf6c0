//! A server that is killed, and the next one on what it left: what was acknowledged is there, and the agent goes on.

use serde_json::json;
use testkit::CutShort;
use testkit::agents::ClaudeVersion;
use testkit::model_api::{Gate, ModelApi, Reply};

use crate::sends::last_line;
use crate::server::Product;

real! {
    nothing_acknowledged_is_lost_and_the_agent_remembers
    what_was_chosen_is_chosen_again
    a_session_in_which_nothing_was_said_begins_anew
    a_conversation_that_the_agent_has_lost_is_not_begun_anew_in_silence
}

async fn model(gate: &Gate) -> ModelApi {
    let gate = gate.clone();
    ModelApi::start(move |request| match last_line(request).as_str() {
        "slow" => Reply::words(40).words_per_delta(1).hold_after(20, &gate),
        said => Reply::text(&format!("Answer to {said}")),
    })
    .await
}

async fn nothing_acknowledged_is_lost_and_the_agent_remembers(version: ClaudeVersion) {
    let gate = Gate::new();
    let api = model(&gate).await;
    let mut product = Product::start(version, &api);
    let session = product.create().await;
    let conversation = CutShort::begin(&product.client, &session).await;
    let asked = api.conversation().len();
    written_down(&product, "Answer to first").await;
    product.kill_and_serve().await;
    conversation.judge(&product.client).await;
    assert_eq!(api.conversation().len(), asked, "nothing is prompted again by itself");
    gate.open();
    conversation.go_on(&product.client).await;
    let told = json!(api.conversation().last().unwrap().messages()).to_string();
    for words in ["Answer to first", "Answer to later", "again"] {
        assert!(told.contains(words), "the agent remembers {words}: {told}");
    }
}

/// The agent writes its conversation down a little after it was said; killed before, it knows nothing of it.
async fn written_down(product: &Product, words: &str) {
    let projects = product.directory.path().join("home/.claude/projects");
    let holds = |path: std::path::PathBuf| {
        std::fs::read_to_string(path).is_ok_and(|text| text.contains(words))
    };
    for _ in 0..200 {
        let folders = std::fs::read_dir(&projects).into_iter().flatten().flatten();
        let mut files = folders.flat_map(|folder| std::fs::read_dir(folder.path())).flatten();
        if files.any(|file| file.is_ok_and(|file| holds(file.path()))) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("the agent never wrote {words} down");
}

/// The model shows in what is asked of it, the mode in what the session says of itself, and the budget in the agent's lines.
async fn what_was_chosen_is_chosen_again(version: ClaudeVersion) {
    let api = model(&Gate::new()).await;
    let mut product = Product::start(version, &api);
    let choices = json!({
        "modeId": "acceptEdits", "modelId": "haiku",
        "providerOptions": { "maxThinkingTokens": 2048 },
    });
    let session = product.create_with(choices).await;
    product.send(&session, "one").await;
    product.client.get(&format!("/api/session/{session}/wait?timeoutMs=60000")).await;
    assert_eq!(budgets(&product), 1, "told before the first prompt");
    product.kill_and_serve().await;
    product.send(&session, "two").await;
    product.client.get(&format!("/api/session/{session}/wait?timeoutMs=60000")).await;
    let options = product.client.get(&format!("/api/session/{session}/options")).await.json();
    assert_eq!(options["currentModeId"], "acceptEdits", "{options}");
    // More than once where the agent had written nothing down and was begun anew.
    let told = budgets(&product);
    assert!(told > 1, "and told again");
    let asked = api.conversation();
    assert_eq!(asked.len(), 2);
    assert!(asked.iter().all(|request| request.model().contains("haiku")));

    let without = product.create().await;
    product.send(&without, "three").await;
    product.client.get(&format!("/api/session/{without}/wait?timeoutMs=60000")).await;
    assert_eq!(budgets(&product), told, "who chose none is asked for none");
}

/// How often an agent was told the budget, by what was recorded of all of them.
fn budgets(product: &Product) -> usize {
    let recordings = std::fs::read_dir(product.directory.path().join("recordings")).unwrap();
    let lines = recordings.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
    lines.map(|text| text.matches("set_max_thinking_tokens").count()).sum()
}

async fn a_session_in_which_nothing_was_said_begins_anew(version: ClaudeVersion) {
    let api = model(&Gate::new()).await;
    let mut product = Product::start(version, &api);
    let session = product.create().await;
    product.kill_and_serve().await;
    product.send(&session, "hello").await;
    product.client.get(&format!("/api/session/{session}/wait?timeoutMs=60000")).await;
    let history = product.client.get(&format!("/api/session/{session}/history")).await.text();
    assert!(history.contains("Answer to hello"), "{history}");
}

/// As when the agent was killed before it wrote down what was said.
async fn a_conversation_that_the_agent_has_lost_is_not_begun_anew_in_silence(
    version: ClaudeVersion,
) {
    let api = model(&Gate::new()).await;
    let mut product = Product::start(version, &api);
    let session = product.create().await;
    product.send(&session, "one").await;
    product.client.get(&format!("/api/session/{session}/wait?timeoutMs=60000")).await;
    product.kill_and_serve().await;
    std::fs::remove_dir_all(product.directory.path().join("home/.claude/projects")).ok();
    product.send(&session, "two").await;
    product.client.get(&format!("/api/session/{session}/wait?timeoutMs=60000")).await;
    let history = product.client.get(&format!("/api/session/{session}/history")).await.json();
    let entries = history["entries"].as_array().unwrap().iter();
    let said: Vec<_> = entries.map(|item| (&item["origin"], item["content"].as_str())).collect();
    let [.., question, (origin, Some(told)), answer] = said.as_slice() else { panic!("{said:?}") };
    assert_eq!((question.1, answer.1), (Some("two"), Some("Answer to two")));
    assert_eq!(*origin, "system");
    assert!(told.contains("kept nothing of what was said before"), "{told}");
}
