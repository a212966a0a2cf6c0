//! The acceptance cases of the session API, for whichever real agent stands behind an edge.

use std::path::PathBuf;

use contract::SessionId;
use serde_json::{Value, json};

use crate::edge::Edge;
use crate::families::{LEGACY, UPSERTS, is_one_of};
use crate::http_client::HttpResponse;
use crate::told_stream::ToldStream;

#[derive(Debug)]
pub struct SessionApi {
    pub edge: Edge,
    pub cli_type: &'static str,
    /// Where its sessions work; others may be made below it.
    pub project: PathBuf,
}

fn at(session: &SessionId, route: &str) -> String {
    format!("/api/session/{session}/{route}")
}

impl SessionApi {
    async fn post(&self, path: &str, body: &Value) -> HttpResponse {
        self.edge.client().post_json(path, body).await
    }

    async fn get(&self, path: &str) -> Value {
        let answer = self.edge.client().get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.json()
    }

    /// The session and its project.
    async fn create_in(&self, directory: PathBuf) -> (SessionId, String) {
        std::fs::create_dir_all(&directory).unwrap();
        let body = json!({"cliType": self.cli_type, "projectDir": directory});
        let created = self.post("/api/session/create", &body).await;
        assert_eq!(created.status, 201, "{}", created.text());
        let created = created.json();
        assert_eq!(created["cliType"], self.cli_type);
        let text = |field: &str| created[field].as_str().unwrap().to_owned();
        (text("sessionId").into(), text("projectId"))
    }

    pub async fn create(&self) -> (SessionId, String) {
        self.create_in(self.project.clone()).await
    }

    async fn send(&self, session: &SessionId, content: &str) -> Value {
        let sent = self.post(&at(session, "send"), &json!({"content": content})).await;
        assert_eq!(sent.status, 202, "{}", sent.text());
        sent.json()
    }

    async fn settled(&self, session: &SessionId) -> Value {
        let waited = self.get(&at(session, "wait?timeoutMs=30000")).await;
        assert_eq!(waited["timedOut"], false, "{waited}");
        self.get(&at(session, "history")).await
    }

    async fn listed(&self, project: &str, query: &str) -> Vec<(String, String)> {
        let list = self.get(&format!("/api/session/list?projectId={project}{query}")).await;
        let text = |item: &Value, field: &str| item[field].as_str().unwrap().to_owned();
        let sessions = list["sessions"].as_array().unwrap().iter();
        sessions.map(|item| (text(item, "sessionId"), text(item, "status"))).collect()
    }

    async fn is_unknown(&self, route: &str, body: &Value) {
        let refused = self.post(&at(&"nobody".into(), route), body).await;
        assert_eq!(refused.error(), (404, "SESSION_NOT_FOUND".into()), "{route}");
    }

    /// TC-6.1a to TC-6.1d.
    pub async fn creates_and_lists(&self) {
        let (open, project) = self.create().await;
        let (dead, _) = self.create().await;
        let (archived, _) = self.create().await;
        let (elsewhere, other) = self.create_in(self.project.join("below")).await;
        assert_eq!(self.post(&at(&dead, "kill"), &json!({})).await.status, 200);
        assert_eq!(self.post(&at(&archived, "archive"), &json!({})).await.status, 200);
        assert_eq!(self.listed(&project, "").await, [(open.to_string(), "open".to_owned())]);
        assert_eq!(self.listed(&project, "&state=all").await.len(), 3);
        assert_eq!(self.listed(&other, "").await, [(elsewhere.to_string(), "open".to_owned())]);
        let body = json!({"cliType": "nothing", "projectDir": self.project});
        let refused = self.post("/api/session/create", &body).await;
        assert_eq!(refused.error(), (400, "UNSUPPORTED_CLI_TYPE".into()));
        let refused = self.edge.client().get("/api/session/list").await;
        assert_eq!(refused.error(), (400, "PROJECT_ID_REQUIRED".into()));
    }

    /// TC-6.1e and TC-6.1f, in the family of old clients too: each is told one history.
    pub async fn loads(&self) {
        let (session, _) = self.create().await;
        self.send(&session, "hi").await;
        let before = self.settled(&session).await;
        assert_eq!(self.post(&at(&session, "kill"), &json!({})).await.status, 200);
        let (mut socket, _) = self.edge.opened("upsert-v1", &session).await;
        let mut old = self.edge.socket().await;
        old.send(&json!({"type": "session:open", "sessionId": session})).await;
        old.receive_type("session:history").await;
        let loaded = self.edge.client().post(&at(&session, "load")).await;
        let expected = json!({"sessionId": session, "cliType": self.cli_type});
        assert_eq!((loaded.status, loaded.json()), (200, expected));
        let history = socket.receive_only("session:history").await;
        assert_eq!(history["entries"], before["entries"], "as it was");
        let entries = old.receive_only("session:history").await["entries"].clone();
        let kinds: Vec<_> =
            entries.as_array().unwrap().iter().map(|entry| &entry["type"]).collect();
        assert_eq!(kinds, ["user", "assistant"]);
        self.is_unknown("load", &json!({})).await;
    }

