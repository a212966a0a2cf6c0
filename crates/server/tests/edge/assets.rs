//! The embedded page.

use testkit::TestServer;

#[tokio::test]
async fn the_page_is_served_and_revalidated() {
    let server = TestServer::start().await;
    let page = server.stranger().get("/").await;
    assert_eq!(page.status, 200);
    assert!(page.header("content-type").unwrap().starts_with("text/html"));
    assert_eq!(page.header("cache-control"), Some("no-cache"));
    let known = page.header("etag").unwrap();
    let again = server.stranger().with_header("If-None-Match", known).get("/").await;
    assert_eq!((again.status, again.body.len()), (304, 0));
    assert_eq!(server.stranger().get("/index.html").await.body, page.body);
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let server = TestServer::start().await;
    for path in ["/nothing", "/../Cargo.toml", "/assets/", "/.stamp", "/assets/../index.html"] {
        assert_eq!(server.stranger().get(path).await.error(), (404, "NOT_FOUND".into()), "{path}");
    }
    assert_eq!(server.stranger().post("/").await.error(), (404, "NOT_FOUND".into()));
}
