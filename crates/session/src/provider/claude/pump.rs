//! The one task that reads what an agent says. Everything else hears of the agent from here.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use claude::stdin::ControlRequest;
use claude::{Ask, AskReply, ClaudeTranslator, ControlAnswer, Output, StopAction};
use contract::{ModelId, PermissionId, TurnEventKind, TurnId};
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use tokio::sync::{mpsc, oneshot};

use super::adapter::{Input, QueryControl, QueryHandle, QueryOutput, Spoken, UserMessage};
use super::ending::Ending;
use super::memory::SessionMemory;
use crate::environment::Environment;
use crate::provider::agent_task::{AgentHandle, Command, Emitter, Reply, gone};
use crate::provider::{
    OutgoingMessage, PermissionDecision, ProviderError, ProviderErrorCode, ProviderNotice,
};

/// Messages that wait for their turn here. A session sends one at a time and keeps its own queue; more are refused.
const QUEUED: usize = 16;

type Answer = (PermissionId, AskReply, Option<PermissionDecision>);

pub(super) struct Pump {
    pub(super) translator: ClaudeTranslator,
    pub(super) agent: Agent,
    pub(super) commands: mpsc::Receiver<Command<ControlRequest>>,
    pub(super) shared: Shared,
    pub(super) talk: Talk,
}

/// The agent's side.
pub(super) struct Agent {
    output: Box<dyn QueryOutput>,
    pub(super) control: Arc<dyn QueryControl>,
    input: mpsc::Sender<Input>,
    /// Resolves, with the reason, when the agent is gone.
    pub(super) ended: BoxFuture<'static, String>,
}

/// Our side.
pub(super) struct Shared {
    pub(super) handle: AgentHandle<ControlRequest>,
    pub(super) emitter: Arc<Emitter>,
    pub(super) environment: Environment,
    pub(super) memory: Arc<SessionMemory>,
}

/// Who waits for what.
#[derive(Default)]
pub(super) struct Talk {
    /// Messages that wait until the agent has none outstanding.
    queued: VecDeque<UserMessage>,
    /// Sends whose turns have not begun.
    pub(super) beginning: Vec<(TurnId, Reply<TurnId>)>,
    /// Control requests without an answer, by their ids.
    asked: HashMap<String, Asked>,
    requests: u64,
    answers: FuturesUnordered<BoxFuture<'static, Answer>>,
    pub(super) ending: Ending,
}

pub(super) enum Asked {
    /// By somebody who wants to know the answer.
    For(ControlRequest, Reply<Option<String>>),
    /// Whether a message could be taken back.
    TakeBack(TurnId),
}

enum Event {
    Spoke,
    Silent,
    Command(Command<ControlRequest>),
    Answer(Answer),
    Ended(String),
    Closed,
    Deadline,
}

impl Agent {
    pub(super) fn new(query: QueryHandle, input: mpsc::Sender<Input>) -> Self {
        let control = query.control.clone();
        let ended = Box::pin(async move { control.ended().await });
        Self { output: query.output, control: query.control, input, ended }
    }

    /// Never waits: an agent that does not read must still be read from.
    fn tell(&self, input: Input) -> Result<(), ProviderError> {
        let stuck = "the agent does not read what it is told";
        self.input
            .try_send(input)
            .map_err(|_| ProviderError::new(ProviderErrorCode::ProcessCrash, stuck))
    }
}

impl Pump {
    #[tracing::instrument(name = "claude", skip_all, fields(session = %self.shared.memory.session))]
    pub(super) async fn run(mut self) {
        loop {
            match self.next_event().await {
                Event::Spoke => {}
                Event::Silent => break,
                Event::Command(command) => self.handle_command(command).await,
                Event::Answer(answer) => self.take_answer(answer),
                Event::Ended(reason) => self.note_ended(Some(reason)),
                Event::Closed => self.note_ended(None),
                Event::Deadline => {
                    self.translator.handle_timeout(self.shared.environment.now());
                }
            }
            self.emit().await;
            self.send_next();
            self.advance_ending();
            if self.is_drained() {
                break;
            }
        }
        self.end().await;
    }

