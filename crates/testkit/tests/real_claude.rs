//! The real Claude Code, in every version we know, against a scripted model: the proof that the stand-in is one.
#![cfg(test)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::agents::{ClaudeVersion, claude};
use testkit::model_api::{Gate, ModelApi, Reply, RequestKind};
use tokio::sync::mpsc;

const ARGUMENTS: &str = "-p --input-format stream-json --output-format stream-json --verbose \
    --include-partial-messages --permission-prompt-tool stdio --replay-user-messages \
    --session-id 5f3c1c1e-6f0e-4c0e-9d55-0d6f4a3f1a01";

const SETTINGS: [(&str, &str); 6] = [
    ("LANG", "C.UTF-8"),
    ("ANTHROPIC_API_KEY", "test"),
    ("CLAUDE_CODE_MAX_RETRIES", "2"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "1"),
];

/// More lines than a test makes; a full channel makes the agent wait.
const LINES: usize = 1_000;

/// A running agent; ended with the test, however it goes.
struct Agent {
    child: Child,
    stdin: ChildStdin,
    lines: mpsc::Receiver<Value>,
    /// Its home, its project and where it leaves sockets and outputs of tasks behind.
    _directory: TempDir,
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Agent {
    fn start(version: ClaudeVersion, api: &ModelApi) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let within = |name: &str| {
            let path = directory.path().join(name);
            std::fs::create_dir(&path).unwrap();
            path
        };
        let mut child = Command::new(claude(version))
            .args(ARGUMENTS.split_whitespace())
            .current_dir(within("project"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", within("home"))
            .env("TMPDIR", within("tmp"))
            .env("ANTHROPIC_BASE_URL", api.url())
            .envs(SETTINGS)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel(LINES);
        // It ends with the agent's output, and that ends with the agent.
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let said = sender.blocking_send(serde_json::from_str(&line).unwrap());
                if said.is_err() {
                    break;
                }
            }
        });
        Self { child, stdin, lines, _directory: directory }
    }

    fn send(&mut self, line: &Value) {
        self.stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn say(&mut self, text: &str) {
        self.send(&json!({"type": "user", "message": {"role": "user", "content": text}}));
    }

    /// The lines of a turn, up to the one that ends it. Whatever tool the agent asks for is allowed.
    async fn turn(&mut self) -> Vec<Value> {
        let mut lines = Vec::new();
        loop {
            let line = self.lines.recv().await.expect("the agent ended before its turn");
            if line["request"]["subtype"] == "can_use_tool" {
                self.allow(&line);
            }
            let is_last = line["type"] == "result";
            lines.push(line);
            if is_last {
                return lines;
            }
        }
    }

    fn allow(&mut self, asked: &Value) {
        let decision = json!({"behavior": "allow", "updatedInput": asked["request"]["input"]});
        let id = &asked["request_id"];
        let response = json!({"subtype": "success", "request_id": id, "response": decision});
        self.send(&json!({"type": "control_response", "response": response}));
    }
}

/// The text of all deltas that the agent passed on.
fn streamed(lines: &[Value]) -> String {
    let deltas = lines.iter().filter_map(|line| line["event"]["delta"]["text"].as_str());
    deltas.collect()
}

#[tokio::test]
async fn a_text_of_the_model_is_the_result_of_the_turn() {
    for version in ClaudeVersion::ALL {
        let api = ModelApi::start(|request| {
            Reply::thinking("What was said?")
                .then_text(&format!("heard: {}", request.last_user_text()))
        })
        .await;
        let mut agent = Agent::start(version, &api);
        for words in ["hello there", "and again"] {
            agent.say(words);
            let lines = agent.turn().await;
            let init = lines.iter().find(|line| line["subtype"] == "init").unwrap();
            assert_eq!(init["claude_code_version"], version.as_str());
            let result = lines.last().unwrap();
            assert_eq!(result["subtype"], "success", "{version:?}: {result}");
            assert_eq!(result["result"], format!("heard: {words}"), "{version:?}");
            assert_eq!(streamed(&lines), format!("heard: {words}"), "{version:?}");
        }
        assert!(api.conversation().iter().all(|request| request.kind == RequestKind::Main));
        assert_eq!(api.conversation().len(), 2, "{version:?}");
    }
}

