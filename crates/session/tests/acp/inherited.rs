//! What was chosen for an earlier agent of a session, and what becomes of it with the next one.

use std::time::Duration;

use contract::SessionId;
use serde_json::{Value, json};
use session::provider::{CliProvider, LoadSession};
use store::AgentChoices;
use testkit::scripted_acp::AGENT_SESSION;

use crate::bench::Bench;

/// Takes the session up by `method`, as an agent that offers other modes and models than those that were chosen.
async fn open_with_other_settings(bench: &Bench, method: &str, can: Value) {
    while bench.agent.connects().is_empty() {
        tokio::task::yield_now().await;
    }
    // One that cannot go on is ended, and asked for another session by a second one.
    if method == "session/new" {
        let hello = bench.agent.next("initialize").await;
        bench.agent.answer(&hello, json!({ "protocolVersion": 1, "agentCapabilities": can })).await;
        while bench.agent.connects().len() == 1 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    let hello = bench.agent.next("initialize").await;
    bench.agent.answer(&hello, json!({ "protocolVersion": 1, "agentCapabilities": can })).await;
    let open = bench.agent.next(method).await;
    let offered = ["ask", "edit"].map(|id| json!({ "id": id, "name": id }));
    let modes = json!({ "currentModeId": "ask", "availableModes": offered });
    let models = json!([{ "modelId": "small", "name": "Small" }]);
    let models = json!({ "currentModelId": "small", "availableModels": models });
    let told = json!({ "sessionId": AGENT_SESSION, "modes": modes, "models": models });
    bench.agent.answer(&open, told).await;
}

/// Whether it goes on with what ran or begins anew what never did.
#[tokio::test(start_paused = true)]
async fn what_was_chosen_and_is_not_offered_any_more_is_left_and_told() {
    for (never_ran, can, method) in
        [(false, json!({ "loadSession": true }), "session/load"), (true, json!({}), "session/new")]
    {
        let bench = Bench::new();
        bench.agent.be_silent();
        let choices = AgentChoices {
            mode_id: Some("plan".into()),
            model_id: Some("large".into()),
            ..AgentChoices::default()
        };
        let options =
            LoadSession { holds_history: true, never_ran, choices, ..LoadSession::default() };
        let session = SessionId::from("s");
        let (loaded, ()) = tokio::join!(
            bench.provider.load_session(&session, options),
            open_with_other_settings(&bench, method, can)
        );
        loaded.unwrap();
        let options = bench.provider.options(&session).unwrap();
        assert_eq!(options.current_mode_id, Some("ask".into()), "never ran: {never_ran}");
        assert_eq!(options.current_model_id, Some("small".into()), "never ran: {never_ran}");
    }
}

/// It offers the mode and does not go there.
#[tokio::test(start_paused = true)]
async fn a_choice_that_an_agent_refuses_keeps_no_session_from_beginning_anew() {
    let bench = Bench::new();
    bench.agent.be_silent();
    let choices = AgentChoices { mode_id: Some("edit".into()), ..AgentChoices::default() };
    let never_ran = LoadSession { never_ran: true, choices, ..LoadSession::default() };
    let session = SessionId::from("s");
    let agent = async {
        open_with_other_settings(&bench, "session/new", json!({})).await;
        let asked = bench.agent.next("session/set_mode").await;
        bench.agent.refuse(&asked, -32603, "not today").await;
    };
    let (loaded, ()) = tokio::join!(bench.provider.load_session(&session, never_ran), agent);
    loaded.unwrap();
    let options = bench.provider.options(&session).unwrap();
    assert_eq!(options.current_mode_id, Some("ask".into()));
}
