//! Permission requests: asked, answered once, withdrawn, ended with their turn.

use std::sync::Arc;
use std::time::Duration;

use contract::{
    Activity, ErrorCode, PermissionAnswer, PermissionOption, PermissionOptionKind,
    StandingPermission, ToolArguments,
};
use session::Autonomous;
use session::provider::{PermissionDecision, ProviderNotice};
use store::MemoryJournal;
use testkit::{ScriptedProvider, TestService};

use tokio::task::JoinSet;

use crate::support::Watched;

fn select(option: &str) -> PermissionAnswer {
    PermissionAnswer { option_id: Some(option.into()), ..PermissionAnswer::default() }
}

/// A session with a running turn that asks `permission-1`.
async fn asking() -> (Watched, tokio::sync::oneshot::Receiver<PermissionDecision>) {
    asking_in(Watched::start().await).await
}

async fn asking_in(run: Watched) -> (Watched, tokio::sync::oneshot::Receiver<PermissionDecision>) {
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    let decision = run.test.agent.ask(run.sample("turn-1").permission("permission-1")).await;
    run.settle().await;
    (run, decision)
}

#[tokio::test]
async fn a_request_waits_and_is_answered_once() {
    let (run, decision) = asking().await;
    assert_eq!(run.activity().await, Activity::Permission);
    assert_eq!(run.test.service.permissions().len(), 1);
    let answer =
        |option| run.test.service.answer(&run.session, "permission-1".into(), select(option));
    assert!(answer("allow").await.unwrap().answered);
    assert_eq!(decision.await.unwrap(), PermissionDecision::Selected(Box::new(select("allow"))));
    assert_eq!(answer("reject").await.unwrap_err().code(), ErrorCode::PERMISSION_ALREADY_ANSWERED);
    assert_eq!(run.activity().await, Activity::Running);
    let story = run.story().await;
    assert_eq!(story[2..], ["permission-1 requested", "permission-1 Selected"]);
}

#[tokio::test]
async fn who_waits_for_a_turn_is_told_that_it_asks() {
    let run = Watched::start().await;
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    run.settle().await;
    let waiting = run.test.service.wait(&run.session, Duration::from_secs(600));
    let asking = run.test.agent.ask(run.sample("turn-1").permission("permission-1"));
    let (waited, _decision) = tokio::join!(waiting, asking);
    let waited = waited.unwrap();
    assert_eq!((waited.activity, waited.timed_out), (Activity::Permission, false));
}

#[tokio::test]
async fn who_answers_what_a_restart_ended_is_too_late_and_not_wrong() {
    let journal = Arc::new(MemoryJournal::default());
    let run = Watched::on(TestService::with_journal(journal.clone()).await, "scripted").await;
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    let _waits = run.test.agent.ask(run.sample("turn-1").permission("permission-1")).await;
    run.settle().await;
    let next = TestService::with_journal(journal).await;
    let answer = |id: &'static str| next.service.answer(&run.session, id.into(), select("allow"));
    let late = answer("permission-1").await.unwrap_err().code();
    assert_eq!(late, ErrorCode::PERMISSION_ALREADY_ANSWERED);
    let wrong = answer("permission-2").await.unwrap_err().code();
    assert_eq!(wrong, ErrorCode::PERMISSION_NOT_FOUND);
}

#[tokio::test]
async fn of_two_answers_at_once_one_counts() {
    let (run, decision) = asking().await;
    let answer =
        |option| run.test.service.answer(&run.session, "permission-1".into(), select(option));
    let (allow, reject) = tokio::join!(answer("allow"), answer("reject"));
    assert_ne!(allow.is_ok(), reject.is_ok());
    let chosen = if allow.is_ok() { "allow" } else { "reject" };
    assert_eq!(decision.await.unwrap(), PermissionDecision::Selected(Box::new(select(chosen))));
}

#[tokio::test]
async fn an_answer_that_was_not_offered_leaves_the_request_open() {
    let (run, mut decision) = asking().await;
    let bad = [
        select("always"),
        PermissionAnswer::default(),
        PermissionAnswer { cancel: Some(true), ..select("allow") },
    ];
    for answer in bad {
        let refused = run.test.service.answer(&run.session, "permission-1".into(), answer).await;
        assert_eq!(refused.unwrap_err().code(), ErrorCode::INVALID_REQUEST);
    }
    let unknown =
        run.test.service.answer(&run.session, "permission-9".into(), select("allow")).await;
    assert_eq!(unknown.unwrap_err().code(), ErrorCode::PERMISSION_NOT_FOUND);
    assert!(decision.try_recv().is_err());
    assert_eq!(run.activity().await, Activity::Permission);
}

fn other_arguments() -> Option<ToolArguments> {
    let members = [("command".to_owned(), "make test".into())];
    Some(ToolArguments::from(members.into_iter().collect::<serde_json::Map<_, _>>()))
}

