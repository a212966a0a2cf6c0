//! Any agent by configuration, and which of them can be run: the binary as a process, with real programs behind it.
#![cfg(test)]

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::agents::{ClaudeVersion, claude, claude_agent_acp, codex_acp, opencode};
use testkit::claude_house::processes_with_home;
use testkit::model_api::{ModelApi, Reply};
use testkit::{AgentHome, ClaudeAgentHome, HttpClient, HttpResponse, OpencodeHome};

const LIMINAL: &str = env!("CARGO_BIN_EXE_liminal");

/// A data directory with its settings, a home and a project; gone after the test.
struct Place(TempDir);

impl Place {
    /// With agents that have this home: `(cliType, command)`.
    fn new(agents: &[(&str, Vec<String>)]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for name in ["home", "project", "data"] {
            fs::create_dir(place.at(name)).unwrap();
        }
        fs::write(place.at("project").join("README.md"), "# Title\n\nold words\n").unwrap();
        let mut config = format!("allowed_roots = [{:?}]\n", place.0.path());
        for (cli_type, command) in agents {
            let home = place.at("home");
            config += &format!(
                "[agents.{cli_type}]\ncommand = {command:?}\npass_env = []\n\
                 env = {{ HOME = {home:?}, CODEX_HOME = {home:?}, LIMINAL_DEMO_PACE_MS = \"1\" }}\n"
            );
        }
        fs::write(place.at("data").join("config.toml"), config).unwrap();
        place
    }

