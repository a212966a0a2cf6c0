//! The agent driven with nothing between: what loading is compared with.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use testkit::CodexHome;
use testkit::agents::codex_acp;
use tokio::time::Instant;

/// What a load took, and how many updates of its history came.
pub(crate) struct Loaded {
    pub(crate) time: Duration,
    pub(crate) updates: usize,
}

/// From the start of the process to the answer of `session/load`.
#[expect(clippy::disallowed_methods, reason = "it is measured without what we put around it")]
pub(crate) fn load(home: &CodexHome, agent_session: &str) -> Loaded {
    let mut agent = Command::new(codex_acp());
    agent.current_dir(home.project()).env_clear().envs(home.environment());
    agent.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let start = Instant::now();
    let mut agent = agent.spawn().unwrap();
    let mut input = agent.stdin.take().unwrap();
    let mut lines = BufReader::new(agent.stdout.take().unwrap()).lines();
    let mut until_answer = |id: u64| {
        let mut updates = 0;
        for line in lines.by_ref() {
            let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
            if line.get("id") == Some(&json!(id)) {
                assert!(line.get("error").is_none(), "{line}");
                return updates;
            }
            updates += usize::from(line.get("method") == Some(&json!("session/update")));
        }
        panic!("the agent answers");
    };
    let capabilities = json!({ "fs": { "readTextFile": false, "writeTextFile": false } });
    let hello = json!({ "protocolVersion": 1, "clientCapabilities": capabilities });
    let mut ask = |id: u64, method: &str, params: Value| {
        let line = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(input, "{line}").unwrap();
        until_answer(id)
    };
    ask(0, "initialize", hello);
    let cwd = home.project();
    let load = json!({ "sessionId": agent_session, "cwd": cwd, "mcpServers": [] });
    let updates = ask(1, "session/load", load);
    let time = start.elapsed();
    agent.kill().unwrap();
    agent.wait().unwrap();
    Loaded { time, updates }
}
