//! One task per session: it alone changes the session, in the order commit, publish, act, reply.

mod actions;
mod command;
mod handle;
mod lookups;
mod subscriptions;
mod telling;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use contract::{
    SessionGlance, SessionSource, SessionStatus, TurnEvent, TurnEventKind, TurnId, UpsertObject,
};
use futures_util::future::BoxFuture;
use store::{Journal, StoreError};
use tokio::sync::{mpsc, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub(crate) use command::{Command, Subscription};
pub use handle::Pending;
pub(crate) use handle::{SessionHandle, Told};

use crate::agent_states::{AgentPresence, AgentStates};
use crate::core::{Cut, Effects, SessionCore};
use crate::environment::Environment;
use crate::error::ServiceError;
use crate::fanout::{Hub, LongItems, Publication, Subscriber};
use crate::glance::Glance;
use crate::metrics::{Metrics, Watch};
use crate::project_dir::AllowedRoots;
use crate::provider::{
    BypassModes, CliProvider, ProviderError, ProviderErrorCode, ProviderNotice, Sink,
};

/// Commands waiting for the session; when full, whoever asks waits.
const COMMANDS: usize = 64;
/// Emissions waiting for the session; when full, the provider waits, and with it the agent. Each holds a state of an item, which
/// shares only a part of its text with the next: more of them cost memory when an agent floods us, and bring nothing.
const EMISSIONS: usize = 64;
/// Emissions that share one commit.
const BATCH: usize = 64;

/// What a provider emits, in its order.
#[derive(Debug)]
pub(crate) enum ProviderEvent {
    /// With the moment it was told.
    Upsert(Box<UpsertObject>, Instant),
    Turn(Box<TurnEvent>),
    Notice(ProviderNotice),
}

/// Everything that can happen to a session.
enum Event {
    Stop,
    Drain,
    Command(Command),
    Provider(Vec<ProviderEvent>),
    Finished(Finished),
    Deadline,
}

/// How something that was asked of the provider went.
#[derive(Debug)]
enum Finished {
    Sent(TurnId, Result<TurnId, ProviderError>),
    Interrupted(TurnId, Result<(), ProviderError>),
    Loaded(Result<(), ProviderError>),
    Killed,
}

/// What an actor works with.
#[derive(Clone)]
pub(crate) struct ActorParts {
    pub(crate) provider: Arc<dyn CliProvider>,
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) allowed_roots: AllowedRoots,
    pub(crate) hub: Arc<Hub>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) agents: Arc<AgentStates>,
    pub(crate) environment: Environment,
    pub(crate) bypass: BypassModes,
    pub(crate) drain: CancellationToken,
    pub(crate) stop: CancellationToken,
}

pub(crate) struct Actor {
    core: SessionCore,
    parts: ActorParts,
    commands: mpsc::Receiver<Command>,
    emissions: mpsc::Receiver<ProviderEvent>,
    /// What is being asked of the provider.
    asked: JoinSet<Finished>,
    /// The last load, whether or not it is still under way.
    loading: Option<AbortHandle>,
    subscribers: Vec<Weak<Subscriber>>,
    long_items: LongItems,
    /// What is the case. Never behind what was published: whoever is told this and what is new from then on misses nothing.
    status: watch::Sender<Arc<SessionStatus>>,
    /// The status that connections were told last, unless it was by an owner that failed.
    told: Option<Arc<SessionStatus>>,
    glance: Glance,
    /// The glance that connections were told last.
    glimpsed: watch::Sender<Option<Arc<SessionGlance>>>,
    /// For those who would have it say more.
    is_full: Arc<AtomicBool>,
    watch: Watch,
    presence: AgentPresence,
    /// The server stopped and everything has been told.
    is_done: bool,
}

/// The provider's side of a session that has no actor yet.
pub(crate) struct Emissions(mpsc::Receiver<ProviderEvent>);

impl Emissions {
    /// Registers with a provider, before there is anything to miss.
    pub(crate) fn register(provider: &dyn CliProvider, session: &contract::SessionId) -> Self {
        let (sender, receiver) = mpsc::channel(EMISSIONS);
        provider.on_upsert(
            session,
            Sink::channel(sender.clone(), |upsert| {
                ProviderEvent::Upsert(Box::new(upsert), Instant::now())
            }),
        );
        provider.on_turn(
            session,
            Sink::channel(sender.clone(), |event| ProviderEvent::Turn(Box::new(event))),
        );
        provider.on_notice(session, Sink::channel(sender, ProviderEvent::Notice));
        Self(receiver)
    }
}

