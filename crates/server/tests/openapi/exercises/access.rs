//! Who gets in, and what operators watch.

use serde_json::json;
use testkit::HttpResponse;

use super::{INVALID, NO_CREDENTIAL};
use crate::visitor::{Visitor, at};

pub(super) async fn exercise(visitor: &Visitor) {
    let stranger = visitor.server.stranger();
    operating(visitor).await;
    socket(visitor).await;
    logins(visitor).await;
    for id in ["createLoginLink", "createToken", "rotateCredentials"] {
        visitor.refused(id, at(&[]), (403, "FORBIDDEN_PEER")).await;
        visitor.refused_as(&stranger, id, at(&[]), NO_CREDENTIAL).await;
    }
    let local = visitor.server.local_client();
    visitor.succeed_as(&local, "createLoginLink", at(&[])).await;
    let name = json!({"name": "ci"});
    visitor.succeed_as(&local, "createToken", at(&[]).body(&name)).await;
    let taken = (409, "INVALID_REQUEST");
    visitor.refused_as(&local, "createToken", at(&[]).body(&name), taken).await;
    visitor.succeed_as(&local, "rotateCredentials", at(&[])).await;
}

async fn operating(visitor: &Visitor) {
    let stranger = visitor.server.stranger();
    visitor.succeed_as(&stranger, "health", at(&[])).await;
    let other_name = stranger.clone().with_host(Some("example.com"));
    visitor.refused_as(&other_name, "health", at(&[]), (403, "FORBIDDEN_HOST")).await;
    for id in ["readiness", "metrics", "describeApi"] {
        visitor.succeed(id, at(&[])).await;
        visitor.refused_as(&stranger, id, at(&[]), NO_CREDENTIAL).await;
    }
}

async fn socket(visitor: &Visitor) {
    let _socket = visitor.server.socket().await;
    let upgraded = HttpResponse { status: 101, headers: Vec::new(), body: Vec::new() };
    visitor.note("openSocket", &upgraded);
    visitor.refused("openSocket", at(&[]), INVALID).await;
}

async fn logins(visitor: &Visitor) {
    let stranger = visitor.server.stranger();
    let code = visitor.server.credentials.login_code().unwrap();
    let code = json!({"code": code.reveal()});
    visitor.succeed_as(&stranger, "logIn", at(&[]).body(&code)).await;
    visitor.refused_as(&stranger, "logIn", at(&[]).body(&code), NO_CREDENTIAL).await;
    let browser = visitor.server.browser().await;
    visitor.refused_as(&browser, "logOut", at(&[]), (403, "FORBIDDEN_ORIGIN")).await;
    let page = browser.with_header("Origin", &visitor.server.origin());
    visitor.succeed_as(&page, "logOut", at(&[])).await;
}
