//! What is left of sessions when the server is killed and started again on the same data.
#![cfg(test)]

mod follower;
mod orphans;
mod predecessor;
mod restarts;
mod storm;
mod strained;

use std::path::Path;

use contract::SessionId;
use serde_json::{Value, json};
use testkit::ServerPlace;

const LIMINAL: &str = env!("CARGO_BIN_EXE_liminal");

fn place() -> ServerPlace {
    ServerPlace::new(Path::new(LIMINAL), "")
}

fn envelope(session: &SessionId, turn: &str, payload: &Value) -> String {
    let envelope = json!({
        "eventId": "e", "timestamp": "2026-01-01T00:00:00.000Z", "turnId": turn,
        "sessionId": session.as_str(), "type": payload["type"], "payload": payload,
    });
    format!("{envelope}\n")
}

/// The ends of turns, as they were told: turn and code or status.
fn ends(history: &Value) -> Vec<(String, String)> {
    let turns = history["turns"].as_array().unwrap().iter();
    let ends = turns.filter(|event| event["type"] != "turn_started").map(|event| {
        let how = event["errorCode"].as_str().or(event["status"].as_str()).unwrap();
        (event["turnId"].as_str().unwrap().to_owned(), how.to_owned())
    });
    ends.collect()
}
