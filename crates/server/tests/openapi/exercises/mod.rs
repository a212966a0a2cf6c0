//! Every operation, done once as it is meant and once refused. What is sent and what is answered is held against the
//! document, and an operation that nobody exercises fails.

mod access;
mod projects;
mod sessions;
mod turns;

use std::time::Duration;

use serde_json::json;

use crate::visitor::{Visitor, at};

#[tokio::test]
async fn every_operation_does_what_is_told_of_it() {
    let visitor = Visitor::new().await;
    projects::exercise(&visitor).await;
    sessions::exercise(&visitor).await;
    turns::exercise(&visitor).await;
    // Last: it ends every credential.
    access::exercise(&visitor).await;
    visitor.assert_saw_everything();
}

#[tokio::test]
async fn a_server_that_is_stopping_says_so_as_is_told() {
    let visitor = Visitor::new().await;
    let session = visitor.server.create_session("scripted").await;
    visitor.server.drain.begin(Duration::from_secs(60));
    let stopping = (503, "SHUTTING_DOWN");
    visitor.refused("readiness", at(&[]), stopping).await;
    let message = json!({"content": "more"});
    visitor.refused("sendMessage", at(&[session.as_str()]).body(&message), stopping).await;
    visitor.refused("openSocket", at(&[]), INVALID).await;
    visitor.succeed("sessionStatus", at(&[session.as_str()])).await;
}

const NO_SESSION: (u16, &str) = (404, "SESSION_NOT_FOUND");
const NO_PROJECT: (u16, &str) = (404, "PROJECT_NOT_FOUND");
const NO_CREDENTIAL: (u16, &str) = (401, "UNAUTHORIZED");
const INVALID: (u16, &str) = (400, "INVALID_REQUEST");
