//! What operators watch: counted where it happens, told in the text format of Prometheus.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use contract::{
    Activity, ErrorCode, Family as MessageFamily, MessageOrigin, SessionState, SessionStatus,
    Timestamp, TurnEvent, TurnEventKind, TurnId, TurnStatus, UpsertBody, UpsertObject,
};
use pipeline::{Moment, Now};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

use crate::environment::Environment;
use crate::fanout::Publication;

/// Codes are made here and by agents; what an agent invents does not make a line of its own for ever.
const CODES: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Code {
    code: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Outcome {
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfFamily {
    family: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Status {
    state: &'static str,
    activity: &'static str,
}

impl Status {
    /// In the words of the wire.
    fn of(status: &SessionStatus) -> Self {
        let state = match status.state {
            SessionState::Open => "open",
            SessionState::Loading => "loading",
            SessionState::Dead => "dead",
        };
        let activity = match status.activity {
            Activity::Idle => "idle",
            Activity::Running => "running",
            Activity::Permission => "permission",
            Activity::Error => "error",
        };
        Self { state, activity }
    }
}

pub struct Metrics {
    registry: Registry,
    turns: Family<Outcome, Counter>,
    errors: Family<Code, Counter>,
    codes: Mutex<HashSet<String>>,
    first_text: Histogram,
    lag: Histogram,
    resyncs: Counter,
    duplicates: Counter,
    connections: Family<OfFamily, Gauge>,
    last_use: Family<OfFamily, Gauge<f64, AtomicU64>>,
    sessions: Family<Status, Gauge>,
    queued: Gauge,
    agents: Gauge,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("liminal"),
            turns: Family::default(),
            errors: Family::default(),
            codes: Mutex::default(),
            first_text: Histogram::new(exponential_buckets(0.01, 2.0, 14)),
            lag: Histogram::new(exponential_buckets(0.000_25, 2.0, 16)),
            resyncs: Counter::default(),
            duplicates: Counter::default(),
            connections: Family::default(),
            last_use: Family::default(),
            sessions: Family::default(),
            queued: Gauge::default(),
            agents: Gauge::default(),
        };
        metrics.register();
        metrics
    }
}

impl Metrics {
    fn register(&mut self) {
        let Self { registry, .. } = self;
        registry.register("turns", "Turns that ended, by how", self.turns.clone());
        registry.register("errors", "Errors that were told, by code", self.errors.clone());
        let told = "From handing a message to the agent to its first words";
        registry.register_with_unit("first_text", told, Unit::Seconds, self.first_text.clone());
        let told = "From the state of an item to its publication";
        registry.register_with_unit("event_lag", told, Unit::Seconds, self.lag.clone());
        let told = "Connections whose outbox was full and that were told everything again";
        registry.register("outbox_resyncs", told, self.resyncs.clone());
        let told = "Changes that a connection was told twice";
        registry.register("duplicate_deliveries", told, self.duplicates.clone());
        let told = "Connections, by family";
        registry.register("connections", told, self.connections.clone());
        let told = "When a connection of this family last did something, since 1970";
        registry.register_with_unit("family_last_use", told, Unit::Seconds, self.last_use.clone());
        let told = "Sessions that are in use, by state and activity";
        registry.register("sessions", told, self.sessions.clone());
        registry.register("queued_turns", "Turns that wait", self.queued.clone());
        registry.register("agents", "Agents that run", self.agents.clone());
    }

    pub fn count_error(&self, code: &ErrorCode) {
        let mut codes = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = codes.contains(code.as_str());
        if !is_known && codes.len() < CODES {
            codes.insert(code.as_str().to_owned());
        } else if !is_known {
            self.errors.get_or_create(&Code { code: "OTHER".to_owned() }).inc();
            return;
        }
        self.errors.get_or_create(&Code { code: code.as_str().to_owned() }).inc();
    }

    /// A connection was told a change that it had been told. This must never happen.
    pub fn count_duplicate(&self) {
        self.duplicates.inc();
    }

    pub fn count_resync(&self) {
        self.resyncs.inc();
    }

    /// A connection of this family did something.
    fn used(&self, family: &OfFamily, now: Timestamp) {
        #[expect(clippy::cast_precision_loss, reason = "seconds since 1970 fit a float")]
        let seconds = now.as_millis() as f64 / 1000.0;
        self.last_use.get_or_create(family).set(seconds);
    }

    /// The text, with the sessions as they are now.
    pub(crate) fn text<'a>(
        &self,
        sessions: impl Iterator<Item = &'a SessionStatus>,
        agents: usize,
    ) -> String {
        let (mut by_status, mut queued) = (HashMap::new(), 0);
        for status in sessions {
            *by_status.entry(Status::of(status)).or_insert(0) += 1;
            queued += i64::try_from(status.queued.len()).unwrap_or(i64::MAX);
        }
        self.sessions.clear();
        for (status, count) in by_status {
            self.sessions.get_or_create(&status).set(count);
        }
        self.queued.set(queued);
        self.agents.set(i64::try_from(agents).unwrap_or(i64::MAX));
        let mut text = String::new();
        // Writing into a string does not fail.
        encode(&mut text, &self.registry).ok();
        text
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

/// A connection that has chosen its family, counted as long as it is there.
#[derive(Debug)]
pub struct CountedConnection {
    family: OfFamily,
    metrics: Arc<Metrics>,
    environment: Environment,
}

impl CountedConnection {
    pub(crate) fn new(
        family: MessageFamily,
        metrics: Arc<Metrics>,
        environment: Environment,
    ) -> Self {
        let family = match family {
            MessageFamily::Legacy => "legacy",
            MessageFamily::UpsertV1 => "upsert-v1",
            MessageFamily::UpsertV2 => "upsert-v2",
        };
        let counted = Self { family: OfFamily { family }, metrics, environment };
        counted.metrics.connections.get_or_create(&counted.family).inc();
        counted.note_use();
        counted
    }

    /// It did something.
    pub fn note_use(&self) {
        self.metrics.used(&self.family, self.environment.clock.now());
    }
}

impl Drop for CountedConnection {
    fn drop(&mut self) {
        self.metrics.connections.get_or_create(&self.family).dec();
        self.note_use();
    }
}

/// What one session does, as it is watched.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// Turns that were handed over and have not said a word. As many as the agent holds, which is few.
    silent: HashMap<TurnId, Moment>,
}

impl Watch {
    pub(crate) fn handed_over(&mut self, turn: TurnId, now: Now) {
        self.silent.insert(turn, now.moment);
    }

    pub(crate) fn published(&mut self, publication: &Publication, metrics: &Metrics, now: Now) {
        if let Publication::Upsert(upsert) = publication {
            self.shown(upsert, metrics, now);
        } else if let Publication::Turn(event) = publication {
            self.told(event, metrics);
        }
    }

    fn shown(&mut self, upsert: &UpsertObject, metrics: &Metrics, now: Now) {
        let lag = now.wall.as_millis().saturating_sub(upsert.emitted_at.as_millis());
        metrics.lag.observe(Duration::from_millis(lag.max(0).unsigned_abs()).as_secs_f64());
        let is_word = match &upsert.body {
            UpsertBody::Message { origin, .. } => *origin == MessageOrigin::Agent,
            UpsertBody::Thinking { .. } => true,
            UpsertBody::ToolCall(_) => false,
        };
        let begun = if is_word { self.silent.remove(&upsert.turn_id) } else { None };
        if let Some(begun) = begun {
            metrics.first_text.observe(now.moment.saturating_duration_since(begun).as_secs_f64());
        }
    }

    fn told(&mut self, event: &TurnEvent, metrics: &Metrics) {
        let outcome = match &event.kind {
            TurnEventKind::TurnStarted { .. } => return,
            TurnEventKind::TurnComplete { status: TurnStatus::Completed, .. } => "completed",
            TurnEventKind::TurnComplete { status: TurnStatus::Cancelled, .. } => "cancelled",
            TurnEventKind::TurnError { error_code, .. } => {
                metrics.count_error(error_code);
                "error"
            }
        };
        self.silent.remove(&event.turn_id);
        metrics.turns.get_or_create(&Outcome { outcome }).inc();
    }
}

#[cfg(test)]
mod tests {
    use crate::environment::{Clock, RandomIds};

    use super::*;

    #[derive(Debug)]
    struct Then;

    impl Clock for Then {
        fn now(&self) -> Timestamp {
            Timestamp::from_millis(5500)
        }
    }

    #[test]
    fn what_happened_is_told() {
        let metrics = Arc::new(Metrics::default());
        metrics.count_error(&ErrorCode::PROCESS_CRASH);
        for n in 0..CODES {
            metrics.count_error(&ErrorCode::from(format!("INVENTED_{n}")));
        }
        let environment = Environment::new(Arc::new(RandomIds), Arc::new(Then));
        let connect = |family| CountedConnection::new(family, metrics.clone(), environment.clone());
        let _stays = connect(MessageFamily::Legacy);
        drop(connect(MessageFamily::UpsertV1));
        metrics.count_resync();
        let text = metrics.text(std::iter::empty(), 0);
        for line in [
            "liminal_errors_total{code=\"PROCESS_CRASH\"} 1",
            "liminal_errors_total{code=\"OTHER\"} 1",
            "liminal_connections{family=\"legacy\"} 1",
            "liminal_connections{family=\"upsert-v1\"} 0",
            "liminal_family_last_use_seconds{family=\"legacy\"} 5.5",
            "liminal_outbox_resyncs_total 1",
            "liminal_duplicate_deliveries_total 0",
            "liminal_first_text_seconds_count 0",
            "liminal_event_lag_seconds_count 0",
            "liminal_queued_turns 0",
            "liminal_agents 0",
        ] {
            assert!(text.lines().any(|told| told == line), "{line} in {text}");
        }
        assert_eq!(text.matches("INVENTED").count(), CODES - 1);
    }
}