    async fn next_event(&mut self) -> Event {
        let deadline = [self.translator.poll_timeout(), self.talk.ending.deadline()];
        let deadline = deadline.into_iter().flatten().min();
        let Self { translator, agent, commands, shared, talk } = self;
        let is_ended = matches!(talk.ending, Ending::Draining { .. });
        tokio::select! {
            spoken = agent.output.next() => {
                let Some(spoken) = spoken else { return Event::Silent };
                let now = shared.environment.now();
                // Text that was due before this came is told before it.
                translator.handle_timeout(now);
                match spoken {
                    Spoken::Line(line) => translator.handle_line(&line, now),
                    Spoken::Event(event) => translator.handle_sdk_event(&event, now),
                }
                Event::Spoke
            }
            Some(command) = commands.recv() => Event::Command(command),
            Some(answer) = talk.answers.next() => Event::Answer(answer),
            reason = &mut agent.ended, if !is_ended => Event::Ended(reason),
            () = talk.ending.closed() => Event::Closed,
            () = shared.environment.sleep_until(deadline) => Event::Deadline,
        }
    }

    async fn handle_command(&mut self, command: Command<ControlRequest>) {
        match command {
            Command::Send(turn, message, reply) => self.take_message(turn, message, reply),
            Command::Cancel(turn, reply) => {
                let result = self.cancel(turn.as_ref()).await;
                reply.send(result).ok();
            }
            Command::Control(request, reply) => {
                self.ask(request.clone(), Asked::For(request, reply));
            }
            Command::Kill(done) => self.kill(done).await,
        }
    }

    fn take_message(&mut self, turn_id: TurnId, message: OutgoingMessage, reply: Reply<TurnId>) {
        if !matches!(self.talk.ending, Ending::No) {
            return drop(reply.send(Err(gone())));
        }
        if self.talk.queued.len() >= QUEUED {
            let message = format!("{QUEUED} messages are waiting already");
            let full = ProviderError::new(ProviderErrorCode::ProtocolError, message);
            return drop(reply.send(Err(full)));
        }
        let OutgoingMessage { content, delivery, attachments, .. } = message;
        let is_named = self.shared.memory.note_written(&turn_id);
        let message =
            UserMessage { turn_id: turn_id.clone(), is_named, content, delivery, attachments };
        self.talk.beginning.push((turn_id, reply));
        if message.delivery == contract::Delivery::Steer {
            self.send(message);
        } else {
            self.talk.queued.push_back(message);
        }
    }

    /// One message at a time is outstanding, so that the agent never merges two into one turn.
    fn send_next(&mut self) {
        if self.translator.has_waiting() || !matches!(self.talk.ending, Ending::No) {
            return;
        }
        if let Some(message) = self.talk.queued.pop_front() {
            self.send(message);
        }
    }

    fn send(&mut self, message: UserMessage) {
        let (turn, is_named) = (message.turn_id.clone(), message.is_named);
        match self.agent.tell(Input::Message(message)) {
            Ok(()) => self.translator.note_sent(turn, is_named),
            Err(error) => self.answer_send(&turn, Err(error)),
        }
    }

    fn answer_send(&mut self, turn: &TurnId, result: Result<TurnId, ProviderError>) {
        let waits = self.talk.beginning.iter().position(|(waiting, _)| waiting == turn);
        if let Some(index) = waits {
            let (_, reply) = self.talk.beginning.swap_remove(index);
            reply.send(result).ok();
        }
    }

