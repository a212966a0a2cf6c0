//! A client, and the agent's side of its conversation as a test wants it.

use acp::{AcpClient, Fresh, OpenWhat, Opening, Output, Parties, Prompt, Replayed};
use contract::{PermissionRequest, TurnEventKind, TurnId, UpsertBody};
use recording::at;
use serde_json::{Value, json};

pub(crate) const SESSION: &str = "agent-session";

pub(crate) struct Talk {
    client: AcpClient,
    ms: u64,
    /// What the client wrote and nobody has taken.
    written: Vec<Value>,
    /// What it told besides.
    told: Vec<Output>,
}

impl Talk {
    pub(crate) fn new(session: OpenWhat) -> Self {
        let parties = Parties {
            session: "ours".into(),
            provider: "agent".into(),
            client_version: String::new(),
        };
        let (cwd, choices, variables) = ("/".to_owned(), Vec::new(), Vec::new());
        let opening = Opening { cwd, session, choices, variables };
        let mut count = 0;
        let fresh = move |kind| {
            count += 1;
            match kind {
                Fresh::Turn => format!("own-{count}"),
                Fresh::Permission => format!("permission-{count}"),
            }
        };
        let client = AcpClient::new(parties, opening, fresh);
        let mut talk = Self { client, ms: 0, written: Vec::new(), told: Vec::new() };
        talk.take_in();
        talk
    }

    /// A client whose agent has introduced itself and was asked to open the session.
    pub(crate) fn introduced(session: OpenWhat, name: &str) -> Self {
        let mut talk = Self::new(session);
        let hello = talk.written("initialize");
        let told = json!({
            "protocolVersion": 1, "agentInfo": { "name": name, "version": "1" },
            "agentCapabilities": { "loadSession": true },
        });
        talk.answer(&hello, &told);
        talk
    }

    /// A client with an open session.
    pub(crate) fn open() -> Self {
        let mut talk = Self::introduced(OpenWhat::New, "agent");
        let new = talk.written("session/new");
        talk.answer(&new, &json!({ "sessionId": SESSION }));
        talk
    }

    pub(crate) fn existing(replayed: Replayed) -> OpenWhat {
        OpenWhat::Existing { agent_session: SESSION.to_owned(), replayed }
    }

    pub(crate) fn say(&mut self, message: &Value) {
        self.client.handle_line(&message.to_string(), at(self.ms));
        self.take_in();
    }

    pub(crate) fn update(&mut self, update: &Value) {
        let params = json!({ "sessionId": SESSION, "update": update });
        self.say(&json!({ "method": "session/update", "params": params }));
    }

    /// A piece of a text, as `agent_message_chunk` and its like.
    pub(crate) fn chunk(&mut self, kind: &str, text: &str, message: Option<&str>) {
        let content = json!({ "type": "text", "text": text });
        let kind = format!("{kind}_chunk");
        self.update(&json!({ "sessionUpdate": kind, "content": content, "messageId": message }));
    }

    pub(crate) fn answer(&mut self, request: &Value, result: &Value) {
        self.say(&json!({ "id": request["id"], "result": result }));
    }

    pub(crate) fn refuse(&mut self, request: &Value, message: &str) {
        let error = json!({ "code": -32603, "message": message });
        self.say(&json!({ "id": request["id"], "error": error }));
    }

    /// Asks for a permission of the options, under an id.
    pub(crate) fn ask(&mut self, id: &str, title: &str, options: &Value) {
        let call = json!({ "toolCallId": "call", "title": title });
        let params = json!({ "sessionId": SESSION, "toolCall": call, "options": options });
        self.say(&json!({ "id": id, "method": "session/request_permission", "params": params }));
    }

    pub(crate) fn send(&mut self, turn: &str) {
        let prompt = Prompt { text: format!("do {turn}"), images: Vec::new() };
        self.client.send(TurnId::from(turn), prompt, at(self.ms));
        self.take_in();
    }

    /// Sends, and gives the prompt as it was written.
    pub(crate) fn prompt(&mut self, turn: &str) -> Value {
        self.send(turn);
        self.written("session/prompt")
    }

    /// Time passes, every deadline at its own time.
    pub(crate) fn pass(&mut self, ms: u64) {
        let end = self.ms + ms;
        while let Some(due) = self.client.poll_timeout().map(recording::millis)
            && due <= end
        {
            self.ms = self.ms.max(due);
            self.client.handle_timeout(at(self.ms));
            self.take_in();
        }
        self.ms = end;
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.client.is_idle()
    }

    /// Takes the first message of that method.
    pub(crate) fn written(&mut self, method: &str) -> Value {
        let found = self.written.iter().position(|message| message["method"] == method);
        self.written.remove(found.unwrap_or_else(|| panic!("no {method} in {:?}", self.written)))
    }

    pub(crate) fn count(&self, method: &str) -> usize {
        self.written.iter().filter(|message| message["method"] == method).count()
    }

    /// The answers to a request of the agent's.
    pub(crate) fn answers_to(&self, id: &str) -> Vec<&Value> {
        let is_it = |message: &&Value| message["id"] == id && message.get("method").is_none();
        self.written.iter().filter(is_it).map(|message| &message["result"]).collect()
    }

    pub(crate) fn told(&self) -> &[Output] {
        &self.told
    }

    pub(crate) fn asked(&self) -> Vec<&PermissionRequest> {
        let asked = self.told.iter().filter_map(|output| match output {
            Output::Asked(request) => Some(&**request),
            _ => None,
        });
        asked.collect()
    }

    /// Turns, in a few words each.
    pub(crate) fn turns(&self) -> Vec<String> {
        let told = self.told.iter().filter_map(|output| {
            let Output::Turn(event) = output else { return None };
            Some(match &event.kind {
                TurnEventKind::TurnStarted { .. } => format!("{} started", event.turn_id),
                TurnEventKind::TurnComplete { status, .. } => {
                    format!("{} {status:?}", event.turn_id)
                }
                TurnEventKind::TurnError { error_message, .. } => {
                    format!("{} failed: {error_message}", event.turn_id)
                }
            })
        });
        told.collect()
    }

    /// What was paid for each turn that ended well.
    pub(crate) fn costs(&self) -> Vec<Option<f64>> {
        let told = self.told.iter().filter_map(|output| match output {
            Output::Turn(event) => match &event.kind {
                TurnEventKind::TurnComplete { usage, .. } => {
                    Some(usage.as_ref().and_then(|usage| usage.cost_usd))
                }
                _ => None,
            },
            _ => None,
        });
        told.collect()
    }

    /// Messages that are complete: whose turn, and what they say.
    pub(crate) fn messages(&self) -> Vec<(String, String)> {
        let told = self.told.iter().filter_map(|output| match output {
            Output::Upsert(item) if item.is_final() => match &item.body {
                UpsertBody::Message { content, .. } => {
                    Some((item.turn_id.to_string(), content.to_string()))
                }
                _ => None,
            },
            _ => None,
        });
        told.collect()
    }

    fn take_in(&mut self) {
        while let Some(output) = self.client.poll_output() {
            match output {
                Output::Write(line) => self.written.push(serde_json::from_str(&line).unwrap()),
                other => self.told.push(other),
            }
        }
    }
}
