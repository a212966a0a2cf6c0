//! The whole product: the binary as a process with Codex behind it, and what is left when it ends.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::agents::codex_acp;
use testkit::responses_api::{Gate, ResponsesApi, ResponsesReply};
use testkit::{CodexHome, HttpClient};

use crate::codex_sends::script;

pub(crate) struct Product {
    child: Child,
    pub(crate) client: HttpClient,
    data: TempDir,
    home: CodexHome,
}

impl Drop for Product {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Product {
    pub(crate) fn start(api: &ResponsesApi) -> Self {
        let data = tempfile::tempdir().unwrap();
        let home = CodexHome::with_settings(api, "untrusted", "danger-full-access", 3);
        let mut config = format!(
            "allowed_roots = [{:?}]\n[agents.codex]\ncommand = [{:?}]\n[agents.codex.env]\n",
            home.project(),
            codex_acp()
        );
        for (name, value) in home.environment() {
            writeln!(config, "{} = {value:?}", name.to_str().unwrap()).unwrap();
        }
        std::fs::write(data.path().join("config.toml"), config).unwrap();
        let (child, client) = serve(data.path());
        Self { child, client, data, home }
    }

    pub(crate) async fn create(&self) -> String {
        self.create_with(json!({})).await
    }

    pub(crate) async fn create_with(&self, choices: Value) -> String {
        let mut body = choices;
        body["cliType"] = json!("codex");
        body["projectDir"] = json!(self.home.project());
        let created = self.client.post_json("/api/session/create", &body).await;
        assert_eq!(created.status, 201, "{}", created.text());
        created.json()["sessionId"].as_str().unwrap().to_owned()
    }

    /// A session with a command that tries to get away.
    async fn busy(&self) {
        let session = self.create().await;
        self.post(&format!("/api/session/{session}/send"), &json!({ "content": "sleep" })).await;
        let asked = self.permission(&session).await;
        let answer = format!("/api/session/{session}/permission/{asked}");
        self.post(&answer, &json!({ "optionId": "approved" })).await;
        self.until("the command runs", |processes| processes.len() >= 4).await;
    }

    async fn permission(&self, session: &str) -> String {
        for _ in 0..600 {
            let status = self.client.get(&format!("/api/session/{session}/status")).await.json();
            if let Some(asked) = status["permissions"][0]["permissionId"].as_str() {
                return asked.to_owned();
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("nothing is asked for");
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) {
        let answer = self.client.post_json(path, body).await;
        assert!((200..300).contains(&answer.status), "{path}: {}", answer.text());
    }

    /// Kills the server, which takes its agents with it, and starts another on what it left.
    pub(crate) async fn kill_and_serve(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.until("nothing runs", <[u32]>::is_empty).await;
        (self.child, self.client) = serve(self.data.path());
    }

    /// Stops the server in order; what it recorded is on the disk then.
    fn stop(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        assert!(self.child.wait().unwrap().success());
    }

    /// The items that the one recording gives when it is told again, each as it was last.
    #[expect(clippy::disallowed_methods, reason = "the binary under test")]
    fn replayed(&self) -> Vec<Value> {
        let recordings = std::fs::read_dir(self.data.path().join("recordings")).unwrap();
        let recordings: Vec<_> = recordings.map(|entry| entry.unwrap().path()).collect();
        let [recording] = recordings.as_slice() else { panic!("{recordings:?}") };
        let run = Command::new(env!("CARGO_BIN_EXE_liminal"))
            .args(["replay", "--json"])
            .arg(recording)
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let mut items: Vec<Value> = Vec::new();
        for line in String::from_utf8(run.stdout).unwrap().lines() {
            let told: Value = serde_json::from_str(line).unwrap();
            if told["kind"] == "upsert" {
                let item = told["payload"].clone();
                items.retain(|known| known["itemId"] != item["itemId"]);
                items.push(item);
            }
        }
        items
    }

    /// Waits for seconds, not for ever.
    async fn until(&self, what: &str, is_so: impl Fn(&[u32]) -> bool) {
        for _ in 0..60 {
            if is_so(&self.home.processes()) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("never: {what}: {:?}", self.home.processes());
    }
}

#[expect(clippy::disallowed_methods, reason = "the binary under test")]
fn serve(data: &Path) -> (Child, HttpClient) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_liminal"))
        .args(["serve", "--listen", "127.0.0.1:0", "--ready", "json", "--data-dir"])
        .arg(data)
        .arg("--record")
        .arg(data.join("recordings"))
        .env_remove("LIMINAL_LISTEN")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let ready: Value = serde_json::from_str(&line).unwrap();
    let url = ready["url"].as_str().unwrap();
    let port = url.split("127.0.0.1:").nth(1).unwrap().split('/').next().unwrap();
    let token = format!("Bearer {}", ready["token"].as_str().unwrap());
    (child, HttpClient::new(port.parse().unwrap()).with_header("Authorization", &token))
}

#[tokio::test]
async fn a_killed_server_leaves_nothing_and_the_next_start_is_clean() {
    let api = ResponsesApi::start(script(&Gate::new())).await;
    let mut product = Product::start(&api);
    product.busy().await;
    product.kill_and_serve().await;
    let records = std::fs::read_dir(product.data.path().join("agents")).unwrap();
    assert_eq!(records.count(), 0, "nothing is written down any more");
}

#[tokio::test]
async fn a_server_that_is_told_to_stop_ends_its_agents() {
    let api = ResponsesApi::start(script(&Gate::new())).await;
    let mut product = Product::start(&api);
    product.busy().await;
    product.stop();
    assert_eq!(product.home.processes(), Vec::<u32>::new());
}

/// An item without what is different in every run.
fn essence(item: &Value) -> String {
    format!("{} {} {}", item["status"], item["errorCode"], item["content"])
}

#[tokio::test]
async fn what_is_recorded_is_replayed_as_it_was_live() {
    let asked = AtomicUsize::new(0);
    let api = ResponsesApi::start(move |_| match asked.fetch_add(1, Ordering::Relaxed) {
        0 => ResponsesReply::words(400).cut_after(60),
        _ => ResponsesReply::words(400),
    });
    let api = api.await;
    let mut product = Product::start(&api);
    let session = product.create().await;
    product.post(&format!("/api/session/{session}/send"), &json!({ "content": "talk" })).await;
    product.client.get(&format!("/api/session/{session}/wait?timeoutMs=60000")).await;
    let history = product.client.get(&format!("/api/session/{session}/history")).await.json();
    product.stop();
    let live: Vec<String> = history["entries"].as_array().unwrap().iter().map(essence).collect();
    assert_eq!(live.len(), 3, "the message, and two tries: {live:?}");
    assert!(live[1].contains("SUPERSEDED"), "{live:?}");
    let replayed: Vec<String> = product.replayed().iter().map(essence).collect();
    assert_eq!(replayed, live);
}
