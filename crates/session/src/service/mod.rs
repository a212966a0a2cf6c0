//! The session service: everything the edge may ask, whatever the transport.

mod adjustments;
mod finding;
mod imports;
mod ingestion;
mod making;
mod mending;
mod metadata;
mod places;
mod projects;
mod queue;
mod reconnecting;
mod sessions;
mod unkept;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use contract::{
    Activity, AgentInfo, Cancelled, Epoch, Family, HistoryPage, ItemId, Killed, PermissionAnswer,
    PermissionAnswered, PermissionId, PermissionRequest, ProjectId, RequestId, SendRequest, Seq,
    SessionGlance, SessionId, SessionListItem, SessionLoaded, SessionSent, SessionState,
    SessionStatus, Timestamp, TurnId, UpsertObject, WaitResult,
};
use store::{HistoryQuery, Journal};
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::actor::{Command, Pending, SessionHandle, Subscription};
use crate::agent_states::{AGENT_LIMIT, AgentStates};
use crate::caps::Caps;
use crate::core::{Answering, Autonomous, SendCommand};
use crate::environment::Environment;
use crate::error::ServiceError;
use crate::fanout::{Hub, Subscriber};
use crate::metrics::{CountedConnection, Depths, FAMILIES, Metrics, UseKeeper};
use crate::project_dir::AllowedRoots;
use crate::provider::{AgentCatalogue, BypassModes, ProviderRegistry};
use crate::watched_journal::WatchedJournal;
use places::Places;
use sessions::check_attachments;

/// What a service is built from.
#[derive(Debug)]
pub struct SessionServiceParts {
    pub providers: ProviderRegistry,
    pub journal: Arc<dyn Journal>,
    pub allowed_roots: AllowedRoots,
    pub environment: Environment,
    pub autonomous: Autonomous,
    /// Cancelled when the server stops.
    pub stop: CancellationToken,
    /// Waits for the sessions' tasks.
    pub tasks: TaskTracker,
}

#[derive(Debug)]
pub struct SessionService {
    parts: SessionServiceParts,
    /// The one of the parts.
    journal: Arc<WatchedJournal>,
    catalogue: AgentCatalogue,
    hub: Arc<Hub>,
    metrics: Arc<Metrics>,
    agents: Arc<AgentStates>,
    sessions: Mutex<HashMap<SessionId, SessionHandle>>,
    /// An owner of a session ended.
    ended: Arc<Notify>,
    idle_limit: Option<Duration>,
    bypass: BypassModes,
    caps: Caps,
    places: Places,
    /// The server is about to stop, or does.
    drain: CancellationToken,
    /// Looking for files.
    walks: Semaphore,
}

/// How long an agent may be idle, unless somebody says otherwise. One holds hundreds of megabytes.
const IDLE_LIMIT: Duration = Duration::from_secs(30 * 60);

impl SessionService {
    pub fn new(parts: SessionServiceParts) -> Self {
        let journal = Arc::new(WatchedJournal::new(parts.journal));
        let parts = SessionServiceParts { journal: journal.clone(), ..parts };
        let secrets = parts.environment.secrets.clone();
        let catalogue = AgentCatalogue::new(&parts.providers).with_secrets(secrets);
        let (hub, metrics) = (Arc::<Hub>::default(), Arc::default());
        let agents = AgentStates::new(hub.clone(), parts.providers.agent_types(), AGENT_LIMIT);
        let (sessions, ended) = (Mutex::default(), Arc::default());
        let drain = parts.stop.child_token();
        let (idle_limit, walks) = (Some(IDLE_LIMIT), Semaphore::new(2));
        let (bypass, caps, places) = (BypassModes::default(), Caps::default(), Places::default());
        Self {
            parts,
            journal,
            catalogue,
            hub,
            metrics,
            agents,
            sessions,
            ended,
            idle_limit,
            bypass,
            caps,
            places,
            drain,
            walks,
        }
    }

