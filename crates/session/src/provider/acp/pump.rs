//! The one task that reads what an agent says. Everything else hears of the agent from here.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use acp::{AcpClient, Adjustment, Image, Output, Prompt, Ready, Refusal};
use contract::{ErrorCode, PermissionId, PermissionRequest, TurnEventKind, TurnId};
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use tokio::sync::{mpsc, oneshot};

use super::ending::Ending;
use super::memory::SessionMemory;
use super::transport::{AcpConnection, Word};
use crate::environment::Environment;
use crate::provider::agent_task::{AgentHandle, Command, Emitter, Reply, gone};
use crate::provider::{
    OutgoingMessage, PermissionDecision, ProviderError, ProviderErrorCode, ProviderNotice,
};

/// How long an agent has to open its session. A cold start on a busy machine takes seconds.
const READY_DEADLINE: Duration = Duration::from_secs(60);
/// Messages whose turns have not begun. A session sends one at a time and keeps its own queue; more are refused.
const QUEUED: usize = 16;

type Answer = (PermissionId, Option<PermissionDecision>);

pub(super) struct Pump {
    pub(super) client: AcpClient,
    pub(super) connection: AcpConnection,
    pub(super) shared: Shared,
    pub(super) talk: Talk,
    /// Resolves, with the reason, when the agent is gone.
    pub(super) ended: BoxFuture<'static, String>,
}

/// Our side.
pub(super) struct Shared {
    pub(super) emitter: Arc<Emitter>,
    pub(super) environment: Environment,
    pub(super) memory: Arc<SessionMemory>,
}

/// Who waits for what.
#[derive(Default)]
pub(super) struct Talk {
    /// Sends whose turns have not begun.
    pub(super) beginning: Vec<(TurnId, Reply<TurnId>)>,
    /// Changes of settings without an answer.
    adjusting: HashMap<u64, (Adjustment, Reply<Option<String>>)>,
    adjustments: u64,
    answers: FuturesUnordered<BoxFuture<'static, Answer>>,
    pub(super) ending: Ending,
    takes_images: bool,
    /// How the opening of the session ended.
    opened: Option<Result<Ready, NotOpened>>,
    handle: Option<AgentHandle<Adjustment>>,
}

enum Event {
    Heard,
    Silent,
    Command(Command<Adjustment>),
    Answer(Answer),
    Ended(String),
    Closed,
    Deadline,
}

/// How an attempt to open a session ended otherwise.
#[derive(Debug)]
pub(super) enum NotOpened {
    Refused(Box<Refusal>),
    /// The agent is gone, with what it said last.
    Gone(String),
}

impl NotOpened {
    pub(super) fn message(&self) -> &str {
        match self {
            Self::Refused(refusal) => &refusal.message,
            Self::Gone(reason) => reason,
        }
    }
}

impl Pump {
    pub(super) fn new(client: AcpClient, connection: AcpConnection, shared: Shared) -> Self {
        let control = connection.control.clone();
        let ended = Box::pin(async move { control.ended().await });
        Self { client, connection, shared, talk: Talk::default(), ended }
    }

    /// Talks until the session is open. A history that the agent tells meanwhile is told on.
    pub(super) async fn open(&mut self) -> Result<Ready, NotOpened> {
        let opened = tokio::time::timeout(READY_DEADLINE, self.open_in_time()).await;
        let opened = opened.unwrap_or_else(|_| {
            Err(NotOpened::Gone("the agent did not become ready in time".to_owned()))
        });
        if let Err(why) = &opened {
            // A turn of a history that was not told to its end.
            let now = self.shared.environment.now();
            self.client.end(ErrorCode::PROCESS_CRASH, why.message(), now);
            self.emit().await;
        }
        opened
    }

    async fn open_in_time(&mut self) -> Result<Ready, NotOpened> {
        loop {
            self.emit().await;
            if let Some(opened) = self.talk.opened.take() {
                if opened.is_err() {
                    self.connection.control.close().await;
                }
                return opened;
            }
            let word = self.connection.output.next().await;
            let now = self.shared.environment.now();
            match word {
                Some(Word::Line(line)) => self.client.handle_line(&line, now),
                Some(Word::Aside(text)) => self.client.handle_stderr(&text, now),
                None => {
                    // It exits, or has only closed its output: then it is of no use and is ended.
                    self.connection.control.close().await;
                    return Err(NotOpened::Gone((&mut self.ended).await));
                }
            }
        }
    }

