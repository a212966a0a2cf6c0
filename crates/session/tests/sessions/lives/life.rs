//! One life of a server, with what is known from the lives before it.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use contract::{ErrorCode, ItemStatus, ProjectId, SessionId, TurnId};
use proptest::prelude::TestCaseError;
use session::Environment;
use session::provider::{CliProvider, ProviderErrorCode, ProviderNotice};
use testkit::{
    BreakableJournal, Call, CountingIds, FixedClock, Operation, Sample, ScriptedProvider,
    TestService,
};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::{AgentStep, Step};

/// What a message was to say.
pub(super) type Words = (TurnId, Arc<str>);

/// What outlives a server.
#[derive(Default)]
pub(super) struct Past {
    pub(super) session: Option<(SessionId, ProjectId)>,
    /// Messages that were answered, with what they say.
    pub(super) answered: Arc<Mutex<HashMap<TurnId, Arc<str>>>>,
    /// What somebody wanted a message to say, and was not answered.
    pub(super) tried: Arc<Mutex<HashSet<Words>>>,
    /// By the names of messages.
    pub(super) named: Arc<Mutex<HashMap<usize, HashSet<TurnId>>>>,
    pub(super) said: usize,
    pub(super) head: u64,
}

pub(super) struct Life {
    pub(super) past: Past,
    pub(super) test: TestService,
    pub(super) journal: Arc<BreakableJournal>,
    pub(super) session: SessionId,
    pub(super) project: ProjectId,
    held: Vec<oneshot::Sender<()>>,
    asked: Vec<JoinHandle<()>>,
    /// Calls that were looked at.
    seen: usize,
    pub(super) steers: bool,
    /// Whether something was done that may hand over turns, since the agent was lost.
    pub(super) is_awake: bool,
    /// Messages to come that the agent will not get.
    pub(super) failing_sends: usize,
    /// What the agent of now was given and has not ended.
    pub(super) given: Vec<TurnId>,
    /// How many of those began.
    pub(super) started: HashSet<TurnId>,
}

impl Life {
    pub(super) async fn begin(
        journal: Arc<BreakableJournal>,
        ids: Arc<CountingIds>,
        steers: bool,
        mut past: Past,
    ) -> Result<Self, TestCaseError> {
        journal.broken.store(false, Ordering::SeqCst);
        journal.breaks_once.store(false, Ordering::SeqCst);
        let environment = Environment::new(ids, Arc::new(FixedClock));
        let agent = if steers { ScriptedProvider::steering() } else { ScriptedProvider::default() };
        let test = TestService::with_environment(journal.clone(), agent, environment).await;
        test.service.settle().await.unwrap();
        let (session, project) = match past.session.take() {
            Some(known) => known,
            None => test.create("scripted").await,
        };
        past.session = Some((session.clone(), project.clone()));
        let mut life = Self {
            past,
            test,
            journal,
            session,
            project,
            held: Vec::new(),
            asked: Vec::new(),
            seen: 0,
            steers,
            is_awake: false,
            failing_sends: 0,
            given: Vec::new(),
            started: HashSet::new(),
        };
        life.settle().await?;
        Ok(life)
    }

    pub(super) fn into_past(self) -> Past {
        self.past
    }

    pub(super) async fn perform(&mut self, step: &Step) -> Result<(), TestCaseError> {
        match step {
            Step::Agent(step) => self.act(*step).await,
            Step::Hold(which) => {
                let operation =
                    [Operation::Load, Operation::Kill, Operation::Send, Operation::Cancel][*which];
                self.held.push(self.test.agent.hold_next(operation));
            }
            Step::FailNext(which) => {
                let operation =
                    [Operation::Load, Operation::Kill, Operation::Send, Operation::Cancel][*which];
                self.failing_sends += usize::from(operation == Operation::Send);
                self.test.agent.fail_next(operation, ProviderErrorCode::ProcessCrash);
            }
            Step::Release => self.held.clear(),
            Step::BreakJournal => self.journal.breaks_once.store(true, Ordering::SeqCst),
            Step::Wait(millis) => tokio::time::sleep(Duration::from_millis(*millis)).await,
            Step::Settle => self.settle().await?,
            Step::Stop => self.stop().await?,
            Step::Crash => {}
            wish => self.wish(wish).await,
        }
        self.look_at_calls().await
    }

