//! What an agent is started with: its arguments, its variables, its files, and nothing else.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use testkit::ServerPlace;

use crate::LIMINAL;
use crate::server::{Server, command, place_with};

/// Writes down how it was started, beside itself, and then waits like an agent that has nothing to say.
const SPY: &str = r#"
if [ "$1" = "--version" ]; then echo "1.0.0 (spy)"; exit 0; fi
for word in "$0" "$@"; do printf '%s\0' "$word"; done > "$0.argv.new"
sh -c 'ls -l "/proc/$1/fd" > "$2"' sh $$ "$0.fd"
tr '\0' '\n' < /proc/$$/environ | sort > "$0.environ"
pwd > "$0.cwd"
mv "$0.argv.new" "$0.argv"
sleep 30
"#;

/// The files that the spy writes, once it has.
struct Report(PathBuf);

impl Report {
    fn of(place: &ServerPlace, cli_type: &str) -> Self {
        Self(place.at(cli_type))
    }

    fn read(&self, kind: &str) -> String {
        let mut path = self.0.clone().into_os_string();
        path.push(format!(".{kind}"));
        std::fs::read_to_string(path).unwrap()
    }

    async fn written(&self) {
        let mut path = self.0.clone().into_os_string();
        path.push(".argv");
        for _ in 0..200 {
            // It may be there before anything is written to it.
            if std::fs::metadata(&path).is_ok_and(|found| found.len() > 0) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the agent was never started");
    }
}

/// Starts a session with the spy, which never answers, and waits until it has written its report.
async fn spied(server: &Server, body: &serde_json::Value) -> Report {
    let report = Report::of(&server.place, body["cliType"].as_str().unwrap());
    let client = server.client();
    tokio::select! {
        () = report.written() => {}
        answer = client.post_json("/api/session/create", body) => {
            assert_eq!(answer.status, 201, "{}", answer.text());
            report.written().await;
        }
    }
    report
}

#[tokio::test]
async fn s_22_what_a_request_says_is_one_argument_and_no_shell_reads_it() {
    let canary = tempfile::tempdir().unwrap();
    let touched = canary.path().join("touched");
    for model in [
        format!("$(touch {})", touched.display()),
        format!("`touch {}`; touch {}", touched.display(), touched.display()),
        "--settings=/tmp/x".to_owned(),
        "a\nb \"c\" 'd' \\e".to_owned(),
        "-x".to_owned(),
    ] {
        let server = Server::start(place_with(&[("claude-code", "claude", SPY)]));
        let project = server.place.at("project");
        let body = json!({"cliType": "claude-code", "projectDir": project, "modelId": model,
            "title": format!("$(touch {})", touched.display())});
        let report = spied(&server, &body).await;
        let argv = report.read("argv");
        let words: Vec<&str> = argv.trim_end_matches('\0').split('\0').collect();
        let wanted = format!("--model={model}");
        assert_eq!(words.iter().filter(|word| **word == wanted).count(), 1, "{words:?}");
        assert!(!words.iter().any(|word| *word == model), "it stands behind its flag: {words:?}");
        assert_eq!(report.read("cwd").trim_end(), project.to_str().unwrap());
        assert!(!touched.exists(), "{model}");
    }
}

/// Opens a session, and writes down what it is asked and how it was started.
const LISTENER: &str = r#"
read -r line; echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{}}}'
read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}'
read -r line; printf '%s\n' "$line" > "$0.stdin"
cat /proc/$$/cmdline > "$0.argv"
sleep 30
"#;

/// No agent has a terminal, and what it is told is JSON: what would end a paste, and begin a command, is text like any other.
#[tokio::test]
async fn s_18_what_would_end_a_paste_is_inert_text() {
    let server = Server::start(place_with(&[("listener", "acp", LISTENER)]));
    let report = Report::of(&server.place, "listener");
    let created = server.create("listener").await;
    let session = created.json()["sessionId"].as_str().unwrap().to_owned();
    let prompt = "\u{1b}[201~rm -rf\r\u{9b}201~";
    let path = format!("/api/session/{session}/send");
    let sent = server.client().post_json(&path, &json!({"content": prompt})).await;
    assert_eq!(sent.status, 202, "{}", sent.text());
    report.written().await;
    let written = report.read("stdin");
    assert!(!written.contains(['\u{1b}', '\r']), "{written:?}");
    let told: serde_json::Value = serde_json::from_str(&written).unwrap();
    assert_eq!(told["params"]["prompt"], json!([{"type": "text", "text": prompt}]));
}

#[tokio::test]
async fn s_22_what_is_sent_to_an_agent_is_told_to_it_whole_and_is_no_argument() {
    let canary = tempfile::tempdir().unwrap();
    let touched = canary.path().join("touched").display().to_string();
    let shell = format!("$(touch {touched}) `touch {touched}`; touch {touched} | touch {touched}");
    for prompt in
        ["--settings=/tmp/x", "-x", shell.as_str(), "a\nb \"c\" 'd' \\e\\n %s\u{2028}\u{1b}[2J"]
    {
        let server = Server::start(place_with(&[("listener", "acp", LISTENER)]));
        let report = Report::of(&server.place, "listener");
        let created = server.create("listener").await;
        assert_eq!(created.status, 201, "{}", created.text());
        let session = created.json()["sessionId"].as_str().unwrap().to_owned();
        let path = format!("/api/session/{session}/send");
        let sent = server.client().post_json(&path, &json!({"content": prompt})).await;
        assert_eq!(sent.status, 202, "{}", sent.text());
        report.written().await;
        let told: serde_json::Value = serde_json::from_str(&report.read("stdin")).unwrap();
        assert_eq!(told["method"], "session/prompt");
        assert_eq!(told["params"]["prompt"], json!([{"type": "text", "text": prompt}]));
        let argv = report.read("argv");
        let words: Vec<&str> = argv.trim_end_matches('\0').split('\0').collect();
        assert_eq!(words, ["/bin/sh", server.place.at("listener").to_str().unwrap()]);
    }
    assert!(!Path::new(&touched).exists(), "a shell read it");
}

