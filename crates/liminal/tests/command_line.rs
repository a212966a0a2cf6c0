//! The command line: a script drives whole sessions with it, and nothing it prints steers a terminal.
#![cfg(test)]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use testkit::{HttpClient, ServerPlace, ServerProcess, SocketClient};

const PROGRAM: &str = env!("CARGO_BIN_EXE_liminal");

fn place() -> ServerPlace {
    ServerPlace::new(Path::new(PROGRAM), "")
}

#[expect(clippy::disallowed_methods, reason = "the binary under test")]
fn command(place: &ServerPlace, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).env("LIMINAL_DATA_DIR", place.at("data")).stdin(Stdio::null());
    command
}

fn liminal(place: &ServerPlace, arguments: &[&str]) -> Output {
    command(place, arguments).output().unwrap()
}

/// What a command that must succeed prints.
fn said(place: &ServerPlace, arguments: &[&str]) -> String {
    let output = liminal(place, arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

fn json(place: &ServerPlace, arguments: &[&str]) -> Value {
    serde_json::from_str(&said(place, &[arguments, &["--json"]].concat())).unwrap()
}

/// The words of a command that must fail.
fn refused(place: &ServerPlace, arguments: &[&str]) -> String {
    let output = liminal(place, arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn a_script_drives_a_whole_session() {
    let place = place();
    let server = place.start();
    let project = place.at("project");
    std::fs::write(project.join("notes.txt"), "one two three\n").unwrap();
    let dir = project.to_str().unwrap();

    let edit = "edit notes.txt: replace two with 2";
    let created = json(&place, &["new", "--cli", "demo", "--dir", dir, edit]);
    let id = created["sessionId"].as_str().unwrap();
    assert_eq!(created["state"], "started");

    // It asks before it changes the file, and the script answers.
    let told = lines(&said(&place, &["tail", id, "--until-idle", "--json"]));
    let asked = told.iter().find(|line| line["kind"] == "permission").unwrap();
    let request = asked["payload"]["permissionId"].as_str().unwrap();
    let options = asked["payload"]["options"].as_array().unwrap();
    let allow = options.iter().find(|option| option["kind"] == "allow_once").unwrap();
    let listed = said(&place, &["ls"]);
    assert!(listed.contains(id) && listed.contains(request), "{listed}");
    let answer = ["approve", id, request, allow["optionId"].as_str().unwrap()];
    assert_eq!(json(&place, &answer)["answered"], true);
    let told = said(&place, &["tail", id, "--until-idle"]);
    assert!(told.contains(&format!("you: {edit}")) && told.ends_with("-- done"), "{told}");
    assert_eq!(std::fs::read_to_string(project.join("notes.txt")).unwrap(), "one 2 three\n");

    // A turn that would go on for ever is stopped.
    said(&place, &["send", id, "hang"]);
    assert_eq!(json(&place, &["cancel", id])["cancelled"], true);
    assert_eq!(json(&place, &["cancel", id])["cancelled"], false);
    let told = said(&place, &["tail", id, "--until-idle"]);
    assert!(told.ends_with("-- cancelled"), "{told}");

    // What was said can be read whole, by people and by programs.
    let whole = lines(&said(&place, &["export", id, "--json"]));
    assert_eq!(whole[0]["sessionId"], created["sessionId"], "first what it is");
    let ends = whole.iter().filter(|line| line["type"] == "turn_complete");
    assert_eq!(ends.count(), 2);
    let path = format!("/api/session/{id}/export?format=markdown");
    let file = server.client().get(&path).await.text();
    assert_eq!(said(&place, &["export", id]), file.trim_end(), "as the server's own file");
    assert!(file.contains("## You\n\nhang\n"), "{file}");

    assert_eq!(json(&place, &["kill", id])["killed"], true);
    let session = json(&place, &["ls"])["sessions"][0].clone();
    assert_eq!(
        (&session["sessionId"], &session["status"]),
        (&created["sessionId"], &"dead".into())
    );
    assert!(server.stop().success());
    place.nothing_runs().await;
}

/// Envelopes of one turn, as a body.
fn envelopes(session: &str, payloads: &[Value]) -> String {
    let envelope = |payload: &Value| {
        serde_json::json!({"eventId": "e", "timestamp": "2026-01-01T00:00:00Z", "turnId": "t",
            "sessionId": session, "type": payload["type"], "payload": payload})
    };
    payloads.iter().map(|payload| format!("{}\n", envelope(payload))).collect()
}

fn message(item: &str, content: &str) -> Value {
    serde_json::json!({"type": "item_done", "itemId": item,
        "finalItem": {"type": "message", "content": content, "origin": "agent"}})
}

#[tokio::test]
async fn an_item_that_the_stream_cuts_is_told_as_cut_and_exported_whole() {
    let place = place();
    let server = place.start();
    let session = server.create(&place, "external").await;
    let id = session.as_str();
    let long = format!("{}the end", "x".repeat(300_000));
    let path = format!("/api/session/{session}/events");
    let body = envelopes(id, &[message("i", &long)]);
    assert_eq!(server.client().request("POST", &path, body.as_bytes()).await.status, 200);
    let told = said(&place, &["tail", id, "--until-idle"]);
    assert!(!told.contains("the end") && told.contains("[the beginning of 300007 bytes;"));
    assert!(said(&place, &["export", id]).ends_with("the end"));
    let lines = lines(&said(&place, &["export", id, "--json"]));
    assert_eq!(lines[1]["content"], long.as_str());
}

#[tokio::test]
async fn a_tail_goes_on_over_a_restart_and_tells_nothing_twice() {
    let place = place();
    let server = place.start();
    let session = server.create(&place, "external").await;
    let id = session.as_str().to_owned();
    let path = format!("/api/session/{session}/events");
    let start = serde_json::json!({"type": "response_start", "modelId": "m", "providerId": "p"});
    let body = envelopes(&id, &[start, message("one", "before")]);
    assert_eq!(server.client().request("POST", &path, body.as_bytes()).await.status, 200);
    let mut tails: Vec<_> = [&["tail", &id][..], &["tail", &id, "--json"]]
        .map(|arguments| command(&place, arguments).stdout(Stdio::piped()).spawn().unwrap())
        .into_iter()
        .map(|mut child| {
            let told = std::io::BufReader::new(child.stdout.take().unwrap());
            (child, std::io::BufRead::lines(told))
        })
        .collect();
    let mut next = |index: usize| tails[index].1.next().unwrap().unwrap();
    assert_eq!(next(0), "agent: before");
    let first = [next(1), next(1)].concat();
    assert!(first.contains("turn_started") && first.contains("before"), "{first}");

    assert!(server.stop().success());
    let server = place.start();
    let body = envelopes(&id, &[message("two", "after")]).replace("\"t\"", "\"t2\"");
    assert_eq!(server.client().request("POST", &path, body.as_bytes()).await.status, 200);
    assert!(next(0).starts_with("-- failed"), "the turn that the stop ended");
    assert_eq!(next(0), "agent: after");
    let rest = [next(1), next(1)].concat();
    assert!(rest.contains("turn_error") && rest.contains("after"), "{rest}");

    // A server that does not come back is not waited for without end.
    assert!(server.stop().success());
    for (mut child, _) in tails {
        assert_eq!(child.wait().unwrap().code(), Some(1));
    }
}

#[tokio::test]
async fn a_tail_that_was_held_up_leaves_nothing_out_and_tells_nothing_twice() {
    let place = place();
    let server = place.start();
    let session = server.create(&place, "external").await;
    let id = session.as_str().to_owned();
    let path = format!("/api/session/{session}/events");
    let post = async |payloads: &[Value]| {
        let body = envelopes(&id, payloads);
        assert_eq!(server.client().request("POST", &path, body.as_bytes()).await.status, 200);
    };
    let start = serde_json::json!({"type": "response_start", "modelId": "m", "providerId": "p"});
    post(&[start, message("first", "before")]).await;
    let mut tail =
        command(&place, &["tail", &id, "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let told = std::io::BufReader::new(tail.stdout.take().unwrap());
    let mut told = std::io::BufRead::lines(told);
    let mut items = std::iter::from_fn(|| {
        let line: Value = serde_json::from_str(&told.next()?.unwrap()).unwrap();
        Some(line["payload"]["itemId"].as_str().unwrap_or_default().to_owned())
    })
    .filter(|item| !item.is_empty());
    assert_eq!(items.next().as_deref(), Some("first"));

    // More than waits for a connection, and more items than a history has.
    signal(tail.id(), "-STOP");
    let long = "x".repeat(10_000);
    for n in 0..400 {
        post(&[message(&format!("i{n}"), &long)]).await;
    }
    signal(tail.id(), "-CONT");
    post(&[message("last", "after")]).await;
    let seen: Vec<_> = items.by_ref().take_while(|item| item != "last").collect();
    let expected: Vec<_> = (0..400).map(|n| format!("i{n}")).collect();
    assert!(seen == expected, "{} of {}: {seen:?}", seen.len(), expected.len());
    tail.kill().unwrap();
    tail.wait().unwrap();
}

#[expect(clippy::disallowed_methods, reason = "a program of the system")]
fn signal(pid: u32, signal: &str) {
    assert!(Command::new("kill").args([signal, &pid.to_string()]).status().unwrap().success());
}

#[tokio::test]
async fn text_comes_from_standard_input_too() {
    let place = place();
    let _server = place.start();
    let dir = place.at("project");
    let id = said(&place, &["new", "--cli", "demo", "--dir", dir.to_str().unwrap()]);
    let mut sending = command(&place, &["send", &id, "-"]).stdin(Stdio::piped()).spawn().unwrap();
    sending.stdin.take().unwrap().write_all("help\nwith two lines".as_bytes()).unwrap();
    assert!(sending.wait().unwrap().success());
    let told = said(&place, &["tail", &id, "--until-idle"]);
    assert!(told.starts_with("you: help\nwith two lines"), "{told}");
}

#[tokio::test]
async fn it_says_clearly_what_is_wrong() {
    let place = place();
    for arguments in [&["ls"][..], &["open"], &["tail", "x"], &["new", "--cli", "demo"]] {
        let words = refused(&place, arguments);
        let data = place.at("data");
        assert!(words.contains("no Liminal Builder is running"), "{words}");
        assert!(
            words.contains(data.to_str().unwrap()) && words.contains("liminal serve"),
            "{words}"
        );
    }
    let server = place.start();
    assert!(refused(&place, &["tail", "nobody"]).contains("SESSION_NOT_FOUND"));
    assert!(refused(&place, &["send", "../projects", "x"]).contains("SESSION_NOT_FOUND"));
    let unknown = refused(&place, &["new", "--cli", "nothing", "--dir", "/"]);
    assert!(unknown.contains("UNSUPPORTED_CLI_TYPE"), "{unknown}");
    server.kill();
    // A socket that a killed server left is no server, and the next one takes its place.
    assert!(refused(&place, &["ls"]).contains("no Liminal Builder is running"));
    let _server = place.start();
    assert!(said(&place, &["ls"]).contains("there are no sessions"));
}

#[tokio::test]
async fn nothing_that_is_printed_steers_the_terminal() {
    let place = place();
    let server = place.start();
    let session = server.create(&place, "external").await;
    let rude = "a\u{1b}]0;owned\u{7}b\u{9b}2Jc\u{202e}d\r";
    let mut body = String::new();
    for payload in [
        serde_json::json!({"type": "response_start", "modelId": "m", "providerId": "p"}),
        serde_json::json!({"type": "item_start", "itemId": "i", "itemType": "message"}),
        serde_json::json!({"type": "item_done", "itemId": "i",
            "finalItem": {"type": "message", "content": rude, "origin": "agent"}}),
        serde_json::json!({"type": "item_start", "itemId": "c", "itemType": "function_call", "name": rude, "callId": "c"}),
        serde_json::json!({"type": "item_done", "itemId": "c",
            "finalItem": {"type": "function_call", "name": rude, "callId": "c", "arguments": {"x": rude}}}),
        serde_json::json!({"type": "response_error", "error": {"code": rude, "message": rude}}),
    ] {
        let envelope = serde_json::json!({"eventId": "e", "timestamp": "2026-01-01T00:00:00Z", "turnId": "t",
            "sessionId": session, "type": payload["type"], "payload": payload});
        body.push_str(&format!("{envelope}\n"));
    }
    let path = format!("/api/session/{session}/events");
    let taken = server.client().request("POST", &path, body.as_bytes()).await;
    assert_eq!(taken.status, 200, "{}", taken.text());
    let id = session.as_str();
    for arguments in [
        &["tail", id, "--until-idle"][..],
        &["tail", id, "--until-idle", "--json"],
        &["export", id],
        &["export", id, "--json"],
        &["ls"],
    ] {
        let told = said(&place, arguments);
        let steers = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
        assert!(!told.contains(steers), "{arguments:?}: {told:?}");
        assert!(told.contains("owned") || arguments == ["ls"], "{told}");
    }
    let line = lines(&said(&place, &["export", id, "--json"]));
    assert!(line.iter().any(|line| line["content"] == rude), "programs get all of it");
}

#[tokio::test]
async fn a_link_logs_a_browser_in_and_a_restart_does_not_log_it_out() {
    let place = place();
    let server = place.start();
    let url = said(&place, &["open"]);
    let origin = format!("http://127.0.0.1:{}", server.port());
    let code = url.strip_prefix(&format!("{origin}/#login=")).unwrap();
    let browser = log_in(&server, code).await;
    assert_eq!(browser(&server).get("/api/projects").await.status, 200);
    assert!(server.stop().success());
    let server = place.start();
    assert_eq!(browser(&server).get("/api/projects").await.status, 200);
}

#[tokio::test]
async fn a_named_token_lasts_until_everything_is_rotated() {
    let place = place();
    let early = said(&place, &["token", "create", "made without a server"]);
    let server = place.start();
    let token = json(&place, &["token", "create", "ci"])["token"].as_str().unwrap().to_owned();
    assert!(refused(&place, &["token", "create", "ci"]).contains("ci already"));
    for token in [&early, &token] {
        assert_eq!(bearer(&server, token).get("/api/projects").await.status, 200);
    }
    assert!(server.stop().success());
    let server = place.start();
    let header = format!("Bearer {token}");
    let mut socket =
        SocketClient::connect(server.port(), &[("Authorization", &header)]).await.unwrap();
    said(&place, &["token", "rotate"]);
    assert_eq!(socket.close_code().await, Some(4401));
    for token in [&early, &token] {
        assert_eq!(bearer(&server, token).get("/api/projects").await.status, 401);
    }
    assert_eq!(server.client().get("/api/projects").await.status, 401, "the start token too");
    assert!(said(&place, &["ls"]).contains("no sessions"), "the command line needs none");
}

fn bearer(server: &ServerProcess, token: &str) -> HttpClient {
    HttpClient::new(server.port()).with_header("Authorization", &format!("Bearer {token}"))
}

/// What makes clients of this browser, for this server or a later one.
async fn log_in(
    server: &ServerProcess,
    code: &str,
) -> impl Fn(&ServerProcess) -> HttpClient + use<> {
    let login = HttpClient::new(server.port())
        .post_json("/api/login", &serde_json::json!({"code": code}))
        .await;
    assert!(login.status < 300, "{}", login.text());
    let cookie = login.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let page_key = login.json()["pageKey"].as_str().unwrap().to_owned();
    move |server| {
        let page = HttpClient::new(server.port()).with_header("Cookie", &cookie);
        page.with_header("Liminal-Page-Key", &page_key)
    }
}
