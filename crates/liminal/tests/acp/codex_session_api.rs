//! The session API over HTTP and WebSocket with the real Codex behind it.

use testkit::SessionApi;
use testkit::responses_api::Gate;

use crate::codex_sends::script;
use crate::{CodexHouse, codex};

async fn api_of(house: &CodexHouse) -> SessionApi {
    SessionApi { edge: house.edge().await, cli_type: "codex", project: house.project() }
}

#[tokio::test]
async fn tc_6_1a_tc_6_1b_tc_6_1c_tc_6_1d_sessions_of_codex_are_created_and_listed() {
    let house = codex(script(&Gate::new())).await;
    api_of(&house).await.creates_and_lists().await;
    house.end().await;
}

#[tokio::test]
async fn tc_6_1e_tc_6_1f_a_session_of_codex_is_loaded() {
    let house = codex(script(&Gate::new())).await;
    api_of(&house).await.loads().await;
    house.end().await;
}

#[tokio::test]
async fn tc_6_2a_tc_6_2b_tc_6_2d_messages_to_codex_are_sent() {
    let house = codex(script(&Gate::new())).await;
    api_of(&house).await.sends().await;
    house.end().await;
}

#[tokio::test]
async fn tc_6_2c_a_turn_of_codex_is_cancelled() {
    let gate = Gate::new();
    let house = codex(script(&gate)).await;
    api_of(&house).await.cancels("slow", gate.reached()).await;
    house.end().await;
}

#[tokio::test]
async fn tc_6_3a_tc_6_3b_a_session_of_codex_is_killed() {
    let house = codex(script(&Gate::new())).await;
    api_of(&house).await.kills(|| house.processes()).await;
    house.end().await;
}

#[tokio::test]
async fn tc_6_4b_with_the_window_closed_codex_is_told_in_upserts() {
    let house = codex(script(&Gate::new())).await;
    let edge = house.edge_with_window(false).await;
    let api = SessionApi { edge, cli_type: "codex", project: house.project() };
    api.tells_nothing_legacy().await;
    house.end().await;
}