    /// Where what happens outside sessions is counted.
    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.metrics
    }

    /// A connection has chosen its family: it counts as long as what is returned is kept.
    pub fn count_connection(&self, family: Family) -> CountedConnection {
        let SessionServiceParts { journal, tasks, environment, .. } = &self.parts;
        let keeper = UseKeeper { journal: journal.clone(), tasks: tasks.clone() };
        CountedConnection::new(family, self.metrics.clone(), environment.clone(), keeper)
    }

    /// What operators watch, in the text format of Prometheus.
    pub async fn metrics_text(&self) -> String {
        let sessions = self.states().await;
        let queued = self.current_state().iter().map(|status| status.queued.len()).sum();
        let depths = Depths {
            queued,
            agents: self.agents.running(),
            outboxes: self.hub.depth(),
            journal: self.parts.journal.waiting(),
        };
        self.metrics.text(sessions.into_iter(), depths)
    }

    /// What every session is that is not put away. If the journal does not tell, of those that are in use.
    async fn states(&self) -> Vec<(SessionState, Activity)> {
        let journal = &self.parts.journal;
        match (journal.sessions().await, journal.failed().await) {
            (Ok(records), Ok(failed)) => {
                let shown = records.into_iter().filter(|record| !record.archived);
                let items = shown.map(|record| {
                    let has_failed = failed.contains(&record.session_id);
                    self.list_item(record, has_failed)
                });
                items.map(|item| (item.status, item.activity)).collect()
            }
            (Err(error), _) | (_, Err(error)) => {
                tracing::warn!(%error, "only sessions in use are counted");
                let running = self.current_state();
                running.iter().map(|status| (status.state, status.activity)).collect()
            }
        }
    }

    /// When each family was last used before this server was started.
    pub async fn recall_uses(&self) -> Result<(), ServiceError> {
        for family in FAMILIES {
            let noted = self.parts.journal.noted(&UseKeeper::note_of(family)).await?;
            if let Some(last) = noted.and_then(|millis| millis.parse().ok()) {
                self.metrics.recall_use(family, Timestamp::from_millis(last));
            }
        }
        Ok(())
    }

    /// Agents that are idle for so long are ended, and come back with the next message; without a limit never.
    #[must_use]
    pub fn with_idle_limit(self, idle_limit: Option<Duration>) -> Self {
        Self { idle_limit, ..self }
    }

    /// How much is kept.
    #[must_use]
    pub fn with_caps(self, caps: Caps) -> Self {
        Self { caps, ..self }
    }

    /// Whether sessions may be in modes in which their agents never ask.
    #[must_use]
    pub fn with_bypass(self, bypass: BypassModes) -> Self {
        Self { bypass, catalogue: self.catalogue.with_bypass(bypass), ..self }
    }

    /// So many agents may run at once.
    #[must_use]
    pub fn with_agent_limit(self, limit: usize) -> Self {
        let types = self.parts.providers.agent_types();
        Self { agents: AgentStates::new(self.hub.clone(), types, limit), ..self }
    }

    /// The server is about to stop: what runs may end, nothing begins, and what waits does so for the next server.
    pub fn begin_to_drain(&self) {
        self.drain.cancel();
    }

    /// Refuses what would start something when the server is about to stop.
    fn check_open(&self) -> Result<(), ServiceError> {
        if self.drain.is_cancelled() { Err(ServiceError::ShuttingDown) } else { Ok(()) }
    }

    /// The agents that people may choose and whether each can be run: as found lately, or found out anew.
    pub async fn agents(&self, refresh: bool) -> Result<Vec<AgentInfo>, ServiceError> {
        // To look at one takes a process or two.
        if self.check_open().is_err() {
            return self.catalogue.known().filter(|_| !refresh).ok_or(ServiceError::ShuttingDown);
        }
        tokio::select! {
            agents = self.catalogue.agents(refresh) => Ok(agents),
            () = self.parts.stop.cancelled() => Err(ServiceError::ShuttingDown),
        }
    }

    pub async fn load(&self, session: &SessionId) -> Result<SessionLoaded, ServiceError> {
        let handle = self.whole_session(session).await?;
        self.agent_of(&handle)?;
        handle.ask(Command::Load).await
    }

    /// Hands over a message. Messages are taken in the order they were begun.
    pub async fn send(
        &self,
        session: &SessionId,
        request: SendRequest,
    ) -> Result<Pending<SessionSent>, ServiceError> {
        let handle = self.whole_session(session).await?;
        let provider = self.agent_of(&handle)?;
        check_attachments(&*provider, request.attachments.as_deref().unwrap_or_default())?;
        let command = |reply| {
            Command::Send(SendCommand {
                content: request.content,
                client_message_id: request.client_message_id,
                delivery: request.delivery.unwrap_or_default(),
                attachments: request.attachments.unwrap_or_default(),
                reply,
                retries: Vec::new(),
            })
        };
        handle.begin(command).await
    }

    /// Cancels a turn, or whatever runs. The answer comes when it has ended.
    pub async fn cancel(
        &self,
        session: &SessionId,
        turn: Option<TurnId>,
    ) -> Result<Pending<Cancelled>, ServiceError> {
        self.session(session).await?.begin(|reply| Command::Cancel(turn, reply)).await
    }

    pub async fn kill(&self, session: &SessionId) -> Result<Killed, ServiceError> {
        self.session(session).await?.ask(Command::Kill).await
    }

    pub async fn answer(
        &self,
        session: &SessionId,
        permission: PermissionId,
        answer: PermissionAnswer,
    ) -> Result<PermissionAnswered, ServiceError> {
        self.answer_as(session, permission, answer, None).await
    }

    /// Answers in somebody's name, which is kept with the answer.
    pub async fn answer_as(
        &self,
        session: &SessionId,
        permission: PermissionId,
        answer: PermissionAnswer,
        by: Option<String>,
    ) -> Result<PermissionAnswered, ServiceError> {
        let given = Answering { permission, answer, by };
        self.session(session).await?.ask(|reply| Command::Answer(given, reply)).await
    }

    pub async fn status(&self, session: &SessionId) -> Result<Arc<SessionStatus>, ServiceError> {
        Ok(self.session(session).await?.status())
    }

    /// The status of every session that was in use since the server started, with the permissions that wait: what a new connection
    /// has to know. The others are as the list has them.
    pub fn current_state(&self) -> Vec<Arc<SessionStatus>> {
        self.told(|handle| Some(handle.status()))
    }

    /// What every session did last, of those that did something since the server started.
    pub fn glances(&self) -> Vec<Arc<SessionGlance>> {
        self.told(SessionHandle::glance)
    }

    pub fn permissions(&self) -> Vec<PermissionRequest> {
        let statuses = self.current_state();
        let mut waiting: Vec<_> = statuses
            .iter()
            .flat_map(|status| status.permissions.iter().flatten().cloned())
            .collect();
        waiting.sort_by_key(|request| request.asked_at);
        waiting
    }

    /// What was asked and is over, the last asked first: of one session, or of all that are listed.
    pub async fn decisions(
        &self,
        session: Option<SessionId>,
        limit: usize,
    ) -> Result<Vec<PermissionRequest>, ServiceError> {
        Ok(self.parts.journal.decisions(session, limit).await?)
    }

    /// Waits until nothing runs or a permission waits.
    pub async fn wait(
        &self,
        session: &SessionId,
        timeout: Duration,
    ) -> Result<WaitResult, ServiceError> {
        match tokio::time::timeout(timeout, self.settled(session)).await {
            Ok(activity) => Ok(WaitResult { activity: activity?, timed_out: false }),
            Err(_) => {
                let activity = self.session(session).await?.status().activity;
                Ok(WaitResult { activity, timed_out: true })
            }
        }
    }

    /// An owner whose journal failed leaves its turn open: how that ended knows the one who takes its place.
    async fn settled(&self, session: &SessionId) -> Result<Activity, ServiceError> {
        loop {
            if let Some(activity) = self.session(session).await?.settled().await {
                return Ok(activity);
            }
        }
    }

    /// Sessions of a project, newest activity first. Without `all` only those that are not dead or archived.
    pub async fn list(
        &self,
        project: &ProjectId,
        all: bool,
    ) -> Result<Vec<SessionListItem>, ServiceError> {
        // The sessions of a project that was removed are there, but in no list.
        if self.projects().await?.iter().all(|known| known.id != *project) {
            return Ok(Vec::new());
        }
        let records = self.parts.journal.sessions().await?;
        let failed = self.parts.journal.failed().await?;
        let mut items: Vec<_> = records
            .into_iter()
            .filter(|record| record.project_id == *project)
            .map(|record| {
                let failed = failed.contains(&record.session_id);
                self.list_item(record, failed)
            })
            .filter(|item| all || (item.status != SessionState::Dead && !item.archived))
            .collect();
        // By id where the times are equal, so that a list does not shuffle.
        items.sort_by(|a, b| {
            b.last_active_at.cmp(&a.last_active_at).then_with(|| a.session_id.cmp(&b.session_id))
        });
        Ok(items)
    }

    pub async fn history(
        &self,
        session: &SessionId,
        query: HistoryQuery,
    ) -> Result<HistoryPage, ServiceError> {
        let page = self.parts.journal.history(session, query).await?;
        if page.seq > Seq(0) || !self.make_whole(session).await? {
            return Ok(page);
        }
        Ok(self.parts.journal.history(session, query).await?)
    }

    pub async fn item(
        &self,
        session: &SessionId,
        item: &ItemId,
    ) -> Result<Arc<UpsertObject>, ServiceError> {
        let mut found = self.parts.journal.item(session, item).await?;
        if found.is_none() && self.make_whole(session).await? {
            found = self.parts.journal.item(session, item).await?;
        }
        found.ok_or_else(|| ServiceError::UnknownItem(item.clone()))
    }

    /// Makes a connection known: from now on it is told what every connection is told.
    pub fn connect(&self, connection: &Arc<Subscriber>) {
        self.hub.add(connection);
        self.agents.tell(connection);
    }

    /// Opens a session's stream on a connection; its first message is a history.
    pub async fn subscribe(
        &self,
        session: &SessionId,
        connection: &Arc<Subscriber>,
        from: Option<(Epoch, Seq)>,
        request_id: Option<RequestId>,
    ) -> Result<(), ServiceError> {
        let handle = self.whole_session(session).await?;
        let was_open = connection.with_outbox(|outbox| outbox.open(session));
        let opened = self.open_stream(&handle, connection, from, false, request_id).await;
        // Whoever asked is told; but one that was followed before is followed on.
        if opened.is_err() && was_open {
            connection.lose(session);
        }
        opened
    }

    /// Tells a session's stream again after the connection's outbox overflowed.
    pub async fn resync(
        &self,
        session: &SessionId,
        connection: &Arc<Subscriber>,
        from: Option<(Epoch, Seq)>,
        request_id: Option<RequestId>,
    ) -> Result<(), ServiceError> {
        let handle = self.session(session).await?;
        self.open_stream(&handle, connection, from, true, request_id).await
    }

    pub async fn unsubscribe(
        &self,
        session: &SessionId,
        connection: &Arc<Subscriber>,
    ) -> Result<(), ServiceError> {
        connection.with_outbox(|outbox| outbox.close(session));
        self.session(session).await?.tell(Command::Unsubscribe(connection.clone())).await;
        Ok(())
    }

    async fn open_stream(
        &self,
        handle: &SessionHandle,
        connection: &Arc<Subscriber>,
        from: Option<(Epoch, Seq)>,
        resync: bool,
        request_id: Option<RequestId>,
    ) -> Result<(), ServiceError> {
        let subscriber = connection.clone();
        handle
            .ask(|reply| {
                Command::Subscribe(Subscription { subscriber, from, resync, request_id, reply })
            })
            .await
    }
}
