//! Creating, listing, killing, loading.

use std::sync::Arc;

use contract::{Activity, CreateSessionRequest, ErrorCode, HistoryMode, SessionState};
use session::provider::ProviderErrorCode;
use session::{Outbox, Publication};
use store::MemoryJournal;
use testkit::{Call, Operation, TestService};

use crate::support::Watched;

#[tokio::test]
async fn a_session_belongs_to_the_project_of_its_directory() {
    let test = TestService::start().await;
    let (first, project) = test.create("scripted").await;
    let (second, same) = test.create("external").await;
    assert_eq!(project, same);
    let listed = test.service.list(&project, false).await.unwrap();
    let mut ids: Vec<_> = listed.iter().map(|session| session.session_id.to_string()).collect();
    ids.sort();
    assert_eq!(ids, [first.to_string(), second.to_string()]);
    assert!(test.service.list(&"elsewhere".into(), true).await.unwrap().is_empty());
    assert_eq!(listed[0].title, "New Session");
}

#[derive(Clone, Copy, Debug)]
enum End {
    Killed,
    Archived,
    Crashed,
    Stopped,
}

/// What a session does after its turn was cut short, live and to the next server.
async fn activity_after(end: End) -> (Activity, Activity) {
    let journal = Arc::new(MemoryJournal::default());
    let run = Watched::on(TestService::with_journal(journal.clone()).await, "scripted").await;
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    run.settle().await;
    let service = &run.test.service;
    match end {
        End::Killed => drop(service.kill(&run.session).await.unwrap()),
        End::Archived => drop(service.archive(&run.session, None).await.unwrap()),
        End::Crashed => run.test.agent.exit(&run.session, "gone").await,
        End::Stopped => run.test.stop().await,
    }
    let live = match end {
        End::Stopped => service.current_state()[0].activity,
        End::Killed | End::Archived | End::Crashed => {
            run.settle().await;
            run.activity().await
        }
    };
    let next = TestService::with_journal(journal).await;
    (live, next.service.status(&run.session).await.unwrap().activity)
}

#[tokio::test]
async fn what_somebody_ended_is_no_failure_and_what_broke_off_is_one_live_and_after_a_restart() {
    for (end, activity) in [
        (End::Killed, Activity::Idle),
        (End::Archived, Activity::Idle),
        (End::Crashed, Activity::Error),
        (End::Stopped, Activity::Error),
    ] {
        assert_eq!(activity_after(end).await, (activity, activity), "{end:?}");
    }
}

#[tokio::test]
async fn bad_requests_are_refused_before_an_agent_is_asked() {
    let test = TestService::start().await;
    let missing = test.project.path().join("missing").to_str().unwrap().to_owned();
    let file = test.project.path().join("file");
    std::fs::write(&file, "").unwrap();
    let cases = [
        ("gemini", None, ErrorCode::UNSUPPORTED_CLI_TYPE),
        ("scripted", Some(missing.as_str()), ErrorCode::INVALID_PROJECT_DIR),
        ("scripted", Some(file.to_str().unwrap()), ErrorCode::INVALID_PROJECT_DIR),
        ("scripted", Some("relative/path"), ErrorCode::INVALID_PROJECT_DIR),
        ("scripted", Some("/"), ErrorCode::INVALID_PROJECT_DIR),
        ("scripted", Some(""), ErrorCode::INVALID_PROJECT_DIR),
    ];
    for (cli_type, dir, code) in cases {
        let request = test.create_request(cli_type);
        let project_dir = dir.map_or(request.project_dir.clone(), str::to_owned);
        let refused = test.service.create(CreateSessionRequest { project_dir, ..request }).await;
        assert_eq!(refused.unwrap_err().code(), code, "{cli_type} {dir:?}");
    }
    assert!(test.agent.calls().is_empty());
}

#[tokio::test]
async fn links_that_lead_out_of_the_allowed_roots_are_refused() {
    let test = TestService::start().await;
    let link = test.project.path().join("link");
    std::os::unix::fs::symlink("/", &link).unwrap();
    let request = CreateSessionRequest {
        project_dir: link.to_str().unwrap().to_owned(),
        ..test.create_request("scripted")
    };
    assert_eq!(
        test.service.create(request).await.unwrap_err().code(),
        ErrorCode::INVALID_PROJECT_DIR
    );
}

