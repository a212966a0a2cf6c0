//! Finding items by their words and files by their names.

use contract::ItemStatus;
use serde_json::json;
use testkit::{Sample, TestServer};

#[tokio::test]
async fn items_are_found_by_their_words() {
    let server = TestServer::start().await;
    let client = server.client();
    let session = server.create_session("scripted").await;
    let turn = Sample::new(&session, "t");
    for (item, text) in [("a", "The Zugspitze is high"), ("b", "The Watzmann too")] {
        server.parts.agent.emit(turn.message(item, ItemStatus::Complete, text)).await;
    }
    while client.get(&format!("/api/session/{session}/item/b")).await.status != 200 {}
    let found = client.get("/api/search?q=zugsp%20HIGH").await;
    let hit = json!({"sessionId": session, "itemId": "a", "snippet": "The Zugspitze is high"});
    assert_eq!((found.status, found.json()), (200, json!({"hits": [hit]})));
    assert_eq!(client.get("/api/search?q=the").await.json()["hits"].as_array().unwrap().len(), 2);
    assert_eq!(client.get("/api/search?q=matterhorn").await.json(), json!({"hits": []}));
    let other = server.create_session("scripted").await;
    let within = async |session: &str| {
        client.get(&format!("/api/search?q=the&sessionId={session}")).await.json()["hits"].clone()
    };
    assert_eq!(within(session.as_str()).await.as_array().unwrap().len(), 2);
    assert_eq!(within(other.as_str()).await, json!([]));
    let unknown = client.get("/api/search?q=the&sessionId=nobody").await;
    assert_eq!(unknown.error(), (404, "SESSION_NOT_FOUND".into()));
    for odd in ["", "?q=", "?q=%20*", "?query=x"] {
        let refused = client.get(&format!("/api/search{odd}")).await;
        assert_eq!(refused.error(), (400, "INVALID_REQUEST".into()), "{odd}");
    }
    assert_eq!(server.stranger().get("/api/search?q=the").await.status, 401);
}

#[tokio::test]
async fn files_of_the_project_are_offered_and_nothing_outside_it() {
    let server = TestServer::start().await;
    let client = server.client();
    let root = server.parts.project.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("src")).unwrap();
    for file in ["src/main.rs", "src/domain.rs", "README.md"] {
        std::fs::write(root.join(file), "").unwrap();
    }
    std::os::unix::fs::symlink("/etc", root.join("etc")).unwrap();
    let session = server.create_session("scripted").await;
    let files = |query: &str| {
        let (client, path) = (client.clone(), format!("/api/session/{session}/files{query}"));
        async move { client.get(&path).await }
    };
    assert_eq!(files("?q=main").await.json(), json!({"files": ["src/main.rs", "src/domain.rs"]}));
    assert_eq!(files("").await.json()["files"].as_array().unwrap().len(), 3);
    for outside in ["?q=passwd", "?q=../", "?q=/etc/passwd"] {
        assert_eq!(files(outside).await.json(), json!({"files": []}), "{outside}");
    }
    assert_eq!(files("?prefix=x").await.error(), (400, "INVALID_REQUEST".into()));
    let unknown = client.get("/api/session/nobody/files?q=x").await;
    assert_eq!(unknown.error(), (404, "SESSION_NOT_FOUND".into()));
}

#[tokio::test]
async fn a_project_directory_that_was_replaced_by_a_link_is_not_read() {
    let server = TestServer::start().await;
    let dir = server.parts.project.path().canonicalize().unwrap().join("app");
    std::fs::create_dir(&dir).unwrap();
    let mut request = serde_json::to_value(server.parts.create_request("scripted")).unwrap();
    request["projectDir"] = json!(dir);
    let created = server.client().post_json("/api/session/create", &request).await.json();
    let session = created["sessionId"].as_str().unwrap().to_owned();
    std::fs::remove_dir(&dir).unwrap();
    for target in ["/etc", server.parts.project.path().to_str().unwrap()] {
        std::os::unix::fs::symlink(target, &dir).unwrap();
        let refused = server.client().get(&format!("/api/session/{session}/files")).await;
        assert_eq!(refused.error(), (400, "INVALID_PROJECT_DIR".into()), "{target}");
        std::fs::remove_file(&dir).unwrap();
    }
}
