//! What a socket was told of a session, for tests of the whole way from a real agent to a client.

use contract::{ServerFrame, SessionId};
use serde_json::Value;

use crate::client_view::ClientView;
use crate::socket_client::SocketClient;

#[derive(Debug)]
pub struct ToldStream {
    pub messages: Vec<Value>,
    /// What the messages amount to.
    pub view: ClientView,
}

impl ToldStream {
    /// Begins with the history that the connection was told.
    pub fn new(session: &SessionId, history: Value) -> Self {
        let mut told = Self { messages: Vec::new(), view: ClientView::new(session) };
        told.take(history);
        told
    }

    /// Takes in messages until a turn has ended, and answers what is asked meanwhile with the first option that allows.
    pub async fn until_turn_ends(&mut self, socket: &mut SocketClient) {
        loop {
            let message = socket.receive().await;
            let kind = message["payload"]["type"].as_str().unwrap_or_default().to_owned();
            if message["type"] == "permission:requested" {
                socket.send(&allowing(&message)).await;
            }
            self.take(message);
            if ["turn_complete", "turn_error"].contains(&kind.as_str()) {
                return;
            }
        }
    }

    fn take(&mut self, message: Value) {
        let frame: ServerFrame = serde_json::from_value(message.clone()).unwrap();
        self.view.apply(frame.message);
        assert!(self.view.mismatches.is_empty(), "{message}");
        self.messages.push(message);
    }

    pub fn of_type(&self, kind: &str) -> Vec<&Value> {
        self.messages.iter().filter(|message| message["type"] == kind).collect()
    }

    /// The states of items of a kind, as upserts told them.
    pub fn upserts(&self, kind: &str) -> Vec<&Value> {
        let payloads =
            self.of_type("session:upsert").into_iter().map(|message| &message["payload"]);
        payloads.filter(|payload| payload["type"] == kind).collect()
    }
}

fn allowing(request: &Value) -> Value {
    let options = request["options"].as_array().unwrap();
    let allows = options.iter().find(|option| option["kind"] == "allow_once").unwrap();
    serde_json::json!({"type": "permission:answer", "sessionId": request["sessionId"],
        "permissionId": request["permissionId"], "optionId": allows["optionId"]})
}