    #[tracing::instrument(name = "acp", skip_all, fields(session = %self.shared.memory.session))]
    pub(super) async fn run(
        mut self,
        handle: AgentHandle<Adjustment>,
        mut commands: mpsc::Receiver<Command<Adjustment>>,
    ) {
        self.talk.handle = Some(handle);
        loop {
            match self.next_event(&mut commands).await {
                Event::Heard => {}
                Event::Silent => break,
                Event::Command(command) => self.handle_command(command),
                Event::Answer(answer) => self.take_answer(answer),
                Event::Ended(reason) => self.note_ended(Some(reason)),
                Event::Closed => self.note_ended(None),
                Event::Deadline => {
                    self.client.handle_timeout(self.shared.environment.now());
                }
            }
            self.emit().await;
            self.advance_ending();
            self.emit().await;
            if self.is_drained() {
                break;
            }
        }
        self.end().await;
    }

    async fn next_event(&mut self, commands: &mut mpsc::Receiver<Command<Adjustment>>) -> Event {
        let deadline = [self.client.poll_timeout(), self.talk.ending.deadline()];
        let deadline = deadline.into_iter().flatten().min();
        let Self { client, connection, shared, talk, ended } = self;
        let is_ended = talk.ending.is_draining();
        tokio::select! {
            word = connection.output.next() => {
                let Some(word) = word else { return Event::Silent };
                let now = shared.environment.now();
                // Text that was due before this came is told before it.
                client.handle_timeout(now);
                match word {
                    Word::Line(line) => client.handle_line(&line, now),
                    Word::Aside(text) => client.handle_stderr(&text, now),
                }
                Event::Heard
            }
            Some(command) = commands.recv() => Event::Command(command),
            Some(answer) = talk.answers.next() => Event::Answer(answer),
            reason = ended, if !is_ended => Event::Ended(reason),
            () = talk.ending.closed() => Event::Closed,
            () = shared.environment.sleep_until(deadline) => Event::Deadline,
        }
    }

    fn handle_command(&mut self, command: Command<Adjustment>) {
        match command {
            Command::Send(turn, message, reply) => self.take_message(turn, message, reply),
            Command::Cancel(turn, reply) => {
                self.client.stop(turn.as_ref(), self.shared.environment.now());
                reply.send(Ok(())).ok();
            }
            Command::Control(adjustment, reply) => self.adjust(adjustment, reply),
            Command::Kill(done) => self.kill(done),
        }
    }

    fn take_message(&mut self, turn: TurnId, message: OutgoingMessage, reply: Reply<TurnId>) {
        if !self.talk.ending.is_no() {
            return drop(reply.send(Err(gone())));
        }
        let refused = if self.talk.beginning.len() >= QUEUED {
            Some(format!("{QUEUED} messages are waiting already"))
        } else if !message.attachments.is_empty() && !self.talk.takes_images {
            Some("this agent takes no images".to_owned())
        } else {
            None
        };
        if let Some(message) = refused {
            let refused = ProviderError::new(ProviderErrorCode::ProtocolError, message);
            return drop(reply.send(Err(refused)));
        }
        let images = message.attachments.into_iter();
        let images = images.map(|file| Image { mime_type: file.mime_type, data: file.data });
        let prompt = Prompt { text: message.content, images: images.collect() };
        self.talk.beginning.push((turn.clone(), reply));
        self.client.send(turn, prompt, self.shared.environment.now());
    }

    fn adjust(&mut self, adjustment: Adjustment, reply: Reply<Option<String>>) {
        self.talk.adjusting.retain(|_, (_, reply)| !reply.is_closed());
        self.talk.adjustments += 1;
        let token = self.talk.adjustments;
        self.client.adjust(token, &adjustment);
        self.talk.adjusting.insert(token, (adjustment, reply));
    }

    fn take_answer(&mut self, (id, decision): Answer) {
        match decision {
            Some(PermissionDecision::Selected(answer)) => {
                self.client.answer(&id, answer.option_id.as_ref());
            }
            // One whose turn has ended meanwhile must not stop the next.
            Some(PermissionDecision::Cancelled) => {
                let was_waiting = self.client.answer(&id, None);
                if was_waiting {
                    self.client.stop(None, self.shared.environment.now());
                }
            }
            // The turn ended or the agent withdrew, and nobody waits; or nobody will ever answer, and the agent hears so.
            None => drop(self.client.answer(&id, None)),
        }
    }