impl Actor {
    /// How it stands is told at once, unless it was just created, which is told by itself: connections know nothing of a session that
    /// nobody has used since the server started, and what they were told by an owner that failed may be the case no more.
    pub(crate) fn new(
        core: SessionCore,
        emissions: Emissions,
        parts: ActorParts,
        presence: Option<AgentPresence>,
    ) -> (Self, SessionHandle) {
        let (sender, commands) = mpsc::channel(COMMANDS);
        let is_alive = parts.provider.is_alive(&core.record().session_id);
        let mode = parts.provider.mode(&core.record().session_id);
        let initial = Arc::new(core.status(is_alive, mode));
        let (status, current) = watch::channel(initial.clone());
        let (glimpsed, seen) = watch::channel(None);
        let is_full = Arc::new(AtomicBool::new(core.check_room().is_err()));
        let told_of = Told { status: current, glance: seen, is_full: is_full.clone() };
        let handle = SessionHandle::new(core.list_item(), sender, told_of, parts.stop.clone())
            .half_told(core.record().source == SessionSource::Imported && core.is_untouched());
        let asked = JoinSet::new();
        let is_new = presence.is_some();
        let presence = presence.unwrap_or_else(|| parts.agents.agent(&core.record().cli_type));
        let actor = Self {
            core,
            parts,
            commands,
            emissions: emissions.0,
            asked,
            loading: None,
            subscribers: Vec::new(),
            long_items: LongItems::default(),
            status,
            told: is_new.then_some(initial),
            glance: Glance::default(),
            glimpsed,
            is_full,
            watch: Watch::default(),
            presence,
            is_done: false,
        };
        (actor, handle)
    }

    /// Runs until the server stops or the journal fails.
    #[tracing::instrument(name = "session", skip_all, fields(session = %self.core.record().session_id))]
    pub(crate) async fn run(mut self, first: Effects) {
        if let Err(error) = self.run_until_stopped(first).await {
            let why = std::error::Error::source(&error).map(ToString::to_string);
            tracing::error!(%error, why, "the journal failed; the session is taken up again from what it holds");
            // An agent that comes up after the other was ended would be left behind.
            self.asked.shutdown().await;
            // What the agent says from here on cannot be kept, but it must be taken, or the agent waits for ever.
            self.end_agent(|_, _| Box::pin(async { Ok(()) })).await.ok();
        }
    }

