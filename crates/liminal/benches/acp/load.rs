//! From nothing to a session of the real Codex with its history: through us and without us.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use agent_process::Launcher;
use contract::SessionId;
use measure::{Bound, Limit, Quantile, of_ratio};
use session::Environment;
use session::provider::acp::{AcpCli, AcpProvider};
use session::provider::{
    AgentCommand, CliProvider, CreateSession, LoadSession, OutgoingMessage, ProviderNotice, Sink,
};
use testkit::CodexHome;
use testkit::agents::codex_acp;
use testkit::responses_api::{ResponsesApi, ResponsesReply};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use crate::{direct, millis};

const NAME: &str = "nfr_codex_load";
const PER_DIRECT: f64 = 1.10;
/// Of the session that is loaded.
const TURNS: usize = 60;

/// In milliseconds.
pub(crate) struct Loads {
    direct: Vec<f64>,
    ours: Vec<f64>,
    updates: usize,
    upserts: usize,
}

pub(crate) async fn measure(rounds: usize) -> Loads {
    let api = ResponsesApi::start(|_| ResponsesReply::words(60)).await;
    let home = Arc::new(CodexHome::new(&api));
    let agent_session = converse(&home).await;
    let mut loads = Loads { direct: Vec::new(), ours: Vec::new(), updates: 0, upserts: 0 };
    // The first of each is not counted.
    for round in 0..=rounds {
        let ways = if round % 2 == 0 { [true, false] } else { [false, true] };
        for is_ours in ways {
            let time = if is_ours {
                let (time, upserts) = through_us(&home, &agent_session).await;
                loads.upserts = upserts;
                time
            } else {
                let (home, session) = (home.clone(), agent_session.clone());
                let load = tokio::task::spawn_blocking(move || direct::load(&home, &session));
                let loaded = load.await.unwrap();
                loads.updates = loaded.updates;
                loaded.time
            };
            if round > 0 {
                let times = if is_ours { &mut loads.ours } else { &mut loads.direct };
                times.push(millis(time));
            }
        }
    }
    loads
}

fn provider(home: &CodexHome) -> AcpProvider {
    let tasks = TaskTracker::new();
    let guard = vec![env!("CARGO_BIN_EXE_liminal").into(), "agent-guard".into()];
    let launcher = Launcher::new(guard, tasks.clone());
    let command =
        AgentCommand { command: vec![codex_acp().into()], environment: home.environment() };
    let cli = AcpCli::new("codex", "Codex", command, launcher, tasks.clone());
    AcpProvider::new("codex".into(), Arc::new(cli), Environment::default(), tasks)
}

/// Makes the session, and returns the agent's id of it.
async fn converse(home: &CodexHome) -> String {
    let provider = provider(home);
    let session = SessionId::from("made");
    let (ends, mut ended) = mpsc::channel(4);
    let (ids, mut told) = mpsc::channel(4);
    provider.on_turn(&session, Sink::channel(ends, |event| event.kind.is_terminal()));
    provider.on_notice(
        &session,
        Sink::new(move |notice| {
            let ids = ids.clone();
            async move {
                if let ProviderNotice::AgentSession(id) = notice {
                    ids.send(id).await.ok();
                }
            }
        }),
    );
    let options = CreateSession {
        session_id: Some(session.clone()),
        project_dir: home.project().to_string_lossy().into_owned(),
        ..CreateSession::default()
    };
    provider.create_session(options).await.unwrap();
    let agent_session = told.recv().await.unwrap();
    for turn in 0..TURNS {
        let message =
            OutgoingMessage { content: format!("turn {turn}"), ..OutgoingMessage::default() };
        provider.send_message(&session, message).await.unwrap();
        while !ended.recv().await.unwrap() {}
    }
    provider.kill_session(&session).await.unwrap();
    agent_session
}

async fn through_us(home: &CodexHome, agent_session: &str) -> (Duration, usize) {
    let provider = provider(home);
    let session = SessionId::from("loaded");
    let upserts = Arc::new(AtomicUsize::new(0));
    let count = upserts.clone();
    provider.on_upsert(
        &session,
        Sink::new(move |_| {
            count.fetch_add(1, Ordering::Relaxed);
            std::future::ready(())
        }),
    );
    let options = LoadSession {
        project_dir: Some(home.project().to_string_lossy().into_owned()),
        agent_session: Some(agent_session.to_owned()),
        ..LoadSession::default()
    };
    let start = Instant::now();
    provider.load_session(&session, options).await.unwrap();
    let time = start.elapsed();
    provider.kill_session(&session).await.unwrap();
    (time, upserts.load(Ordering::Relaxed))
}

impl Loads {
    pub(crate) fn report(&self) -> String {
        let ways = [("direct", &self.direct), ("through us", &self.ours)];
        let rows = ways.map(|(way, times)| {
            let ratio = of_ratio(Quantile::Median, times, &self.direct);
            format!(
                "| {way} | {} | {:.0} | {:.0} | {:.2} | {:.2} to {:.2} |\n",
                times.len(),
                Quantile::Median.of(times),
                Quantile::P95.of(times),
                ratio.value,
                ratio.low,
                ratio.high,
            )
        });
        format!(
            "\
### Loading a session

| way | rounds | median, ms | P95, ms | median to direct | 95 % interval |
|---|---:|---:|---:|---:|---:|
{}
codex-acp 0.16.0 and a session of {TURNS} turns; the two ways take turns and change their order each round, and a round
before them is not counted. *direct*: the process is started and told `initialize` and `session/load`, until the answer of
the load; its {} updates are parsed and thrown away. *through us*: under its guard, until the load has returned; its
history has been told as {} states of items by then.

",
            rows.concat(),
            self.updates,
            self.upserts,
        )
    }

    pub(crate) fn bounds(&self) -> Vec<String> {
        let figure = of_ratio(Quantile::Median, &self.ours, &self.direct);
        let text = "a session loaded through us to one loaded directly, median";
        let limit = Limit::AtMost(PER_DIRECT);
        vec![Bound { name: NAME, text, limit, figure, unit: "" }.to_string()]
    }
}
