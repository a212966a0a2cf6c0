//! The whole product: the binary as a process, the real agent behind it, and what is left when either ends.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::agents::{ClaudeVersion, claude};
use testkit::model_api::{Gate, ModelApi, Reply};
use testkit::{HttpClient, HttpResponse};

use crate::sends::last_line;

real! {
    a_killed_server_leaves_no_agent_and_the_next_start_is_clean
    a_server_that_is_told_to_stop_ends_its_agents
    what_is_recorded_is_replayed
    a_crash_is_replayed_in_the_same_words
    a_start_that_failed_is_replayed_with_its_reason
}

pub(crate) struct Product {
    child: Child,
    pub(crate) client: HttpClient,
    pub(crate) directory: TempDir,
}

impl Drop for Product {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Product {
    pub(crate) fn start(version: ClaudeVersion, api: &ModelApi) -> Self {
        Self::start_with(&claude(version), api)
    }

    fn start_with(program: &Path, api: &ModelApi) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for name in ["home", "project", "tmp", "data"] {
            std::fs::create_dir(directory.path().join(name)).unwrap();
        }
        let within = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
        let mut config = format!(
            "allowed_roots = [{:?}]\n[agents.claude-code]\ncommand = [{:?}]\n[agents.claude-code.env]\n",
            directory.path(),
            program
        );
        for (name, value) in [
            ("HOME", within("home")),
            ("TMPDIR", within("tmp")),
            ("ANTHROPIC_API_KEY", "test".to_owned()),
            ("ANTHROPIC_BASE_URL", api.url()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ] {
            writeln!(config, "{name} = {value:?}").unwrap();
        }
        std::fs::write(directory.path().join("data/config.toml"), config).unwrap();
        let (child, client) = serve(directory.path());
        Self { child, client, directory }
    }

    async fn try_to_create(&self, choices: Value) -> HttpResponse {
        let mut body = choices;
        body["cliType"] = json!("claude-code");
        body["projectDir"] = json!(self.directory.path().join("project"));
        self.client.post_json("/api/session/create", &body).await
    }

    pub(crate) async fn create(&self) -> String {
        self.create_with(json!({})).await
    }

