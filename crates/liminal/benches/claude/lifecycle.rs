//! An agent that is killed in the middle of a turn, by somebody or by us: how soon it is told, and what is left.

use std::time::Duration;

use contract::{ErrorCode, TurnEventKind};
use measure::{Bound, Estimate, Limit, Quantile, largest, of_one};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use testkit::agents::{ClaudeVersion, claude};
use testkit::claude_house::ClaudeHouse;
use testkit::model_api::{Gate, ModelApi, ModelRequest, Reply};
use testkit::watched_session::WatchedSession;
use tokio::time::Instant;

use crate::{first_text, guard, millis};

const NAME: &str = "nfr_lifecycle_reliability";
const NOTICED_MS: f64 = 100.0;
/// Asks the scripted model for a command in the background before it speaks.
const WITH_SHELL: &str = "shell";
/// One that leaves the agent's process group and session, and one that does not.
const SHELL: &str = "setsid sleep 1000 & sleep 1000";

pub(crate) const HEADER: &str = "\
### Crash and kill

| Claude Code | crashes | noticed, median, ms | P95, ms | longest, ms | kills | kill, median, ms | longest, ms | processes left |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
";

pub(crate) const FOOTER: &str = "
All in the middle of a turn whose model has fallen silent; every second time with a shell in the background that left the
agent's session. *noticed*: from SIGKILL to the agent until the subscriber has the turn's error. *left*: processes that
carry the environment of the run, looked for once and at once when the error was seen, and when the kill had returned.
";

pub(crate) struct Lifecycle {
    version: ClaudeVersion,
    noticed: Vec<f64>,
    kills: Vec<f64>,
    left_by_crash: usize,
    left_by_kill: usize,
}

pub(crate) async fn measure(version: ClaudeVersion, rounds: usize) -> Lifecycle {
    let silence = Gate::new();
    let api = ModelApi::start(move |request| answer(request, &silence)).await;
    let house = ClaudeHouse::start(version, guard(), api).await;
    let mut lifecycle = Lifecycle {
        version,
        noticed: Vec::new(),
        kills: Vec::new(),
        left_by_crash: 0,
        left_by_kill: 0,
    };
    for round in 0..rounds {
        let has_shell = round % 2 == 1;
        lifecycle.crash(&house, has_shell).await;
        lifecycle.kill(&house, has_shell).await;
    }
    house.end().await;
    lifecycle
}

/// Speaks, then falls silent for good.
fn answer(request: &ModelRequest, silence: &Gate) -> Reply {
    if request.last_user_text() == WITH_SHELL {
        let input = json!({ "command": SHELL, "run_in_background": true, "description": "waits" });
        return Reply::tool("Bash", input);
    }
    Reply::words(60).hold_after(5, silence)
}

/// A session in the middle of a turn.
async fn midturn(house: &ClaudeHouse, has_shell: bool) -> WatchedSession<'_> {
    let mut session = house.session().await;
    session.send(if has_shell { WITH_SHELL } else { "hi" }).await;
    if has_shell {
        let request = session.asked().await;
        session.choose(&request, "allow").await;
    }
    first_text(&mut session).await;
    // The agent, its shell and both commands of that.
    while has_shell && house.processes().len() < 4 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    session
}

fn agent(house: &ClaudeHouse, version: ClaudeVersion) -> Pid {
    let program = claude(version).canonicalize().unwrap();
    let is_agent = |pid: &u32| {
        std::fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|executable| executable == program)
    };
    let oldest = house.processes().into_iter().filter(is_agent).min().unwrap();
    Pid::from_raw(oldest.try_into().unwrap()).unwrap()
}

fn has_crashed(kind: &TurnEventKind) -> bool {
    matches!(kind, TurnEventKind::TurnError { error_code, .. } if *error_code == ErrorCode::PROCESS_CRASH)
}

impl Lifecycle {
    async fn crash(&mut self, house: &ClaudeHouse, has_shell: bool) {
        let mut session = midturn(house, has_shell).await;
        let agent = agent(house, self.version);
        let start = Instant::now();
        kill_process(agent, Signal::KILL).unwrap();
        session
            .until("the crash is told", |seen| {
                seen.turns.iter().any(|event| has_crashed(&event.kind))
            })
            .await;
        self.noticed.push(millis(start.elapsed()));
        self.left_by_crash += house.processes().len();
        house.service.kill(&session.id).await.unwrap();
    }

    async fn kill(&mut self, house: &ClaudeHouse, has_shell: bool) {
        let session = midturn(house, has_shell).await;
        let start = Instant::now();
        house.service.kill(&session.id).await.unwrap();
        self.kills.push(millis(start.elapsed()));
        self.left_by_kill += house.processes().len();
    }

    pub(crate) fn row(&self) -> String {
        format!(
            "| {} | {} | {:.1} | {:.1} | {:.1} | {} | {:.0} | {:.0} | {} |\n",
            self.version.as_str(),
            self.noticed.len(),
            Quantile::Median.of(&self.noticed),
            Quantile::P95.of(&self.noticed),
            largest(&self.noticed),
            self.kills.len(),
            Quantile::Median.of(&self.kills),
            largest(&self.kills),
            self.left_by_crash + self.left_by_kill,
        )
    }

    pub(crate) fn bounds(&self) -> Vec<String> {
        let version = self.version.as_str();
        let bound = |what: &str, limit, figure, unit| {
            let text = format!("{version}: {what}");
            Bound { name: NAME, text: &text, limit: Limit::AtMost(limit), figure, unit }.to_string()
        };
        let median = of_one(Quantile::Median, &self.noticed);
        let longest = Estimate::exact(largest(&self.noticed));
        let left = |count: usize| Estimate::exact(count as f64);
        vec![
            bound("SIGKILL to the turn's error, median", NOTICED_MS, median, " ms"),
            bound("SIGKILL to the turn's error, longest", NOTICED_MS, longest, " ms"),
            bound("processes left when a crash was told", 0.0, left(self.left_by_crash), ""),
            bound("processes left when a kill returned", 0.0, left(self.left_by_kill), ""),
        ]
    }
}