    /// With one agent more, whose home is elsewhere.
    fn with_agent(self, cli_type: &str, command: Vec<OsString>, home: &AgentHome) -> Self {
        let text = |word: OsString| format!("{:?}", word.into_string().unwrap());
        let command: Vec<_> = command.into_iter().map(text).collect();
        let environment = home.environment().into_iter();
        let environment: Vec<_> =
            environment.map(|(name, value)| format!("{} = {}", text(name), text(value))).collect();
        let path = self.at("data").join("config.toml");
        let config = format!(
            "{}[agents.{cli_type}]\nprotocol = \"acp\"\ncommand = [{}]\nenv = {{ {} }}\n",
            fs::read_to_string(&path).unwrap(),
            command.join(", "),
            environment.join(", "),
        );
        fs::write(path, config).unwrap();
        self
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn script(&self, name: &str, text: &str) -> Vec<String> {
        let path = self.at(name);
        fs::write(&path, text).unwrap();
        vec!["/bin/sh".to_owned(), path.to_str().unwrap().to_owned()]
    }

    async fn nothing_runs(&self) {
        for _ in 0..60 {
            if processes_with_home(&self.at("home")).is_empty() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("{:?} still run", processes_with_home(&self.at("home")));
    }

    #[expect(clippy::disallowed_methods, reason = "the binary under test")]
    fn liminal(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(LIMINAL);
        command.args(arguments).stdin(Stdio::null()).env_remove("LIMINAL_LISTEN");
        command.env_remove("LIMINAL_ALLOWED_ROOTS").env("LIMINAL_DATA_DIR", self.at("data"));
        command
    }

    /// What `liminal agents --json` tells, of one agent.
    fn listed(&self, cli_type: &str) -> Value {
        let output = self.liminal(&["agents", "--json"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        of_type(&serde_json::from_slice(&output.stdout).unwrap(), cli_type)
    }

    fn serve(&self) -> Running<'_> {
        let recordings = self.at("recordings");
        let words = ["serve", "--listen", "127.0.0.1:0", "--ready", "json", "--record"];
        let mut command = self.liminal(&words);
        command.arg(recordings).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap();
        let port = ready["url"].as_str().unwrap().split("127.0.0.1:").nth(1).unwrap();
        let port = port.split('/').next().unwrap().parse().unwrap();
        let token = format!("Bearer {}", ready["token"].as_str().unwrap());
        let client = HttpClient::new(port).with_header("Authorization", &token);
        Running { child, client, place: self }
    }
}

fn ourselves() -> Vec<String> {
    vec![LIMINAL.to_owned(), "demo-agent".to_owned()]
}

fn of_type(agents: &Value, cli_type: &str) -> Value {
    let mut found = agents.as_array().unwrap().iter().filter(|agent| agent["cliType"] == cli_type);
    found.next().unwrap_or_else(|| panic!("{cli_type} is not in {agents}")).clone()
}

struct Running<'a> {
    child: Child,
    client: HttpClient,
    place: &'a Place,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Running<'_> {
    async fn create(&self, cli_type: &str) -> HttpResponse {
        let body = json!({ "cliType": cli_type, "projectDir": self.place.at("project") });
        self.client.post_json("/api/session/create", &body).await
    }

    async fn post(&self, session: &str, route: &str, body: Value) -> Value {
        let path = format!("/api/session/{session}/{route}");
        let answer = self.client.post_json(&path, &body).await;
        assert!(answer.status < 300, "{route}: {}", answer.text());
        answer.json()
    }

    async fn activity(&self, session: &str) -> Value {
        let path = format!("/api/session/{session}/wait?timeoutMs=20000");
        self.client.get(&path).await.json()["activity"].clone()
    }

    async fn agent(&self, cli_type: &str) -> Value {
        of_type(&self.client.get("/api/agents").await.json(), cli_type)
    }
}

#[tokio::test]
async fn a_table_of_the_settings_is_all_that_an_agent_needs() {
    let place = Place::new(&[("other", ourselves())]);
    let server = place.serve();
    let created = server.create("other").await;
    assert_eq!(created.status, 201, "{}", created.text());
    let session = created.json()["sessionId"].as_str().unwrap().to_owned();
    let request = "edit README.md: replace \"old words\" with \"new words\"";
    server.post(&session, "send", json!({ "content": request })).await;
    assert_eq!(server.activity(&session).await, "permission");
    let asked = server.client.get("/api/permissions").await.json()[0].clone();
    let options = asked["options"].as_array().unwrap().iter();
    let allow = options.clone().find(|option| option["kind"] == "allow_once").unwrap();
    let route = format!("permission/{}", asked["permissionId"].as_str().unwrap());
    server.post(&session, &route, json!({ "optionId": allow["optionId"] })).await;
    assert_eq!(server.activity(&session).await, "idle");
    let readme = fs::read_to_string(place.at("project").join("README.md")).unwrap();
    assert_eq!(readme, "# Title\n\nnew words\n");
    let history = server.client.get(&format!("/api/session/{session}/history")).await.json();
    let entries = history["entries"].as_array().unwrap();
    let edit =
        entries.iter().find(|entry| entry["diff"].is_array()).expect("an edit with its diff");
    let lines = edit["diff"][0]["hunks"][0]["lines"].as_array().unwrap();
    assert!(lines.contains(&json!("-old words")) && lines.contains(&json!("+new words")), "{edit}");

    server.post(&session, "send", json!({ "content": "hang" })).await;
    assert_ne!(processes_with_home(&place.at("home")), Vec::<u32>::new(), "the agent runs");
    server.post(&session, "kill", Value::Null).await;
    assert_eq!(processes_with_home(&place.at("home")), Vec::<u32>::new());
}

/// Real agents that the binary has never heard of, run by nothing but their tables.
#[tokio::test]
async fn two_real_agents_run_by_their_tables_alone() {
    let api = ModelApi::start(|_| Reply::text("said by the model")).await;
    let (claude_agent, open_code) = (ClaudeAgentHome::new(&api).0, OpencodeHome::new(&api).0);
    let place = Place::new(&[])
        .with_agent("claude-agent", claude_agent_acp(), &claude_agent)
        .with_agent("open-code", opencode(), &open_code);
    let server = place.serve();
    for (cli_type, home) in [("claude-agent", &claude_agent), ("open-code", &open_code)] {
        let created = server.create(cli_type).await;
        assert_eq!(created.status, 201, "{}", created.text());
        let session = created.json()["sessionId"].as_str().unwrap().to_owned();
        server.post(&session, "send", json!({ "content": "hello" })).await;
        assert_eq!(server.activity(&session).await, "idle", "{cli_type}");
        let history = server.client.get(&format!("/api/session/{session}/history")).await.json();
        let entries = history["entries"].as_array().unwrap().iter();
        let said: Vec<_> = entries.filter(|entry| entry["origin"] == "agent").collect();
        assert_eq!(said.len(), 1, "{history}");
        assert_eq!(said[0]["content"], "said by the model", "{cli_type}");
        server.post(&session, "kill", Value::Null).await;
        assert_eq!(home.processes(), Vec::<u32>::new(), "{cli_type}");
    }
}

#[tokio::test]
async fn a_program_that_is_not_there_is_told_with_what_to_do() {
    let nowhere = || vec!["no-such-agent".to_owned()];
    let place = Place::new(&[("other", nowhere()), ("codex", nowhere())]);
    let server = place.serve();
    for (cli_type, hint) in [("other", "[agents.other]"), ("codex", "npm install -g")] {
        let refused = server.create(cli_type).await;
        assert_eq!(refused.error(), (502, "SESSION_CREATE_FAILED".to_owned()));
        assert!(refused.text().contains(hint), "{}", refused.text());
        assert!(refused.text().contains("no-such-agent was not found"), "{}", refused.text());
        let agent = server.agent(cli_type).await;
        assert_eq!(agent["available"], false);
        assert_eq!(agent["problem"], "the program no-such-agent was not found");
        assert!(agent["installHint"].as_str().unwrap().contains(hint), "{agent}");
    }
    let demo = server.agent("demo").await;
    assert_eq!(
        (&demo["available"], &demo["version"], &demo["name"]),
        (&json!(true), &json!(env!("CARGO_PKG_VERSION")), &json!("Demo agent"))
    );
    let agents = server.client.get("/api/agents").await.json();
    assert!(agents.as_array().unwrap().iter().all(|agent| agent["cliType"] != "external"));
}

#[tokio::test]
async fn programs_that_are_no_agents_are_told_apart_and_leave_nothing_behind() {
    let place = Place::new(&[]);
    let config = fs::read_to_string(place.at("data").join("config.toml")).unwrap();
    let plain = place.at("plain");
    fs::write(&plain, "no program").unwrap();
    let home = place.at("home");
    let agents = [
        ("quits", place.script("quits", "echo who are you >&2; exit 3\n")),
        // It ignores its input and what ends others, and starts something of its own.
        ("hangs", place.script("hangs", "trap '' TERM\nsleep 300 &\nsleep 301\n")),
        ("chats", place.script("chats", "while :; do echo hello; sleep 0.01; done\n")),
        // JSON, and no answer to anything.
        ("logs", place.script("logs", "while :; do echo '{\"result\":\"ok\"}'; sleep 0.1; done\n")),
        ("plain", vec![plain.to_str().unwrap().to_owned()]),
        ("older", place.script(
            "older",
            "read line; echo '{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":0}}'; cat\n",
        )),
    ];
    let tables = agents.iter().map(|(name, command)| {
        format!("[agents.{name}]\ncommand = {command:?}\nenv = {{ HOME = {home:?} }}\n")
    });
    fs::write(place.at("data").join("config.toml"), config + &tables.collect::<String>()).unwrap();
    let server = place.serve();
    for (cli_type, problem) in [
        ("quits", "exited with code 3: who are you"),
        ("hangs", "did not answer within 10 seconds"),
        ("chats", "did not answer within 10 seconds"),
        ("logs", "did not answer within 10 seconds"),
        ("plain", "is not an executable file"),
        ("older", "version 0 of the protocol"),
    ] {
        let agent = server.agent(cli_type).await;
        assert_eq!(agent["available"], false, "{agent}");
        assert!(agent["problem"].as_str().unwrap().contains(problem), "{agent}");
    }
    place.nothing_runs().await;
}

#[tokio::test]
async fn the_real_agents_tell_their_versions_without_a_model() {
    let words = |command: Vec<OsString>| -> Vec<String> {
        command.into_iter().map(|word| word.into_string().unwrap()).collect()
    };
    let place = Place::new(&[
        ("claude-code", words(vec![claude(ClaudeVersion::V2_1_325).into()])),
        ("codex", words(vec![codex_acp().into()])),
        ("claude-acp", words(claude_agent_acp())),
    ]);
    for (cli_type, version, images) in [
        ("claude-code", "2.1.325", true),
        ("codex", "0.16.0", true),
        ("claude-acp", "0.49.0", true),
    ] {
        let agent = place.listed(cli_type);
        assert_eq!((&agent["available"], &agent["version"]), (&json!(true), &json!(version)));
        assert_eq!(agent["capabilities"]["images"], images, "{agent}");
        assert_eq!(agent["capabilities"]["resume"], true, "{agent}");
        let has_modes = !agent["modes"].as_array().unwrap().is_empty();
        assert_eq!(has_modes, cli_type == "claude-code", "only those are fixed: {agent}");
        assert_eq!(agent["sha256"].as_str().unwrap().len(), 64, "{agent}");
    }
    assert_eq!(processes_with_home(&place.at("home")), Vec::<u32>::new());
}

/// An agent that says only that it is one, and what `sha256sum` says of it, before and after its last line is doubled.
const PLAIN: &str = "#!/bin/sh\nread line\n\
    echo '{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":1}}'\ncat\n";
