//! What operators watch: counted where it happens, told in the text format of Prometheus.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

use contract::{
    Activity, ErrorCode, Family as MessageFamily, ItemId, MessageOrigin, SessionState, Timestamp,
    TurnEvent, TurnEventKind, TurnId, TurnStatus, UpsertBody, UpsertObject,
};
use pipeline::{Moment, Now};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};
use store::Journal;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use crate::environment::Environment;
use crate::fanout::Publication;

/// Codes that agents and programs invent have so many lines, for ever; the others share one. Ours always have theirs.
const INVENTED_CODES: usize = 64;
/// So much of an invented one is told.
const LONGEST_CODE: usize = 64;

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
    fn of(state: SessionState, activity: Activity) -> Self {
        let state = match state {
            SessionState::Open => "open",
            SessionState::Loading => "loading",
            SessionState::Dead => "dead",
        };
        let activity = match activity {
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
    invented_codes: Mutex<HashSet<String>>,
    first_text: Histogram,
    lag: Histogram,
    resyncs: Counter,
    duplicates: Counter,
    connections: Family<OfFamily, Gauge>,
    last_use: Family<OfFamily, Gauge<f64, AtomicU64>>,
    sessions: Family<Status, Gauge>,
    queued: Gauge,
    agents: Gauge,
    outbox_frames: Gauge,
    outbox_bytes: Gauge,
    journal_queue: Gauge,
    /// When the last use of a family was last kept.
    kept: Mutex<HashMap<&'static str, Timestamp>>,
}

/// What waits or runs at the moment of the question.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Depths {
    /// Turns that wait.
    pub(crate) queued: usize,
    pub(crate) agents: usize,
    /// What connections have not taken yet: messages, and their text in bytes.
    pub(crate) outboxes: (usize, usize),
    /// Writes that wait for the disk.
    pub(crate) journal: usize,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("liminal"),
            turns: Family::default(),
            errors: Family::default(),
            invented_codes: Mutex::default(),
            first_text: Histogram::new(exponential_buckets(0.01, 2.0, 14)),
            lag: Histogram::new(exponential_buckets(0.000_05, 2.0, 18)),
            resyncs: Counter::default(),
            duplicates: Counter::default(),
            connections: Family::default(),
            last_use: Family::default(),
            sessions: Family::default(),
            queued: Gauge::default(),
            agents: Gauge::default(),
            outbox_frames: Gauge::default(),
            outbox_bytes: Gauge::default(),
            journal_queue: Gauge::default(),
            kept: Mutex::default(),
        };
        metrics.register();
        // Also those that nobody has used: then it is told that nobody did.
        for family in FAMILIES {
            let family = OfFamily { family: name_of(family) };
            metrics.connections.get_or_create(&family).set(0);
            metrics.last_use.get_or_create(&family).set(0.0);
        }
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
        let told = "From the moment a provider told the state of an item to its publication";
        registry.register_with_unit("event_lag", told, Unit::Seconds, self.lag.clone());
        let told = "Connections whose outbox was full and that were told everything again";
        registry.register("outbox_resyncs", told, self.resyncs.clone());
        let told = "Changes that a connection was told twice";
        registry.register("duplicate_deliveries", told, self.duplicates.clone());
        let told = "Connections, by family";
        registry.register("connections", told, self.connections.clone());
        let told =
            "When a connection of this family last did something, since 1970; 0 if none ever did";
        registry.register_with_unit("family_last_use", told, Unit::Seconds, self.last_use.clone());
        let told = "Sessions that are not archived, by state and activity";
        registry.register("sessions", told, self.sessions.clone());
        registry.register("queued_turns", "Turns that wait", self.queued.clone());
        registry.register("agents", "Agents that run", self.agents.clone());
        let told = "Messages that connections have not taken yet, over all connections";
        registry.register("outbox_frames", told, self.outbox_frames.clone());
        let told = "Their text";
        registry.register_with_unit("outbox", told, Unit::Bytes, self.outbox_bytes.clone());
        let told = "Writes to the journal that wait for their turn";
        registry.register("journal_queue", told, self.journal_queue.clone());
    }

    pub fn count_error(&self, code: &ErrorCode) {
        let code = if code.is_known() { code.to_string() } else { self.invented(code) };
        self.errors.get_or_create(&Code { code }).inc();
    }

    /// What an invented code is counted as.
    fn invented(&self, code: &ErrorCode) -> String {
        let code = shortened(code.as_str());
        let mut known = self.invented_codes.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= INVENTED_CODES && !known.contains(&code) {
            return "OTHER".to_owned();
        }
        known.insert(code.clone());
        code
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

    /// What an earlier run kept of it.
    pub(crate) fn recall_use(&self, family: MessageFamily, last: Timestamp) {
        self.used(&OfFamily { family: name_of(family) }, last);
    }

    /// Whether the last use of a family is to be kept now: the first time, and then once in a while.
    fn is_to_be_kept(&self, family: &'static str, now: Timestamp) -> bool {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let last = kept.get(family).map(|last| now.as_millis().saturating_sub(last.as_millis()));
        let is_due = last.is_none_or(|passed| passed >= KEPT_EVERY_MS);
        if is_due {
            kept.insert(family, now);
        }
        is_due
    }

    /// The text, with the sessions as they are now.
    pub(crate) fn text(
        &self,
        sessions: impl Iterator<Item = (SessionState, Activity)>,
        depths: Depths,
    ) -> String {
        let mut by_status = HashMap::new();
        for (state, activity) in sessions {
            *by_status.entry(Status::of(state, activity)).or_insert(0) += 1;
        }
        self.sessions.clear();
        for (status, count) in by_status {
            self.sessions.get_or_create(&status).set(count);
        }
        let set = |gauge: &Gauge, count: usize| gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
        set(&self.queued, depths.queued);
        set(&self.agents, depths.agents);
        set(&self.outbox_frames, depths.outboxes.0);
        set(&self.outbox_bytes, depths.outboxes.1);
        set(&self.journal_queue, depths.journal);
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

pub(crate) const FAMILIES: [MessageFamily; 3] =
    [MessageFamily::Legacy, MessageFamily::UpsertV1, MessageFamily::UpsertV2];

/// How old what is kept of a family's last use may be.
const KEPT_EVERY_MS: i64 = 60_000;

fn name_of(family: MessageFamily) -> &'static str {
    match family {
        MessageFamily::Legacy => "legacy",
        MessageFamily::UpsertV1 => "upsert-v1",
        MessageFamily::UpsertV2 => "upsert-v2",
    }
}

/// Of the length of a code, and without what would steer a terminal in which the figures are looked at.
fn shortened(code: &str) -> String {
    let letters = code.chars().take(LONGEST_CODE);
    letters.map(|letter| if letter.is_control() { '_' } else { letter }).collect()
}

/// Keeps when families were last used, so that days without use are known over restarts.
#[derive(Clone, Debug)]
pub(crate) struct UseKeeper {
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) tasks: TaskTracker,
}

