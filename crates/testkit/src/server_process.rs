//! The binary as a process of its own that can be killed and started again on the same data.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use contract::SessionId;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::claude_house::processes_with_home;
use crate::http_client::HttpClient;
use crate::socket_client::SocketClient;

/// What survives a server: its data, a project, and the home of its agents.
#[derive(Debug)]
pub struct ServerPlace {
    root: TempDir,
    program: PathBuf,
    /// What its log keeps.
    log_level: Option<&'static str>,
    variables: Vec<(&'static str, OsString)>,
}

/// A running server; killed with the test, however it goes.
#[derive(Debug)]
pub struct ServerProcess {
    child: Child,
    port: u16,
    token: String,
    login_code: String,
}

impl ServerPlace {
    /// A place where `program` runs, with more settings than the usual ones.
    pub fn new(program: &Path, settings: &str) -> Self {
        Self::within(&std::env::temp_dir(), program, settings)
    }

    /// The same, somewhere else than where temporary files are.
    pub fn within(directory: &Path, program: &Path, settings: &str) -> Self {
        let place = Self {
            root: tempfile::tempdir_in(directory).unwrap(),
            program: program.to_owned(),
            log_level: None,
            variables: Vec::new(),
        };
        for name in ["home", "project", "data"] {
            std::fs::create_dir(place.at(name)).unwrap();
        }
        let (root, home) = (place.root.path(), place.at("home"));
        let demo =
            format!("[agents.demo]\nenv = {{ HOME = {home:?}, LIMINAL_DEMO_PACE_MS = \"20\" }}\n");
        let config = format!("allowed_roots = [{root:?}]\n{settings}\n{demo}");
        std::fs::write(place.at("data").join("config.toml"), config).unwrap();
        place
    }

    /// With everything that a server can log, kept in the file `log`.
    #[must_use]
    pub fn logged(self) -> Self {
        self.logged_at("trace")
    }

    /// With so much of it, as `RUST_LOG` has it.
    #[must_use]
    pub fn logged_at(self, level: &'static str) -> Self {
        Self { log_level: Some(level), ..self }
    }

    /// With a variable in the server's environment.
    #[must_use]
    pub fn with_variable(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub fn start(&self) -> ServerProcess {
        self.try_start().expect("a server that starts")
    }

    /// Starts one and kills it after a while, wherever it is by then.
    pub async fn start_and_kill(&self, after: Duration) {
        let mut child = self.spawn();
        tokio::time::sleep(after).await;
        child.kill().unwrap();
        child.wait().unwrap();
    }

    fn spawn(&self) -> Child {
        let mut command = Command::new(&self.program);
        if let Some(level) = self.log_level {
            let log = File::options().create(true).append(true).open(self.at("log")).unwrap();
            command.env("RUST_LOG", level).stderr(log);
        }
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--ready", "json", "--data-dir"])
            .arg(self.at("data"))
            .env("HOME", self.at("home"))
            .envs(self.variables.iter().map(|(name, value)| (*name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// None if the server ended before it was ready.
    pub fn try_start(&self) -> Option<ServerProcess> {
        let child = self.spawn();
        // From here on it is ended and waited for, whatever it says.
        let mut server =
            ServerProcess { child, port: 0, token: String::new(), login_code: String::new() };
        let mut line = String::new();
        BufReader::new(server.child.stdout.take()?).read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line).ok()?;
        let address = ready["url"].as_str()?.strip_prefix("http://127.0.0.1:")?;
        server.port = address.split('/').next()?.parse().ok()?;
        address.split_once("#login=")?.1.clone_into(&mut server.login_code);
        ready["token"].as_str()?.clone_into(&mut server.token);
        Some(server)
    }

    /// The processes of its agents that run this program, by a part of its command line.
    pub fn agents(&self, program: &str) -> Vec<u32> {
        let runs_it = |pid: &u32| {
            let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            command.split(|byte| *byte == 0).any(|word| word == program.as_bytes())
        };
        processes_with_home(&self.at("home")).into_iter().filter(runs_it).collect()
    }

    /// Waits until no process of an agent is left.
    pub async fn nothing_runs(&self) {
        for _ in 0..80 {
            if processes_with_home(&self.at("home")).is_empty() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("{:?} still run", processes_with_home(&self.at("home")));
    }
}

impl ServerProcess {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn token(&self) -> &str {
        &self.token
    }

    /// Of the link that was printed; good once.
    pub fn login_code(&self) -> &str {
        &self.login_code
    }

    pub fn client(&self) -> HttpClient {
        HttpClient::new(self.port).with_header("Authorization", &format!("Bearer {}", self.token))
    }

    /// A socket that has said hello in this family.
    pub async fn socket(&self, family: &str) -> SocketClient {
        let bearer = format!("Bearer {}", self.token);
        let mut socket =
            SocketClient::connect(self.port, &[("Authorization", &bearer)]).await.unwrap();
        socket.send(&json!({"type": "session:hello", "streamProtocol": family})).await;
        socket.receive_type("session:hello:ack").await;
        socket
    }

    /// As the system kills when it is out of memory: without a word.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to stop, and tells how it ended.
    pub fn stop(self) -> std::process::ExitStatus {
        self.ask_to_stop();
        self.ended()
    }

    pub fn ask_to_stop(&self) {
        self.signal("-TERM");
    }

    /// As the system does with a machine that is put to sleep: it does nothing, and does not know.
    pub fn suspend(&self) {
        self.signal("-STOP");
    }

    pub fn wake(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    }

    /// How it ended, once it has.
    pub fn ended(mut self) -> std::process::ExitStatus {
        self.child.wait().unwrap()
    }

    pub async fn create(&self, place: &ServerPlace, cli_type: &str) -> SessionId {
        let body = json!({"cliType": cli_type, "projectDir": place.at("project")});
        let created = self.client().post_json("/api/session/create", &body).await;
        assert_eq!(created.status, 201, "{}", created.text());
        SessionId::from(created.json()["sessionId"].as_str().unwrap())
    }

    /// The answer to a GET that must succeed.
    pub async fn get(&self, path: &str) -> Value {
        let answer = self.client().get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.json()
    }

    pub async fn history(&self, session: &SessionId) -> Value {
        self.get(&format!("/api/session/{session}/history?limit=500")).await
    }

    pub async fn send(&self, session: &SessionId, body: &Value) -> Value {
        let sent = self.client().post_json(&format!("/api/session/{session}/send"), body).await;
        assert_eq!(sent.status, 202, "{}", sent.text());
        sent.json()
    }

    /// Waits until nothing runs or a question waits, and tells what the session does then.
    pub async fn settled(&self, session: &SessionId) -> String {
        let answer = self.get(&format!("/api/session/{session}/wait?timeoutMs=30000")).await;
        assert_eq!(answer["timedOut"], false, "{answer}");
        answer["activity"].as_str().unwrap().to_owned()
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