/// It would do what was proposed, and not what was answered.
#[tokio::test]
async fn s_28_an_answer_that_the_agent_cannot_be_told_whole_leaves_the_request_open() {
    let agent = ScriptedProvider::told_options_only();
    let test = TestService::with_agent(agent, Autonomous::default()).await;
    let (run, mut decision) = asking_in(Watched::on(test, "scripted").await).await;
    let answer = |answer| run.test.service.answer(&run.session, "permission-1".into(), answer);
    let answers = Some([("Which?".to_owned(), vec!["A".to_owned()])].into());
    let bad = [
        PermissionAnswer { updated_input: other_arguments(), ..select("allow") },
        PermissionAnswer { answers, ..select("allow") },
        PermissionAnswer { feedback: Some("not today".to_owned()), ..select("reject") },
    ];
    for bad in bad {
        assert_eq!(answer(bad).await.unwrap_err().code(), ErrorCode::NOT_SUPPORTED);
    }
    assert!(decision.try_recv().is_err());
    assert_eq!(run.activity().await, Activity::Permission);
    let says_nothing = PermissionAnswer { feedback: Some(String::new()), ..select("reject") };
    assert!(answer(says_nothing).await.unwrap().answered);
}

#[tokio::test]
async fn what_was_allowed_instead_is_kept_with_the_decision() {
    for (option, kept) in [("allow", other_arguments()), ("reject", None)] {
        let (run, decision) = asking().await;
        let answer = PermissionAnswer { updated_input: other_arguments(), ..select(option) };
        run.test.service.answer(&run.session, "permission-1".into(), answer.clone()).await.unwrap();
        assert_eq!(decision.await.unwrap(), PermissionDecision::Selected(Box::new(answer)));
        let decided = run.test.service.decisions(None, 1).await.unwrap().remove(0);
        assert_eq!(decided.answer.and_then(|answer| answer.updated_input), kept, "{option}");
    }
}

#[tokio::test]
async fn cancelling_a_request_is_told_to_the_agent_as_such() {
    let (run, decision) = asking().await;
    let cancel = PermissionAnswer { cancel: Some(true), ..PermissionAnswer::default() };
    run.test.service.answer(&run.session, "permission-1".into(), cancel).await.unwrap();
    assert_eq!(decision.await.unwrap(), PermissionDecision::Cancelled);
    assert_eq!(run.story().await.last().unwrap(), "permission-1 Cancelled");
}

#[tokio::test]
async fn a_withdrawn_request_is_closed() {
    let (run, decision) = asking().await;
    run.test
        .agent
        .notify(&run.session, ProviderNotice::PermissionWithdrawn("permission-1".into()))
        .await;
    assert_eq!(run.story().await.last().unwrap(), "permission-1 Withdrawn");
    assert!(decision.await.is_err(), "nobody will answer any more");
    let late = run.test.service.answer(&run.session, "permission-1".into(), select("allow")).await;
    assert_eq!(late.unwrap_err().code(), ErrorCode::PERMISSION_ALREADY_ANSWERED);
}

#[tokio::test]
async fn a_request_ends_with_its_turn_and_not_with_another() {
    let (run, decision) = asking().await;
    run.test.agent.emit_turn(run.sample("turn-0").failed(ErrorCode::RESPONSE_ERROR)).await;
    run.settle().await;
    assert_eq!(run.activity().await, Activity::Permission);
    run.test.agent.emit_turn(run.sample("turn-1").completed()).await;
    let story = run.story().await;
    assert_eq!(story[story.len() - 2..], ["permission-1 TurnEnded", "4 turn-1 Completed"]);
    assert!(decision.await.is_err());
    assert_eq!(run.activity().await, Activity::Idle);
}

#[tokio::test]
async fn s_28_a_second_request_of_the_same_name_is_denied_and_the_first_still_waits() {
    let (run, mut decision) = asking().await;
    let second = run.sample("turn-1").permission("permission-1");
    let second = contract::PermissionRequest { title: "Something else".to_owned(), ..second };
    let denied = run.test.agent.ask(second).await;
    assert!(denied.await.is_err(), "nobody is asked");
    assert!(decision.try_recv().is_err());
    let waiting = run.test.service.permissions();
    assert_eq!(waiting.len(), 1);
    assert_ne!(waiting[0].title, "Something else", "what was shown is what is answered");
}

