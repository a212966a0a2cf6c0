//! `liminal demo-agent` as a program sees it: JSON lines on its standard input and output.
#![cfg(test)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(30);

/// A home and a project, gone after the test.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::create_dir(place.project()).unwrap();
        fs::write(place.project().join("README.md"), "# Title\n\nold words\n").unwrap();
        fs::write(place.0.path().join("secret.txt"), "secret").unwrap();
        std::os::unix::fs::symlink("../secret.txt", place.project().join("way-out")).unwrap();
        place
    }

    fn project(&self) -> PathBuf {
        self.0.path().join("project")
    }

    fn readme(&self) -> String {
        fs::read_to_string(self.project().join("README.md")).unwrap()
    }

    #[expect(clippy::disallowed_methods, reason = "the binary under test")]
    fn start(&self) -> Agent {
        let mut child = Command::new(env!("CARGO_BIN_EXE_liminal"))
            .arg("demo-agent")
            .env("LIMINAL_DEMO_HOME", self.0.path().join("home"))
            .env("LIMINAL_DEMO_PACE_MS", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (line, lines) = channel();
        // Ends with the agent's output, so with the agent.
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|read| line.send(read))
        });
        let input = child.stdin.take();
        Agent { child, input, lines, requests: 0, project: self.project() }
    }
}

/// A running agent; ended with the test, however it goes.
struct Agent {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    requests: u64,
    project: PathBuf,
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Agent {
    fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    fn read(&mut self) -> Value {
        serde_json::from_str(&self.lines.recv_timeout(PATIENCE).unwrap()).unwrap()
    }

    fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.requests += 1;
        let id = self.requests;
        let line = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.write(format!("{line}\n").as_bytes());
        id
    }

    /// What came before the answer, and the answer.
    fn until_answer(&mut self, id: u64) -> (Vec<Value>, Value) {
        let mut before = Vec::new();
        loop {
            let line = self.read();
            if line["id"] == id && line["method"].is_null() {
                return (before, line);
            }
            before.push(line);
        }
    }

    fn request(&mut self, method: &str, params: &Value) -> (Vec<Value>, Value) {
        let id = self.send(method, params);
        self.until_answer(id)
    }

    fn open(&mut self) -> Value {
        self.request("initialize", &json!({ "protocolVersion": 1 }));
        let params = json!({ "cwd": self.project, "mcpServers": [] });
        let (_, answer) = self.request("session/new", &params);
        let update = self.read();
        assert_eq!(update["params"]["update"]["sessionUpdate"], "available_commands_update");
        answer["result"]["sessionId"].clone()
    }

    fn send_prompt(&mut self, session: &Value, text: &str) -> u64 {
        let prompt = json!([{ "type": "text", "text": text }]);
        self.send("session/prompt", &json!({ "sessionId": session, "prompt": prompt }))
    }

    /// A whole turn: the text it said, and its answer.
    fn prompt(&mut self, session: &Value, text: &str) -> (String, Value) {
        let id = self.send_prompt(session, text);
        let (before, answer) = self.until_answer(id);
        (said(&before), answer)
    }

    fn cancel(&mut self, session: &Value) {
        let params = json!({ "sessionId": session });
        let line = json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": params });
        self.write(format!("{line}\n").as_bytes());
    }

    /// Reads on until it asks for permission.
    fn question(&mut self) -> Value {
        loop {
            let line = self.read();
            if line["method"] == "session/request_permission" {
                return line;
            }
        }
    }

    fn choose(&mut self, question: &Value, option: &str) {
        let outcome = json!({ "outcome": "selected", "optionId": option });
        let result = json!({ "outcome": outcome });
        let line = json!({ "jsonrpc": "2.0", "id": question["id"], "result": result });
        self.write(format!("{line}\n").as_bytes());
    }

    /// Ends the input, and waits for the end of the process.
    fn close(&mut self) -> (ExitStatus, String) {
        self.input = None;
        self.ended()
    }

    /// How the process ends by itself, and what it wrote to standard error.
    fn ended(&mut self) -> (ExitStatus, String) {
        // The reader's end of the channel closes when the output does.
        while self.lines.recv_timeout(PATIENCE).is_ok() {}
        let mut words = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut words).unwrap();
        (self.child.wait().unwrap(), words)
    }

    fn closes_quietly(&mut self) {
        let (status, words) = self.close();
        assert!(status.success(), "{status}");
        assert_eq!(words, "");
    }
}

fn said(lines: &[Value]) -> String {
    let updates = lines.iter().map(|line| &line["params"]["update"]);
    let chunks = updates.filter(|update| update["sessionUpdate"] == "agent_message_chunk");
    chunks.map(|chunk| chunk["content"]["text"].as_str().unwrap()).collect()
}

#[test]
fn it_answers_line_by_line_and_ends_with_its_input() {
    let place = Place::new();
    let mut agent = place.start();
    let session = agent.open();
    let (text, answer) = agent.prompt(&session, "help");
    assert!(text.starts_with("# Hello!"), "{text}");
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    let (text, _) = agent.prompt(&session, "read README.md");
    assert!(text.contains("has 3 lines"), "{text}");
    let (text, _) = agent.prompt(&session, "search OLD");
    assert!(text.contains("1 hit in 1 text file"), "{text}");
    let (text, _) = agent.prompt(&session, "plan");
    assert!(text.contains("complete"), "{text}");
    for path in ["../../etc/passwd", "../secret.txt", "way-out"] {
        let (text, _) = agent.prompt(&session, &format!("read {path}"));
        assert!(text.contains("leads outside this session's directory"), "{text}");
    }
    agent.closes_quietly();
}

