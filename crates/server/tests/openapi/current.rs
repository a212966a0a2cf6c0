//! The document is committed, so that a change of the API is seen as one. `cargo xtask codegen` writes it anew.

use std::path::Path;

use testkit::TestServer;

#[tokio::test]
async fn openapi_is_current() {
    let server = TestServer::start().await;
    let told = server.client().get("/api/openapi.json").await.text();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    if std::env::var_os("UPDATE_OPENAPI").is_some() {
        std::fs::write(&path, &told).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == told, "docs/openapi.json is not current: run `cargo xtask codegen`");
}

#[tokio::test]
async fn the_description_needs_a_credential_like_all_of_the_api() {
    let server = TestServer::start().await;
    let refused = server.stranger().get("/api/openapi.json").await;
    assert_eq!(refused.error(), (401, "UNAUTHORIZED".to_owned()));
}