/// Whoever answers the first, having read it, would have allowed the second.
#[tokio::test]
async fn s_28_the_name_of_a_request_that_is_over_is_not_used_for_another_one() {
    let (run, _decision) = asking().await;
    let withdrawn = ProviderNotice::PermissionWithdrawn("permission-1".into());
    run.test.agent.notify(&run.session, withdrawn).await;
    let denied = run.test.agent.ask(run.sample("turn-1").permission("permission-1")).await;
    assert!(denied.await.is_err());
    let late = run.test.service.answer(&run.session, "permission-1".into(), select("allow")).await;
    assert_eq!(late.unwrap_err().code(), ErrorCode::PERMISSION_ALREADY_ANSWERED);
    assert_eq!(run.activity().await, Activity::Running);
}

#[tokio::test]
async fn s_28_a_request_of_a_turn_that_was_cancelled_is_denied_and_leaves_nothing_waiting() {
    let run = Watched::start().await;
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    run.settle().await;
    let cancelled = run.test.service.cancel(&run.session, None).await.unwrap();
    run.test.agent.emit_turn(run.sample("turn-1").cancelled()).await;
    assert!(cancelled.answer().await.unwrap().cancelled);
    let late = run.test.agent.ask(run.sample("turn-1").permission("permission-1")).await;
    assert!(late.await.is_err(), "denied");
    run.settle().await;
    assert_eq!(run.activity().await, Activity::Idle);
    assert_eq!(run.test.service.permissions(), []);
}

#[tokio::test]
async fn s_28_a_request_without_a_way_to_say_no_can_be_cancelled() {
    let run = Watched::start().await;
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    let mut request = run.sample("turn-1").permission("permission-1");
    request.options.retain(|option| option.option_id.as_str() == "allow");
    assert_eq!(request.options.len(), 1);
    let decision = run.test.agent.ask(request).await;
    run.settle().await;
    let answer = |answer| run.test.service.answer(&run.session, "permission-1".into(), answer);
    let refused = answer(select("reject")).await.unwrap_err();
    assert_eq!(refused.code(), ErrorCode::INVALID_REQUEST, "it was never offered");
    assert_eq!(run.activity().await, Activity::Permission);
    let cancel = PermissionAnswer { cancel: Some(true), ..PermissionAnswer::default() };
    assert!(answer(cancel).await.unwrap().answered);
    assert_eq!(decision.await.unwrap(), PermissionDecision::Cancelled);
}

/// The agent keeps it, so that it is over with the agent; until then it can be seen, and taken back by ending it.
#[tokio::test]
async fn s_28_what_is_always_allowed_is_listed_until_the_agent_ends() {
    let run = Watched::start().await;
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    let answer = async |id: &str, title: &str, option: &str| {
        let mut request = run.sample("turn-1").permission(id);
        request.title = title.to_owned();
        let always = PermissionOptionKind::AllowAlways;
        let name = "Allow make for this session".to_owned();
        request.options.push(PermissionOption { option_id: "always".into(), name, kind: always });
        let _decision = run.test.agent.ask(request).await;
        run.settle().await;
        run.test.service.answer(&run.session, id.into(), select(option)).await.unwrap();
    };
    let listed = async || {
        let status = run.test.service.status(&run.session).await.unwrap();
        let line =
            |one: &StandingPermission| format!("{} {}: {}", one.permission_id, one.title, one.name);
        status.allowed.iter().map(line).collect::<Vec<_>>()
    };
    answer("p-1", "make", "allow").await;
    assert!(listed().await.is_empty(), "allowed once");
    answer("p-2", "make", "always").await;
    answer("p-3", "make test", "always").await;
    answer("p-4", "make", "always").await;
    let name = "Allow make for this session";
    assert_eq!(listed().await, [format!("p-3 make test: {name}"), format!("p-4 make: {name}")]);
    run.test.service.kill(&run.session).await.unwrap();
    assert!(listed().await.is_empty(), "taken back");
}

#[tokio::test(flavor = "multi_thread")]
async fn s_28_of_many_who_answer_at_once_one_is_heard() {
    for _ in 0..20 {
        let (run, decision) = asking().await;
        let asked = run.test.service.wait(&run.session, Duration::from_secs(60)).await.unwrap();
        assert_eq!(asked.activity, Activity::Permission);
        let run = Arc::new(run);
        let mut answers = JoinSet::new();
        for n in 0..8 {
            let run = run.clone();
            let option = if n % 2 == 0 { "allow" } else { "reject" };
            answers.spawn(async move {
                let (service, id) = (&run.test.service, "permission-1".into());
                let is_heard = service.answer(&run.session, id, select(option)).await.is_ok();
                is_heard.then_some(option)
            });
        }
        let heard: Vec<_> = answers.join_all().await.into_iter().flatten().collect();
        assert_eq!(heard.len(), 1, "{heard:?}");
        let decided = PermissionDecision::Selected(Box::new(select(heard[0])));
        assert_eq!(decision.await.unwrap(), decided);
        let resolved = run.story().await.iter().filter(|line| line.ends_with("Selected")).count();
        assert_eq!(resolved, 1);
    }
}