impl UseKeeper {
    pub(crate) fn note_of(family: MessageFamily) -> String {
        Self::note_name(name_of(family))
    }

    fn note_name(family: &str) -> String {
        format!("family_last_use:{family}")
    }

    /// Nobody waits for it. A connection may also end with its runtime: then there is nobody to do it.
    fn keep(&self, family: &'static str, now: Timestamp) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let journal = self.journal.clone();
        let write = async move {
            let value = now.as_millis().to_string();
            if let Err(error) = journal.note(&Self::note_name(family), &value).await {
                tracing::debug!(%error, "the last use of a family is not kept");
            }
        };
        self.tasks.spawn_on(write, &runtime);
    }
}

/// A connection that has chosen its family, counted as long as it is there.
#[derive(Debug)]
pub struct CountedConnection {
    family: OfFamily,
    metrics: Arc<Metrics>,
    environment: Environment,
    keeper: UseKeeper,
}

impl CountedConnection {
    pub(crate) fn new(
        family: MessageFamily,
        metrics: Arc<Metrics>,
        environment: Environment,
        keeper: UseKeeper,
    ) -> Self {
        let family = OfFamily { family: name_of(family) };
        let counted = Self { family, metrics, environment, keeper };
        counted.metrics.connections.get_or_create(&counted.family).inc();
        counted.note_use();
        counted
    }