#[tokio::test]
async fn a_failed_create_leaves_nothing() {
    let test = TestService::start().await;
    test.agent.fail_next(Operation::Create, ProviderErrorCode::SessionCreateFailed);
    let refused = test.service.create(test.create_request("scripted")).await;
    assert_eq!(refused.unwrap_err().code(), ErrorCode::SESSION_CREATE_FAILED);
    let project = test.service.projects().await.unwrap().remove(0);
    assert!(test.service.list(&project.id, true).await.unwrap().is_empty());
    assert_eq!(
        test.service.status(&"session-1".into()).await.unwrap_err().code(),
        ErrorCode::SESSION_NOT_FOUND
    );
}

#[tokio::test]
async fn a_killed_session_is_dead_and_a_send_brings_it_back() {
    let run = Watched::start().await;
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    run.send("two").await;
    run.settle().await;
    assert!(run.test.service.kill(&run.session).await.unwrap().killed);
    let status = run.test.service.status(&run.session).await.unwrap();
    assert_eq!(
        (status.state, status.is_alive, status.activity),
        (SessionState::Dead, false, Activity::Idle)
    );
    assert!(status.queued[0].paused, "what had not begun waits");
    assert_eq!(run.story().await.last().unwrap(), "4 turn-1 failed INTERRUPTED");
    let project = run.test.service.projects().await.unwrap().remove(0).id;
    assert!(run.test.service.list(&project, false).await.unwrap().is_empty());
    assert_eq!(run.test.service.list(&project, true).await.unwrap()[0].status, SessionState::Dead);

    run.send("three").await;
    let calls = run.test.agent.wait_for_calls(5).await;
    assert!(matches!(&calls[3], Call::Load(_)), "{calls:?}");
    assert!(
        matches!(&calls[4], Call::Send(_, turn, ..) if *turn == "turn-2"),
        "the older one first: {calls:?}"
    );
    assert_eq!(run.test.service.status(&run.session).await.unwrap().state, SessionState::Open);
}

#[tokio::test]
async fn a_send_to_an_agent_that_cannot_be_resumed_writes_nothing() {
    let run = Watched::start().await;
    run.test.service.kill(&run.session).await.unwrap();
    run.test.agent.fail_next(Operation::Load, ProviderErrorCode::ProcessCrash);
    let answer = run
        .test
        .service
        .send(&run.session, TestService::send_request("hi"))
        .await
        .unwrap()
        .answer()
        .await;
    assert_eq!(answer.unwrap_err().code(), ErrorCode::PROCESS_CRASH);
    assert_eq!(run.story().await, [""; 0]);
    assert_eq!(run.test.service.status(&run.session).await.unwrap().state, SessionState::Dead);
}

#[tokio::test]
async fn loading_tells_every_connection_the_history_once() {
    let run = Watched::start().await;
    run.send("one").await;
    run.story().await;
    run.test.service.kill(&run.session).await.unwrap();
    run.test.service.load(&run.session).await.unwrap();
    let histories: Vec<_> = std::iter::from_fn(|| run.connection.with_outbox(Outbox::pop))
        .filter_map(|entry| match entry.publication {
            Publication::History(history) => Some(history),
            _ => None,
        })
        .collect();
    assert_eq!(histories.len(), 1);
    assert_eq!((histories[0].mode, histories[0].page.entries.len()), (HistoryMode::Full, 1));
    let unknown = run.test.service.load(&"nobody".into()).await;
    assert_eq!(unknown.unwrap_err().code(), ErrorCode::SESSION_NOT_FOUND);
}

#[tokio::test]
async fn a_stopping_server_ends_what_runs_and_takes_no_more() {
    let run = Watched::start().await;
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    run.settle().await;
    run.test.stop.cancel();
    run.test.tasks.close();
    run.test.tasks.wait().await;
    assert!(run.test.agent.calls().contains(&Call::Kill(run.session.clone())));
    let entries: Vec<_> = std::iter::from_fn(|| run.connection.with_outbox(Outbox::pop)).collect();
    assert!(entries.iter().any(|entry| matches!(&entry.publication,
        Publication::Turn(event) if event.kind.is_terminal())));
    let refused = run.test.service.create(run.test.create_request("scripted")).await;
    assert_eq!(refused.unwrap_err().code(), ErrorCode::SHUTTING_DOWN);
}
