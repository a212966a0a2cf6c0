//! What sessions take from outside besides agents: ids and the time of day. Tests replace both.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use contract::{Epoch, PermissionId, ProjectId, SessionId, Timestamp, TurnId};
use pipeline::{Moment, Now};
use tokio::time::Instant;
use uuid::Uuid;

use crate::secrets::Secrets;

/// Where new ids come from.
pub trait IdSource: Send + Sync {
    fn session_id(&self) -> SessionId;
    fn turn_id(&self) -> TurnId;
    fn permission_id(&self) -> PermissionId;
    fn project_id(&self) -> ProjectId;
    fn epoch(&self) -> Epoch;
}

/// The time of day.
pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;
}

/// Ids, both clocks and what is to be kept secret, handed to everything that needs them.
#[derive(Clone)]
pub struct Environment {
    pub ids: Arc<dyn IdSource>,
    pub clock: Arc<dyn Clock>,
    /// What must not be told.
    pub secrets: Secrets,
    origin: Instant,
}

impl Environment {
    pub fn new(ids: Arc<dyn IdSource>, clock: Arc<dyn Clock>) -> Self {
        Self { ids, clock, secrets: Secrets::default(), origin: Instant::now() }
    }

    #[must_use]
    pub fn with_secrets(self, secrets: Secrets) -> Self {
        Self { secrets, ..self }
    }

    pub fn now(&self) -> Now {
        Now { moment: Moment::since_origin(self.origin.elapsed()), wall: self.clock.now() }
    }

    /// Sleeps until `deadline`, or for ever without one. Reads tokio's clock, so that a test may pause it.
    pub async fn sleep_until(&self, deadline: Option<Moment>) {
        let Some(deadline) = deadline else { return std::future::pending().await };
        let wait = deadline.saturating_duration_since(Moment::since_origin(self.origin.elapsed()));
        tokio::time::sleep(wait).await;
    }
}

impl Default for Environment {
    fn default() -> Self {
        Self::new(Arc::new(RandomIds), Arc::new(SystemClock))
    }
}

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Environment").finish_non_exhaustive()
    }
}

#[derive(Debug)]
pub struct RandomIds;

impl IdSource for RandomIds {
    fn session_id(&self) -> SessionId {
        random().into()
    }

    fn turn_id(&self) -> TurnId {
        random().into()
    }

    fn permission_id(&self) -> PermissionId {
        random().into()
    }

    fn project_id(&self) -> ProjectId {
        random().into()
    }

    fn epoch(&self) -> Epoch {
        random().into()
    }
}

fn random() -> String {
    Uuid::new_v4().to_string()
}

#[derive(Debug)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        Timestamp::from_millis(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
    }
}