    pub(crate) async fn create_with(&self, choices: Value) -> String {
        let created = self.try_to_create(choices).await;
        assert_eq!(created.status, 201, "{}", created.text());
        created.json()["sessionId"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn send(&self, session: &str, content: &str) {
        let path = format!("/api/session/{session}/send");
        let sent = self.client.post_json(&path, &json!({ "content": content })).await;
        assert_eq!(sent.status, 202, "{}", sent.text());
    }

    /// Kills the server, which takes its agents with it, and starts another on what it left.
    pub(crate) async fn kill_and_serve(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.nothing_runs().await;
        (self.child, self.client) = serve(self.directory.path());
    }

    /// Stops the server in order; what it recorded is on the disk then.
    fn stop(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        assert!(self.child.wait().unwrap().success());
    }

    /// What the one recording gives when it is told again.
    #[expect(clippy::disallowed_methods, reason = "the binary under test")]
    fn replay(&self, arguments: &[&str]) -> String {
        let recordings = std::fs::read_dir(self.directory.path().join("recordings")).unwrap();
        let recordings: Vec<_> = recordings.map(|entry| entry.unwrap().path()).collect();
        let [recording] = recordings.as_slice() else { panic!("{recordings:?}") };
        let run = Command::new(env!("CARGO_BIN_EXE_liminal"))
            .arg("replay")
            .arg(recording)
            .args(arguments)
            .output();
        let run = run.unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        String::from_utf8(run.stdout).unwrap()
    }

    fn replayed(&self) -> Vec<Value> {
        let told = self.replay(&["--json"]);
        told.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn processes(&self) -> Vec<u32> {
        let home = self.directory.path().join("home");
        testkit::claude_house::processes_with_home(&home)
    }

    async fn nothing_runs(&self) {
        for _ in 0..60 {
            if self.processes().is_empty() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("{:?} still run after 6 s", self.processes());
    }
}

#[expect(clippy::disallowed_methods, reason = "the binary under test")]
fn serve(directory: &Path) -> (Child, HttpClient) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_liminal"))
        .args(["serve", "--listen", "127.0.0.1:0", "--ready", "json", "--data-dir"])
        .arg(directory.join("data"))
        .arg("--record")
        .arg(directory.join("recordings"))
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

/// A model whose "nap" is a task in a session of its own, and whose "slow" waits at the gate.
async fn model(gate: &Gate) -> ModelApi {
    let gate = gate.clone();
    ModelApi::start(move |request| {
        let input =
            json!({ "command": "sleep 300", "description": "nap", "run_in_background": true });
        match last_line(request).as_str() {
            "slow" => Reply::words(40).words_per_delta(1).hold_after(3, &gate),
            "nap" if request.last_tool_results().is_empty() => Reply::tool("Bash", input),
            said => Reply::text(&format!("Answer to {said}")),
        }
    })
    .await
}

/// A session with a task in the background and a turn under way.
async fn busy(product: &Product, gate: &Gate) {
    let session = product.create().await;
    product.send(&session, "nap").await;
    product.send(&session, "slow").await;
    gate.reached().await;
    assert!(product.processes().len() > 1, "the agent and its task run");
}

async fn a_killed_server_leaves_no_agent_and_the_next_start_is_clean(version: ClaudeVersion) {
    let gate = Gate::new();
    let api = model(&gate).await;
    let mut product = Product::start(version, &api);
    busy(&product, &gate).await;
    product.kill_and_serve().await;
    let records = std::fs::read_dir(product.directory.path().join("data/agents")).unwrap();
    assert_eq!(records.count(), 0, "nothing is written down any more");
}

async fn a_server_that_is_told_to_stop_ends_its_agents(version: ClaudeVersion) {
    let gate = Gate::new();
    let api = model(&gate).await;
    let mut product = Product::start(version, &api);
    busy(&product, &gate).await;
    product.stop();
    assert_eq!(product.processes(), Vec::<u32>::new());
}

async fn what_is_recorded_is_replayed(version: ClaudeVersion) {
    let api = model(&Gate::new()).await;
    let product = Product::start(version, &api);
    let session = product.create().await;
    product.send(&session, "recorded").await;
    product.client.get(&format!("/api/session/{session}/wait?timeoutMs=30000")).await;
    let killed = product.client.post(&format!("/api/session/{session}/kill")).await;
    assert_eq!(killed.status, 200);
    let readable = product.replay(&[]);
    assert!(readable.contains("Agent complete: Answer to recorded"), "{readable}");
    let lines = product.replayed();
    let of_kind = |kind: &str| lines.iter().filter(|line| line["kind"] == kind).count();
    assert_eq!(of_kind("turn"), 2);
    assert!(of_kind("upsert") >= 3);
    assert!(lines.iter().all(|line| line["payload"]["seq"].is_null()));
}

async fn a_crash_is_replayed_in_the_same_words(version: ClaudeVersion) {
    let gate = Gate::new();
    let api = model(&gate).await;
    let mut product = Product::start(version, &api);
    let session = product.create().await;
    product.send(&session, "slow").await;
    gate.reached().await;
    let agent = *product.processes().iter().min().expect("an agent runs");
    let agent = rustix::process::Pid::from_raw(agent.try_into().unwrap()).unwrap();
    rustix::process::kill_process(agent, rustix::process::Signal::KILL).unwrap();
    let wait = product.client.get(&format!("/api/session/{session}/wait?timeoutMs=30000")).await;
    assert_eq!(wait.json()["activity"], "error");
    let history = product.client.get(&format!("/api/session/{session}/history")).await.json();
    let why = |event: &Value| event["errorMessage"].as_str().map(str::to_owned);
    let live: Vec<_> = history["turns"].as_array().unwrap().iter().filter_map(why).collect();
    product.stop();
    let replayed = product.replayed();
    let turns = replayed.iter().filter(|line| line["kind"] == "turn");
    let replayed: Vec<_> = turns.filter_map(|line| why(&line["payload"])).collect();
    assert!(live.concat().contains("signal 9"), "{live:?}");
    assert_eq!(replayed, live);
}

async fn a_start_that_failed_is_replayed_with_its_reason(_: ClaudeVersion) {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("claude");
    std::fs::write(&program, "\u{7f}ELF and no more").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut product = Product::start_with(&program, &model(&Gate::new()).await);
    let refused = product.try_to_create(json!({})).await;
    assert_eq!(refused.error(), (502, "SESSION_CREATE_FAILED".to_owned()));
    let message = refused.json()["message"].as_str().unwrap().to_owned();
    assert!(message.contains(program.to_str().unwrap()), "{message}");
    assert!(message.contains("claude --version"), "{message}");
    product.stop();
    let replayed = product.replayed();
    let notice = replayed[0]["payload"]["notice"]["text"].as_str().unwrap();
    assert!(message.ends_with(notice), "{message}: {notice}");
    assert!(product.replay(&[]).contains("status error (failed: "), "{}", product.replay(&[]));
}
