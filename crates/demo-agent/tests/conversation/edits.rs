//! Changes to files, and who is asked.

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{
    RequestPermissionOutcome, RequestPermissionResponse, SetSessionModeRequest, StopReason,
};
use serde_json::json;

use crate::support::{Place, calls, choose, said, shown};

const EDIT: &str = "edit README.md: replace Todo with DONE";
const OLD: &str = "# Title\n\nTodo: write more\n";
const NEW: &str = "# Title\n\nDONE: write more\n";

#[tokio::test]
async fn an_edit_is_shown_and_asked_for_before_it_is_made() {
    let place = Place::new();
    let ended = place.talk(async |mut talk| {
        let session = talk.new_session().await;
        let sent = talk.send(&session, EDIT);
        let (question, responder) = talk.question().await;
        assert_eq!(place.text("README.md").unwrap(), OLD);
        let question = serde_json::to_value(question).unwrap();
        let kinds: Vec<_> =
            question["options"].as_array().unwrap().iter().map(|it| &it["kind"]).collect();
        assert_eq!(kinds, ["allow_once", "allow_always", "reject_once"]);
        let call = talk.update().await;
        assert_eq!(question["toolCall"]["toolCallId"], call["toolCallId"]);
        for diff in [&question["toolCall"]["content"][0], &call["content"][0]] {
            assert_eq!(diff["type"], "diff");
            assert_eq!(diff["path"], json!(place.project().join("README.md")));
            assert_eq!((&diff["oldText"], &diff["newText"]), (&json!(OLD), &json!(NEW)));
        }
        choose(responder, "allow-once");
        assert_eq!(sent.block_task().await.unwrap().stop_reason, StopReason::EndTurn);
        let mut told = talk.told();
        told.insert(0, call);
        assert_eq!(calls(&told), ["edit: pending in_progress completed"]);
        assert_eq!(place.text("README.md").unwrap(), NEW);
    });
    ended.await.unwrap();
}

#[tokio::test]
async fn a_rejected_edit_changes_nothing() {
    let place = Place::new();
    let ended = place.talk(async |mut talk| {
        let session = talk.new_session().await;
        for option in ["reject-once", "never heard of"] {
            let told = talk.ask_and_choose(&session, EDIT, option).await;
            assert_eq!(calls(&told), ["edit: pending failed"]);
            assert!(said(&told).contains("You said no"));
        }
    });
    ended.await.unwrap();
    assert_eq!(place.text("README.md").unwrap(), OLD);
}

#[tokio::test]
async fn a_client_that_cannot_ask_has_not_agreed() {
    let place = Place::new();
    let ended = place.talk(async |mut talk| {
        let session = talk.new_session().await;
        let sent = talk.send(&session, EDIT);
        let (_, responder) = talk.question().await;
        responder.respond_with_error(Error::method_not_found()).unwrap();
        assert_eq!(sent.block_task().await.unwrap().stop_reason, StopReason::EndTurn);
        assert_eq!(calls(&talk.told()), ["edit: pending failed"]);

        let sent = talk.send(&session, EDIT);
        let (_, responder) = talk.question().await;
        let cancelled = RequestPermissionResponse::new(RequestPermissionOutcome::Cancelled);
        responder.respond(cancelled).unwrap();
        assert_eq!(sent.block_task().await.unwrap().stop_reason, StopReason::Cancelled);
    });
    ended.await.unwrap();
    assert_eq!(place.text("README.md").unwrap(), OLD);
}

#[tokio::test]
async fn always_means_this_session_only() {
    let place = Place::new();
    let ended = place.talk(async |mut talk| {
        let session = talk.new_session().await;
        talk.ask_and_choose(&session, "write one.md: 1", "allow-always").await;
        let (_, told) = talk.ask(&session, "write two.md: 2").await;
        assert_eq!(calls(&told), ["edit: pending in_progress completed"]);
        assert!(!talk.was_asked());
        let other = talk.new_session().await;
        talk.ask_and_choose(&other, "write three.md: 3", "reject-once").await;
    });
    ended.await.unwrap();
    assert_eq!(place.text("two.md").unwrap(), "2\n");
    assert_eq!(place.text("three.md"), None);
}

#[tokio::test]
async fn a_file_that_changed_while_it_asked_is_left_alone() {
    let place = Place::new();
    let ended = place.talk(async |mut talk| {
        let session = talk.new_session().await;
        let sent = talk.send(&session, EDIT);
        let (_, responder) = talk.question().await;
        place.write("README.md", "Todo: mine");
        choose(responder, "allow-once");
        sent.block_task().await.unwrap();
        let told = talk.told();
        assert_eq!(calls(&told), ["edit: pending in_progress failed"]);
        assert_eq!(shown(&told), "README.md changed in the meantime");
        assert!(said(&told).contains("I wrote nothing"));
    });
    ended.await.unwrap();
    assert_eq!(place.text("README.md").unwrap(), "Todo: mine");
}

#[tokio::test]
async fn the_mode_decides_whether_it_asks_and_whether_it_writes() {
    let place = Place::new();
    let ended = place.talk(async |mut talk| {
        let session = talk.new_session().await;
        let agent = talk.agent.clone();
        let set = async |mode: &str| {
            let request = SetSessionModeRequest::new(session.clone(), mode.to_owned());
            agent.send_request(request).block_task().await
        };
        set("read-only").await.unwrap();
        let (_, told) = talk.ask(&session, EDIT).await;
        assert!(said(&told).contains("read-only"));
        assert!(calls(&told).is_empty());
        assert_eq!(place.text("README.md").unwrap(), OLD);
        set("auto-edit").await.unwrap();
        let (_, told) = talk.ask(&session, EDIT).await;
        assert_eq!(calls(&told), ["edit: pending in_progress completed"]);
        assert!(!talk.was_asked());
        assert_eq!(place.text("README.md").unwrap(), NEW);
        let error = set("anything goes").await.unwrap_err();
        assert_eq!(error.message, "there is no mode anything goes");
        set("ask").await.unwrap();
        talk.ask_and_choose(&session, "write a.md: a", "reject-once").await;
    });
    ended.await.unwrap();
}

#[tokio::test]
async fn what_cannot_be_edited_is_not_even_asked_for() {
    let place = Place::new();
    let ended = place.talk(async |mut talk| {
        let session = talk.new_session().await;
        for (prompt, why) in [
            ("write ../new.md: x", "leads outside"),
            ("write way-out: x", "leads outside"),
            ("write .git/hooks: x", "there is no directory"),
            ("edit README.md: replace nothing with x", "is not in README.md"),
            ("edit missing.md: replace a with b", "there is no missing.md"),
            ("write src/main.rs: fn main() {}", "already says that"),
        ] {
            let (_, told) = talk.ask(&session, prompt).await;
            assert!(said(&told).contains(why), "{prompt}: {}", said(&told));
        }
        assert!(!talk.was_asked());
    });
    ended.await.unwrap();
}
