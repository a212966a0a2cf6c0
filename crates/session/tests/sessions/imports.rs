//! Sessions that an agent keeps on its own become sessions of ours.

use std::sync::Arc;
use std::time::Duration;

use contract::{
    ImportSessionRequest, ItemStatus, ProjectId, Seq, SessionCreated, SessionId, SessionSource,
    Timestamp, TurnEvent,
};
use session::{Outbox, Publication, ServiceError, Subscriber};
use store::{AgentChoices, HistoryQuery, Journal, MemoryJournal, PageLimit, SessionRecord};
use testkit::{Call, KeptEvent, KeptSession, Sample, TestService};

const KEPT: &str = "8aef91cc-bc1d-4f52-8f04-6a9a4a1f2f7c";

/// A service whose agent keeps one session, with an item that took a second.
async fn service(journal: Arc<dyn Journal>) -> (TestService, ProjectId) {
    let test = TestService::with_journal(journal).await;
    let project = test.service.add_project(test.project.path().to_str().unwrap()).await.unwrap();
    keep_one(&test);
    (test, project.id)
}

fn keep_one(test: &TestService) {
    let turn = Sample::new(&SessionId::from(KEPT), "old-turn");
    let at = |millis, event| TurnEvent { at: Some(Timestamp::from_millis(millis)), ..event };
    let mut item = turn.message("old-turn:1:0", ItemStatus::Complete, "long ago");
    item.started_at = Some(Timestamp::from_millis(2000));
    let events: [KeptEvent; 3] =
        [at(1000, turn.started()).into(), item.into(), at(3000, turn.completed()).into()];
    test.agent.keep(KeptSession::new(KEPT, "fix the login", events));
}

fn request(project: &ProjectId) -> ImportSessionRequest {
    ImportSessionRequest {
        cli_type: "scripted".into(),
        provider_session_id: KEPT.to_owned(),
        project_id: project.clone(),
    }
}

async fn numbered(test: &TestService) -> Vec<(u64, i64)> {
    let limit = PageLimit { entries: 100, bytes: 1 << 20 };
    let session = SessionId::from(KEPT);
    let page = test.service.history(&session, HistoryQuery::Newest { limit }).await.unwrap();
    let items = page.entries.iter().map(|item| (item.position, item.started_at));
    let turns = page.turns.iter().map(|event| (event.seq, event.at));
    let mut all: Vec<_> =
        items.chain(turns).map(|(seq, at)| (seq.unwrap().0, at.unwrap().as_millis())).collect();
    all.sort_unstable();
    all
}

#[tokio::test]
async fn an_imported_session_has_its_history_once_and_goes_on() {
    let (test, project) = service(Arc::new(MemoryJournal::default())).await;
    let offered = test.service.importable(&project).await.unwrap();
    let offered: Vec<_> =
        offered.iter().map(|one| (&*one.provider_session_id, one.prompts)).collect();
    assert_eq!(offered, [(KEPT, 1)]);
    let created = test.service.import(request(&project)).await.unwrap();
    let expected = SessionCreated {
        session_id: KEPT.into(),
        cli_type: "scripted".into(),
        project_id: project.clone(),
    };
    assert_eq!(created, expected);
    assert_eq!(numbered(&test).await, [(1, 1000), (2, 2000), (3, 3000)]);
    assert_eq!(test.service.import(request(&project)).await.unwrap(), expected);
    assert_eq!(numbered(&test).await.len(), 3, "it is not told twice");
    assert_eq!(test.service.importable(&project).await.unwrap(), []);
    let listed = test.service.list(&project, false).await.unwrap();
    assert_eq!((listed[0].source, &*listed[0].title), (SessionSource::Imported, "fix the login"));
    assert_eq!(test.agent.calls(), [], "no agent is started for it");
    let send = TestService::send_request("go on");
    test.service.send(&KEPT.into(), send).await.unwrap().answer().await.unwrap();
    let calls = test.agent.wait_for_calls(2).await;
    assert_eq!(calls[0], Call::Load(KEPT.into()));
    assert!(matches!(&calls[1], Call::Send(session, ..) if *session == KEPT), "{calls:?}");
}