const OF_PLAIN: &str = "8f910f062fcf608a0a8908b4e3525797f072c7b43c9b4d71c7ae91a51a2ec00d";
const OF_CHANGED: &str = "a666b7be95a52438e84eb247ee6729339c2edfb95b76e70b5b9803d48580943b";

#[tokio::test]
async fn s_40_the_file_that_is_run_is_told_with_its_hash_and_so_is_a_change_of_it() {
    let place = Place::new(&[]);
    let (program, link) = (place.at("agent"), place.at("link"));
    fs::write(&program, PLAIN).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink(&program, &link).unwrap();
    let nowhere = place.at("nowhere");
    let tables = format!(
        "[agents.plain]\ncommand = [{link:?}]\n[agents.missing]\ncommand = [{nowhere:?}]\n"
    );
    fs::write(place.at("data").join("config.toml"), tables).unwrap();
    let server = place.serve();
    let agents = server.client.get("/api/agents").await.json();
    let plain = of_type(&agents, "plain");
    assert_eq!(plain["available"], true, "{plain}");
    assert_eq!(plain["program"], json!(program.canonicalize().unwrap()));
    assert_eq!(plain["sha256"], OF_PLAIN);
    let missing = of_type(&agents, "missing");
    assert_eq!((missing.get("program"), missing.get("sha256")), (None, None), "{missing}");
    let demo = of_type(&agents, "demo");
    assert_eq!(demo["program"], json!(Path::new(LIMINAL).canonicalize().unwrap()), "ourselves");

    fs::write(&program, format!("{PLAIN}cat\n")).unwrap();
    let anew = server.client.get("/api/agents?refresh=true").await.json();
    assert_eq!(of_type(&anew, "plain")["sha256"], OF_CHANGED);
    assert_eq!(of_type(&anew, "demo"), demo);
    let told = place.liminal(&["agents"]).output().unwrap();
    let told = String::from_utf8(told.stdout).unwrap();
    assert!(told.contains(&format!("agent (sha256 {}…)\n", &OF_CHANGED[..16])), "{told}");
}

