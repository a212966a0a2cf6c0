//! Who changed what outlives the server.

use std::path::Path;

use serde_json::{Value, json};
use testkit::ServerPlace;

use crate::LIMINAL;
use crate::server::liminal;

fn lines(place: &ServerPlace) -> Vec<Value> {
    let text = std::fs::read_to_string(place.at("data").join("audit.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn s_39_what_was_answered_is_written_down_also_when_the_server_is_killed() {
    let place = ServerPlace::new(Path::new(LIMINAL), "");
    let mut expected = Vec::new();
    for round in 0..3 {
        let server = place.start();
        for n in 0..5 {
            let path = place.at("project").join(format!("{round}-{n}"));
            std::fs::create_dir(&path).unwrap();
            let added = server.client().post_json("/api/projects", &json!({"path": path})).await;
            assert_eq!(added.status, 201, "{}", added.text());
            expected.push(("start token".to_owned(), "POST /api/projects".to_owned()));
        }
        let made = liminal(&place, &["token", "create", &format!("ci-{round}")]);
        assert!(made.status.success(), "{made:?}");
        expected.push(("command line".to_owned(), "POST /api/tokens".to_owned()));
        // Killed, not asked to stop.
        drop(server);
    }
    let text = |line: &Value, name: &str| line[name].as_str().unwrap().to_owned();
    let lines = lines(&place);
    let told: Vec<_> = lines.iter().map(|line| (text(line, "who"), text(line, "action"))).collect();
    assert_eq!(told, expected);
    let by_hand = lines.iter().filter(|line| line["who"] == "command line");
    assert!(by_hand.clone().all(|line| text(line, "from").starts_with("process ")));
    assert_eq!(by_hand.count(), 3);
    assert!(lines.iter().all(|line| line["outcome"] == "ok"));
}

#[tokio::test]
async fn s_39_tokens_that_are_made_while_no_server_runs_are_written_down_too() {
    let place = ServerPlace::new(Path::new(LIMINAL), "");
    assert!(liminal(&place, &["token", "create", "ci"]).status.success());
    assert!(liminal(&place, &["token", "rotate"]).status.success());
    let told: Vec<_> = lines(&place).iter().map(|line| line["action"].clone()).collect();
    assert_eq!(told, ["POST /api/tokens", "POST /api/tokens/rotate"]);
}
