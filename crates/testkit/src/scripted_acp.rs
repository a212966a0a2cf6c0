//! A double at the boundary to an ACP agent: says what a test wants, and notes what it is told.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use session::provider::acp::{
    AcpConnection, AcpTransport, AgentWords, ConnectRequest, ConnectionControl, TransportError,
    Word,
};
use tokio::sync::{mpsc, watch};

/// The agent's own id of every session that it opens.
pub const AGENT_SESSION: &str = "agent-session-1";

/// One clone goes to the provider, another stays with the test. Speaks of the agent that was started last.
#[derive(Clone, Debug, Default)]
pub struct ScriptedAcp {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    connects: Mutex<Vec<ConnectRequest>>,
    agent: Mutex<Option<Agent>>,
    failure: Mutex<Option<String>>,
    /// What the agent says it can do.
    capabilities: Mutex<Value>,
    variables: Mutex<Vec<String>>,
    /// Whether it answers by itself what opens and closes a session.
    is_obliging: AtomicBool,
    closes: AtomicU32,
}

impl Default for Shared {
    fn default() -> Self {
        let sessions = json!({ "list": {}, "resume": {}, "close": {} });
        let capabilities = json!({
            "loadSession": true,
            "promptCapabilities": { "image": true },
            "sessionCapabilities": sessions,
        });
        Self {
            connects: Mutex::default(),
            agent: Mutex::default(),
            failure: Mutex::default(),
            capabilities: Mutex::new(capabilities),
            variables: Mutex::default(),
            is_obliging: AtomicBool::new(true),
            closes: AtomicU32::new(0),
        }
    }
}

#[derive(Debug)]
struct Agent {
    said: mpsc::Sender<Said>,
    input: mpsc::Receiver<String>,
    told: VecDeque<Value>,
    end: watch::Sender<Option<String>>,
}

#[derive(Debug)]
enum Said {
    Line(String),
    Aside(String),
}

impl ScriptedAcp {
    pub fn connects(&self) -> Vec<ConnectRequest> {
        self.shared.connects.lock().unwrap().clone()
    }

    /// The next agent does not start.
    pub fn fail_next(&self, message: &str) {
        *self.shared.failure.lock().unwrap() = Some(message.to_owned());
    }

    pub fn set_capabilities(&self, capabilities: Value) {
        *self.shared.capabilities.lock().unwrap() = capabilities;
    }

    /// Variables that the agents' environment holds.
    pub fn set_variables(&self, names: &[&str]) {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        *self.shared.variables.lock().unwrap() = names;
    }

    /// From here on the test answers everything itself.
    pub fn be_silent(&self) {
        self.shared.is_obliging.store(false, Ordering::SeqCst);
    }

    pub async fn say(&self, message: Value) {
        self.say_line(message.to_string()).await;
    }

    pub async fn say_line(&self, line: String) {
        self.speaker().send(Said::Line(line)).await.unwrap();
    }

    /// Writes to standard error.
    pub async fn say_aside(&self, text: &str) {
        self.speaker().send(Said::Aside(text.to_owned())).await.unwrap();
    }

    pub async fn update(&self, update: Value) {
        let params = json!({ "sessionId": AGENT_SESSION, "update": update });
        self.say(json!({ "jsonrpc": "2.0", "method": "session/update", "params": params })).await;
    }

    pub async fn message_chunk(&self, text: &str) {
        let content = json!({ "type": "text", "text": text });
        self.update(json!({ "sessionUpdate": "agent_message_chunk", "content": content })).await;
    }

