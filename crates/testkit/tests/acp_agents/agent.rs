//! A client of the Agent Client Protocol that is just enough for a test: plain lines of JSON-RPC.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::AgentHome;
use tokio::sync::mpsc;

/// How long anything may take. Generous: machines are busy, and nothing is measured here.
const PATIENCE: Duration = Duration::from_secs(60);

/// More lines than a test makes; a full channel makes the agent wait.
const LINES: usize = 10_000;

/// A running agent with one session; it and all it started end with the test, however it goes.
pub(crate) struct Agent<'a> {
    home: &'a AgentHome,
    child: Child,
    /// Taken when the agent is told that there is no more to say.
    stdin: Option<ChildStdin>,
    lines: mpsc::Receiver<Value>,
    requests: u64,
    /// What it says of itself.
    pub(crate) initialized: Value,
    /// The answer to `session/new`.
    pub(crate) session: Value,
}

/// What came of one prompt.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    pub(crate) updates: Vec<Value>,
    pub(crate) permissions: Vec<Value>,
    /// With a `result` or an `error`.
    pub(crate) response: Value,
}

impl Drop for Agent<'_> {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
        for process in self.home.processes() {
            Command::new("kill").args(["-9", &process.to_string()]).status().ok();
        }
    }
}

impl<'a> Agent<'a> {
    /// Starts it and opens a session in its project.
    pub(crate) async fn start(command: &[OsString], home: &'a AgentHome) -> Self {
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .current_dir(home.project())
            .env_clear()
            .envs(home.environment())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let lines = lines_of(&mut child);
        let (initialized, session) = (Value::Null, Value::Null);
        let mut agent = Self { home, child, stdin, lines, requests: 0, initialized, session };
        agent.open().await;
        agent
    }

    async fn open(&mut self) {
        let files = json!({"readTextFile": false, "writeTextFile": false});
        let capabilities = json!({"fs": files, "terminal": false});
        let hello = json!({"protocolVersion": 1, "clientCapabilities": capabilities});
        self.initialized = self.call("initialize", &hello).await;
        assert_eq!(self.initialized["protocolVersion"], 1);
        let place = json!({"cwd": self.home.project(), "mcpServers": []});
        self.session = self.call("session/new", &place).await;
    }

    /// The result of a request that must succeed.
    pub(crate) async fn call(&mut self, method: &str, parameters: &Value) -> Value {
        let id = self.request(method, parameters);
        let response = self.turn_of(id, |_| {}).await.response;
        assert!(response.get("result").is_some(), "{method}: {response}");
        response["result"].clone()
    }

    /// Says something, allows whatever the agent asks for, and waits for the end.
    pub(crate) async fn turn(&mut self, text: &str) -> Turn {
        let id = self.prompt(text);
        self.turn_of(id, |_| {}).await
    }

    /// Says something and cancels the turn as soon as the agent has begun to speak.
    pub(crate) async fn cancelled_turn(&mut self, text: &str) -> Turn {
        let id = self.prompt(text);
        let mut is_cancelled = false;
        self.turn_of(id, move |agent| {
            if !is_cancelled {
                is_cancelled = true;
                agent.notify("session/cancel", &json!({"sessionId": agent.session["sessionId"]}));
            }
        })
        .await
    }

    fn prompt(&mut self, text: &str) -> u64 {
        let prompt = json!([{"type": "text", "text": text}]);
        let session = self.session["sessionId"].clone();
        self.request("session/prompt", &json!({"sessionId": session, "prompt": prompt}))
    }

