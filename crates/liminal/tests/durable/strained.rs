//! A server that is held up, or short of what it needs.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use contract::SessionId;
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{ServerPlace, ServerProcess, SocketClient};
use tokio::task::JoinSet;

use crate::follower::Follower;
use crate::{LIMINAL, ends, place};

/// A connection that is not taken for so long is not taken at all: also a busy machine is quicker.
const NO_ANSWER: Duration = Duration::from_secs(6);

/// Longer than any step of a turn takes that runs.
const A_WHILE: Duration = Duration::from_secs(3);

#[tokio::test]
async fn a_server_that_was_suspended_goes_on_where_it_was() {
    let place = place();
    let server = place.start();
    let session = server.create(&place, "demo").await;
    let mut follower = Follower::new(&session, "upsert-v2");
    let (port, token) = (server.port(), server.token().to_owned());
    let mut following = JoinSet::new();
    following.spawn(async move {
        follower.follow(port, &token).await;
        follower
    });
    server.send(&session, &json!({"content": "slow"})).await;
    has_begun(&server, &session).await;
    server.suspend();
    // The agent says the rest meanwhile.
    tokio::time::sleep(A_WHILE).await;
    server.wake();

    assert_eq!(server.settled(&session).await, "idle");
    let history = server.history(&session).await;
    let answer = history["entries"].as_array().unwrap().last().unwrap().clone();
    assert!(answer["content"].as_str().unwrap().ends_with("stays.\n"), "{answer}");
    assert_eq!(ends(&history).len(), 1);
    assert!(server.stop().success());
    following.join_next().await.unwrap().unwrap().shows(&history);
}

async fn has_begun(server: &ServerProcess, session: &SessionId) {
    while server.history(session).await["entries"].as_array().unwrap().len() < 2 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A place whose server may have so many files open at once: so many if it does not ask, and so many if it does.
fn limited(soft: u32, hard: u32) -> (TempDir, ServerPlace) {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("limited");
    let script =
        format!("#!/bin/sh\nulimit -Sn {soft} && ulimit -Hn {hard} && exec '{LIMINAL}' \"$@\"\n");
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let place = ServerPlace::new(&program, "");
    (directory, place)
}

/// Of a process, as the system tells it.
fn open_files_allowed(pid: u32) -> String {
    let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
    let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    line.split_whitespace().nth(3).unwrap().to_owned()
}

async fn connection(server: &ServerProcess) -> Option<SocketClient> {
    let bearer = format!("Bearer {}", server.token());
    let headers = [("Authorization", bearer.as_str())];
    let connected = SocketClient::try_connect(server.port(), false, &headers);
    tokio::time::timeout(NO_ANSWER, connected).await.ok().flatten()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_takes_more_connections_than_it_was_started_for_and_its_agents_do_not_notice() {
    let (_directory, place) = limited(128, 512);
    let server = place.start();
    server.create(&place, "demo").await;
    assert_eq!(open_files_allowed(server.pid()), "512");
    let agents = place.agents("demo-agent");
    assert_eq!(agents.iter().map(|pid| open_files_allowed(*pid)).collect::<Vec<_>>(), ["128"]);
    let mut connections = Vec::new();
    for n in 0..200 {
        connections.push(connection(&server).await.unwrap_or_else(|| panic!("the {n}th")));
    }
}

/// Of a thread, in nanoseconds, where the kernel has and tells them.
#[cfg(target_os = "linux")]
fn slice(pid: u32, thread: &str) -> Option<String> {
    let told = std::fs::read_to_string(format!("/proc/{pid}/task/{thread}/sched")).ok()?;
    let line = told.lines().find(|line| line.starts_with("se.slice"))?;
    Some(line.split(':').nth(1)?.trim().to_owned())
}

/// Of the threads of a process that have a name.
#[cfg(target_os = "linux")]
fn slices(pid: u32, name: &str) -> Vec<Option<String>> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let threads = threads.map(|thread| thread.unwrap().file_name().into_string().unwrap());
    let named = threads.filter(|thread| {
        let told = std::fs::read_to_string(format!("/proc/{pid}/task/{thread}/comm"));
        told.is_ok_and(|told| told.trim() == name)
    });
    named.map(|thread| slice(pid, &thread)).collect()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn who_passes_on_what_agents_say_runs_in_short_slices_and_agents_in_the_usual_ones() {
    let place = place();
    let server = place.start();
    server.create(&place, "demo").await;
    let own = std::process::id();
    let usual = slice(own, &own.to_string());
    let short = usual.as_ref().map(|_| "100000".to_owned());
    assert_eq!(slices(server.pid(), "journal"), std::slice::from_ref(&short));
    // One that has just been started has yet to ask.
    while slices(server.pid(), "tokio-rt-worker").iter().any(|worker| *worker != short) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(!slices(server.pid(), "tokio-rt-worker").is_empty());
    let agents = place.agents("demo-agent");
    assert!(!agents.is_empty());
    for agent in agents {
        assert_eq!(slice(agent, &agent.to_string()), usual);
    }
}

#[tokio::test]
async fn a_server_without_files_left_to_open_goes_on_with_what_is_there_and_takes_more_later() {
    let (_directory, place) = limited(128, 128);
    let server = place.start();
    let talks = server.create(&place, "demo").await;
    let rests = server.create(&place, "demo").await;
    let killed = server.client().post(&format!("/api/session/{rests}/kill")).await;
    assert_eq!(killed.status, 200, "{}", killed.text());
    let mut socket = server.socket("upsert-v2").await;
    for session in [&talks, &rests] {
        socket.send(&json!({"type": "session:open", "sessionId": session})).await;
        socket.receive_type("session:history").await;
    }
    let mut taken = Vec::new();
    while let Some(connection) = connection(&server).await {
        taken.push(connection);
        assert!(taken.len() < 128, "there is an end");
    }

    // The agent that runs is heard, and what is written is kept.
    assert_eq!(told_end(&mut socket, &talks).await["type"], "turn_complete");
    // One that would have to be started is not, and whoever asked is told why.
    let refused = told_end(&mut socket, &rests).await;
    assert_eq!(refused["code"], "PROCESS_CRASH", "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("open files"), "{refused}");

    drop(taken);
    let again = server.create(&place, "demo").await;
    assert_eq!(told_end(&mut socket, &rests).await["type"], "turn_complete");
    assert_eq!(ends(&server.history(&talks).await).len(), 1);
    assert_eq!(ends(&server.history(&rests).await).len(), 1, "what was refused left no trace");
    assert_eq!(server.get(&format!("/api/session/{again}/status")).await["isAlive"], true);
}

/// Sends to a session by a connection that follows it, and gives how its turn ended, or why there is none.
async fn told_end(socket: &mut SocketClient, session: &SessionId) -> Value {
    socket.send(&json!({"type": "session:send", "sessionId": session, "content": "help"})).await;
    loop {
        let message = socket.receive().await;
        if message["type"] == "error" {
            return message;
        }
        let event = &message["payload"];
        if message["sessionId"] == session.as_str()
            && ["turn_complete", "turn_error"].iter().any(|end| event["type"] == *end)
        {
            return event.clone();
        }
    }
}
