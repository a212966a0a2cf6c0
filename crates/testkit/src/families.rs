//! One turn of an agent as three connections are told it, each in its family.

use contract::SessionId;
use serde_json::{Value, json};

use crate::edge::Edge;
use crate::socket_client::SocketClient;
use crate::told_stream::ToldStream;

pub(crate) const LEGACY: [&str; 4] =
    ["session:update", "session:chunk", "session:complete", "session:cancelled"];
pub(crate) const UPSERTS: [&str; 3] = ["session:upsert", "session:delta", "session:turn"];

/// Sends a prompt that is answered with text. Checks that each connection is told it in its own family and in no other, and
/// that all three know the same answer, which is returned.
pub async fn answer_in_all_families(edge: &Edge, session: &SessionId, prompt: &str) -> String {
    let mut old = edge.socket().await;
    old.send(&json!({"type": "session:open", "sessionId": session})).await;
    old.receive_type("session:history").await;
    let (mut whole, history) = edge.opened("upsert-v1", session).await;
    let mut by_whole = ToldStream::new(session, history);
    let (mut grown, history) = edge.opened("upsert-v2", session).await;
    let mut by_growth = ToldStream::new(session, history);
    whole.send(&json!({"type": "session:send", "sessionId": session, "content": prompt})).await;
    by_whole.until_turn_ends(&mut whole).await;
    by_growth.until_turn_ends(&mut grown).await;
    let legacy = until_complete(&mut old).await;

    for told in [&by_whole.messages, &by_growth.messages] {
        assert!(!told.iter().any(|message| is_one_of(message, &LEGACY)), "{told:?}");
        assert!(told.iter().any(|message| is_one_of(message, &UPSERTS)), "{told:?}");
    }
    assert!(!legacy.iter().any(|message| is_one_of(message, &UPSERTS)), "{legacy:?}");
    let (said_whole, said_grown) = (answer_of(&by_whole), answer_of(&by_growth));
    assert_eq!(said_whole, said_grown);
    assert_eq!(legacy_answer(&legacy), said_whole);
    said_whole
}

pub(crate) fn is_one_of(message: &Value, kinds: &[&str]) -> bool {
    kinds.contains(&message["type"].as_str().unwrap_or_default())
}

async fn until_complete(socket: &mut SocketClient) -> Vec<Value> {
    let mut told = Vec::new();
    loop {
        let message = socket.receive().await;
        let is_last = message["type"] == "session:complete";
        told.push(message);
        if is_last {
            return told;
        }
    }
}

/// What the agent said, at the end.
fn answer_of(told: &ToldStream) -> String {
    let (items, _) = told.view.shown();
    let last = items.iter().rev().find_map(|item| item.content());
    last.map(ToString::to_string).unwrap_or_default()
}

/// An empty entry first, then what is new of it, piece by piece, then its end.
fn legacy_answer(told: &[Value]) -> String {
    let begun = told.iter().find(|message| message["entry"]["type"] == "assistant");
    let begun = &begun.expect("an answer begins")["entry"];
    assert_eq!(begun["content"], "");
    let chunks = told.iter().filter(|message| message["type"] == "session:chunk");
    let chunks = chunks.filter(|chunk| chunk["entryId"] == begun["entryId"]);
    chunks.map(|chunk| chunk["content"].as_str().unwrap_or_default()).collect()
}
