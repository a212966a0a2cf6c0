//! The whole product: the binary as a process with Codex behind it, and what is left when it ends.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::agents::codex_acp;
use testkit::responses_api::{Gate, ResponsesApi};
use testkit::{CodexHome, HttpClient};

use crate::codex_sends::script;

struct Product {
    child: Child,
    client: HttpClient,
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
    fn start(api: &ResponsesApi) -> Self {
        let (data, home) = (tempfile::tempdir().unwrap(), CodexHome::new(api));
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

    /// A session with a command that tries to get away, and a turn under way behind it.
    async fn busy(&self) {
        let body = json!({ "cliType": "codex", "projectDir": self.home.project() });
        let created = self.client.post_json("/api/session/create", &body).await;
        assert_eq!(created.status, 201, "{}", created.text());
        let session = created.json()["sessionId"].as_str().unwrap().to_owned();
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

    async fn post(&self, path: &str, body: &Value) {
        let answer = self.client.post_json(path, body).await;
        assert!((200..300).contains(&answer.status), "{path}: {}", answer.text());
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
    product.child.kill().unwrap();
    product.child.wait().unwrap();
    product.until("nothing runs", <[u32]>::is_empty).await;
    (product.child, product.client) = serve(product.data.path());
    let records = std::fs::read_dir(product.data.path().join("agents")).unwrap();
    assert_eq!(records.count(), 0, "nothing is written down any more");
}

#[tokio::test]
async fn a_server_that_is_told_to_stop_ends_its_agents() {
    let api = ResponsesApi::start(script(&Gate::new())).await;
    let mut product = Product::start(&api);
    product.busy().await;
    let pid = rustix::process::Pid::from_child(&product.child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert!(product.child.wait().unwrap().success());
    assert_eq!(product.home.processes(), Vec::<u32>::new());
}