#[tokio::test]
async fn a_tool_that_the_model_calls_is_run_and_its_result_comes_back() {
    for version in ClaudeVersion::ALL {
        let api = ModelApi::start(|request| match request.last_tool_results().as_slice() {
            [] => Reply::text("Let me look.").then_tool(
                "Bash",
                json!({"command": "mkdir made && ls", "description": "Makes a directory"}),
            ),
            [(_, output), ..] => Reply::text(&format!("it said {output}")),
        })
        .await;
        let mut agent = Agent::start(version, &api);
        agent.say("make a directory");
        let lines = agent.turn().await;
        let result = lines.last().unwrap();
        assert_eq!(result["is_error"], false, "{version:?}: {result}");
        assert_eq!(result["result"], "it said made", "{version:?}");
        let asked = lines.iter().any(|line| line["request"]["subtype"] == "can_use_tool");
        assert!(asked, "{version:?} asks before it writes");
        assert_eq!(api.conversation().len(), 2, "{version:?}");
    }
}

#[tokio::test]
async fn an_error_of_the_api_is_retried_and_ends_the_turn() {
    for version in ClaudeVersion::ALL {
        let api = ModelApi::start(|_| Reply::status(500, "api_error")).await;
        let mut agent = Agent::start(version, &api);
        agent.say("hello");
        let lines = agent.turn().await;
        let result = lines.last().unwrap();
        assert_eq!(result["is_error"], true, "{version:?}: {result}");
        assert!(result["result"].as_str().unwrap().contains("api_error of the script"), "{result}");
        let retries = lines.iter().filter(|line| line["subtype"] == "api_retry").count();
        assert_eq!((retries, api.conversation().len()), (2, 3), "{version:?}");
    }
}

#[tokio::test]
async fn a_script_that_has_run_out_ends_the_turn_at_once_and_with_its_words() {
    for version in ClaudeVersion::ALL {
        let api = ModelApi::with_replies([]).await;
        let mut agent = Agent::start(version, &api);
        agent.say("hello");
        let lines = agent.turn().await;
        let said = lines.last().unwrap()["result"].as_str().unwrap();
        assert!(said.contains("the script has no reply left"), "{version:?}: {said}");
        assert_eq!(api.conversation().len(), 1, "{version:?}");
    }
}

#[tokio::test]
async fn a_stream_that_was_cut_is_asked_for_again_as_a_whole() {
    for version in ClaudeVersion::ALL {
        let api = ModelApi::start(|_| Reply::words(20).cut_after(2)).await;
        let mut agent = Agent::start(version, &api);
        agent.say("hello");
        let lines = agent.turn().await;
        let result = lines.last().unwrap();
        assert_eq!(result["is_error"], false, "{version:?}: {result}");
        assert!(result["result"].as_str().unwrap().ends_with("word20"), "{version:?}: {result}");
        assert!(!api.conversation().last().unwrap().is_streaming(), "{version:?}");
    }
}

#[tokio::test]
async fn an_interrupt_reaches_a_model_that_fell_silent() {
    for version in ClaudeVersion::ALL {
        let gate = Gate::new();
        let reply = Reply::words(20).words_per_delta(1).hold_after(5, &gate);
        let api = ModelApi::with_replies([reply]).await;
        let mut agent = Agent::start(version, &api);
        agent.say("hello");
        gate.reached().await;
        let mut words = Vec::new();
        while streamed(&words) != "word1 word2 word3 word4 word5 " {
            words.push(agent.lines.recv().await.expect("the words before the gate"));
        }
        let interrupt = json!({"subtype": "interrupt"});
        agent.send(&json!({"type": "control_request", "request_id": "stop", "request": interrupt}));
        let lines = agent.turn().await;
        let result = lines.last().unwrap();
        assert_eq!(result["subtype"], "error_during_execution", "{version:?}: {result}");
        assert_eq!(streamed(&lines), "", "{version:?}");
    }
}

#[tokio::test]
async fn a_subagents_questions_are_told_from_those_of_the_main_loop() {
    for version in ClaudeVersion::ALL {
        let api = ModelApi::start(|request| {
            let handed_back = !request.last_tool_results().is_empty();
            match (request.is_subagent(), handed_back) {
                (true, _) => Reply::text(&format!("searched: {}", request.last_user_text())),
                (false, true) => Reply::text("The agent is done."),
                (false, false) => Reply::tool(
                    "Agent",
                    json!({
                        "description": "Search",
                        "prompt": "find it",
                        "subagent_type": "general-purpose",
                        "run_in_background": false,
                    }),
                ),
            }
        })
        .await;
        let mut agent = Agent::start(version, &api);
        agent.say("search");
        let lines = agent.turn().await;
        assert_eq!(lines.last().unwrap()["result"], "The agent is done.", "{version:?}");
        let asked = api.conversation();
        let kinds: Vec<RequestKind> = asked.iter().map(|request| request.kind).collect();
        assert_eq!(kinds, [RequestKind::Main, RequestKind::Subagent, RequestKind::Main]);
        let results = asked[2].last_tool_results();
        assert!(results[0].1.contains("searched: find it"), "{version:?}: {results:?}");
    }
}