    /// Nothing is under way that somebody or the test holds up.
    pub(super) fn is_quiet(&self) -> bool {
        self.held.iter().all(oneshot::Sender::is_closed)
            && self.asked.iter().all(JoinHandle::is_finished)
    }

    /// Everybody who asked is answered, however slow the agent was.
    pub(super) async fn end(&mut self) -> Result<(), TestCaseError> {
        self.held.clear();
        if !self.test.stop.is_cancelled() {
            self.settle().await?;
        }
        for asked in std::mem::take(&mut self.asked) {
            let answered = tokio::time::timeout(Duration::from_secs(600), asked).await;
            if answered.is_err() {
                return Err(TestCaseError::fail("somebody waits for ever"));
            }
        }
        Ok(())
    }

    async fn stop(&mut self) -> Result<(), TestCaseError> {
        self.held.clear();
        let stopped = tokio::time::timeout(Duration::from_secs(600), self.test.stop()).await;
        stopped.map_err(|_| TestCaseError::fail("it does not stop"))
    }

    #[expect(clippy::disallowed_methods, reason = "the end of a life waits for it")]
    pub(super) fn beside(&mut self, asking: impl Future<Output = ()> + Send + 'static) {
        self.asked.push(tokio::spawn(asking));
    }

    /// What an agent does, if there is one.
    async fn act(&mut self, step: AgentStep) {
        let agent = self.test.agent.clone();
        if !agent.is_alive(&self.session) {
            return;
        }
        if let AgentStep::Exit = step {
            agent.exit(&self.session, "gone").await;
            return;
        }
        if let AgentStep::WakeUp = step {
            if self.given.is_empty() {
                self.past.said += 1;
                let own = TurnId::from(format!("own-{}", self.past.said));
                agent.emit_turn(Sample::new(&self.session, own.as_str()).started()).await;
                self.given.push(own.clone());
                self.started.insert(own);
            }
            return;
        }
        let Some(turn) = self.given.first().cloned() else { return };
        let sample = Sample::new(&self.session, turn.as_str());
        let has_begun = self.started.contains(&turn);
        match step {
            AgentStep::Begin if !has_begun => {
                self.started.insert(turn);
                agent.emit_turn(sample.started()).await;
            }
            AgentStep::NeverBegan if !has_begun => {
                self.given.remove(0);
                agent.notify(&self.session, ProviderNotice::NeverBegan(turn)).await;
            }
            AgentStep::Say(done) if has_begun => {
                self.past.said += 1;
                let status = if done { ItemStatus::Complete } else { ItemStatus::Create };
                let item = format!("{turn}:1:{}", self.past.said);
                agent.emit(sample.message(&item, status, "said")).await;
            }
            AgentStep::Ask if has_begun => {
                self.past.said += 1;
                drop(agent.ask(sample.permission(&format!("p{}", self.past.said))).await);
            }
            AgentStep::Complete if has_begun => self.finish(sample.completed()).await,
            AgentStep::Stopped if has_begun => self.finish(sample.cancelled()).await,
            AgentStep::Fail if has_begun => {
                self.finish(sample.failed(ErrorCode::RESPONSE_ERROR)).await;
            }
            _ => {}
        }
    }

    async fn finish(&mut self, end: contract::TurnEvent) {
        self.given.remove(0);
        self.test.agent.emit_turn(end).await;
    }

    /// What the agent was asked since it was looked at last.
    pub(super) async fn look_at_calls(&mut self) -> Result<(), TestCaseError> {
        let calls = self.test.agent.calls();
        let new = calls[self.seen..].to_vec();
        self.seen = calls.len();
        for call in new {
            match call {
                Call::Send(_, turn, _, delivery) => self.judge_send(turn, delivery).await?,
                Call::Load(_) | Call::Kill(_) | Call::Create(..) => {
                    self.given.clear();
                    self.started.clear();
                }
                Call::Cancel(_) | Call::Check => {}
            }
        }
        Ok(())
    }
}
