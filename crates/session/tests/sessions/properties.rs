//! What holds for a session whatever clients and agent do, in any order.

use std::collections::{HashMap, HashSet};

use contract::{
    Activity, ErrorCode, ItemStatus, PermissionAnswer, QueuePatch, SessionState, UpsertBody,
    UpsertObject,
};
use proptest::prelude::*;
use session::provider::CliProvider;
use session::{Outbox, Publication};
use testkit::{Call, Operation, TestService};

use crate::support::Watched;

/// One thing that a client or the agent does.
#[derive(Clone, Debug)]
enum Step {
    Send,
    Cancel,
    Kill,
    Load,
    Exit,
    FailNext(usize),
    Start(usize),
    Complete(usize),
    Fail(usize),
    Message(usize, usize, usize),
    Tool(usize, usize, bool),
    Ask(usize, usize),
    Answer(usize, bool),
    Wait(u64),
    Archive,
    Resume,
    Hurry(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let turn = || 1..5_usize;
    let item = || 0..3_usize;
    prop_oneof![
        4 => Just(Step::Send),
        1 => Just(Step::Cancel),
        1 => Just(Step::Kill),
        1 => Just(Step::Load),
        1 => Just(Step::Exit),
        1 => (0..3_usize).prop_map(Step::FailNext),
        4 => turn().prop_map(Step::Start),
        2 => turn().prop_map(Step::Complete),
        1 => turn().prop_map(Step::Fail),
        6 => (turn(), item(), 0..4_usize).prop_map(|(turn, item, status)| Step::Message(turn, item, status)),
        2 => (turn(), item(), any::<bool>()).prop_map(|(turn, item, done)| Step::Tool(turn, item, done)),
        2 => (turn(), item()).prop_map(|(turn, id)| Step::Ask(turn, id)),
        2 => (item(), any::<bool>()).prop_map(|(id, cancel)| Step::Answer(id, cancel)),
        1 => (0..6000_u64).prop_map(Step::Wait),
        // Long enough for an idle agent to be ended.
        1 => Just(Step::Wait(31 * 60 * 1000)),
        1 => Just(Step::Archive),
        1 => Just(Step::Resume),
        1 => turn().prop_map(Step::Hurry),
    ]
}

async fn perform(run: &Watched, step: &Step) {
    let (service, agent) = (&run.test.service, &run.test.agent);
    let speaks = matches!(
        step,
        Step::Exit
            | Step::Start(_)
            | Step::Complete(_)
            | Step::Fail(_)
            | Step::Message(..)
            | Step::Tool(..)
            | Step::Ask(..)
    );
    if speaks && !agent.is_alive(&run.session) {
        return;
    }
    let handed_over = handed_over(run);
    // An agent speaks of turns that it was given, or of its own.
    let name =
        |turn: &usize| handed_over.get(turn - 1).cloned().unwrap_or_else(|| format!("auto-{turn}"));
    let sample = |turn: &usize| run.sample(&name(turn));
    let item = |turn: &usize, item: &usize| format!("{}:1:{item}", name(turn));
    let statuses =
        [ItemStatus::Create, ItemStatus::Update, ItemStatus::Complete, ItemStatus::Error];
    match step {
        Step::Send => drop(service.send(&run.session, TestService::send_request("go on")).await),
        Step::Cancel => drop(service.cancel(&run.session, None).await),
        Step::Kill => drop(service.kill(&run.session).await),
        Step::Load => drop(service.load(&run.session).await),
        Step::Exit => agent.exit(&run.session, "gone").await,
        Step::FailNext(which) => {
            let operation = [Operation::Send, Operation::Load, Operation::Cancel][*which];
            agent.fail_next(operation, session::provider::ProviderErrorCode::ProcessCrash);
        }
        Step::Start(turn) => agent.emit_turn(sample(turn).started()).await,
        Step::Complete(turn) => agent.emit_turn(sample(turn).completed()).await,
        Step::Fail(turn) => agent.emit_turn(sample(turn).failed(ErrorCode::RESPONSE_ERROR)).await,
        Step::Message(turn, n, status) => {
            agent.emit(sample(turn).message(&item(turn, n), statuses[*status], "text")).await;
        }
        Step::Tool(turn, n, done) => {
            let tool = sample(turn).tool(
                &format!("{}:tool", item(turn, n)),
                ItemStatus::Complete,
                done.then_some("out"),
            );
            agent.emit(tool).await;
        }
        Step::Ask(turn, id) => drop(agent.ask(sample(turn).permission(&format!("p{id}"))).await),
        Step::Answer(id, cancel) => answer(run, *id, *cancel).await,
        Step::Archive => drop(service.archive(&run.session, None).await),
        Step::Resume => drop(service.resume_queue(&run.session).await),
        Step::Hurry(turn) => hurry(run, *turn).await,
        Step::Wait(millis) => tokio::time::sleep(std::time::Duration::from_millis(*millis)).await,
    }
}

async fn answer(run: &Watched, id: usize, cancel: bool) {
    let answer = PermissionAnswer {
        option_id: (!cancel).then(|| "allow".into()),
        cancel: cancel.then_some(true),
        ..PermissionAnswer::default()
    };
    drop(run.test.service.answer(&run.session, format!("p{id}").into(), answer).await);
}

async fn hurry(run: &Watched, turn: usize) {
    let patch = QueuePatch { send_now: Some(true), ..QueuePatch::default() };
    let turn = format!("turn-{turn}").into();
    drop(run.test.service.change_queued(&run.session, turn, patch).await);
}

fn handed_over(run: &Watched) -> Vec<String> {
    let mut turns: Vec<String> = Vec::new();
    for call in run.test.agent.calls() {
        if let Call::Send(_, turn, ..) = call
            && !turns.contains(&turn.to_string())
        {
            turns.push(turn.to_string());
        }
    }
    turns
}

/// What a connection that reads after every step has seen.
#[derive(Default)]
struct Seen {
    last_seq: u64,
    items: HashMap<String, UpsertObject>,
    started: HashSet<String>,
    ended: HashSet<String>,
    waiting: HashSet<String>,
}

impl Seen {
    fn take(&mut self, publication: &Publication) -> Result<(), TestCaseError> {
        match publication {
            Publication::Upsert(upsert) => {
                self.advance(upsert.seq.unwrap().0)?;
                self.take_item(upsert)?;
            }
            Publication::Turn(event) => {
                self.advance(event.seq.unwrap().0)?;
                let turn = event.turn_id.to_string();
                prop_assert!(!self.ended.contains(&turn), "{turn} had ended: {event:?}");
                let is_new = if event.kind.is_terminal() {
                    self.ended.insert(turn)
                } else {
                    self.started.insert(turn)
                };
                prop_assert!(is_new, "twice: {event:?}");
            }
            Publication::PermissionRequested(request) => {
                prop_assert!(self.waiting.insert(request.permission_id.to_string()));
            }
            Publication::PermissionResolved(request) => {
                prop_assert!(self.waiting.remove(request.permission_id.as_str()), "resolved once");
            }
            Publication::Status(status) => {
                let expected = !self.waiting.is_empty();
                prop_assert_eq!(status.activity == Activity::Permission, expected);
            }
            Publication::History(_)
            | Publication::Plan(_)
            | Publication::Glance(_)
            | Publication::Created(_)
            | Publication::News(_)
            | Publication::Problem(_) => {}
        }
        Ok(())
    }

