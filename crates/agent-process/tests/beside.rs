//! What was started beside agents is left alone when what an agent left is ended. Alone in its process, since it inherits orphans.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod support;

use std::path::Path;
use std::time::Duration;

use agent_process::{beside, orphans};
use support::{HELPER, SIX_SECONDS, Seen, command, launcher, parent, seen, shell, signal};
use tokio::time::{Instant, sleep};

/// Leaves its parent, its session and its environment behind, and says which process it is.
fn strayed(path: &Path, variables: &str) -> String {
    let file = path.display();
    format!(
        "(env -i PATH=\"$PATH\" {variables} setsid sh -c 'echo $$ > {file}.new; mv {file}.new {file}; exec sleep 1000' &)"
    )
}

async fn pid_at(path: &Path) -> u32 {
    until("it says who it is", || path.exists()).await;
    std::fs::read_to_string(path).unwrap().trim().parse().unwrap()
}

async fn until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + SIX_SECONDS;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        sleep(Duration::from_millis(10)).await;
    }
}

fn has_ended(process: &Seen) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{}/stat", process.0)).unwrap_or_default();
    seen(process.0).as_ref() != Some(process) || state.contains(") Z ")
}

/// Also if the agent has all that can be read of what runs beside it.
#[tokio::test]
async fn s_30_what_runs_beside_agents_stays_and_no_agent_passes_for_it() {
    orphans::adopt().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let (browser, evil) = (directory.path().join("browser"), directory.path().join("evil"));
    let opener = strayed(&browser, "OPENED=1");
    beside::start(command(HELPER).args(["beside", "sh", "-c", &opener])).unwrap();
    let browser = seen(pid_at(&browser).await).unwrap();
    let keeper = seen(parent(browser.0)).unwrap();
    assert_eq!(parent(keeper.0), std::process::id(), "it stays below its keeper");

    let variables = "OPENED=1 LIMINAL_BESIDE_AGENTS=1";
    let kills = format!(
        "{}\nwhile [ ! -s {} ]; do :; done\nkill -9 $PPID\nsleep 1000",
        strayed(&evil, variables),
        evil.display()
    );
    let agent = launcher().spawn(shell(&kills)).await.unwrap();
    let left = seen(pid_at(&evil).await);
    agent.control.exited().await;
    assert!(left.is_none_or(|left| has_ended(&left)), "what an agent left is ended");
    assert!(!has_ended(&browser) && !has_ended(&keeper), "what it did not is left alone");

    signal("KILL", browser.0);
    until("the keeper ends with what it keeps", || has_ended(&keeper)).await;
}