#[test]
fn an_edit_waits_for_its_answer() {
    let place = Place::new();
    let mut agent = place.start();
    let session = agent.open();
    let edit = "edit README.md: replace old with new";
    let asked = |agent: &mut Agent| (agent.send_prompt(&session, edit), agent.question());

    let (id, question) = asked(&mut agent);
    agent.choose(&question, "reject-once");
    assert!(said(&agent.until_answer(id).0).contains("You said no"));
    let (id, _) = asked(&mut agent);
    agent.cancel(&session);
    assert_eq!(agent.until_answer(id).1["result"]["stopReason"], "cancelled");
    assert_eq!(place.readme(), "# Title\n\nold words\n");
    let (id, question) = asked(&mut agent);
    fs::write(place.project().join("README.md"), "old and mine\n").unwrap();
    agent.choose(&question, "allow-once");
    assert!(said(&agent.until_answer(id).0).contains("changed in the meantime"));
    assert_eq!(place.readme(), "old and mine\n");
    let (id, question) = asked(&mut agent);
    agent.choose(&question, "allow-once");
    assert!(said(&agent.until_answer(id).0).contains("is written"));
    assert_eq!(place.readme(), "new and mine\n");

    let mode = json!({ "sessionId": session, "modeId": "auto-edit" });
    assert!(agent.request("session/set_mode", &mode).1["result"].is_object());
    let (text, _) = agent.prompt(&session, "write README.md: mine again");
    assert!(text.contains("is written"), "{text}");
    assert_eq!(place.readme(), "mine again\n");
    agent.closes_quietly();
}

#[test]
fn the_next_process_loads_a_session_also_after_a_crash() {
    let place = Place::new();
    let mut agent = place.start();
    let session = agent.open();
    let (before, _) = agent.prompt(&session, "help");
    agent.send_prompt(&session, "crash");
    // The input stays open, and it ends all the same.
    let (status, words) = agent.ended();
    assert_eq!(status.code(), Some(1));
    assert_eq!(words, "liminal: the demo agent crashed because a prompt asked it to\n");

    let mut agent = place.start();
    agent.request("initialize", &json!({ "protocolVersion": 1 }));
    let params = json!({ "sessionId": session, "cwd": place.project(), "mcpServers": [] });
    let (history, answer) = agent.request("session/load", &params);
    assert_eq!(answer["result"]["modes"]["currentModeId"], "ask");
    assert_eq!(said(&history), format!("{before}I am about to crash, as you asked.\n"));
    let (_, answer) = agent.request("session/list", &json!({}));
    assert_eq!(answer["result"]["sessions"][0]["sessionId"], session);
    agent.closes_quietly();
}

#[test]
fn it_fails_and_floods_on_request() {
    let place = Place::new();
    let mut agent = place.start();
    let session = agent.open();
    let (_, answer) = agent.prompt(&session, "fail");
    assert_eq!(answer["error"]["message"], "the demo agent failed because a prompt asked it to");
    let id = agent.send_prompt(&session, "flood 5000");
    let (pieces, answer) = agent.until_answer(id);
    assert_eq!((pieces.len(), &answer["result"]["stopReason"]), (5000, &json!("end_turn")));
    let id = agent.send_prompt(&session, "hang");
    agent.read();
    let (_, refused) = agent.prompt(&session, "help");
    assert!(refused["error"]["message"].as_str().unwrap().contains("already running"));
    agent.cancel(&session);
    assert_eq!(agent.until_answer(id).1["result"]["stopReason"], "cancelled");
    agent.closes_quietly();
}

#[test]
fn bad_lines_are_answered_and_cut_ones_are_put_together() {
    let place = Place::new();
    let mut agent = place.start();
    let session = agent.open();
    for (bad, code) in [
        (&b"garbage\n"[..], -32700),
        (b"\xff\xfe\x00\n", -32700),
        (b"{\"jsonrpc\":\"2.0\",\n", -32700),
        (b"[]\n", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"no/such\"}\n", -32601),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"session/prompt\",\"params\":{}}\n",
            -32602,
        ),
    ] {
        agent.write(bad);
        let answer = agent.read();
        assert_eq!(answer["error"]["code"], code, "{}: {answer}", String::from_utf8_lossy(bad));
    }
    agent.write(b"\n\r\n");
    let prompt = json!([{ "type": "text", "text": "think" }]);
    let params = json!({ "sessionId": session, "prompt": prompt });
    let line = json!({ "jsonrpc": "2.0", "id": 99, "method": "session/prompt", "params": params });
    let line = format!("{line}\r\n");
    let (first, second) = line.as_bytes().split_at(40);
    agent.write(first);
    agent.write(second);
    assert_eq!(agent.until_answer(99).1["result"]["stopReason"], "end_turn");
    agent.write(b"{\"jsonrpc\":\"2.0\",\"id\":100,");
    agent.closes_quietly();
}

#[test]
fn it_ends_when_its_client_leaves_in_the_middle() {
    let place = Place::new();
    for prompt in ["hang", "flood 100000", "edit README.md: replace old with new"] {
        let mut agent = place.start();
        let session = agent.open();
        agent.send_prompt(&session, prompt);
        agent.read();
        agent.closes_quietly();
    }
    assert_eq!(place.readme(), "# Title\n\nold words\n");
}

#[test]
fn settings_that_cannot_be_used_are_explained() {
    let place = Place::new();
    fs::write(place.0.path().join("home"), "not a directory").unwrap();
    let (status, words) = place.start().close();
    assert_eq!(status.code(), Some(1));
    assert!(words.starts_with("liminal: the demo agent cannot keep its sessions in"), "{words}");
}