    /// TC-6.2a, TC-6.2b and TC-6.2d. The first message is to be answered while the second waits.
    pub async fn sends(&self) {
        let (session, _) = self.create().await;
        let first = self.send(&session, "hi").await;
        assert_eq!(first["state"], "started");
        let history = self.get(&at(&session, "history")).await;
        let own = format!("{}:0:0", first["turnId"].as_str().unwrap());
        let item = &history["entries"][0];
        assert_eq!((&item["itemId"], &item["content"]), (&json!(own), &json!("hi")));
        let second = self.send(&session, "and then").await;
        let history = self.settled(&session).await;
        for (part, least) in [("entries", 2), ("turns", 2)] {
            let of = |turn: &Value| {
                let told = history[part].as_array().unwrap().iter();
                told.filter(|one| one["turnId"] == turn["turnId"]).count()
            };
            let all = history[part].as_array().unwrap().len();
            assert!(of(&first) >= least && of(&second) >= least, "{part}: {history:#}");
            assert_eq!(of(&first) + of(&second), all, "each stands in one of them");
        }
        self.is_unknown("send", &json!({"content": "hi"})).await;
    }

    /// TC-6.2c. The turn runs until it is cancelled.
    pub async fn cancels(&self, content: &str, is_under_way: impl Future<Output = ()>) {
        let (session, _) = self.create().await;
        let sent = self.send(&session, content).await;
        is_under_way.await;
        let cancelled = self.post(&at(&session, "cancel"), &json!({})).await;
        assert_eq!((cancelled.status, cancelled.json()), (200, json!({"cancelled": true})));
        let history = self.get(&at(&session, "history")).await;
        let turns = history["turns"].as_array().unwrap();
        let ends: Vec<_> = turns.iter().filter(|turn| turn["type"] != "turn_started").collect();
        assert_eq!((ends.len(), &ends[0]["status"]), (1, &json!("cancelled")), "{turns:?}");
        assert_eq!(ends[0]["turnId"], sent["turnId"]);
        self.is_unknown("cancel", &json!({})).await;
    }

    /// TC-6.3a and TC-6.3b. `processes` tells what runs of the agent.
    pub async fn kills(&self, processes: impl Fn() -> Vec<u32>) {
        let (session, project) = self.create().await;
        self.send(&session, "hi").await;
        self.settled(&session).await;
        assert_ne!(processes(), Vec::<u32>::new());
        self.is_told(&session, true, "open").await;
        let killed = self.post(&at(&session, "kill"), &json!({})).await;
        assert_eq!((killed.status, killed.json()), (200, json!({"killed": true})));
        assert_eq!(processes(), Vec::<u32>::new(), "all of it has ended by then");
        self.is_told(&session, false, "dead").await;
        assert_eq!(self.listed(&project, "").await, []);
        let all = self.listed(&project, "&state=all").await;
        assert_eq!(all, [(session.to_string(), "dead".to_owned())]);
        let unknown = self.edge.client().get("/api/session/nobody/status").await;
        assert_eq!(unknown.error(), (404, "SESSION_NOT_FOUND".into()));
    }

    async fn is_told(&self, session: &SessionId, is_alive: bool, state: &str) {
        let status = self.get(&at(session, "status")).await;
        assert_eq!(
            (&status["sessionId"], &status["cliType"]),
            (&json!(session), &json!(self.cli_type))
        );
        assert_eq!((&status["isAlive"], &status["state"]), (&json!(is_alive), &json!(state)));
    }

    /// TC-6.4b, of an edge whose window is closed: a socket that asks for nothing is told upserts.
    pub async fn tells_nothing_legacy(&self) {
        let (session, _) = self.create().await;
        let mut socket = self.edge.socket().await;
        socket.send(&json!({"type": "session:open", "sessionId": session})).await;
        let history = socket.receive_type("session:history").await;
        let mut told = ToldStream::new(&session, history);
        socket.send(&json!({"type": "session:send", "sessionId": session, "content": "hi"})).await;
        told.until_turn_ends(&mut socket).await;
        assert!(!told.messages.iter().any(|message| is_one_of(message, &LEGACY)));
        assert!(told.messages.iter().any(|message| is_one_of(message, &UPSERTS)));
    }
}