/// As npm installs Codex: a link to a script that would start the native program of another package.
#[tokio::test]
async fn s_40_behind_a_launcher_the_program_that_it_would_run_is_told() {
    let machine = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("macos", "x86_64") => "darwin-x64",
        ("macos", _) => "darwin-arm64",
        (_, "x86_64") => "linux-x64",
        (_, _) => "linux-arm64",
    };
    let place = Place::new(&[]);
    let package = place.at("node_modules/agent");
    let native = place.at("node_modules").join(format!("agent-{machine}")).join("bin/agent");
    let launcher = package.join("agent.js");
    for (path, text) in [(&launcher, "#!/bin/false\n"), (&native, PLAIN)] {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let optional = json!({ "optionalDependencies": { format!("agent-{machine}"): "1" } });
    fs::write(package.join("package.json"), optional.to_string()).unwrap();
    let link = place.at("agent");
    std::os::unix::fs::symlink(&launcher, &link).unwrap();
    let table = format!("[agents.launched]\ncommand = [{link:?}]\n");
    fs::write(place.at("data").join("config.toml"), table).unwrap();
    let agent = place.listed("launched");
    assert_eq!(agent["available"], true, "{agent}");
    assert_eq!(agent["program"], json!(native.canonicalize().unwrap()));
    assert_eq!(agent["sha256"], OF_PLAIN);
}

#[tokio::test]
async fn the_agents_are_listed_for_people() {
    let place = Place::new(&[("other", ourselves()), ("codex", vec!["no-such-agent".to_owned()])]);
    let output = place.liminal(&["agents"]).output().unwrap();
    assert!(output.status.success(), "one that is missing is no failure");
    let told = String::from_utf8(output.stdout).unwrap();
    let line = |name: &str| told.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(line("Demo agent").ends_with(env!("CARGO_PKG_VERSION")), "{told}");
    assert!(line("other").ends_with(env!("CARGO_PKG_VERSION")), "{told}");
    assert!(line("Codex").ends_with("the program no-such-agent was not found"), "{told}");
    assert!(told.contains("what to do: npm install -g @zed-industries/codex-acp"), "{told}");
    assert_eq!(processes_with_home(&place.at("home")), Vec::<u32>::new());
}

#[tokio::test]
async fn a_recording_names_the_version_of_its_agent_once_that_is_known() {
    let version = ClaudeVersion::V2_1_325;
    let program = claude(version).into_os_string().into_string().unwrap();
    let place = Place::new(&[("other", ourselves()), ("claude-code", vec![program])]);
    let server = place.serve();
    assert_eq!(server.agent("claude-code").await["version"], version.as_str());
    for (cli_type, version) in
        [("other", env!("CARGO_PKG_VERSION")), ("claude-code", version.as_str())]
    {
        let created = server.create(cli_type).await;
        assert_eq!(created.status, 201, "{}", created.text());
        let session = created.json()["sessionId"].as_str().unwrap().to_owned();
        assert_eq!(header(&place.at("recordings"), &session)["version"], version);
        server.post(&session, "kill", Value::Null).await;
    }
    let recorded = fs::read_dir(place.at("recordings")).unwrap().count();
    assert_eq!(recorded, 2, "looking at an agent is not recorded");
}

fn header(recordings: &Path, session: &str) -> Value {
    let files = fs::read_dir(recordings).unwrap().map(|entry| entry.unwrap());
    let mut of_session =
        files.filter(|entry| entry.file_name().to_str().unwrap().starts_with(session));
    let text = fs::read_to_string(of_session.next().unwrap().path()).unwrap();
    serde_json::from_str(text.lines().next().unwrap()).unwrap()
}
