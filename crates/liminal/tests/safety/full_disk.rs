//! S-37: the server on a disk of 8 MB that becomes full. Where nobody may mount one, that is said.

#![cfg(target_os = "linux")]

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use testkit::ServerPlace;

use crate::LIMINAL;
use crate::server::{Server, command};

/// The server on a small disk, which grows once there is a file `more` in its place.
fn on_a_small_disk(place: ServerPlace) -> Server {
    let mut unshare = command("unshare");
    let script = r#"
        cp "$DATA/config.toml" "$PLACE/settings" && mount -t tmpfs -o size=8m,mode=700 none "$DATA" &&
        cp "$PLACE/settings" "$DATA/config.toml" || exit 1
        (n=0; while [ ! -e "$PLACE/more" ] && [ $n -lt 1200 ]; do n=$((n+1)); sleep 0.1; done
         mount -o remount,size=64m "$DATA") </dev/null >/dev/null 2>&1 &
        exec "$0" "$@""#;
    unshare.env("DATA", place.at("data")).env("PLACE", place.at(""));
    unshare.args(["-rm", "sh", "-c", script, LIMINAL]);
    Server::start_by(place, unshare, |command| command)
}

fn said(session: &str, turn: u32) -> String {
    let text = "words ".repeat(40_000);
    let line = |payload: serde_json::Value| {
        let (kind, turn) = (payload["type"].clone(), format!("t{turn}"));
        json!({"eventId": "e", "timestamp": "2026-01-01T00:00:00.000Z", "turnId": turn, "sessionId": session,
               "type": kind, "payload": payload})
        .to_string()
            + "\n"
    };
    let item = format!("i{turn}");
    line(json!({"type": "response_start", "modelId": "m", "providerId": "p"}))
        + &line(json!({"type": "item_start", "itemId": item, "itemType": "message"}))
        + &line(json!({"type": "item_done", "itemId": item,
                       "finalItem": {"type": "message", "content": text, "origin": "agent"}}))
        + &line(json!({"type": "response_done", "status": "completed"}))
}

#[tokio::test]
async fn s_37_a_disk_of_8_mb_becomes_full_and_nothing_that_was_answered_is_lost_as_root() {
    let server = on_a_small_disk(ServerPlace::new(Path::new(LIMINAL), ""));
    let created = server.create("external").await;
    assert_eq!(created.status, 201, "{}", created.text());
    let session = created.json()["sessionId"].as_str().unwrap().to_owned();
    let path = format!("/api/session/{session}/events");
    let client = server.client().with_header("Content-Type", "application/x-ndjson");
    let mut kept = Vec::new();
    let refused = loop {
        let turn = u32::try_from(kept.len()).unwrap();
        let answer = client.request("POST", &path, said(&session, turn).as_bytes()).await;
        if answer.status != 200 {
            break answer;
        }
        kept.push(format!("i{turn}"));
        assert!(kept.len() < 60, "8 MB hold no more");
    };
    assert_eq!(refused.error(), (503, "STORE_UNAVAILABLE".into()));
    assert!(kept.len() > 3, "{kept:?}");
    let is_there = async |item: &String| {
        let path = format!("/api/session/{session}/item/{item}");
        server.client().get(&path).await.status == 200
    };
    for item in &kept {
        assert!(is_there(item).await, "{item} was answered for");
    }
    assert_eq!(server.client().get("/healthz").await.status, 200);

    std::fs::write(server.place.at("more"), "").unwrap();
    for attempt in 0.. {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let answer = client.request("POST", &path, said(&session, 100 + attempt).as_bytes()).await;
        if answer.status == 200 {
            break;
        }
        assert!(attempt < 100, "it goes on once there is room: {}", answer.text());
    }
    for item in &kept {
        assert!(is_there(item).await, "{item} is still there");
    }
}
