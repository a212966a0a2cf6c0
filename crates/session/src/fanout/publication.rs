//! What connections are told.

use std::sync::Arc;

use contract::{
    Epoch, HistoryMode, HistoryPage, ItemId, PermissionRequest, PlanEntry, Seq, SessionGlance,
    SessionId, SessionListItem, SessionStatus, ToolArguments, TurnEvent, TurnEventKind,
    UpsertObject,
};
use store::Change;

use super::long_items::LongItems;
use super::news::News;

/// Shared by all connections that get it.
#[derive(Clone, Debug)]
pub enum Publication {
    Upsert(Arc<UpsertObject>),
    Turn(Arc<TurnEvent>),
    History(Arc<History>),
    Plan(Arc<Plan>),
    Status(Arc<SessionStatus>),
    Glance(Arc<SessionGlance>),
    PermissionRequested(Arc<PermissionRequest>),
    PermissionResolved(Arc<PermissionRequest>),
    Created(Arc<SessionListItem>),
    News(Arc<News>),
    /// Something went wrong that belongs to no turn.
    Problem(Arc<Problem>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub session_id: SessionId,
    pub message: String,
}

/// What a session's agent means to do, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub session_id: SessionId,
    pub entries: Vec<PlanEntry>,
}

#[derive(Clone, Debug)]
pub struct History {
    pub session_id: SessionId,
    pub mode: HistoryMode,
    pub resync: bool,
    pub page: HistoryPage,
}

/// What a newer publication of the same kind may stand in for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Replaces {
    Item(SessionId, ItemId),
    Status(SessionId),
    Glance(SessionId),
    Plan(SessionId),
}

impl Publication {
    /// What is told when a change has been committed.
    pub(crate) fn of_change(change: &Change, long_items: &mut LongItems) -> Option<Self> {
        match change {
            Change::Upsert(upsert) => long_items.shown(upsert).map(Self::Upsert),
            Change::Turn(event) => Some(Self::Turn(event.clone())),
            Change::Permission(request) if request.outcome.is_none() => {
                Some(Self::PermissionRequested(Arc::new((**request).clone())))
            }
            Change::Permission(request) => {
                Some(Self::PermissionResolved(Arc::new((**request).clone())))
            }
            Change::Queue(_) | Change::Attachments(..) | Change::Sent(..) | Change::Record(_) => {
                None
            }
        }
    }

    /// The session whose stream this belongs to; none for what every connection gets.
    pub(crate) fn stream(&self) -> Option<&SessionId> {
        match self {
            Self::Upsert(upsert) => Some(&upsert.session_id),
            Self::Turn(event) => Some(&event.session_id),
            Self::History(history) => Some(&history.session_id),
            Self::Plan(plan) => Some(&plan.session_id),
            Self::Status(_)
            | Self::Glance(_)
            | Self::PermissionRequested(_)
            | Self::PermissionResolved(_)
            | Self::Created(_)
            | Self::News(_)
            | Self::Problem(_) => None,
        }
    }

    pub(super) fn replaces(&self) -> Option<Replaces> {
        match self {
            Self::Upsert(upsert) => {
                Some(Replaces::Item(upsert.session_id.clone(), upsert.item_id.clone()))
            }
            Self::Status(status) => Some(Replaces::Status(status.session_id.clone())),
            Self::Glance(glance) => Some(Replaces::Glance(glance.session_id.clone())),
            Self::Plan(plan) => Some(Replaces::Plan(plan.session_id.clone())),
            Self::Turn(_)
            | Self::History(_)
            | Self::PermissionRequested(_)
            | Self::PermissionResolved(_)
            | Self::Created(_)
            | Self::News(_)
            | Self::Problem(_) => None,
        }
    }

    /// How far a connection is in the session's stream once it has this.
    pub(super) fn progress(&self) -> Option<(Option<&Epoch>, Seq)> {
        match self {
            Self::Upsert(upsert) => upsert.seq.map(|seq| (None, seq)),
            Self::Turn(event) => event.seq.map(|seq| (None, seq)),
            Self::History(history) => Some((Some(&history.page.epoch), history.page.seq)),
            Self::Plan(_)
            | Self::Status(_)
            | Self::Glance(_)
            | Self::PermissionRequested(_)
            | Self::PermissionResolved(_)
            | Self::Created(_)
            | Self::News(_)
            | Self::Problem(_) => None,
        }
    }

    /// What it costs to keep, near enough.
    pub(super) fn size(&self) -> usize {
        const FIXED: usize = 512;
        FIXED
            + match self {
                Self::Upsert(upsert) => upsert.approximate_size(),
                Self::Turn(event) => match &event.kind {
                    TurnEventKind::TurnError { error_message, .. } => error_message.len(),
                    TurnEventKind::TurnStarted { .. } | TurnEventKind::TurnComplete { .. } => 0,
                },
                Self::History(history) => {
                    history.page.entries.iter().map(UpsertObject::approximate_size).sum()
                }
                Self::PermissionRequested(request) | Self::PermissionResolved(request) => {
                    let diffs = request.diff.iter().flatten().flat_map(|file| &file.hunks);
                    let lines = diffs.flat_map(|hunk| &hunk.lines).map(String::len);
                    request.tool_arguments.as_ref().map_or(0, ToolArguments::approximate_size)
                        + lines.sum::<usize>()
                }
                Self::Problem(problem) => problem.message.len(),
                Self::Plan(plan) => plan.entries.iter().map(|entry| entry.content.len()).sum(),
                Self::Status(_) | Self::Glance(_) | Self::Created(_) | Self::News(_) => 0,
            }
    }
}
