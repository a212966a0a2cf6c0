//! No more sessions are kept than may be, however many are made at once.

use std::sync::Arc;

use contract::{ErrorCode, ImportSessionRequest};
use futures_util::future::join_all;
use session::ServiceError;
use session::provider::ProviderErrorCode;
use store::SqliteJournal;
use tempfile::TempDir;
use testkit::{Call, KeptEvent, KeptSession, Operation, TestService};

/// On a disk, where counting and writing take their time: others come between.
async fn keeping(sessions: usize) -> (TestService, TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let journal = SqliteJournal::open(&directory.path().join("journal.db")).unwrap();
    (TestService::keeping(sessions, Arc::new(journal)).await, directory)
}

/// How many were made. The others were told that there is no room.
fn made<T>(answers: Vec<Result<T, ServiceError>>) -> usize {
    let all = answers.len();
    let refused = answers.into_iter().filter_map(Result::err);
    let refused = refused.map(|error| assert_eq!(error.code(), ErrorCode::TOO_MANY_REQUESTS));
    all - refused.count()
}

#[tokio::test]
async fn s_35_of_many_sessions_that_are_made_at_once_as_many_are_as_there_is_room_for() {
    let (test, _kept) = keeping(3).await;
    test.create("scripted").await;
    let making = (0..8).map(|_| test.service.create(test.create_request("scripted")));
    assert_eq!(made(join_all(making).await), 2);
    let is_start = |call: &&Call| matches!(call, Call::Create(..));
    assert_eq!(
        test.agent.calls().iter().filter(is_start).count(),
        3,
        "no agent is started in vain"
    );
}

#[tokio::test]
async fn s_35_a_session_that_is_being_made_has_its_place_and_gives_it_back_if_it_fails() {
    let (test, _kept) = keeping(1).await;
    test.agent.fail_next(Operation::Create, ProviderErrorCode::SessionCreateFailed);
    let held = test.agent.hold_next(Operation::Create);
    let create = || test.service.create(test.create_request("scripted"));
    let other = async {
        test.agent.wait_for_calls(1).await;
        let refused = create().await.unwrap_err();
        drop(held);
        refused
    };
    let (failed, refused) = tokio::join!(create(), other);
    assert_eq!(refused.code(), ErrorCode::TOO_MANY_REQUESTS);
    assert_eq!(failed.unwrap_err().code(), ErrorCode::SESSION_CREATE_FAILED);
    create().await.unwrap();
}

#[tokio::test]
async fn s_35_of_many_sessions_that_are_imported_at_once_as_many_are_as_there_is_room_for() {
    let (test, _kept) = keeping(2).await;
    let project = test.service.add_project(test.project.path().to_str().unwrap()).await.unwrap();
    let ids: Vec<_> = (0..6).map(|n| format!("8aef91cc-bc1d-4f52-8f04-6a9a4a1f2f7{n}")).collect();
    for id in &ids {
        test.agent.keep(KeptSession::new(id, "fix the login", [] as [KeptEvent; 0]));
    }
    let importing = ids.iter().map(|id| {
        test.service.import(ImportSessionRequest {
            cli_type: "scripted".into(),
            provider_session_id: id.clone(),
            project_id: project.id.clone(),
        })
    });
    assert_eq!(made(join_all(importing).await), 2);
    assert_eq!(test.service.list(&project.id, true).await.unwrap().len(), 2);
}
