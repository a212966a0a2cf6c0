//! A client of the legacy family, for tests of the whole way from a real agent to it.

use std::time::Duration;

use contract::SessionId;
use serde_json::{Value, json};

use crate::edge::Edge;
use crate::families::{UPSERTS, is_one_of};
use crate::socket_client::SocketClient;

/// What a server pings with is no message, so that a socket alone would wait for ever.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub struct OldClient<'a> {
    edge: &'a Edge,
    session: SessionId,
    socket: SocketClient,
    /// What it was told since it opened the session.
    pub told: Vec<Value>,
}

impl<'a> OldClient<'a> {
    /// Says no hello and opens a session.
    pub async fn open(edge: &'a Edge, session: &SessionId) -> Self {
        let mut socket = edge.socket().await;
        socket.send(&json!({"type": "session:open", "sessionId": session})).await;
        socket.receive_type("session:history").await;
        Self { edge, session: session.clone(), socket, told: Vec::new() }
    }

    pub async fn send(&mut self, content: &str) {
        let send = json!({"type": "session:send", "sessionId": self.session, "content": content});
        self.socket.send(&send).await;
    }

    pub async fn cancel(&mut self) {
        self.socket.send(&json!({"type": "session:cancel", "sessionId": self.session})).await;
    }

    /// Takes in messages until one that is looked for, which it returns.
    pub async fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let next = tokio::time::timeout(PATIENCE, self.socket.receive()).await;
            let Ok(message) = next else { panic!("it never came: {:#?}", self.told) };
            assert!(!is_one_of(&message, &UPSERTS), "nothing of another family: {message}");
            self.told.push(message.clone());
            if is_it(&message) {
                return message;
            }
        }
    }

    /// Allows what waits for an answer. Its own family has no word for that, so somebody else says it.
    pub async fn allow(&self) {
        let waiting = self.edge.client().get("/api/permissions").await.json();
        let request = &waiting.as_array().unwrap()[0];
        let options = request["options"].as_array().unwrap();
        let allow = options.iter().find(|option| option["kind"] == "allow_once").unwrap();
        let id = request["permissionId"].as_str().unwrap();
        let path = format!("/api/session/{}/permission/{id}", self.session);
        let body = json!({"optionId": allow["optionId"]});
        let answered = self.edge.client().post_json(&path, &body).await;
        assert_eq!(answered.status, 200, "{}", answered.text());
    }

    /// The states of calls, as it was told them.
    pub fn calls(&self) -> Vec<&Value> {
        let entries = self.told.iter().map(|message| &message["entry"]);
        entries.filter(|entry| entry["type"] == "tool-call").collect()
    }

    /// The text of an entry: empty at first, and then what was new of it, piece by piece.
    pub fn text_of(&self, entry: &Value) -> String {
        let mut text = String::new();
        for message in &self.told {
            if message["entry"]["entryId"] == *entry {
                message["entry"]["content"].as_str().unwrap().clone_into(&mut text);
            } else if message["type"] == "session:chunk" && message["entryId"] == *entry {
                text += message["content"].as_str().unwrap();
            }
        }
        text
    }
}
