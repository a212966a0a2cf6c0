//! One restart at a time.

use std::time::Duration;

use contract::SessionId;
use serde_json::{Value, json};
use testkit::ServerProcess;

use crate::{ends, envelope, place};

/// Begins a turn of a session that is fed from outside, with one message that is done and one that is not.
async fn feed(server: &ServerProcess, session: &SessionId, turn: &str) {
    let say = |payload: Value| envelope(session, turn, &payload);
    let done = json!({"type": "message", "content": "one two", "origin": "agent"});
    let lines = [
        say(json!({"type": "response_start", "modelId": "m", "providerId": "p"})),
        say(json!({"type": "item_start", "itemId": format!("{turn}-a"), "itemType": "message"})),
        say(json!({"type": "item_done", "itemId": format!("{turn}-a"), "finalItem": done})),
        say(json!({"type": "item_start", "itemId": format!("{turn}-b"), "itemType": "message",
                   "initialContent": "three words in all and then some more of them, so that they are shown at once"})),
    ];
    let client = server.client().with_header("Content-Type", "application/x-ndjson");
    let path = format!("/api/session/{session}/events");
    let answer = client.request("POST", &path, lines.concat().as_bytes()).await;
    assert_eq!(answer.json()["accepted"], 4, "{}", answer.text());
}