    async fn cancel(&mut self, turn: Option<&TurnId>) -> Result<(), ProviderError> {
        let is_queued = |message: &UserMessage| turn == Some(&message.turn_id);
        if let Some(index) = self.talk.queued.iter().position(is_queued)
            && let Some(message) = self.talk.queued.remove(index)
        {
            // It never reached the agent, and ends like one that the agent gave back.
            self.translator.note_sent(message.turn_id.clone(), true);
            self.translator.take_back(&message.turn_id);
            return Ok(());
        }
        match self.translator.stop(turn) {
            StopAction::Interrupt => self.interrupt().await,
            StopAction::TakeBack(turn) => {
                let request = ControlRequest::CancelMessage(turn.clone());
                self.ask(request, Asked::TakeBack(turn));
                Ok(())
            }
            StopAction::Nothing => Ok(()),
        }
    }

    pub(super) async fn interrupt(&mut self) -> Result<(), ProviderError> {
        let failed = |error: super::adapter::QueryError| {
            ProviderError::new(ProviderErrorCode::InterruptFailed, error.message.clone())
                .caused_by(error)
        };
        self.agent.control.interrupt().await.map_err(failed)
    }

    pub(super) fn ask(&mut self, request: ControlRequest, asked: Asked) {
        // Who asked may have given up; what is kept is bounded by those who have not.
        self.talk
            .asked
            .retain(|_, asked| !matches!(asked, Asked::For(_, reply) if reply.is_closed()));
        self.talk.requests += 1;
        let request_id = format!("request-{}", self.talk.requests);
        let told = self.agent.tell(Input::Control { request_id: request_id.clone(), request });
        match (told, asked) {
            (Ok(()), asked) => drop(self.talk.asked.insert(request_id, asked)),
            (Err(error), Asked::For(_, reply)) => drop(reply.send(Err(error))),
            // The turn is interrupted when it begins.
            (Err(error), Asked::TakeBack(_)) => {
                tracing::warn!(%error, "a message was not taken back");
            }
        }
    }

    fn take_control_answer(&mut self, answer: ControlAnswer) {
        match self.talk.asked.remove(&answer.request_id) {
            Some(Asked::For(request, reply)) => {
                if answer.result.is_ok() {
                    self.note_adjusted(request);
                }
                let refused =
                    |message| ProviderError::new(ProviderErrorCode::ProtocolError, message);
                reply.send(answer.result.map_err(refused)).ok();
            }
            Some(Asked::TakeBack(turn)) if was_taken_back(&answer) => {
                self.translator.take_back(&turn);
            }
            // It had begun, and is interrupted when its turn opens.
            Some(Asked::TakeBack(_)) => {}
            // An interrupt's receipt, or the echo of an answer of ours.
            None => {}
        }
    }

    /// From now on the agent is what it was asked to be. It says so itself later, or not before its next turn.
    fn note_adjusted(&self, request: ControlRequest) {
        let Shared { handle, memory, .. } = &self.shared;
        match request {
            ControlRequest::SetMode(mode) => {
                memory.set_mode(&mode);
                handle.update_options(|options| options.current_mode_id = Some(mode.into()));
            }
            ControlRequest::SetModel(Some(model)) => {
                memory.choose_model(&model);
                handle.update_options(|options| options.current_model_id = Some(model.into()));
            }
            ControlRequest::SetModel(None)
            | ControlRequest::Initialize
            | ControlRequest::Interrupt
            | ControlRequest::SetMaxThinkingTokens(_)
            | ControlRequest::StopTask(_)
            | ControlRequest::CancelMessage(_)
            | ControlRequest::EndSession => {}
        }
    }

    fn take_answer(&mut self, (id, reply, decision): Answer) {
        self.translator.note_answered(&id);
        let line = match decision {
            Some(PermissionDecision::Selected(answer)) => reply.line(Some(&answer)),
            Some(PermissionDecision::Cancelled) => reply.line(None),
            // The turn ended or the agent withdrew; nobody waits.
            None => return,
        };
        if let Err(error) = self.agent.tell(Input::Answer(line)) {
            tracing::warn!(%error, "an answer could not be given");
        }
    }

    pub(super) async fn emit(&mut self) {
        while let Some(output) = self.translator.poll_output() {
            self.emit_one(output).await;
        }
    }