    /// Answers a request of the client's.
    pub async fn answer(&self, request: &Value, result: Value) {
        self.say(json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })).await;
    }

    pub async fn refuse(&self, request: &Value, code: i64, message: &str) {
        let error = json!({ "code": code, "message": message });
        self.say(json!({ "jsonrpc": "2.0", "id": request["id"], "error": error })).await;
    }

    pub async fn end_turn(&self, prompt: &Value, reason: &str) {
        self.answer(prompt, json!({ "stopReason": reason })).await;
    }

    fn speaker(&self) -> mpsc::Sender<Said> {
        self.shared.agent.lock().unwrap().as_ref().unwrap().said.clone()
    }

    /// Everything that the agent was told and nobody has taken.
    pub fn told(&self) -> Vec<Value> {
        let mut agent = self.shared.agent.lock().unwrap();
        let agent = agent.as_mut().unwrap();
        while let Ok(line) = agent.input.try_recv() {
            agent.told.push_back(serde_json::from_str(&line).unwrap());
        }
        agent.told.iter().cloned().collect()
    }

    /// Takes the next message of that method; waits for it.
    pub async fn next(&self, method: &str) -> Value {
        self.next_where(|message| message["method"] == method).await
    }

    /// Takes the answer to a request of the agent's; waits for it.
    pub async fn answer_to(&self, id: &str) -> Value {
        self.next_where(|message| message["id"] == id && message.get("method").is_none()).await
    }

    async fn next_where(&self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let found = self.told().iter().position(&is_it);
            if let Some(index) = found {
                let mut agent = self.shared.agent.lock().unwrap();
                return agent.as_mut().unwrap().told.remove(index).unwrap();
            }
            // Not only a yield: a clock that is paused moves on only when everybody sleeps.
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    pub fn closes(&self) -> u32 {
        self.shared.closes.load(Ordering::SeqCst)
    }

    /// The agent ends by itself.
    pub fn die(&self, reason: &str) {
        let agent = self.shared.agent.lock().unwrap().take().unwrap();
        agent.end.send_replace(Some(reason.to_owned()));
    }
}

impl Shared {
    /// What an obliging agent answers by itself.
    fn answer(&self, request: &Value) -> Option<Value> {
        if !self.is_obliging.load(Ordering::SeqCst) {
            return None;
        }
        let result = match request["method"].as_str()? {
            "initialize" => {
                let capabilities = self.capabilities.lock().unwrap().clone();
                json!({ "protocolVersion": 1, "agentCapabilities": capabilities })
            }
            "session/new" => json!({ "sessionId": AGENT_SESSION }),
            "session/load" | "session/resume" | "session/close" => json!({}),
            _ => return None,
        };
        Some(json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }))
    }
}

#[async_trait]
impl AcpTransport for ScriptedAcp {
    async fn connect(&self, request: ConnectRequest) -> Result<AcpConnection, TransportError> {
        self.shared.connects.lock().unwrap().push(request);
        if let Some(message) = self.shared.failure.lock().unwrap().take() {
            return Err(TransportError(message));
        }
        let (said, receiver) = mpsc::channel(64);
        let (input, mut lines) = mpsc::channel::<String>(64);
        let (noted, notes) = mpsc::channel(256);
        let (end, ended) = watch::channel(None);
        let agent =
            Agent { said: said.clone(), input: notes, told: VecDeque::new(), end: end.clone() };
        *self.shared.agent.lock().unwrap() = Some(agent);
        let shared = self.shared.clone();
        // It ends with the connection's input.
        tokio::spawn(async move {
            while let Some(line) = lines.recv().await {
                let answer = shared.answer(&serde_json::from_str(&line).unwrap());
                noted.send(line).await.ok();
                if let Some(answer) = answer {
                    said.send(Said::Line(answer.to_string())).await.ok();
                }
            }
        });
        let variables = self.shared.variables.lock().unwrap().clone();
        let words = ScriptedWords { said: receiver, ended: ended.clone() };
        let control = ScriptedControl { shared: self.shared.clone(), end, ended };
        let control = Arc::new(control);
        Ok(AcpConnection { output: Box::new(words), input, control, variables })
    }
}

struct ScriptedWords {
    said: mpsc::Receiver<Said>,
    ended: watch::Receiver<Option<String>>,
}

#[async_trait]
impl AgentWords for ScriptedWords {
    async fn next(&mut self) -> Option<Word<'_>> {
        let said = tokio::select! {
            biased;
            said = self.said.recv() => said,
            _ = self.ended.wait_for(Option::is_some) => None,
        };
        said.map(|said| match said {
            Said::Line(line) => Word::Line(Cow::Owned(line)),
            Said::Aside(text) => Word::Aside(text),
        })
    }
}

struct ScriptedControl {
    shared: Arc<Shared>,
    end: watch::Sender<Option<String>>,
    ended: watch::Receiver<Option<String>>,
}

#[async_trait]
impl ConnectionControl for ScriptedControl {
    async fn close(&self) {
        self.shared.closes.fetch_add(1, Ordering::SeqCst);
        self.end.send_if_modified(|end| {
            let is_first = end.is_none();
            end.get_or_insert_with(|| "closed".to_owned());
            is_first
        });
    }

    async fn ended(&self) -> String {
        let mut ended = self.ended.clone();
        let reason = ended.wait_for(Option::is_some).await;
        reason.ok().and_then(|reason| reason.clone()).unwrap_or_default()
    }
}
