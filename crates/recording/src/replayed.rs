//! What a replay tells, in virtual time.

use std::time::Duration;

use contract::{
    BackgroundTask, Notice, PermissionRequest, PlanEntry, Timestamp, TurnEvent, UpsertObject,
};
use pipeline::{Moment, Now};
use serde::Serialize;
use serde_json::Value;

/// The session that a replay speaks of.
pub const REPLAY_SESSION: &str = "replay";

#[derive(Debug, Serialize)]
pub struct ReplayEvent {
    pub ms: u64,
    #[serde(flatten)]
    pub what: ReplayedThing,
}

#[derive(Debug, Serialize)]
#[serde(tag = "kind", content = "payload", rename_all = "snake_case")]
pub enum ReplayedThing {
    Upsert(Box<UpsertObject>),
    Turn(Box<TurnEvent>),
    Permission(Box<PermissionRequest>),
    Status(ReplayedStatus),
    Unknown(Value),
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplayedStatus {
    pub activity: &'static str,
    pub background_tasks: Vec<BackgroundTask>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<Notice>,
    /// What the agent means to do, where it tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Vec<PlanEntry>>,
}

impl ReplayedStatus {
    pub fn idle() -> Self {
        Self { activity: "idle", background_tasks: Vec::new(), notice: None, plan: None }
    }
}

/// A part of a session's history that was read from what an agent keeps.
#[derive(Clone, Debug, PartialEq)]
pub enum HistoryEvent {
    Upsert(Box<UpsertObject>),
    Turn(Box<TurnEvent>),
}

/// Both clocks of a replay at `ms`; the one for people began with 1970.
pub fn at(ms: u64) -> Now {
    let wall = Timestamp::from_millis(i64::try_from(ms).unwrap_or(i64::MAX));
    Now { moment: Moment::from_millis(ms), wall }
}

/// The first whole millisecond that is not before the moment.
pub fn millis(moment: Moment) -> u64 {
    let since = moment.saturating_duration_since(Moment::default());
    let whole = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
    if since > Duration::from_millis(whole) { whole.saturating_add(1) } else { whole }
}
