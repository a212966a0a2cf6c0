//! An agent that does what a test tells it to.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use contract::{
    AgentCapabilities, CliType, PermissionRequest, SessionId, SessionOptions, TurnEvent, TurnId,
    UpsertObject,
};
use session::provider::{
    Adjustment, AgentCheck, CliProvider, CreateSession, Listeners, LoadSession, OutgoingMessage,
    PermissionDecision, ProviderError, ProviderErrorCode, ProviderNotice, ProviderSession, Sink,
    Transcripts,
};
use tokio::sync::{oneshot, watch};

use crate::scripted_calls::{Call, Operation};
use crate::scripted_transcripts::KeptSession;

#[derive(Debug)]
pub struct ScriptedProvider {
    cli_type: CliType,
    steers: bool,
    takes_full_answers: bool,
    upserts: Listeners<UpsertObject>,
    turns: Listeners<TurnEvent>,
    script: Mutex<Script>,
    /// Counts calls, so that a test can wait for one.
    called: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct Script {
    alive: HashSet<SessionId>,
    calls: Vec<Call>,
    failures: Vec<(Operation, ProviderErrorCode)>,
    panics: Vec<Operation>,
    holds: Vec<(Operation, oneshot::Receiver<()>)>,
    notices: HashMap<SessionId, Sink<ProviderNotice>>,
    kept: Vec<KeptSession>,
    options: Option<SessionOptions>,
}

impl Default for ScriptedProvider {
    fn default() -> Self {
        Self {
            cli_type: "scripted".into(),
            steers: false,
            takes_full_answers: true,
            upserts: Listeners::default(),
            turns: Listeners::default(),
            script: Mutex::default(),
            called: watch::Sender::new(0),
        }
    }
}

impl ScriptedProvider {
    /// One that can take a message into the turn that runs.
    pub fn steering() -> Self {
        Self { steers: true, ..Self::default() }
    }

    /// One that can be told which option was chosen, and nothing else.
    pub fn told_options_only() -> Self {
        Self { takes_full_answers: false, ..Self::default() }
    }

    pub fn named(cli_type: &str) -> Self {
        Self { cli_type: cli_type.into(), ..Self::default() }
    }

    pub fn calls(&self) -> Vec<Call> {
        self.script().calls.clone()
    }

    /// Waits until the provider was called this often in all, and returns the calls.
    pub async fn wait_for_calls(&self, count: usize) -> Vec<Call> {
        self.called
            .subscribe()
            .wait_for(|called| *called >= count)
            .await
            .expect("the provider is there");
        self.calls()
    }

    /// The next call of this operation fails.
    pub fn fail_next(&self, operation: Operation, code: ProviderErrorCode) {
        self.script().failures.push((operation, code));
    }

    /// The next call of this operation runs into a bug.
    pub fn panic_next(&self, operation: Operation) {
        self.script().panics.push(operation);
    }

    /// The next call of this operation waits until the returned sender is used or dropped.
    pub fn hold_next(&self, operation: Operation) -> oneshot::Sender<()> {
        let (release, held) = oneshot::channel();
        self.script().holds.push((operation, held));
        release
    }

    pub async fn emit(&self, upsert: UpsertObject) {
        let session = upsert.session_id.clone();
        self.upserts.emit(&session, upsert).await;
    }

    pub async fn emit_turn(&self, event: TurnEvent) {
        let session = event.session_id.clone();
        self.turns.emit(&session, event).await;
    }

    /// Asks for permission; the receiver gets the decision.
    pub async fn ask(&self, request: PermissionRequest) -> oneshot::Receiver<PermissionDecision> {
        let session = request.session_id.clone();
        let (answer, decision) = oneshot::channel();
        self.notify(
            &session,
            ProviderNotice::PermissionAsked { request: Box::new(request), answer },
        )
        .await;
        decision
    }

    pub async fn notify(&self, session: &SessionId, notice: ProviderNotice) {
        let sink = self.script().notices.get(session).cloned().expect("a session that listens");
        sink.accept(notice).await;
    }

    /// The agent's process ends by itself.
    pub async fn exit(&self, session: &SessionId, message: &str) {
        self.script().alive.remove(session);
        self.notify(session, ProviderNotice::Exited { message: message.to_owned() }).await;
    }

    /// The agent has a session that was never ours.
    pub fn keep(&self, session: KeptSession) {
        self.script().kept.push(session);
    }

    /// The agent goes into another mode by itself.
    pub async fn enter(&self, session: &SessionId, mode: &str) {
        self.set(Adjustment::Mode(mode.into())).expect("an agent that has modes");
        self.notify(session, ProviderNotice::SetAnew).await;
    }

    /// From now on the agent can be set to these; without any it cannot be adjusted.
    pub fn offer(&self, options: SessionOptions) {
        self.script().options = Some(options);
    }

    pub(crate) fn kept(&self) -> Vec<KeptSession> {
        self.script().kept.clone()
    }