    /// Everything until the answer to a request. `at_text` is called at every piece of text.
    async fn turn_of(&mut self, id: u64, mut at_text: impl FnMut(&mut Self)) -> Turn {
        let mut turn = Turn::default();
        loop {
            let line = tokio::time::timeout(PATIENCE, self.lines.recv()).await;
            let line = line.expect("the agent says something in time").expect("the agent runs");
            match line["method"].as_str() {
                None if line["id"] == id => {
                    turn.response = line;
                    return turn;
                }
                Some("session/request_permission") => {
                    self.allow(&line);
                    turn.permissions.push(line["params"].clone());
                }
                Some("session/update") => {
                    let update = line["params"]["update"].clone();
                    if said(&update, "agent_message_chunk").is_some_and(|text| !text.is_empty()) {
                        at_text(self);
                    }
                    turn.updates.push(update);
                }
                _ => panic!("unexpected: {line}"),
            }
        }
    }

    fn allow(&mut self, asked: &Value) {
        let mut options = asked["params"]["options"].as_array().unwrap().iter();
        let once = options.find(|option| option["kind"] == "allow_once").unwrap();
        let outcome = json!({"outcome": "selected", "optionId": once["optionId"]});
        self.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"outcome": outcome}}));
    }

    fn request(&mut self, method: &str, parameters: &Value) -> u64 {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}));
        id
    }

    fn notify(&mut self, method: &str, parameters: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": parameters}));
    }

    fn send(&mut self, line: &Value) {
        let stdin = self.stdin.as_mut().expect("it is told something before its end");
        stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// Closes its input, waits until it is gone by itself, and looks for what it left behind.
    pub(crate) fn end(mut self) {
        self.stdin = None;
        self.wait_until("the agent ends", |agent| agent.child.try_wait().unwrap().is_some());
        assert!(self.child.wait().unwrap().success());
        self.wait_until("nothing is left", |agent| agent.home.processes().is_empty());
    }

    /// Ends it by force, and looks for what it left behind.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.wait_until("nothing is left", |agent| agent.home.processes().is_empty());
    }

    fn wait_until(&mut self, what: &str, mut is_so: impl FnMut(&mut Self) -> bool) {
        let start = Instant::now();
        while !is_so(self) {
            assert!(start.elapsed() < PATIENCE, "never: {what}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Turn {
    pub(crate) fn stop_reason(&self) -> &str {
        self.response["result"]["stopReason"].as_str().unwrap_or("none")
    }

    pub(crate) fn text(&self) -> String {
        self.updates.iter().filter_map(|update| said(update, "agent_message_chunk")).collect()
    }

    pub(crate) fn thoughts(&self) -> String {
        self.updates.iter().filter_map(|update| said(update, "agent_thought_chunk")).collect()
    }

    /// The updates of a kind, without those that agents send whenever they like.
    pub(crate) fn of_kind(&self, kind: &str) -> Vec<&Value> {
        self.updates.iter().filter(|update| update["sessionUpdate"] == kind).collect()
    }

    /// The ids of the options that a permission was asked for with.
    pub(crate) fn options(&self, permission: usize) -> Vec<&str> {
        let options = self.permissions[permission]["options"].as_array().unwrap();
        options.iter().map(|option| option["optionId"].as_str().unwrap()).collect()
    }

    /// The last status that a tool call was told to have.
    pub(crate) fn last_status(&self, call: &Value) -> Option<&str> {
        let of_call = self.updates.iter().filter(|update| update["toolCallId"] == *call);
        of_call.filter_map(|update| update["status"].as_str()).next_back()
    }
}

fn said<'a>(update: &'a Value, kind: &str) -> Option<&'a str> {
    let is_kind = update["sessionUpdate"] == kind;
    is_kind.then(|| update["content"]["text"].as_str()).flatten()
}

fn lines_of(child: &mut Child) -> mpsc::Receiver<Value> {
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (sender, lines) = mpsc::channel(LINES);
    // It ends with the agent's output, and that ends with the agent.
    std::thread::spawn(move || {
        for line in stdout.lines().map_while(Result::ok) {
            let line = serde_json::from_str(&line).expect("an agent speaks JSON only");
            if sender.blocking_send(line).is_err() {
                break;
            }
        }
    });
    lines
}
