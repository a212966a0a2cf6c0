//! Ids that count and a clock that stands still.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use contract::{Epoch, PermissionId, ProjectId, SessionId, Timestamp, TurnId};
use session::{Clock, Environment, IdSource};

/// `session-1`, `turn-1`, `turn-2`, …
#[derive(Debug, Default)]
pub struct CountingIds {
    sessions: AtomicU64,
    turns: AtomicU64,
    permissions: AtomicU64,
    projects: AtomicU64,
    epochs: AtomicU64,
}

fn next(name: &str, counter: &AtomicU64) -> String {
    format!("{name}-{}", counter.fetch_add(1, Ordering::Relaxed) + 1)
}

impl IdSource for CountingIds {
    fn session_id(&self) -> SessionId {
        next("session", &self.sessions).into()
    }

    fn turn_id(&self) -> TurnId {
        next("turn", &self.turns).into()
    }

    fn permission_id(&self) -> PermissionId {
        next("permission", &self.permissions).into()
    }

    fn project_id(&self) -> ProjectId {
        next("project", &self.projects).into()
    }

    fn epoch(&self) -> Epoch {
        next("epoch", &self.epochs).into()
    }
}

/// 2026-02-15T12:00:00Z, for ever.
#[derive(Debug)]
pub struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_771_156_800_000)
    }
}

pub fn fixed_environment() -> Environment {
    Environment::new(Arc::new(CountingIds::default()), Arc::new(FixedClock))
}