    /// A question of the agent's goes out; its answer comes back to the loop.
    async fn pass_on(&mut self, ask: Ask) {
        let (answer, decision) = oneshot::channel();
        let (id, reply) = (ask.request.permission_id.clone(), ask.reply);
        let wait = async move { (id, reply, decision.await.ok()) };
        self.talk.answers.push(Box::pin(wait));
        let notice = ProviderNotice::PermissionAsked { request: Box::new(ask.request), answer };
        self.shared.emitter.notice(&self.shared.memory.session, notice).await;
    }

    async fn emit_one(&mut self, output: Output) {
        let emitter = self.shared.emitter.clone();
        let session = self.shared.memory.session.clone();
        match output {
            Output::Upsert(upsert) => emitter.upserts.emit(&session, *upsert).await,
            Output::Turn(event) => {
                let turn = event.turn_id.clone();
                if let TurnEventKind::TurnStarted { model_id, .. } = &event.kind {
                    tracing::debug!(%turn, %model_id, "turn is bound");
                }
                emitter.turns.emit(&session, *event).await;
                // Begun, or ended before it began: either way it is not waited for any more.
                self.answer_send(&turn, Ok(turn.clone()));
            }
            Output::Asked(ask) => self.pass_on(*ask).await,
            Output::NeverBegan(turn) => {
                emitter.notice(&session, ProviderNotice::NeverBegan(turn.clone())).await;
                let message = "the message was taken back before its turn began";
                let error = ProviderError::new(ProviderErrorCode::ProtocolError, message);
                self.answer_send(&turn, Err(error));
            }
            Output::Reply(line) => {
                if let Err(error) = self.agent.tell(Input::Answer(line)) {
                    tracing::warn!(%error, "a refusal could not be given");
                }
            }
            Output::Withdrawn(id) => {
                emitter.notice(&session, ProviderNotice::PermissionWithdrawn(id)).await;
            }
            Output::BackgroundTasks(tasks) => {
                emitter.notice(&session, ProviderNotice::BackgroundTasks(tasks)).await;
            }
            Output::Notice(notice) => {
                emitter.notice(&session, ProviderNotice::Notice(notice)).await;
            }
            Output::Answered(answer) => {
                self.take_control_answer(answer);
                // It may have been about the mode or the model.
                emitter.notice(&session, ProviderNotice::SetAnew).await;
            }
            Output::InterruptAgain => match self.interrupt().await {
                Ok(()) => emitter.notice(&session, ProviderNotice::InterruptedAgain).await,
                Err(error) => tracing::warn!(%error, "a turn that was to be stopped could not be"),
            },
            Output::AgentSession(id) => {
                self.shared.memory.set_agent_session(id.clone());
                emitter.notice(&session, ProviderNotice::AgentSession(id)).await;
            }
            Output::Mode(mode) => {
                self.shared.memory.set_mode(mode.as_str());
                self.shared.handle.update_options(|options| options.current_mode_id = Some(mode));
                emitter.notice(&session, ProviderNotice::SetAnew).await;
            }
            Output::Model(model) => self.shared.note_model(model).await,
            Output::Unknown(line) => {
                tracing::debug!(bytes = line.len(), "a line of an unknown kind");
            }
        }
    }
}

impl Shared {
    async fn note_model(&self, model: ModelId) {
        self.memory.set_model(model.as_str());
        self.handle.update_options(|options| options.current_model_id = Some(model));
        self.emitter.notice(&self.memory.session, ProviderNotice::SetAnew).await;
    }
}

/// What the agent says to a request to give a message back.
fn was_taken_back(answer: &ControlAnswer) -> bool {
    #[derive(serde::Deserialize)]
    struct TakenBack {
        cancelled: bool,
    }
    let Ok(Some(body)) = &answer.result else { return false };
    serde_json::from_str(body).is_ok_and(|answer: TakenBack| answer.cancelled)
}
