//! What neither a server nor a guard could end is ended by the next server.

use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use testkit::claude_house::processes_with_home;
use testkit::{ServerPlace, ServerProcess};

use crate::LIMINAL;

/// An agent that opens a session, hangs, and has left a process behind that belongs to nobody.
const HANGING: &str = r#"
[agents.hanging]
command = ["/bin/sh", "-c", '''
(setsid sleep 1000 &)
read -r line; echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{}}}'
read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}'
sleep 1000; sleep 1000
''']
"#;

fn signal(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid.try_into().unwrap()).unwrap(), signal).unwrap();
}

/// Of the one agent that runs.
fn guard(place: &ServerPlace) -> u32 {
    let mut records = std::fs::read_dir(place.at("data").join("agents")).unwrap();
    let record = std::fs::read(records.next().unwrap().unwrap().path()).unwrap();
    let record: Value = serde_json::from_slice(&record).unwrap();
    record["guardPid"].as_u64().unwrap().try_into().unwrap()
}

/// All that runs here but the server.
fn others(place: &ServerPlace, server: Option<&ServerProcess>) -> Vec<u32> {
    let mut processes = processes_with_home(&place.at("home"));
    processes.retain(|pid| server.is_none_or(|server| server.pid() != *pid));
    processes
}

#[tokio::test]
async fn what_a_killed_server_and_its_killed_guard_left_running_is_ended_by_the_next_start() {
    let place = ServerPlace::new(Path::new(LIMINAL), HANGING);
    let server = place.start();
    server.create(&place, "hanging").await;
    let guard = guard(&place);
    // A guard that sees its server end ends everything below it; this one sees nothing.
    signal(guard, Signal::STOP);
    server.kill();
    signal(guard, Signal::KILL);
    let left = others(&place, None);
    assert!(!left.is_empty(), "the test needs survivors");

    let server = place.start();
    for _ in 0..100 {
        if others(&place, Some(&server)).is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let still: Vec<_> = others(&place, Some(&server));
    for pid in &still {
        signal(*pid, Signal::KILL);
    }
    panic!("{still:?} of {left:?} still run");
}