    pub(super) async fn emit(&mut self) {
        while let Some(output) = self.client.poll_output() {
            self.emit_one(output).await;
        }
    }

    async fn emit_one(&mut self, output: Output) {
        let emitter = self.shared.emitter.clone();
        let session = self.shared.memory.session.clone();
        match output {
            Output::Write(line) => self.tell(line),
            Output::Upsert(upsert) => emitter.upserts.emit(&session, *upsert).await,
            Output::Turn(event) => {
                let turn = event.turn_id.clone();
                if matches!(event.kind, TurnEventKind::TurnStarted { .. }) {
                    self.shared.memory.note_run();
                }
                emitter.turns.emit(&session, *event).await;
                self.answer_send(&turn, Ok(turn.clone()));
            }
            Output::NeverBegan(turn) => {
                emitter.notice(&session, ProviderNotice::NeverBegan(turn.clone())).await;
                let message = "the message was taken back before its turn began";
                let error = ProviderError::new(ProviderErrorCode::ProtocolError, message);
                self.answer_send(&turn, Err(error));
            }
            Output::Asked(request) => self.pass_on(*request).await,
            Output::Withdrawn(id) => {
                emitter.notice(&session, ProviderNotice::PermissionWithdrawn(id)).await;
            }
            Output::Plan(entries) => emitter.notice(&session, ProviderNotice::Plan(entries)).await,
            Output::Notice(notice) => {
                emitter.notice(&session, ProviderNotice::Notice(notice)).await;
            }
            Output::Options(options) => {
                self.shared.memory.note_modes(&options);
                if let Some(handle) = &self.talk.handle {
                    handle.update_options(|known| *known = *options);
                    emitter.notice(&session, ProviderNotice::SetAnew).await;
                }
            }
            Output::Adjusted(token, result) => self.note_adjusted(token, result),
            Output::Closed => self.note_session_closed(),
            Output::Unknown(line) => {
                tracing::debug!(bytes = line.len(), "a message of an unknown kind");
            }
            Output::Ready(ready) => {
                self.talk.takes_images = ready.agent.images;
                self.talk.opened = Some(Ok(*ready));
            }
            Output::Refused(refusal) => {
                self.talk.opened = Some(Err(NotOpened::Refused(Box::new(refusal))));
            }
            Output::Introduced(_) | Output::Listed(_) => {}
        }
    }

    /// Never waits: an agent that does not read must still be read from.
    fn tell(&mut self, line: String) {
        if self.connection.input.try_send(line).is_err() && self.talk.ending.is_no() {
            self.give_up("the agent does not read what it is told");
        }
    }

    fn answer_send(&mut self, turn: &TurnId, result: Result<TurnId, ProviderError>) {
        let waits = self.talk.beginning.iter().position(|(waiting, _)| waiting == turn);
        if let Some(index) = waits {
            let (_, reply) = self.talk.beginning.swap_remove(index);
            reply.send(result).ok();
        }
    }

    /// Nothing can be asked of the agent any more.
    pub(super) fn set_dead(&self) {
        self.talk.handle.iter().for_each(AgentHandle::set_dead);
    }

    fn note_adjusted(&mut self, token: u64, result: Result<(), String>) {
        let Some((adjustment, reply)) = self.talk.adjusting.remove(&token) else { return };
        if result.is_ok() {
            self.shared.memory.choose(&adjustment);
        }
        let refused = |message| ProviderError::new(ProviderErrorCode::ProtocolError, message);
        reply.send(result.map(|()| None).map_err(refused)).ok();
    }

    /// A question of the agent's goes out; its answer comes back to the loop.
    async fn pass_on(&mut self, request: PermissionRequest) {
        let (answer, decision) = oneshot::channel();
        let id = request.permission_id.clone();
        self.talk.answers.push(Box::pin(async move { (id, decision.await.ok()) }));
        let notice = ProviderNotice::PermissionAsked { request: Box::new(request), answer };
        self.shared.emitter.notice(&self.shared.memory.session, notice).await;
    }
}
