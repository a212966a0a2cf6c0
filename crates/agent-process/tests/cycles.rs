//! Agents come and go without leaving anything in the server. Alone in its process, since it counts.
#![cfg(test)]

mod support;

use std::fs;

use support::{children, launcher, shell};

/// As many as an installation sees in a long while.
const CYCLES: usize = 1000;

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

async fn cycle(launcher: &agent_process::Launcher) {
    let agent = launcher.spawn(shell("setsid sleep 1000 & read line")).await.unwrap();
    agent.control.kill();
    agent.control.exited().await;
}

#[tokio::test]
async fn a_thousand_agents_leave_no_descriptor_child_or_record_behind() {
    let directory = tempfile::tempdir().unwrap();
    let records = agent_process::ProcessRecords::at(directory.path()).unwrap();
    let launcher = launcher().with_records(records);
    cycle(&launcher).await;
    let before = (descriptors(), children(std::process::id()));
    for _ in 0..CYCLES / 8 {
        // Several at a time, as sessions do.
        let four = || async {
            tokio::join!(cycle(&launcher), cycle(&launcher), cycle(&launcher), cycle(&launcher))
        };
        tokio::join!(four(), four());
    }
    assert_eq!((descriptors(), children(std::process::id())), before);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}
