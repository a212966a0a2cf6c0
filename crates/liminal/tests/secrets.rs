//! Secrets stay where they belong: not in the log, not in answers, not in files.
#![cfg(test)]

use std::path::Path;

use serde_json::json;
use testkit::{ServerPlace, SocketClient};

const LIMINAL: &str = env!("CARGO_BIN_EXE_liminal");
/// Brought as credentials that are wrong, and as what a person might paste.
const CANARIES: [&str; 3] =
    ["canary-0123456789abcdef", "sk-canary0123456789abcdef", "ghp_canary0123456789abcdef01"];

/// S-38: a run over every kind of request with everything logged, and then no secret is found anywhere.
#[tokio::test]
async fn s_38_no_secret_reaches_the_log_an_answer_or_a_file() {
    let place = ServerPlace::new(Path::new(LIMINAL), "").logged();
    let server = place.start();
    let mut answers = Vec::new();
    for canary in CANARIES {
        let client = testkit::HttpClient::new(server.port());
        let bearer = format!("Bearer {canary}");
        answers.push(
            client.clone().with_header("Authorization", &bearer).get("/api/projects").await.text(),
        );
        let cookie = format!("liminal={canary}");
        answers
            .push(client.clone().with_header("Cookie", &cookie).get("/api/projects").await.text());
        answers.push(client.post_json("/api/login", &json!({"code": canary})).await.text());
        answers.push(client.get(&format!("/api/projects?token={canary}")).await.text());
        answers.push(server.client().get(&format!("/nowhere?api_key={canary}")).await.text());
        let refused = SocketClient::connect(server.port(), &[("Authorization", &bearer)]).await;
        assert_eq!(refused.err(), Some(401));
    }
    let session = server.create(&place, "demo").await;
    server.send(&session, &json!({"content": "help"})).await;
    server.settled(&session).await;
    let mut socket = server.socket("upsert-v1").await;
    socket.send_text("{ not json".to_owned()).await;
    answers.push(socket.receive_type("error").await.to_string());
    answers.push(server.client().get("/metrics").await.text());
    let token = server.token().to_owned();
    assert!(server.stop().success());

    let mut secrets = CANARIES.to_vec();
    secrets.push(&token);
    for (place, text) in everything(&place)
        .into_iter()
        .chain(answers.into_iter().map(|text| ("an answer".to_owned(), text)))
    {
        for secret in &secrets {
            assert!(!text.contains(secret), "{secret} in {place}");
        }
    }
}

/// The log and every file of the data directory, as text.
fn everything(place: &ServerPlace) -> Vec<(String, String)> {
    let mut directories = vec![place.at("data")];
    let mut found = vec![("the log".to_owned(), std::fs::read_to_string(place.at("log")).unwrap())];
    assert!(found[0].1.len() > 1000, "everything is logged: {}", found[0].1);
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.is_file() {
                let bytes = std::fs::read(&path).unwrap();
                found.push((
                    path.display().to_string(),
                    String::from_utf8_lossy(&bytes).into_owned(),
                ));
            }
        }
    }
    found
}
