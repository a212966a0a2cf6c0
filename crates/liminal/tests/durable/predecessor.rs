//! What the program before this one left: taken over by a real server, once, with what was said in it.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use testkit::{ServerPlace, ServerProcess};

use crate::place;

const AGENTS_ID: &str = "8aef91cc-bc1d-4f52-8f04-6a9a4a1f2f7c";
const SESSION: &str = "claude-code:8aef91cc-bc1d-4f52-8f04-6a9a4a1f2f7c";

/// A transcript that Claude Code wrote, as if it had been of this place's project.
fn keep_transcript(place: &ServerPlace, project: &Path) {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../claude/tests/recordings/2.1.325/transcript_int_text.jsonl");
    let text = std::fs::read_to_string(recorded).unwrap();
    let text = text.replace("/home/dev/project", project.to_str().unwrap());
    let path = transcript_at(place, project);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn transcript_at(place: &ServerPlace, project: &Path) -> PathBuf {
    let slug: String = project
        .to_str()
        .unwrap()
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
        .collect();
    place.at("home/.claude/projects").join(slug).join(format!("{AGENTS_ID}.jsonl"))
}

/// A place with the files of the program before this one.
fn inherited() -> ServerPlace {
    let place = place().with_variable("CLAUDE_CONFIG_DIR", "");
    let project = place.at("project").canonicalize().unwrap();
    keep_transcript(&place, &project);
    let projects = json!({"version": 1, "data": [
        {"id": "p1", "path": project, "name": "project", "addedAt": "2026-01-02T03:04:05.000Z"},
        {"id": "p2", "path": place.at("home"), "name": "home", "addedAt": "2026-01-02T03:04:06.000Z"},
    ]});
    let sessions = json!({"version": 1, "data": [
        {"id": SESSION, "projectId": "p1", "cliType": "claude-code", "title": "Foxes",
         "createdAt": "2026-01-02T03:04:05.000Z", "lastActiveAt": "2026-01-03T03:04:05.000Z"},
    ]});
    for (name, content) in [("projects.json", projects), ("sessions.json", sessions)] {
        std::fs::write(place.at("data").join(name), content.to_string()).unwrap();
    }
    place
}

async fn titles(server: &ServerProcess) -> Vec<String> {
    let list = server.get("/api/session/list?projectId=p1&state=all").await;
    let sessions = list["sessions"].as_array().unwrap().iter();
    sessions.map(|session| session["title"].as_str().unwrap().to_owned()).collect()
}

fn said(history: &Value) -> Vec<&str> {
    let entries = history["entries"].as_array().unwrap().iter();
    entries.filter_map(|item| item["content"].as_str()).collect()
}

/// Whoever goes back to the program before this one finds everything as it was.
fn its_files(place: &ServerPlace, project: &Path) -> Vec<Vec<u8>> {
    let data = ["projects.json", "sessions.json"].map(|name| place.at("data").join(name));
    let files = data.into_iter().chain([transcript_at(place, project)]);
    files.map(|path| std::fs::read(path).unwrap()).collect()
}

#[tokio::test]
async fn what_the_predecessor_left_is_there_with_what_was_said_and_comes_once() {
    let place = inherited();
    let project = place.at("project").canonicalize().unwrap();
    let left = its_files(&place, &project);
    let server = place.start();
    assert_eq!(server.get("/api/projects").await.as_array().unwrap().len(), 2);
    assert_eq!(titles(&server).await, ["Foxes"]);
    // Opened as the page does it; only then its agent's own record is read.
    let mut socket = server.socket("upsert-v2").await;
    socket.send(&json!({"type": "session:open", "sessionId": SESSION})).await;
    let told = socket.receive_type("session:history").await;
    let heard = [
        "KSLOW please",
        "the quick brown fox jumps over the ",
        "KPLAIN after interrupt",
        "Hello there. This is a plain answer from the mock model.",
    ];
    assert_eq!(said(&told), heard, "{told:#}");
    let before = server.history(&SESSION.into()).await;
    assert_eq!(said(&before), heard);
    // What is changed and removed here stays so, though the files still tell it.
    let client = server.client();
    let rename = format!("/api/session/{SESSION}/title");
    assert_eq!(client.post_json(&rename, &json!({"title": "Hares"})).await.status, 200);
    assert_eq!(client.request("DELETE", "/api/projects/p2", b"").await.status, 200);
    assert!(server.stop().success());

    let server = place.start();
    assert_eq!(titles(&server).await, ["Hares"]);
    let projects = server.get("/api/projects").await;
    assert_eq!((projects.as_array().unwrap().len(), &projects[0]["id"]), (1, &json!("p1")));
    assert_eq!(server.history(&SESSION.into()).await, before, "nothing is told twice");
    let offered = server.get("/api/projects/p1/importable").await;
    assert_eq!(offered["sessions"], json!([]), "it is here already");
    assert!(server.stop().success());
    assert!(its_files(&place, &project) == left, "its files are read and never written");
}

#[tokio::test]
async fn what_was_said_before_is_read_also_by_whoever_only_asks_for_it() {
    for path in ["history", "export?format=markdown", "export?format=jsonl"] {
        let place = inherited();
        let server = place.start();
        let answer = server.client().get(&format!("/api/session/{SESSION}/{path}")).await;
        assert!(answer.text().contains("KPLAIN after interrupt"), "{path}: {}", answer.text());
        assert!(server.stop().success());
    }
}
