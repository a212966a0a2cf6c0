//! A conversation with a real agent whose server is killed in the middle of a turn, as its client sees it before and after.

use std::time::Duration;

use serde_json::{Value, json};

use crate::HttpClient;

/// A session with one turn that has ended, one that runs and one that waits.
#[derive(Debug)]
pub struct CutShort {
    session: String,
    running: String,
    waiting: String,
    /// What of the running turn's answer was journalled.
    said: String,
}

impl CutShort {
    /// The model answers "first" and "later" with `Answer to …`, and falls silent in the middle of "slow".
    pub async fn begin(client: &HttpClient, session: &str) -> Self {
        send(client, session, "first").await;
        wait(client, session).await;
        let running = send(client, session, "slow").await;
        let said = text_of(client, session, &running).await;
        let waiting = send(client, session, "later").await;
        Self { session: session.to_owned(), running, waiting, said }
    }

    /// On the server that came after: nothing that was told is lost, the turn has its one end, and what waits is not prompted.
    pub async fn judge(&self, client: &HttpClient) {
        let history = self.get(client, "history").await;
        let ends = ends_of(&history, &self.running);
        let [end] = ends.as_slice() else { panic!("one end: {history:#}") };
        assert_eq!((end["type"].as_str(), end["errorCode"].as_str()), INTERRUPTED);
        let items = agent_items(&history, &self.running);
        let [item] = items.as_slice() else { panic!("one answer: {history:#}") };
        assert_eq!((item["status"].as_str(), item["errorCode"].as_str()), FAILED);
        assert!(item["content"].as_str().unwrap().starts_with(&self.said), "{item:#}");
        let status = self.get(client, "status").await;
        let queued = status["queued"].as_array().unwrap();
        assert_eq!(queued.len(), 1, "{status:#}");
        assert_eq!(queued[0]["turnId"], self.waiting);
        assert_eq!(queued[0]["paused"], true);
        assert_eq!((&status["isAlive"], &status["state"]), (&json!(false), &json!("open")));
    }

    /// The next message resumes the agent; what waited runs before it.
    pub async fn go_on(&self, client: &HttpClient) {
        let turn = send(client, &self.session, "again").await;
        wait(client, &self.session).await;
        let history = self.get(client, "history").await;
        for (turn, said) in [(&self.waiting, "Answer to later"), (&turn, "Answer to again")] {
            let ends = ends_of(&history, turn);
            assert_eq!(ends.len(), 1, "{history:#}");
            assert_eq!(ends[0]["type"], "turn_complete", "{history:#}");
            let items = agent_items(&history, turn);
            assert_eq!(items.last().unwrap()["content"], said);
        }
        assert_eq!(ends_of(&history, &self.running).len(), 1, "still one");
    }

    async fn get(&self, client: &HttpClient, what: &str) -> Value {
        get(client, &self.session, what).await
    }
}

const INTERRUPTED: (Option<&str>, Option<&str>) = (Some("turn_error"), Some("INTERRUPTED"));
const FAILED: (Option<&str>, Option<&str>) = (Some("error"), Some("INTERRUPTED"));

async fn get(client: &HttpClient, session: &str, what: &str) -> Value {
    let answer = client.get(&format!("/api/session/{session}/{what}")).await;
    assert_eq!(answer.status, 200, "{what}: {}", answer.text());
    answer.json()
}

async fn send(client: &HttpClient, session: &str, content: &str) -> String {
    let path = format!("/api/session/{session}/send");
    let sent = client.post_json(&path, &json!({ "content": content })).await;
    assert_eq!(sent.status, 202, "{content}: {}", sent.text());
    sent.json()["turnId"].as_str().unwrap().to_owned()
}

async fn wait(client: &HttpClient, session: &str) {
    let waited = get(client, session, "wait?timeoutMs=60000").await;
    assert_eq!(waited["timedOut"], false, "{waited}");
}

/// What the agent said in a turn, once it has said something.
async fn text_of(client: &HttpClient, session: &str, turn: &str) -> String {
    for _ in 0..600 {
        let history = get(client, session, "history").await;
        if let Some(item) = agent_items(&history, turn).first() {
            return item["content"].as_str().unwrap().to_owned();
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("nothing was said in {turn}");
}

fn ends_of<'a>(history: &'a Value, turn: &str) -> Vec<&'a Value> {
    let events = history["turns"].as_array().unwrap().iter().filter(|it| it["turnId"] == turn);
    events.filter(|event| event["type"] != "turn_started").collect()
}

fn agent_items<'a>(history: &'a Value, turn: &str) -> Vec<&'a Value> {
    let items = history["entries"].as_array().unwrap().iter().filter(|it| it["turnId"] == turn);
    items.filter(|item| item["type"] == "message" && item["origin"] == "agent").collect()
}
