//! The binary as a program sees it.
#![cfg(test)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{ServerPlace, SocketClient};

/// A running server; ended with the test, however it goes.
struct Running {
    child: Child,
    ready: Value,
    data_dir: TempDir,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[expect(clippy::disallowed_methods, reason = "the binary under test")]
fn liminal(arguments: &[&str], data_dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_liminal"));
    command.args(arguments).env_remove("LIMINAL_LISTEN").env_remove("LIMINAL_ALLOWED_ROOTS");
    command.env("LIMINAL_DATA_DIR", data_dir).stdin(Stdio::null());
    command
}

fn start(listen: &str) -> Running {
    let data_dir = tempfile::tempdir().unwrap();
    let mut command = liminal(&["serve", "--listen", listen, "--ready", "json"], data_dir.path());
    started(command.stdout(Stdio::piped()).stderr(Stdio::null()), data_dir)
}

fn started(command: &mut Command, data_dir: TempDir) -> Running {
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let ready = serde_json::from_str(&line).unwrap();
    Running { child, ready, data_dir }
}

fn run(arguments: &[&str]) -> Output {
    let data_dir = tempfile::tempdir().unwrap();
    liminal(arguments, data_dir.path()).output().unwrap()
}

#[expect(clippy::disallowed_methods, reason = "sends a signal to the binary under test")]
fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

fn port(ready: &Value) -> u16 {
    let url = ready["url"].as_str().unwrap();
    url.split("://127.0.0.1:").nth(1).unwrap().split('/').next().unwrap().parse().unwrap()
}

#[test]
fn the_first_line_tells_a_program_how_to_connect() {
    let running = start("127.0.0.1:0");
    let port = port(&running.ready);
    assert_eq!(running.ready["pid"], running.child.id());
    assert!(running.ready["url"].as_str().unwrap().contains("/#login="));
    let token = running.ready["token"].as_str().unwrap();
    let both = ["127.0.0.1", "::1"];
    for address in &both[..1 + usize::from(testkit::has_ipv6_loopback())] {
        let mut stream = TcpStream::connect((*address, port)).unwrap();
        let host = if *address == "::1" { "[::1]" } else { address };
        let request = format!(
            "GET /api/projects HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

#[test]
fn it_stops_when_it_is_told_to() {
    for name in ["-TERM", "-INT"] {
        let mut running = start("127.0.0.1:0");
        signal(&running.child, name);
        assert!(running.child.wait().unwrap().success(), "{name}");
    }
}

#[test]
fn a_taken_port_is_explained() {
    let running = start("127.0.0.1:0");
    let listen = format!("127.0.0.1:{}", port(&running.ready));
    let second = run(&["--listen", &listen]);
    assert_eq!(second.status.code(), Some(1));
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(said.contains(&listen) && said.contains("running already"), "{said}");
}

#[test]
fn a_second_server_on_the_same_data_is_refused_and_the_first_goes_on() {
    let running = start("127.0.0.1:0");
    let data_dir = running.data_dir.path();
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--ready", "json"];
    let second = liminal(&arguments, data_dir).output().unwrap();
    assert_eq!(second.status.code(), Some(1));
    assert!(second.stdout.is_empty(), "it never says that it is ready");
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(said.contains("another Liminal Builder is using"), "{said}");
    assert!(said.contains(data_dir.to_str().unwrap()) && said.contains("--data-dir"), "{said}");
    let asked = liminal(&["ls"], data_dir).output().unwrap();
    assert!(asked.status.success(), "{}", String::from_utf8_lossy(&asked.stderr));
}

/// Where a database of SQLite says which version of its owner wrote it.
const USER_VERSION: std::ops::Range<usize> = 60..64;

#[test]
fn a_journal_of_a_newer_version_is_refused_and_left_as_it_is() {
    let mut running = start("127.0.0.1:0");
    signal(&running.child, "-TERM");
    assert!(running.child.wait().unwrap().success());
    let data_dir = running.data_dir.path();
    let path = data_dir.join("journal.db");
    let mut journal = std::fs::read(&path).unwrap();
    journal[USER_VERSION].copy_from_slice(&999_u32.to_be_bytes());
    std::fs::write(&path, &journal).unwrap();
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--ready", "json"];
    let refused = liminal(&arguments, data_dir).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(refused.stdout.is_empty());
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains(path.to_str().unwrap()) && said.contains("use a newer one"), "{said}");
    assert!(std::fs::read(&path).unwrap() == journal, "it was written to");
}

#[test]
fn settings_that_cannot_be_used_are_named_before_anything_starts() {
    for (arguments, word) in [
        (["--listen", "0.0.0.0:0"], "loopback"),
        (["--listen", "[::]:0"], "loopback"),
        (["--listen", "nonsense"], "nonsense"),
    ] {
        let refused = run(&arguments);
        assert_eq!(refused.status.code(), Some(64), "{arguments:?}");
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(said.contains(word), "{said}");
        assert!(refused.stdout.is_empty());
    }
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("config.toml"), "listne = \"127.0.0.1:0\"").unwrap();
    let refused = run(&["--data-dir", dir.path().to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(64));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("listne"));
}

/// That it is refused shows that it is read.
#[test]
fn a_variable_that_cannot_be_used_is_named_with_its_setting() {
    for (variable, setting, wrong) in [
        ("LIMINAL_LISTEN", "listen", "0.0.0.0:0"),
        ("LIMINAL_LEGACY_WINDOW", "legacy-window", "maybe"),
        ("LIMINAL_AUTONOMOUS", "autonomous", "later"),
        ("LIMINAL_IDLE_STOP_MINUTES", "idle-stop-minutes", "-1"),
        ("LIMINAL_MAX_AGENTS", "max-agents", "0"),
        ("LIMINAL_ALLOW_BYPASS", "allow-bypass", "maybe"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let refused = liminal(&["serve"], dir.path()).env(variable, wrong).output().unwrap();
        // Some the command line's own rules refuse, and some ours.
        assert!([Some(2), Some(64)].contains(&refused.status.code()), "{variable}: {refused:?}");
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(said.contains(setting) && said.contains(wrong), "{variable}: {said}");
        assert!(refused.stdout.is_empty());
    }
}

/// With and without the word, and for help, which tells of the variables.
#[test]
fn a_variable_of_the_server_is_refused_by_the_server_only() {
    let dir = tempfile::tempdir().unwrap();
    let run = |words: &[&str]| {
        let mut command = liminal(words, dir.path());
        command.env("LIMINAL_MAX_AGENTS", "0").env("LIMINAL_ALLOW_BYPASS", "maybe");
        let output = command.env("LIMINAL_LISTEN", "0.0.0.0:0").output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for words in [&["serve"][..], &[], &["--no-open"]] {
        let (code, said) = run(words);
        assert!(code == Some(2) && said.contains("max-agents"), "{words:?}: {said}");
    }
    for words in [&["ls"][..], &["ls", "--json"], &["send", "id", "text"], &["kill", "id"]] {
        let (code, said) = run(words);
        let is_its_own = said.contains("no Liminal Builder is running");
        assert!(code == Some(1) && is_its_own, "{words:?}: {said}");
    }
    for words in
        [&["agents"][..], &["token", "rotate"], &["--help"], &["ls", "--help"], &["--version"]]
    {
        assert_eq!(run(words), (Some(0), String::new()), "{words:?}");
    }
    let (code, said) = run(&["ls", "--no-such-flag"]);
    assert!(code == Some(2) && said.contains("no-such-flag"), "{said}");
}

#[tokio::test]
async fn a_flag_wins_over_a_variable_and_a_variable_over_the_file() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("config.toml"), "legacy_window = true").unwrap();
    let flags = ["serve", "--listen", "127.0.0.1:0", "--ready", "json"];
    let flag = [&flags[..], &["--legacy-window", "true"]].concat();
    for (arguments, variable, family) in
        [(&flags[..], "true", "legacy"), (&flags, "false", "upsert-v1"), (&flag, "false", "legacy")]
    {
        let mut command = liminal(arguments, dir.path());
        command.env("LIMINAL_LEGACY_WINDOW", variable).stdout(Stdio::piped());
        let running = started(&mut command, tempfile::tempdir().unwrap());
        let bearer = format!("Bearer {}", running.ready["token"].as_str().unwrap());
        let head = [("Authorization", bearer.as_str())];
        let mut socket = SocketClient::connect(port(&running.ready), &head).await.unwrap();
        socket.send(&json!({"type": "session:hello"})).await;
        let chosen = socket.receive_type("session:hello:ack").await;
        assert_eq!(chosen["selectedFamily"], family, "{arguments:?} {variable}");
    }
}

#[test]
fn a_person_gets_a_link_and_tokens_stay_out_of_it() {
    let mut command =
        liminal(&["--listen", "127.0.0.1:0", "--no-open"], tempfile::tempdir().unwrap().path());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let link = lines
        .find_map(|line| line.unwrap().trim().strip_prefix("http://").map(str::to_owned))
        .unwrap();
    assert!(link.starts_with("127.0.0.1:") && link.contains("/#login="), "{link}");
    signal(&child, "-TERM");
    let code = link.split("#login=").nth(1).unwrap().to_owned();
    let output = child.wait_with_output().unwrap();
    assert!(
        !String::from_utf8_lossy(&output.stderr).contains(&code),
        "the log holds no credential"
    );
}

#[tokio::test]
async fn the_settings_close_the_compatibility_window() {
    for (settings, family) in [("", "legacy"), ("legacy_window = false", "upsert-v1")] {
        let place = ServerPlace::new(Path::new(env!("CARGO_BIN_EXE_liminal")), settings);
        let server = place.start();
        let mut socket = server.socket("unheard-of").await;
        socket.send(&json!({"type": "session:hello", "streamProtocol": "upsert-v2"})).await;
        let chosen = socket.receive_type("session:hello:ack").await;
        assert_eq!(chosen["selectedFamily"], family, "{settings}");
    }
}

/// F13: one file to copy. SQLite, the page and everything else are inside.
#[cfg(target_os = "linux")]
#[test]
#[expect(clippy::disallowed_methods, reason = "asks the loader what the binary under test needs")]
fn f13_the_binary_needs_nothing_but_the_c_library() {
    let output = Command::new("ldd").arg(env!("CARGO_BIN_EXE_liminal")).output().unwrap();
    let needed = String::from_utf8(output.stdout).unwrap();
    let of_the_system =
        ["linux-vdso", "libc.", "libm.", "libgcc_s.", "ld-linux", "statically linked"];
    for line in needed.lines() {
        assert!(of_the_system.iter().any(|known| line.contains(known)), "{line}");
    }
    assert!(!needed.trim().is_empty());
}
