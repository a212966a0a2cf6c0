//! An agent that floods a consumer that does not consume: the agent waits, and memory does not grow.
//!
//! A test of its own process, because it measures the process.
#![cfg(test)]
#![cfg(target_os = "linux")]

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use agent_process::Launcher;
use session::Environment;
use session::provider::acp::{AcpCli, AcpProvider};
use session::provider::{AgentCommand, CliProvider, CreateSession, OutgoingMessage, Sink};
use tokio_util::task::TaskTracker;

/// Opens a session, waits for a prompt, and never stops to answer it.
const FLOOD: &str = r#"
read line; echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{}}}'
read line; echo '{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}'
read line
exec yes '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a flood of words that nobody takes in, again and again and again "}}}}'
"#;

const BOUND: u64 = 32 * 1024 * 1024;

/// What this process holds in memory.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let kib = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    kib.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

/// How much the process whose environment holds the word has written.
fn written_by(word: &str) -> Option<u64> {
    let mut processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let process = processes.find(|process| {
        let read = |name: &str| std::fs::read(process.path().join(name)).unwrap_or_default();
        let environment = String::from_utf8_lossy(&read("environ")).into_owned();
        environment.contains(word) && read("comm").starts_with(b"yes")
    })?;
    let io = std::fs::read_to_string(process.path().join("io")).ok()?;
    io.lines().find_map(|line| line.strip_prefix("wchar: "))?.parse().ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flooding_agent_waits_for_a_consumer_that_is_blocked() {
    let directory = tempfile::tempdir().unwrap();
    let word = format!("FLOOD={}", directory.path().display());
    let command: Vec<OsString> = vec!["/bin/sh".into(), "-c".into(), FLOOD.into()];
    let environment = vec![
        ("PATH".into(), "/usr/bin:/bin".into()),
        ("FLOOD".into(), directory.path().as_os_str().to_owned()),
    ];
    let tasks = TaskTracker::new();
    let guard = vec![env!("CARGO_BIN_EXE_liminal").into(), "agent-guard".into()];
    let launcher = Launcher::new(guard, tasks.clone());
    let command = AgentCommand { command, environment };
    let cli = AcpCli::new("flood", "Flood", command, launcher, tasks.clone());
    let provider =
        AcpProvider::new("flood".into(), Arc::new(cli), Environment::default(), tasks.clone());
    let options = CreateSession {
        project_dir: directory.path().to_string_lossy().into_owned(),
        ..CreateSession::default()
    };
    let session = provider.create_session(options).await.unwrap().session_id;
    provider.on_upsert(&session, Sink::new(|_| std::future::pending()));
    let before = resident();
    let message = OutgoingMessage { content: "go".to_owned(), ..OutgoingMessage::default() };
    provider.send_message(&session, message).await.unwrap();
    let mut seen = 0;
    loop {
        tokio::time::sleep(Duration::from_millis(500)).await;
        match written_by(&word) {
            Some(now) if now > 0 && now == seen => break,
            now => seen = now.unwrap_or_default(),
        }
        assert!(seen < BOUND, "{seen} bytes were taken from an agent whose words nobody takes");
    }
    let grown = resident().saturating_sub(before);
    assert!(grown < BOUND, "{grown} bytes more are held");
    // The task waits for its consumer for ever; whoever drops it ends the agent.
    drop(provider);
}