async fn until(holds: impl AsyncFn() -> bool) {
    for _ in 0..400 {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("it never came to hold");
}

fn texts(history: &Value) -> Vec<String> {
    let entries = history["entries"].as_array().unwrap().iter();
    entries
        .map(|item| {
            format!(
                "{} {}",
                item["status"].as_str().unwrap(),
                item["content"].as_str().unwrap_or_default()
            )
        })
        .collect()
}

#[tokio::test]
async fn after_a_kill_the_journal_is_looked_over_and_after_a_good_end_it_is_not() {
    let place = place().logged_at("info");
    let looked_over = || std::fs::read_to_string(place.at("log")).unwrap().contains("and is whole");
    let server = place.start();
    server.create(&place, "external").await;
    assert!(server.stop().success());
    let server = place.start();
    server.create(&place, "external").await;
    assert!(!looked_over());
    server.kill();
    let _server = place.start();
    until(async || looked_over()).await;
}

#[tokio::test]
async fn what_was_accepted_is_there_after_a_kill_and_an_open_turn_ends_once() {
    let place = place();
    let server = place.start();
    let session = server.create(&place, "external").await;
    feed(&server, &session, "t1").await;
    // The second message is shown a moment after it came.
    until(async || server.history(&session).await["entries"].as_array().unwrap().len() == 2).await;
    let before = server.history(&session).await;
    server.kill();

    for _ in 0..2 {
        let server = place.start();
        let after = server.history(&session).await;
        assert_eq!(after["epoch"], before["epoch"]);
        assert_eq!(ends(&after), [("t1".to_owned(), "INTERRUPTED".to_owned())]);
        let texts = texts(&after);
        assert_eq!(texts[0], "complete one two");
        assert!(texts[1].starts_with("error three words"), "{texts:?}");
        assert_eq!(after["entries"][1]["errorCode"], "INTERRUPTED");
        assert_eq!(after["seq"].as_u64().unwrap(), before["seq"].as_u64().unwrap() + 2);
        server.kill();
    }
}

#[tokio::test]
async fn projects_sessions_and_answers_to_sends_outlive_a_server() {
    let place = place();
    let server = place.start();
    let session = server.create(&place, "demo").await;
    let message = json!({"content": "help", "clientMessageId": "m-1"});
    let sent = server.send(&session, &message).await;
    assert_eq!(server.settled(&session).await, "idle");
    let before = server.history(&session).await;
    let projects = server.get("/api/projects").await;
    assert!(server.stop().success());
    place.nothing_runs().await;

    let server = place.start();
    assert_eq!(server.get("/api/projects").await, projects);
    assert_eq!(server.history(&session).await, before);
    let again = server.send(&session, &message).await;
    assert_eq!(again["turnId"], sent["turnId"], "a retry is no second message");
    let project = projects[0]["id"].as_str().unwrap().to_owned();
    let list = server.get(&format!("/api/session/list?projectId={project}")).await;
    assert_eq!(list["sessions"][0]["sessionId"], session.as_str());
    assert_eq!(list["sessions"][0]["status"], "open");
    // The agent remembers what was said before.
    server.send(&session, &json!({"content": "list files"})).await;
    assert_eq!(server.settled(&session).await, "idle");
    assert_eq!(ends(&server.history(&session).await).len(), 2);
}

#[tokio::test]
async fn a_killed_server_prompts_nothing_again_and_leaves_nothing_running() {
    let place = place();
    let server = place.start();
    let session = server.create(&place, "demo").await;
    server.send(&session, &json!({"content": "hang"})).await;
    for content in ["list files", "read README.md"] {
        server.send(&session, &json!({"content": content})).await;
    }
    until(async || !server.history(&session).await["turns"].as_array().unwrap().is_empty()).await;
    server.kill();
    place.nothing_runs().await;

    let server = place.start();
    let status = server.get(&format!("/api/session/{session}/status")).await;
    assert_eq!((&status["state"], &status["isAlive"]), (&json!("open"), &json!(false)));
    assert_eq!(status["activity"], "error", "the turn that ran has failed");
    let project = server.get("/api/projects").await[0]["id"].as_str().unwrap().to_owned();
    let list = server.get(&format!("/api/session/list?projectId={project}")).await;
    assert_eq!(list["sessions"][0]["activity"], "error");
    let waiting: Vec<_> = status["queued"]
        .as_array()
        .unwrap()
        .iter()
        .map(|turn| (&turn["content"], &turn["paused"]))
        .collect();
    assert_eq!(
        waiting,
        [(&json!("list files"), &json!(true)), (&json!("read README.md"), &json!(true))]
    );
    let after = server.history(&session).await;
    assert_eq!(
        ends(&after).iter().map(|(_, how)| how.as_str()).collect::<Vec<_>>(),
        ["INTERRUPTED"]
    );
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(server.history(&session).await, after, "nothing happens by itself");

    // A new message wakes the queue, in order.
    server.send(&session, &json!({"content": "help"})).await;
    assert_eq!(server.settled(&session).await, "idle");
    let told = ends(&server.history(&session).await);
    assert_eq!(told.iter().filter(|(_, how)| how == "completed").count(), 3, "{told:?}");
}

#[tokio::test]
async fn what_programs_feed_is_kept_when_it_is_accepted_and_goes_on_after_a_kill() {
    let place = place();
    let server = place.start();
    let session = server.create(&place, "external").await;
    let post = async |server: &ServerProcess, turn: &str, payloads: &[Value]| {
        let lines: String =
            payloads.iter().map(|payload| envelope(&session, turn, payload)).collect();
        let client = server.client().with_header("Content-Type", "application/x-ndjson");
        let path = format!("/api/session/{session}/events");
        let answer = client.request("POST", &path, lines.as_bytes()).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    };
    let start = json!({"type": "response_start", "modelId": "m", "providerId": "p"});
    let said = |item: &str| json!({"type": "item_start", "itemId": item, "itemType": "message", "initialContent": "few"});
    post(&server, "t1", &[start.clone(), said("a")]).await;
    server.kill();

    let server = place.start();
    assert_eq!(texts(&server.history(&session).await), ["error few"]);
    post(&server, "t2", &[start, said("b")]).await;
    assert_eq!(texts(&server.history(&session).await), ["error few", "create few"]);
}

#[tokio::test]
async fn when_a_family_was_last_used_is_known_after_a_restart() {
    let place = place();
    let last_use = async |server: &ServerProcess| -> Vec<f64> {
        let text = server.client().get("/metrics").await.text();
        let of_family = |family: &str| {
            let name = format!("liminal_family_last_use_seconds{{family=\"{family}\"}} ");
            text.lines().find_map(|line| line.strip_prefix(&name)?.parse().ok()).unwrap()
        };
        ["legacy", "upsert-v1", "upsert-v2"].map(of_family).into()
    };
    let server = place.start();
    assert_eq!(last_use(&server).await, [0.0; 3], "nobody has used any");
    drop(server.socket("upsert-v2").await);
    let bearer = format!("Bearer {}", server.token());
    let mut old =
        testkit::SocketClient::connect(server.port(), &[("Authorization", &bearer)]).await.unwrap();
    old.send(&json!({"type": "project:list"})).await;
    old.receive_type("project:list").await;
    let before = last_use(&server).await;
    assert!(before[0] > 1e9 && before[1] == 0.0, "{before:?}");
    assert!(server.stop().success());
    let server = place.start();
    let after = last_use(&server).await;
    assert!((before[0] - after[0]).abs() <= 60.0 && after[1] == 0.0, "{before:?} {after:?}");
}

#[tokio::test]
async fn a_queue_that_a_kill_left_is_changed_and_woken() {
    let place = place();
    let server = place.start();
    let session = server.create(&place, "demo").await;
    for content in ["hang", "help", "list files", "plan"] {
        server.send(&session, &json!({"content": content})).await;
    }
    let queue = format!("/api/session/{session}/queue");
    let waiting = server.get(&queue).await;
    let turn = |n: usize| waiting[n]["turnId"].as_str().unwrap().to_owned();
    let client = server.client().with_header("Content-Type", "application/json");
    let patch = json!({"content": "help", "before": turn(0)}).to_string();
    let path = format!("{queue}/{}", turn(2));
    assert_eq!(client.request("PATCH", &path, patch.as_bytes()).await.status, 200);
    let path = format!("{queue}/{}", turn(0));
    assert_eq!(client.request("DELETE", &path, b"").await.status, 200);
    server.kill();
    place.nothing_runs().await;

    let server = place.start();
    let left = server.get(&queue).await;
    let contents: Vec<_> = left.as_array().unwrap().iter().map(|turn| &turn["content"]).collect();
    assert_eq!(contents, ["help", "list files"]);
    assert_eq!(server.client().post(&format!("{queue}/resume")).await.status, 200);
    assert_eq!(server.settled(&session).await, "idle");
    assert_eq!(server.get(&queue).await, json!([]));
    let told = ends(&server.history(&session).await);
    let completed = told.iter().filter(|(_, how)| how == "completed").count();
    assert_eq!((completed, told.len()), (2, 3), "{told:?}");
}

#[tokio::test]
async fn sessions_that_nobody_opened_since_the_start_are_counted() {
    let place = place();
    let server = place.start();
    let mut sessions = Vec::new();
    for _ in 0..4 {
        sessions.push(server.create(&place, "external").await);
    }
    let act = async |n: usize, what: &str| {
        let path = format!("/api/session/{}/{what}", sessions[n]);
        assert_eq!(server.client().post(&path).await.status, 200, "{what}");
    };
    act(0, "archive").await;
    act(1, "kill").await;
    assert!(server.stop().success());
    let server = place.start();
    let text = server.client().get("/metrics").await.text();
    let told: Vec<_> = text.lines().filter(|line| line.starts_with("liminal_sessions{")).collect();
    for line in [
        "liminal_sessions{state=\"open\",activity=\"idle\"} 2",
        "liminal_sessions{state=\"dead\",activity=\"idle\"} 1",
    ] {
        assert!(told.contains(&line), "{line} in {told:?}");
    }
    assert_eq!(told.len(), 2, "what is archived is not counted: {told:?}");
}
