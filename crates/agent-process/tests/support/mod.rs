//! Agents that are shell scripts, and a view of the process table that does not depend on the code under test.

#![allow(dead_code, reason = "each test binary uses its part")]

use std::fs;
use std::path::Path;
use std::time::Duration;

use agent_process::{AgentProcess, AgentSpec, Launcher};
use tokio::time::{Instant, sleep};
use tokio_util::task::TaskTracker;
use uuid::Uuid;

pub(crate) const HELPER: &str = env!("CARGO_BIN_EXE_agent-process-test-helper");

/// What of the design allow for a tree to be gone.
pub(crate) const SIX_SECONDS: Duration = Duration::from_secs(6);

pub(crate) fn launcher() -> Launcher {
    Launcher::new(vec![HELPER.into(), "guard".into()], TaskTracker::new())
}

pub(crate) fn shell(script: &str) -> AgentSpec {
    AgentSpec {
        program: "sh".into(),
        arguments: vec!["-c".into(), script.into()],
        directory: "/".into(),
        environment: vec![("PATH".into(), std::env::var_os("PATH").unwrap())],
    }
}

pub(crate) async fn start(script: &str) -> AgentProcess {
    launcher().spawn(shell(script)).await.unwrap()
}

/// Every line, lossily, until the output ends.
pub(crate) async fn lines(agent: &mut AgentProcess) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(line) = agent.output.next_line().await.unwrap() {
        lines.push(String::from_utf8_lossy(line.bytes).into_owned());
    }
    lines
}

/// A process: its number and its start time.
pub(crate) type Seen = (u32, String);

/// A mark of the test's own, so that a tree is found also if the crate's mark were not set.
#[derive(Clone, Debug)]
pub(crate) struct Tree(String);

impl Tree {
    pub(crate) fn new() -> Self {
        Self(format!("TEST_TREE={}", Uuid::new_v4()))
    }

    /// The script with the mark set for all it starts.
    pub(crate) fn mark(&self, script: &str) -> String {
        let name_and_value = &self.0;
        format!("export {name_and_value}\n{script}")
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        pids().into_iter().filter(|pid| self.bears(*pid)).filter_map(seen).collect()
    }

    /// Waits until the tree has so many processes besides the agent itself, whose environment is that of its start.
    pub(crate) async fn grown_to(&self, count: usize) -> Vec<Seen> {
        let deadline = Instant::now() + SIX_SECONDS;
        loop {
            let seen = self.seen();
            if seen.len() >= count {
                return seen;
            }
            assert!(Instant::now() < deadline, "the tree has only {seen:?}");
            sleep(Duration::from_millis(10)).await;
        }
    }

    fn bears(&self, pid: u32) -> bool {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| entry == self.0.as_bytes())
    }
}

/// Waits until none of these is left, not even as a zombie, and nothing new of their tree.
pub(crate) async fn gone(tree: &Tree, known: &[Seen], what: &str) {
    let deadline = Instant::now() + SIX_SECONDS;
    loop {
        let mut left: Vec<Seen> =
            known.iter().filter(|(pid, _)| exists(known, *pid)).cloned().collect();
        left.extend(tree.seen());
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < deadline, "{what}: left are {:?}", describe(&left));
        sleep(Duration::from_millis(10)).await;
    }
}

fn exists(known: &[Seen], pid: u32) -> bool {
    seen(pid).is_some_and(|now| known.contains(&now))
}

fn describe(left: &[Seen]) -> Vec<String> {
    left.iter().map(|(pid, _)| stat(*pid).unwrap_or_default()).collect()
}

pub(crate) fn pids() -> Vec<u32> {
    let entries = fs::read_dir("/proc").unwrap();
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect()
}

pub(crate) fn seen(pid: u32) -> Option<Seen> {
    let start_time = fields(pid)?.get(19)?.clone();
    Some((pid, start_time))
}

pub(crate) fn parent(pid: u32) -> u32 {
    fields(pid).unwrap()[1].parse().unwrap()
}

pub(crate) fn children(of: u32) -> Vec<u32> {
    pids().into_iter().filter(|pid| fields(*pid).is_some_and(|f| f[1] == of.to_string())).collect()
}

fn fields(pid: u32) -> Option<Vec<String>> {
    let stat = stat(pid)?;
    let (_, fields) = stat.rsplit_once(')')?;
    Some(fields.split_whitespace().map(ToOwned::to_owned).collect())
}

fn stat(pid: u32) -> Option<String> {
    fs::read_to_string(format!("/proc/{pid}/stat")).ok()
}

/// Sends a signal by its name.
pub(crate) fn signal(name: &str, pid: u32) {
    let status = command("kill").args(["-s", name, &pid.to_string()]).status().unwrap();
    assert!(status.success(), "kill -s {name} {pid}");
}

pub(crate) fn command(program: impl AsRef<Path>) -> std::process::Command {
    #[expect(clippy::disallowed_methods, reason = "what the tests need beside agents")]
    std::process::Command::new(program.as_ref())
}
