//! Sessions that are put away and taken out again.

use contract::{Activity, SessionState};
use session::provider::CliProvider;
use session::{News, Outbox, Publication};
use testkit::{Call, Operation, TestService};

use crate::support::Watched;

async fn listed(run: &Watched, all: bool) -> usize {
    let project = run.test.service.projects().await.unwrap().remove(0).id;
    run.test.service.list(&project, all).await.unwrap().len()
}

/// What was told of the session being put away and taken out.
fn told(run: &Watched) -> Vec<&'static str> {
    let entries = std::iter::from_fn(|| run.connection.with_outbox(Outbox::pop));
    let told = entries.filter_map(|entry| match entry.publication {
        Publication::News(news) if matches!(*news, News::Archived(_)) => Some("archived"),
        Publication::Created(session) if !session.archived => Some("back"),
        _ => None,
    });
    told.collect()
}

#[tokio::test]
async fn archiving_ends_the_agent_and_hides_the_session() {
    let run = Watched::start().await;
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    run.send("two").await;
    run.settle().await;
    run.story().await;
    let archived = run.test.service.archive(&run.session, None).await.unwrap();
    assert!(archived.archived);
    assert!(!run.test.agent.is_alive(&run.session), "it is answered when the agent is gone");
    let status = run.test.service.status(&run.session).await.unwrap();
    assert_eq!((status.state, status.activity), (SessionState::Open, Activity::Idle));
    assert!(status.queued[0].paused, "what had not begun waits");
    assert_eq!(run.story().await, ["4 turn-1 failed INTERRUPTED"]);
    assert_eq!((listed(&run, false).await, listed(&run, true).await), (0, 1));
    run.test.service.archive(&run.session, None).await.unwrap();
    assert_eq!(run.test.agent.calls().len(), 3, "once is enough");
}

#[tokio::test]
async fn an_archived_session_is_taken_out_and_that_is_told() {
    let run = Watched::start().await;
    told(&run);
    run.test.service.archive(&run.session, None).await.unwrap();
    let back = run.test.service.unarchive(&run.session).await.unwrap();
    assert!(!back.archived);
    run.test.service.unarchive(&run.session).await.unwrap();
    assert_eq!(told(&run), ["archived", "back"]);
    assert_eq!(listed(&run, false).await, 1);
}

#[tokio::test]
async fn a_message_takes_an_archived_session_out() {
    let run = Watched::start().await;
    told(&run);
    run.test.service.archive(&run.session, None).await.unwrap();
    run.send("still there?").await;
    let calls = run.test.agent.wait_for_calls(4).await;
    assert!(matches!(calls[2..], [Call::Load(_), Call::Send(..)]), "{calls:?}");
    assert_eq!(told(&run), ["archived", "back"]);
    assert_eq!(listed(&run, false).await, 1);
}

#[tokio::test]
async fn a_message_that_comes_while_the_agent_ends_waits_for_the_next_one() {
    let run = Watched::start().await;
    let ended = run.test.agent.hold_next(Operation::Kill);
    let archive = run.test.service.archive(&run.session, None);
    let meanwhile = async {
        run.test.agent.wait_for_calls(2).await;
        let send = TestService::send_request("wait for me");
        let sent = run.test.service.send(&run.session, send).await.unwrap();
        ended.send(()).unwrap();
        sent.answer().await.unwrap()
    };
    let (archived, sent) = tokio::join!(archive, meanwhile);
    assert!(archived.is_ok());
    assert_eq!(sent.turn_id, "turn-1");
    let calls = run.test.agent.wait_for_calls(4).await;
    assert!(matches!(calls[2..], [Call::Load(_), Call::Send(..)]), "{calls:?}");
}

#[tokio::test]
async fn a_kill_while_the_agent_ends_is_a_kill() {
    let run = Watched::start().await;
    let ended = run.test.agent.hold_next(Operation::Kill);
    let archive = run.test.service.archive(&run.session, None);
    let kill = async {
        run.test.agent.wait_for_calls(2).await;
        let kill = run.test.service.kill(&run.session);
        ended.send(()).unwrap();
        kill.await
    };
    let (archived, killed) = tokio::join!(archive, kill);
    assert!(archived.is_ok() && killed.unwrap().killed);
    assert_eq!(run.test.service.status(&run.session).await.unwrap().state, SessionState::Dead);
    assert_eq!(run.test.agent.calls().len(), 2, "the agent is ended once");
}

#[tokio::test]
async fn an_agent_that_comes_up_when_its_project_has_been_removed_is_ended_with_the_others() {
    let test = TestService::start().await;
    let comes_up = test.agent.hold_next(Operation::Create);
    let create = test.service.create(test.create_request("scripted"));
    let remove = async {
        test.agent.wait_for_calls(1).await;
        let project = test.service.projects().await.unwrap().remove(0);
        test.service.remove_project(&project.id, None).await.unwrap();
        comes_up.send(()).unwrap();
    };
    let (created, ()) = tokio::join!(create, remove);
    let session = created.unwrap().session_id;
    assert!(!test.agent.is_alive(&session), "nobody would see what it does");
    assert_eq!(test.service.status(&session).await.unwrap().state, SessionState::Open);
}