    fn set(&self, adjustment: Adjustment) -> Result<(), ProviderError> {
        let mut script = self.script();
        let Some(options) = &mut script.options else {
            let message = "this agent cannot be adjusted";
            return Err(ProviderError::new(ProviderErrorCode::NotSupported, message));
        };
        match adjustment {
            Adjustment::Mode(mode) => options.current_mode_id = Some(mode),
            Adjustment::Model(model) => options.current_model_id = Some(model),
            Adjustment::StopTask(_) => {}
        }
        Ok(())
    }

    async fn record(&self, operation: Operation, call: Call) -> Result<(), ProviderError> {
        let result = self.note(operation, call);
        let is_buggy = |script: &mut Script| {
            let index = script.panics.iter().position(|panicking| *panicking == operation)?;
            Some(script.panics.remove(index))
        };
        let bug = is_buggy(&mut self.script());
        assert_eq!(bug, None, "a bug that a test wants");
        self.wait_if_held(operation).await;
        result
    }

    pub(crate) async fn wait_if_held(&self, operation: Operation) {
        let held = {
            let mut script = self.script();
            let index = script.holds.iter().position(|(holding, _)| *holding == operation);
            index.map(|index| script.holds.remove(index).1)
        };
        if let Some(held) = held {
            held.await.ok();
        }
    }

    fn note(&self, operation: Operation, call: Call) -> Result<(), ProviderError> {
        let mut script = self.script();
        script.calls.push(call);
        let failure = script.failures.iter().position(|(failing, _)| *failing == operation);
        let result = match failure.map(|index| script.failures.remove(index)) {
            Some((_, code)) => Err(ProviderError::new(code, "it was told to fail")),
            None => Ok(()),
        };
        drop(script);
        self.called.send_modify(|called| *called += 1);
        result
    }

    fn session(&self, session: &SessionId) -> ProviderSession {
        self.script().alive.insert(session.clone());
        ProviderSession { session_id: session.clone(), cli_type: self.cli_type.clone() }
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl CliProvider for ScriptedProvider {
    fn cli_type(&self) -> &CliType {
        &self.cli_type
    }

    fn capabilities(&self) -> AgentCapabilities {
        AgentCapabilities { send: true, steer: self.steers, images: false, resume: true }
    }

    fn takes_full_answers(&self) -> bool {
        self.takes_full_answers
    }

    async fn check(&self) -> Result<AgentCheck, String> {
        let checked = self.record(Operation::Check, Call::Check).await;
        checked.map_err(|error| error.to_string())?;
        let modes = self.script().options.clone().unwrap_or_default().modes;
        Ok(AgentCheck { version: Some("1.0".to_owned()), modes })
    }

    async fn create_session(
        &self,
        options: CreateSession,
    ) -> Result<ProviderSession, ProviderError> {
        let session = options.session_id.expect("sessions are named by the server");
        self.record(Operation::Create, Call::Create(session.clone(), options.project_dir)).await?;
        Ok(self.session(&session))
    }

    async fn load_session(
        &self,
        session: &SessionId,
        _: LoadSession,
    ) -> Result<ProviderSession, ProviderError> {
        self.record(Operation::Load, Call::Load(session.clone())).await?;
        Ok(self.session(session))
    }

    async fn send_message(
        &self,
        session: &SessionId,
        message: OutgoingMessage,
    ) -> Result<TurnId, ProviderError> {
        let turn = message.turn_id.expect("turns are named by the server");
        let call = Call::Send(session.clone(), turn.clone(), message.content, message.delivery);
        self.record(Operation::Send, call).await?;
        Ok(turn)
    }

    async fn cancel_turn(
        &self,
        session: &SessionId,
        _: Option<&TurnId>,
    ) -> Result<(), ProviderError> {
        self.record(Operation::Cancel, Call::Cancel(session.clone())).await
    }

    async fn kill_session(&self, session: &SessionId) -> Result<(), ProviderError> {
        self.script().alive.remove(session);
        self.record(Operation::Kill, Call::Kill(session.clone())).await
    }

    fn is_alive(&self, session: &SessionId) -> bool {
        self.script().alive.contains(session)
    }

    fn on_upsert(&self, session: &SessionId, sink: Sink<UpsertObject>) {
        self.upserts.add(session, sink);
    }

    fn on_turn(&self, session: &SessionId, sink: Sink<TurnEvent>) {
        self.turns.add(session, sink);
    }

    fn on_notice(&self, session: &SessionId, sink: Sink<ProviderNotice>) {
        self.script().notices.insert(session.clone(), sink);
    }

    fn options(&self, _: &SessionId) -> Option<SessionOptions> {
        self.script().options.clone()
    }

    async fn adjust(
        &self,
        session: &SessionId,
        adjustment: Adjustment,
    ) -> Result<(), ProviderError> {
        self.set(adjustment)?;
        self.notify(session, ProviderNotice::SetAnew).await;
        Ok(())
    }

    fn transcripts(&self) -> Option<&dyn Transcripts> {
        Some(self)
    }
}