    /// Ends the agent while `take` gets what it says until it is gone.
    async fn end_agent(
        &mut self,
        take: impl for<'a> Fn(&'a mut Self, Vec<ProviderEvent>) -> BoxFuture<'a, Result<(), StoreError>>,
    ) -> Result<(), StoreError> {
        let (provider, session) =
            (self.parts.provider.clone(), self.core.record().session_id.clone());
        let mut kill = std::pin::pin!(provider.kill_session(&session));
        loop {
            let mut batch = Vec::new();
            tokio::select! {
                biased;
                1.. = self.emissions.recv_many(&mut batch, BATCH) => take(self, batch).await?,
                result = &mut kill => {
                    if let Err(error) = result {
                        tracing::warn!(%error, "the agent was not ended cleanly");
                    }
                    return Ok(());
                }
            }
        }
    }

    async fn run_until_stopped(&mut self, first: Effects) -> Result<(), StoreError> {
        self.perform(first).await?;
        loop {
            let mut effects = Effects::default();
            match self.next_event().await {
                Event::Stop => return self.stop().await,
                Event::Drain => self.core.begin_to_drain(&mut effects),
                Event::Command(Command::GiveWay(reply)) if self.may_give_way() => {
                    // First, so that whoever is answered finds nobody here.
                    self.commands.close();
                    effects.reply(reply, Ok(()));
                    return self.perform(effects).await;
                }
                Event::Command(command) => self.handle_command(command, &mut effects).await?,
                Event::Provider(events) => {
                    self.handle_emissions(events, &mut effects).await?;
                    // An agent that never pauses must not keep others waiting for ever.
                    self.handle_deadline(&mut effects);
                }
                Event::Finished(finished) => self.handle_finished(finished, &mut effects),
                Event::Deadline => self.handle_deadline(&mut effects),
            }
            self.perform(effects).await?;
        }
    }

    /// Does nothing before it is due.
    fn handle_deadline(&mut self, effects: &mut Effects) {
        self.core.handle_deadline(self.parts.environment.now(), effects);
    }

    async fn next_event(&mut self) -> Event {
        let deadline = self.core.deadline().into_iter().chain(self.glance.deadline()).min();
        let mut batch = Vec::new();
        tokio::select! {
            biased;
            () = self.parts.stop.cancelled() => Event::Stop,
            // Before commands: one that ends a turn lets no other begin.
            () = self.parts.drain.cancelled(), if !self.core.is_draining() => Event::Drain,
            Some(command) = self.commands.recv() => Event::Command(command),
            // Before what finished: what a provider emitted before it finished comes first here too.
            1.. = self.emissions.recv_many(&mut batch, BATCH) => Event::Provider(batch),
            Some(finished) = self.asked.join_next() => match finished {
                Ok(finished) => Event::Finished(finished),
                Err(error) if error.is_cancelled() => Event::Finished(Finished::Loaded(Err(given_up()))),
                // A provider's panic ends this session as one of its own would: it is taken up again.
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            },
            () = self.parts.environment.sleep_until(deadline) => Event::Deadline,
        }
    }

    /// What cannot be read is told to whoever asked: only what cannot be kept ends a session.
    async fn handle_command(
        &mut self,
        command: Command,
        effects: &mut Effects,
    ) -> Result<(), StoreError> {
        let now = self.parts.environment.now();
        match command {
            Command::Send(send) => match self.sent_before(&send).await {
                Ok(Some(answer)) => effects.reply(send.reply, Ok(answer)),
                Ok(None) => {
                    let turn_id = self.parts.environment.ids.turn_id();
                    self.core.send(turn_id, send, self.is_alive(), now, effects);
                }
                Err(error) => effects.reply(send.reply, Err(error.into())),
            },
            Command::Cancel(turn, reply) => self.core.cancel(turn.as_ref(), reply, now, effects),
            Command::Answer(given, reply) => {
                match self.was_answered_before(&given.permission).await {
                    Ok(false) => self.core.answer(given, reply, now, effects),
                    Ok(true) => {
                        let error = ServiceError::AlreadyAnswered(given.permission);
                        effects.reply(reply, Err(error));
                    }
                    Err(error) => effects.reply(reply, Err(error.into())),
                }
            }
            Command::Load(reply) => self.core.load(self.is_alive(), reply, effects),
            Command::Kill(reply) => self.core.kill(reply, effects),
            Command::Rest(reply) => self.core.rest(reply, self.is_alive(), effects),
            Command::Queue(change) => match self.has_begun(change.turn()).await {
                Ok(begun) => self.core.change_queue(change, begun, self.is_alive(), now, effects),
                Err(error) => change.refuse(error.into(), effects),
            },
            Command::Rename(title, reply) => self.core.rename(title, reply, effects),
            Command::Archive(asker, reply) => {
                self.core.archive(asker, reply, self.is_alive(), effects);
            }
            Command::Unarchive(reply) => self.core.unarchive(reply, effects),
            // Something was said, or is about to be.
            Command::GiveWay(reply) => effects.reply(reply, Ok(())),
            Command::KeepChoices(reply) => {
                self.keep_choices(effects);
                effects.reply(reply, Ok(()));
            }
            Command::CatchUp(reply) => {
                self.catch_up().await?;
                effects.reply(reply, Ok(()));
            }
            Command::Subscribe(subscription) => self.subscribe(subscription).await,
            Command::Unsubscribe(subscriber) => self.unsubscribe(&subscriber),
        }
        Ok(())
    }

    async fn handle_emissions(
        &mut self,
        events: Vec<ProviderEvent>,
        effects: &mut Effects,
    ) -> Result<(), StoreError> {
        let refused = self.core.timeline().refused();
        self.core.note_word();
        self.glance.hear(self.parts.environment.now());
        self.watch.begin_batch();
        for event in events {
            let now = self.parts.environment.now();
            match event {
                ProviderEvent::Upsert(upsert, told) => {
                    self.watch.told_state(&upsert.item_id, told);
                    let prior = self.prior(&upsert, &effects.changes).await?;
                    self.core.handle_upsert(*upsert, &prior, now, effects);
                }
                ProviderEvent::Turn(mut event) => {
                    self.hide_secrets(&mut event.kind);
                    let progress = self.progress(&event.turn_id, &effects.changes).await?;
                    self.core.handle_turn(*event, progress, now, effects);
                }
                ProviderEvent::Notice(ProviderNotice::SetAnew) => {
                    if self.is_in_a_forbidden_mode() {
                        self.core.end_unasking_agent(self.is_alive(), effects);
                    }
                    self.keep_choices(effects);
                }
                ProviderEvent::Notice(notice) => {
                    if self.is_asked_too_late(&notice, &effects.changes).await? {
                        self.core.refuse_to_ask();
                    } else {
                        self.core.handle_notice(notice, now, effects);
                    }
                }
            }
        }
        let refused = self.core.timeline().refused() - refused;
        if refused > 0 {
            tracing::warn!(refused, "the provider tried to change what had ended");
        }
        Ok(())
    }

    fn handle_finished(&mut self, finished: Finished, effects: &mut Effects) {
        let now = self.parts.environment.now();
        match finished {
            Finished::Sent(_, Ok(_)) | Finished::Interrupted(_, Ok(())) => {}
            Finished::Sent(turn, Err(error)) => {
                let error = error.without(&self.parts.environment.secrets);
                tracing::warn!(%turn, code = ?error.code(), "the agent did not take the turn");
                // What an agent writes to its standard error is part of it.
                tracing::debug!(%turn, %error, "why it did not");
                self.core.handle_send_failed(&turn, &error, now, effects);
            }
            Finished::Interrupted(turn, Err(error)) => {
                tracing::warn!(code = ?error.code, "the agent could not be interrupted");
                tracing::debug!(%error, "why it could not");
                self.core.handle_interrupt_failed(&turn, effects);
            }
            Finished::Loaded(result) => {
                let secrets = &self.parts.environment.secrets;
                let result = result.map_err(|error| error.without(secrets));
                self.core.handle_loaded(result, now, effects);
            }
            Finished::Killed => self.core.handle_killed(now, effects),
        }
    }

    /// Commit, publish, act, reply.
    async fn perform(&mut self, effects: Effects) -> Result<(), StoreError> {
        let Effects { changes, actions, replies } = effects;
        changes.iter().for_each(|change| self.glance.note(change));
        let publications = changes.iter();
        let publications: Vec<_> = publications
            .filter_map(|change| Publication::of_change(change, &mut self.long_items))
            .collect();
        if !changes.is_empty() {
            self.parts.journal.append(&self.core.record().session_id, changes).await?;
        }
        // Streams begin with a history; what every connection is told stands beside the status.
        if publications.iter().any(|publication| publication.stream().is_none()) {
            self.note_status();
        }
        publications.iter().for_each(|publication| self.publish(publication));
        for action in actions {
            self.act(action).await?;
        }
        let is_alive = self.is_alive();
        self.core.note_idleness(is_alive, self.parts.environment.now());
        self.presence.set(self.core.presence(is_alive));
        self.publish_status();
        self.publish_glance();
        self.is_full.store(self.core.check_room().is_err(), Ordering::Release);
        replies.into_iter().for_each(|reply| reply());
        Ok(())
    }

    /// The server stops: the agent is ended, its last words are kept, and what is still open then is ended and told.
    async fn stop(&mut self) -> Result<(), StoreError> {
        self.core.begin_to_stop();
        // An agent that comes up after the others were ended would be left behind.
        self.asked.shutdown().await;
        self.end_agent(|actor, batch| Box::pin(actor.take_in(batch))).await?;
        self.catch_up().await?;
        let mut effects = Effects::default();
        let now = self.parts.environment.now();
        self.core.end_everything(&Cut::interrupted("the server stopped"), now, &mut effects);
        self.perform(effects).await?;
        self.is_done = true;
        Ok(())
    }

    /// Takes in everything that was emitted up to now.
    async fn catch_up(&mut self) -> Result<(), StoreError> {
        loop {
            let batch: Vec<_> =
                std::iter::from_fn(|| self.emissions.try_recv().ok()).take(BATCH).collect();
            if batch.is_empty() {
                return Ok(());
            }
            self.take_in(batch).await?;
        }
    }

    async fn take_in(&mut self, events: Vec<ProviderEvent>) -> Result<(), StoreError> {
        let mut effects = Effects::default();
        self.handle_emissions(events, &mut effects).await?;
        self.perform(effects).await
    }

    /// How an agent failed is often told by its last words, and those may hold what it was given to keep.
    fn hide_secrets(&self, kind: &mut TurnEventKind) {
        if let TurnEventKind::TurnError { error_message, .. } = kind {
            *error_message = self.parts.environment.secrets.redact(error_message);
        }
    }

    /// What was chosen for the agent holds for the next one too, whoever starts that.
    fn keep_choices(&mut self, effects: &mut Effects) {
        if let Some(choices) = self.parts.provider.choices(&self.core.record().session_id) {
            self.core.keep_choices(choices, effects);
        }
    }

    fn may_give_way(&self) -> bool {
        let is_asked = !self.commands.is_empty() || !self.asked.is_empty();
        self.core.is_untouched() && !self.is_alive() && !is_asked
    }

    fn is_alive(&self) -> bool {
        self.parts.provider.is_alive(&self.core.record().session_id)
    }
}

/// Connections that watch a session whose actor fails, however it fails, are to be told it again.
impl Drop for Actor {
    fn drop(&mut self) {
        // First, so that whoever asks for the session from now on takes it up again.
        self.commands.close();
        if self.is_done {
            return;
        }
        let session = &self.core.record().session_id;
        for subscriber in self.subscribers.iter().filter_map(Weak::upgrade) {
            subscriber.lose(session);
        }
    }
}

fn given_up() -> ProviderError {
    ProviderError::new(ProviderErrorCode::ProcessCrash, "the agent is not needed any more")
}