    fn advance(&mut self, seq: u64) -> Result<(), TestCaseError> {
        prop_assert!(seq > self.last_seq, "{seq} after {}", self.last_seq);
        self.last_seq = seq;
        Ok(())
    }

    fn take_item(&mut self, upsert: &UpsertObject) -> Result<(), TestCaseError> {
        let before = self.items.insert(upsert.item_id.to_string(), upsert.clone());
        let is_tool = matches!(upsert.body, UpsertBody::ToolCall(_));
        match before {
            None => prop_assert!(
                !self.ended.contains(upsert.turn_id.as_str()),
                "new in an ended turn: {upsert:?}"
            ),
            Some(before) => {
                prop_assert_eq!(before.position, upsert.position);
                // The user's own message may be taken out of the queue.
                if upsert.error_code == Some(ErrorCode::REMOVED) {
                    return Ok(());
                }
                prop_assert!(
                    !before.is_final() || (is_tool && before.status == ItemStatus::Complete),
                    "{upsert:?}"
                );
                prop_assert!(before.status != ItemStatus::Error, "errored: {upsert:?}");
            }
        }
        Ok(())
    }
}

fn read(run: &Watched, seen: &mut Seen) -> Result<(), TestCaseError> {
    while let Some(entry) = run.connection.with_outbox(Outbox::pop) {
        seen.take(&entry.publication)?;
    }
    Ok(())
}

async fn live(steps: &[Step]) -> Result<(), TestCaseError> {
    let run = Watched::start().await;
    let mut seen = Seen::default();
    for step in steps {
        perform(&run, step).await;
        run.settle().await;
        read(&run, &mut seen)?;
    }
    // Whatever happened, killing the session leaves nothing open.
    run.test.service.kill(&run.session).await.unwrap();
    run.settle().await;
    read(&run, &mut seen)?;
    prop_assert_eq!(&seen.started.difference(&seen.ended).count(), &0, "started turns have ended");
    for item in seen.items.values() {
        prop_assert!(item.is_final(), "left open: {item:?}");
    }
    prop_assert!(seen.waiting.is_empty());
    let status = run.test.service.status(&run.session).await.unwrap();
    prop_assert_eq!(status.state, SessionState::Dead);
    prop_assert!(matches!(status.activity, Activity::Idle | Activity::Error));
    prop_assert!(status.queued.iter().all(|turn| turn.paused));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_history_keeps_the_promises(steps in proptest::collection::vec(step(), 0..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(live(&steps))?;
    }
}