#[tokio::test]
async fn every_connection_is_told_of_an_imported_session() {
    let (test, project) = service(Arc::new(MemoryJournal::default())).await;
    let connection = Arc::new(Subscriber::new(1 << 20));
    test.service.connect(&connection);
    test.service.import(request(&project)).await.unwrap();
    let told: Vec<_> = std::iter::from_fn(|| connection.with_outbox(Outbox::pop))
        .filter_map(|entry| match entry.publication {
            Publication::Created(item) => Some(item.session_id.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(told, [SessionId::from(KEPT)]);
}

/// A session that is known by name only, as an import leaves it that is cut short.
fn half_done(test: &TestService, project: &ProjectId) -> SessionRecord {
    SessionRecord {
        session_id: KEPT.into(),
        project_id: project.clone(),
        project_dir: test.project.path().to_str().unwrap().to_owned(),
        cli_type: "scripted".into(),
        agent_session: None,
        choices: AgentChoices::default(),
        epoch: "epoch".into(),
        title: "fix the login".to_owned(),
        created_at: Timestamp::default(),
        last_active_at: Timestamp::default(),
        archived: false,
        dead: false,
        source: SessionSource::Imported,
    }
}

#[tokio::test]
async fn what_could_not_be_read_when_a_session_was_opened_is_there_when_it_is_opened_again() {
    let journal = Arc::new(MemoryJournal::default());
    let test = TestService::with_journal(journal.clone()).await;
    let project = test.service.add_project(test.project.path().to_str().unwrap()).await.unwrap();
    journal.create_session(half_done(&test, &project.id)).await.unwrap();
    let session = SessionId::from(KEPT);
    let connection = Arc::new(Subscriber::new(1 << 20));
    test.service.subscribe(&session, &connection, None, None).await.unwrap();
    assert_eq!(numbered(&test).await.len(), 0, "there is nothing to be had yet");
    test.service.rename(&session, "a name of its own").await.unwrap();

    keep_one(&test);
    let other = Arc::new(Subscriber::new(1 << 20));
    test.service.subscribe(&session, &other, None, None).await.unwrap();
    assert_eq!(numbered(&test).await.len(), 3);
    let again = async {
        while connection.with_outbox(Outbox::take_resync).is_none() {
            connection.ready().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), again).await.expect("who looked is told too");
    let request = TestService::send_request("go on");
    test.service.send(&session, request).await.unwrap().answer().await.unwrap();
    let head = journal.session(&session).await.unwrap().head;
    assert!(head > Seq(3), "what is said comes after it: {head:?}");
}

#[tokio::test]
async fn an_import_that_was_cut_short_is_completed_by_the_next() {
    let journal = Arc::new(MemoryJournal::default());
    let (test, project) = service(journal.clone()).await;
    journal.create_session(half_done(&test, &project)).await.unwrap();
    test.service.import(request(&project)).await.unwrap();
    assert_eq!(journal.session(&KEPT.into()).await.unwrap().head, Seq(3));
}

#[tokio::test]
async fn what_cannot_be_imported_is_refused() {
    let (test, project) = service(Arc::new(MemoryJournal::default())).await;
    let refused = |request| async { test.service.import(request).await.unwrap_err().code() };
    let other =
        |id: &str| ImportSessionRequest { provider_session_id: id.to_owned(), ..request(&project) };
    assert_eq!(refused(other("unknown")).await.as_str(), "SESSION_NOT_FOUND");
    let wrong = ImportSessionRequest { project_id: "nowhere".into(), ..request(&project) };
    assert_eq!(refused(wrong).await.as_str(), "PROJECT_NOT_FOUND");
    let wrong = ImportSessionRequest { cli_type: "external".into(), ..request(&project) };
    assert_eq!(refused(wrong).await.as_str(), "NOT_SUPPORTED");
    // One of ours, by its id, but of another agent.
    let (external, _) = test.create("external").await;
    assert_eq!(refused(other(external.as_str())).await.as_str(), "SESSION_NOT_FOUND");
    let unknown = test.service.importable(&"nowhere".into()).await;
    assert!(matches!(unknown, Err(ServiceError::UnknownProject(_))));
}

#[tokio::test]
async fn two_that_import_a_session_at_once_both_have_it() {
    let dir = tempfile::tempdir().unwrap();
    let journal = store::SqliteJournal::open(&dir.path().join("journal.db")).unwrap();
    let (test, project) = service(Arc::new(journal)).await;
    let import = || test.service.import(request(&project));
    let (one, two, three) = tokio::join!(import(), import(), import());
    for created in [one, two, three] {
        assert_eq!(created.unwrap().session_id, SessionId::from(KEPT));
    }
    assert_eq!(numbered(&test).await.len(), 3, "told once");
}

#[tokio::test]
async fn what_was_said_before_is_read_by_whoever_asks_first_however_they_ask() {
    for asks_for_item in [false, true] {
        let journal = Arc::new(MemoryJournal::default());
        let (test, project) = service(journal.clone()).await;
        journal.create_session(half_done(&test, &project)).await.unwrap();
        if asks_for_item {
            let item = test.service.item(&KEPT.into(), &"old-turn:1:0".into()).await.unwrap();
            assert_eq!(item.content().map(ToString::to_string), Some("long ago".to_owned()));
        }
        assert_eq!(numbered(&test).await.len(), 3);
    }
}
