//! The session API over HTTP and WebSocket with the real Claude Code behind it.

use testkit::SessionApi;
use testkit::agents::ClaudeVersion;
use testkit::claude_house::ClaudeHouse;
use testkit::model_api::{Gate, Reply};

use crate::house;
use crate::sends::last_line;

real! {
    tc_6_1a_tc_6_1b_tc_6_1c_tc_6_1d_sessions_of_claude_are_created_and_listed
    tc_6_1e_tc_6_1f_a_session_of_claude_is_loaded
    tc_6_2a_tc_6_2b_tc_6_2d_messages_to_claude_are_sent
    tc_6_2c_a_turn_of_claude_is_cancelled
    tc_6_3a_tc_6_3b_a_session_of_claude_is_killed
    tc_6_4b_with_the_window_closed_claude_is_told_in_upserts
}

async fn answering(version: ClaudeVersion, gate: &Gate) -> ClaudeHouse {
    let gate = gate.clone();
    house(version, move |request| match last_line(request).as_str() {
        "slow" => Reply::words(40).words_per_delta(1).hold_after(3, &gate),
        said => Reply::text(&format!("Answer to {said}")),
    })
    .await
}

async fn api_of(house: &ClaudeHouse) -> SessionApi {
    SessionApi { edge: house.edge().await, cli_type: "claude-code", project: house.project() }
}

async fn tc_6_1a_tc_6_1b_tc_6_1c_tc_6_1d_sessions_of_claude_are_created_and_listed(
    version: ClaudeVersion,
) {
    let house = answering(version, &Gate::new()).await;
    api_of(&house).await.creates_and_lists().await;
    house.end().await;
}

async fn tc_6_1e_tc_6_1f_a_session_of_claude_is_loaded(version: ClaudeVersion) {
    let house = answering(version, &Gate::new()).await;
    api_of(&house).await.loads().await;
    house.end().await;
}

async fn tc_6_2a_tc_6_2b_tc_6_2d_messages_to_claude_are_sent(version: ClaudeVersion) {
    let house = answering(version, &Gate::new()).await;
    api_of(&house).await.sends().await;
    house.end().await;
}

async fn tc_6_2c_a_turn_of_claude_is_cancelled(version: ClaudeVersion) {
    let gate = Gate::new();
    let house = answering(version, &gate).await;
    api_of(&house).await.cancels("slow", gate.reached()).await;
    house.end().await;
}

async fn tc_6_3a_tc_6_3b_a_session_of_claude_is_killed(version: ClaudeVersion) {
    let house = answering(version, &Gate::new()).await;
    api_of(&house).await.kills(|| house.processes()).await;
    house.end().await;
}

async fn tc_6_4b_with_the_window_closed_claude_is_told_in_upserts(version: ClaudeVersion) {
    let house = answering(version, &Gate::new()).await;
    let edge = house.edge_with_window(false).await;
    let api = SessionApi { edge, cli_type: "claude-code", project: house.project() };
    api.tells_nothing_legacy().await;
    house.end().await;
}