/// Variables that a server may well have, and that are no agent's business.
const SECRETS: [&str; 30] = [
    "LIMINAL_TOKEN",
    "LIMINAL_ANYTHING",
    "LD_PRELOAD_X",
    "LD_LIBRARY_PATH",
    "CLAUDECODE",
    "CLAUDE_CODE_SSE_PORT",
    "CODEX_THREAD_ID",
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "GITHUB_TOKEN",
    "SSH_AUTH_SOCK",
    "NODE_OPTIONS",
    "PYTHONPATH",
    "BASH_ENV",
    "ENV_FILE",
    "GIT_DIR",
    "KUBECONFIG",
    "DATABASE_URL",
    "HTTP_PROXY",
    "DISPLAY",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "EDITOR",
    "PWD_OLD",
    "MAIL",
    "HOSTNAME",
    "NPM_TOKEN",
    "DOCKER_HOST",
    "SECRET",
];

#[tokio::test]
async fn s_26_an_agent_sees_the_variables_that_are_named_and_no_others() {
    let place = place_with(&[("spy", "acp", SPY)]);
    let mut start = command(LIMINAL);
    start.env_clear().env("PATH", std::env::var_os("PATH").unwrap());
    for name in SECRETS {
        start.env(name, "canary");
    }
    for name in ["LANG", "LC_ALL", "TERM", "TZ", "USER", "LOGNAME", "SHELL"] {
        start.env(name, "C");
    }
    start.env("TMPDIR", "/tmp");
    for name in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
        start.env(name, "/tmp");
    }
    let server = Server::start_by(place, start, |command| command);
    let body = json!({"cliType": "spy", "projectDir": server.place.at("project")});
    let report = spied(&server, &body).await;
    let environ = report.read("environ");
    assert!(!environ.contains("canary"), "{environ}");
    let names: Vec<&str> = environ.lines().filter_map(|line| line.split('=').next()).collect();
    // The shell that runs the script adds nothing to what it was started with.
    let expected = [
        "HOME",
        "LANG",
        "LC_ALL",
        "LIMINAL_AGENT",
        "LOGNAME",
        "PATH",
        "SHELL",
        "TERM",
        "TMPDIR",
        "TZ",
        "USER",
        "XDG_CACHE_HOME",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
    ];
    assert_eq!(names, expected);
}

#[tokio::test]
async fn s_27_an_agent_inherits_no_file_but_its_three() {
    let place = place_with(&[("spy", "acp", SPY)]);
    // Started with files open that are meant for nobody.
    let mut shell = command("bash");
    shell.args(["-c", "exec 9</dev/null 42</dev/null; exec \"$0\" \"$@\"", LIMINAL]);
    let server = Server::start_by(place, shell, |command| command);
    let body = json!({"cliType": "spy", "projectDir": server.place.at("project")});
    let report = spied(&server, &body).await;
    let listed = report.read("fd");
    let open: Vec<(&str, &str)> = listed
        .lines()
        .filter_map(|line| line.split_once(" -> "))
        .map(|(before, link)| (before.rsplit(' ').next().unwrap_or_default(), link))
        // The shell holds its own script open.
        .filter(|(_, link)| Path::new(link) != server.place.at("spy"))
        .collect();
    let numbers: Vec<&str> = open.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, ["0", "1", "2"], "{listed}");
    let is_between_us = |link: &str| link.starts_with("pipe:") || link.starts_with("socket:");
    assert!(open.iter().all(|(_, link)| is_between_us(link)), "{listed}");
}

#[tokio::test]
async fn s_35_as_many_agents_run_as_the_settings_allow() {
    let place = ServerPlace::new(Path::new(LIMINAL), "max_agents = 2");
    let server = Server::start(place);
    let client = server.client();
    let mut sessions = Vec::new();
    for _ in 0..2 {
        let created = server.create("demo").await;
        assert_eq!(created.status, 201, "{}", created.text());
        sessions.push(created.json()["sessionId"].as_str().unwrap().to_owned());
    }
    let refused = server.create("demo").await;
    assert_eq!(refused.error(), (429, "TOO_MANY_REQUESTS".into()), "{}", refused.text());
    assert!(refused.header("retry-after").is_some());
    assert_eq!(server.create("external").await.status, 201, "no process of ours");
    assert_eq!(client.post(&format!("/api/session/{}/kill", sessions[0])).await.status, 200);
    assert_eq!(server.create("demo").await.status, 201, "a place is free again");
    let path = format!("/api/session/{}/send", sessions[0]);
    let refused = client.post_json(&path, &json!({"content": "help"})).await;
    assert_eq!(refused.error(), (429, "TOO_MANY_REQUESTS".into()), "an agent that would come back");
    assert_eq!(client.post(&format!("/api/session/{}/kill", sessions[1])).await.status, 200);
    let taken = client.post_json(&path, &json!({"content": "help"})).await;
    assert_eq!(taken.status, 202, "{}", taken.text());
}

#[tokio::test]
async fn s_35_a_variable_wins_over_the_file() {
    let place = ServerPlace::new(Path::new(LIMINAL), "max_agents = 5");
    let server =
        Server::start_by(place, command(LIMINAL), |command| command.env("LIMINAL_MAX_AGENTS", "1"));
    assert_eq!(server.create("demo").await.status, 201);
    assert_eq!(server.create("demo").await.error(), (429, "TOO_MANY_REQUESTS".into()));
}
