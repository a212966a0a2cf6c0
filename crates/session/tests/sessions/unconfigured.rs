//! Sessions whose agent is not in the settings any more.

use std::sync::Arc;

use contract::{ErrorCode, ItemStatus, SessionState};
use store::{HistoryQuery, Journal, MemoryJournal, PageLimit, TurnProgress};
use testkit::{Sample, ScriptedProvider, TestService};

/// A journal in which a turn of a `scripted` session runs and one waits, as a server left it that was killed.
async fn left_behind() -> (Arc<MemoryJournal>, contract::SessionId, contract::ProjectId) {
    let journal = Arc::new(MemoryJournal::default());
    let before = TestService::with_journal(journal.clone()).await;
    let (session, project) = before.create("scripted").await;
    for content in ["one", "two"] {
        let send = before.service.send(&session, TestService::send_request(content)).await;
        send.unwrap().answer().await.unwrap();
    }
    let turn = Sample::new(&session, "turn-1");
    before.agent.emit_turn(turn.started()).await;
    before.agent.emit(turn.message("turn-1:1:0", ItemStatus::Create, "half")).await;
    while journal.item(&session, &"turn-1:1:0".into()).await.unwrap().is_none() {
        tokio::task::yield_now().await;
    }
    (journal, session, project)
}

#[tokio::test]
async fn they_are_settled_listed_opened_and_read_but_not_gone_on_with() {
    let (journal, session, project) = left_behind().await;
    let other = ScriptedProvider::named("another");
    let test = TestService::with_journal_and_agent(journal.clone(), other).await;
    assert_eq!(test.service.settle().await.unwrap(), 1);
    let ended = journal.turn(&session, &"turn-1".into()).await.unwrap();
    assert_eq!(ended, Some(TurnProgress::Ended), "its turn got its one end");

    let listed = test.service.list(&project, false).await.unwrap();
    assert_eq!((listed.len(), listed[0].status), (1, SessionState::Open));
    test.watch(&session).await;
    let limit = PageLimit { entries: 10, bytes: 1 << 20 };
    let page = test.service.history(&session, HistoryQuery::Newest { limit }).await.unwrap();
    assert_eq!(page.entries.len(), 3);
    assert!(test.service.options(&session).await.unwrap().models.is_empty());

    let refused = test.service.send(&session, TestService::send_request("three")).await;
    let refused = refused.expect_err("it is refused");
    assert_eq!(refused.code(), ErrorCode::UNSUPPORTED_CLI_TYPE);
    assert!(refused.to_string().contains("scripted, is not configured"), "{refused}");
    let unsupported = ErrorCode::UNSUPPORTED_CLI_TYPE;
    assert_eq!(test.service.load(&session).await.unwrap_err().code(), unsupported);
    assert_eq!(test.service.resume_queue(&session).await.unwrap_err().code(), unsupported);
    assert_eq!(test.service.status(&session).await.unwrap().state, SessionState::Open);

    assert!(test.service.remove_queued(&session, "turn-2".into()).await.unwrap().removed);
    assert!(test.service.archive(&session, None).await.unwrap().archived);
    assert!(test.service.kill(&session).await.unwrap().killed);
}