    /// It did something.
    pub fn note_use(&self) {
        let now = self.environment.clock.now();
        self.metrics.used(&self.family, now);
        if self.metrics.is_to_be_kept(self.family.family, now) {
            self.keeper.keep(self.family.family, now);
        }
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
    /// When the states were told that are published next.
    told: HashMap<ItemId, Instant>,
}

impl Watch {
    pub(crate) fn handed_over(&mut self, turn: TurnId, now: Now) {
        self.silent.insert(turn, now.moment);
    }

    /// A new batch of states begins; what the last one left was not published.
    pub(crate) fn begin_batch(&mut self) {
        self.told.clear();
    }

    /// A provider told a state of an item. Of several the last one counts, as it is the one that readers see.
    pub(crate) fn told_state(&mut self, item: &ItemId, at: Instant) {
        self.told.insert(item.clone(), at);
    }

    pub(crate) fn published(&mut self, publication: &Publication, metrics: &Metrics, now: Now) {
        if let Publication::Upsert(upsert) = publication {
            self.shown(upsert, metrics, now);
        } else if let Publication::Turn(event) = publication {
            self.told(event, metrics);
        }
    }

    fn shown(&mut self, upsert: &UpsertObject, metrics: &Metrics, now: Now) {
        if let Some(told) = self.told.remove(&upsert.item_id) {
            metrics.lag.observe(told.elapsed().as_secs_f64());
        }
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
        let environment = Environment::new(Arc::new(RandomIds), Arc::new(Then));
        let journal = Arc::new(store::MemoryJournal::default());
        let keeper = UseKeeper { journal, tasks: TaskTracker::new() };
        let connect = |family| {
            let (metrics, environment) = (metrics.clone(), environment.clone());
            CountedConnection::new(family, metrics, environment, keeper.clone())
        };
        let _stays = connect(MessageFamily::Legacy);
        drop(connect(MessageFamily::UpsertV1));
        metrics.count_resync();
        let depths = Depths { queued: 0, agents: 0, outboxes: (3, 400), journal: 5 };
        let text = metrics.text(std::iter::empty(), depths);
        for line in [
            "liminal_errors_total{code=\"PROCESS_CRASH\"} 1",
            "liminal_connections{family=\"legacy\"} 1",
            "liminal_connections{family=\"upsert-v1\"} 0",
            "liminal_family_last_use_seconds{family=\"legacy\"} 5.5",
            "liminal_outbox_resyncs_total 1",
            "liminal_duplicate_deliveries_total 0",
            "liminal_first_text_seconds_count 0",
            "liminal_event_lag_seconds_count 0",
            "liminal_queued_turns 0",
            "liminal_agents 0",
            "liminal_outbox_frames 3",
            "liminal_outbox_bytes 400",
            "liminal_journal_queue 5",
            "liminal_connections{family=\"upsert-v2\"} 0",
            "liminal_family_last_use_seconds{family=\"upsert-v2\"} 0.0",
        ] {
            assert!(text.lines().any(|told| told == line), "{line} in {text}");
        }
    }

    #[test]
    fn invented_codes_take_little_room_and_no_line_of_a_real_one() {
        let metrics = Metrics::default();
        metrics.count_error(&"NEW\nLINE\u{1b}[2J\"QUOTED\"".into());
        for n in 0..INVENTED_CODES + 2 {
            let long = "\u{e9}".repeat(1000);
            metrics.count_error(&ErrorCode::from(format!("INVENTED_{n}_{long}")));
        }
        metrics.count_error(&ErrorCode::STORE_UNAVAILABLE);
        metrics.count_error(&format!("INVENTED_0_{}", "\u{e9}".repeat(999)).into());
        let text = metrics.text(std::iter::empty(), Depths::default());
        for line in [
            "liminal_errors_total{code=\"STORE_UNAVAILABLE\"} 1".to_owned(),
            "liminal_errors_total{code=\"OTHER\"} 3".to_owned(),
            "liminal_errors_total{code=\"NEW_LINE_[2J\\\"QUOTED\\\"\"} 1".to_owned(),
            format!("liminal_errors_total{{code=\"INVENTED_0_{}\"}} 2", "\u{e9}".repeat(53)),
        ] {
            assert!(text.lines().any(|told| told == line), "{line} in {text}");
        }
        assert_eq!(text.matches("INVENTED").count(), INVENTED_CODES - 1);
    }
}
