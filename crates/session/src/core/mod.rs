//! What a session decides, without doing it: commands and provider events in, changes, actions and replies out.
//!
//! Pure but for the reply channels it holds: a state that waits owns what it waits for. The actor commits the changes,
//! publishes them, then performs the actions and replies, in this order.

mod effects;
mod endings;
mod idle;
mod lifecycle;
mod metadata;
mod permissions;
mod provider_events;
mod queue;
mod queue_changes;
mod recent;
mod restore;
mod runs;
mod sends;
mod timeline;

use std::time::Duration;

use contract::{
    Activity, AgentCapabilities, BackgroundTask, ModeId, Notice, PlanEntry, SessionListItem,
    SessionSource, SessionState, SessionStatus, Timestamp, Usage,
};
use pipeline::Moment;
use store::{Change, SessionRecord};

pub(crate) use effects::{Action, Effects, Reply};
pub(crate) use endings::Cut;
pub(crate) use permissions::Answering;
pub(crate) use queue_changes::QueueCommand;
pub(crate) use sends::SendCommand;
pub(crate) use timeline::{Prior, imported_changes};

use crate::caps::Caps;
use crate::error::ServiceError;
use idle::Idleness;
use lifecycle::{Death, Lifecycle};
use permissions::Permissions;
use queue::TurnQueue;
use runs::Runs;
use timeline::Timeline;

#[derive(Debug)]
pub(crate) struct SessionCore {
    record: SessionRecord,
    capabilities: AgentCapabilities,
    lifecycle: Lifecycle,
    /// Whether the server is about to stop: what runs may end, and nothing begins.
    is_draining: bool,
    timeline: Timeline,
    runs: Runs,
    queue: TurnQueue,
    permissions: Permissions,
    background_tasks: Vec<BackgroundTask>,
    notice: Option<Notice>,
    /// What the last turn consumed.
    usage: Option<Usage>,
    plan: Option<Vec<PlanEntry>>,
    /// Whether any turn ever began.
    has_run: bool,
    /// Whether the agent that takes the next turn knows nothing of those before, and nobody was told.
    begins_anew: bool,
    autonomous: Autonomous,
    idleness: Idleness,
    caps: Caps,
}

/// What a send does to a turn that nobody asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Autonomous {
    /// It waits: the turn may be doing real work, and its end is near.
    #[default]
    Queue,
    /// It interrupts the turn, waits for its end, and runs.
    Preempt,
}

impl SessionCore {
    pub(crate) fn new(record: SessionRecord, capabilities: AgentCapabilities) -> Self {
        Self {
            timeline: Timeline::new(contract::Seq(0)),
            record,
            capabilities,
            lifecycle: Lifecycle::Open,
            is_draining: false,
            runs: Runs::default(),
            queue: TurnQueue::default(),
            permissions: Permissions::default(),
            background_tasks: Vec::new(),
            notice: None,
            usage: None,
            plan: None,
            has_run: false,
            begins_anew: false,
            autonomous: Autonomous::default(),
            idleness: Idleness::default(),
            caps: Caps::default(),
        }
    }

    #[must_use]
    pub(crate) fn with_autonomous(self, autonomous: Autonomous) -> Self {
        Self { autonomous, ..self }
    }

    /// How long its agent may be idle.
    #[must_use]
    pub(crate) fn with_idle_limit(self, limit: Option<Duration>) -> Self {
        Self { idleness: Idleness::with_limit(limit), ..self }
    }

    #[must_use]
    pub(crate) fn with_caps(self, caps: Caps) -> Self {
        Self { caps, ..self }
    }

    /// Refuses more to be said in a session that is full.
    pub(crate) fn check_room(&self) -> Result<(), ServiceError> {
        self.caps.check_bytes(self.timeline.bytes())
    }

    pub(crate) fn record(&self) -> &SessionRecord {
        &self.record
    }

    pub(crate) fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Whether an agent that keeps nothing of the session loses nothing. One that was imported ran elsewhere.
    pub(crate) fn never_ran(&self) -> bool {
        !self.has_run && self.record.source == SessionSource::Created
    }

    /// Whether there is a process behind it; what is fed from outside has none.
    pub(crate) fn runs_agents(&self) -> bool {
        self.capabilities.send
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.is_draining
    }

    pub(crate) fn state(&self) -> SessionState {
        self.lifecycle.state()
    }

    /// Derived, never stored.
    pub(crate) fn activity(&self) -> Activity {
        if self.permissions.is_waiting() {
            Activity::Permission
        } else if self.runs.is_active() || self.queue.is_ready() {
            Activity::Running
        } else if self.runs.last_failed() {
            Activity::Error
        } else {
            Activity::Idle
        }
    }

    pub(crate) fn status(&self, is_alive: bool, mode_id: Option<ModeId>) -> SessionStatus {
        SessionStatus {
            session_id: self.record.session_id.clone(),
            cli_type: self.record.cli_type.clone(),
            is_alive,
            state: self.state(),
            activity: self.activity(),
            last_active_at: self.record.last_active_at,
            turn_id: self.runs.current().cloned(),
            queued: self.queue.turns(),
            background_tasks: self.background_tasks.clone(),
            permissions: Some(self.permissions.waiting()),
            allowed: self.permissions.standing(),
            notice: self.notice.clone(),
            usage: self.usage.clone(),
            mode_id,
        }
    }

    pub(crate) fn list_item(&self) -> SessionListItem {
        let record = &self.record;
        SessionListItem {
            session_id: record.session_id.clone(),
            project_id: record.project_id.clone(),
            cli_type: record.cli_type.clone(),
            title: record.title.clone(),
            status: self.state(),
            activity: self.activity(),
            created_at: record.created_at,
            last_active_at: record.last_active_at,
            archived: record.archived,
            source: record.source,
        }
    }

    /// Whether nothing was ever said in it.
    pub(crate) fn is_untouched(&self) -> bool {
        self.timeline.is_untouched()
    }

    /// When `handle_deadline` is to be called.
    pub(crate) fn deadline(&self) -> Option<Moment> {
        self.runs.interrupt_deadline().into_iter().chain(self.idleness.deadline()).min()
    }

    /// What the agent means to do, if it ever told.
    pub(crate) fn plan(&self) -> Option<&[PlanEntry]> {
        self.plan.as_deref()
    }

    fn touch(&mut self, now: Timestamp, effects: &mut Effects) {
        self.record.last_active_at = now;
        self.save_record(effects);
    }

    fn save_record(&self, effects: &mut Effects) {
        effects.changes.push(Change::Record(Box::new(self.record.clone())));
    }

    /// The journal's view of the queue: a turn leaves it only when it has begun, so that none can be lost between.
    fn save_queue(&self, effects: &mut Effects) {
        let awaiting = self.runs.awaiting().map(|waiting| waiting.turn.clone());
        effects.changes.push(Change::Queue(awaiting.chain(self.queue.turns()).collect()));
    }
}
