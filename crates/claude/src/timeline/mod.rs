//! Items, assembled from messages and blocks whatever their order and whoever owns the turn.
//!
//! An item is `${turnId}:${ordinal}:${block}`: the ordinal counts the messages of a turn, the block is the model's own
//! index. Snapshots are authoritative; what streams before them is a preview. A delta, stop or snapshot whose beginning
//! is missing opens a placeholder, which the beginning fills in if it still comes.

mod block;
mod endings;
mod message;
mod subagents;
mod tool_facts;
mod tools;

use contract::{
    ErrorCode, ItemId, ItemStatus, ProviderId, SessionId, TurnId, UpsertBody, UpsertObject,
};
use pipeline::{BatchGradient, Batching, Moment, Now, Pace};

pub(crate) use endings::Closing;
use message::OpenMessage;
use tools::ToolBook;

#[derive(Debug)]
pub(crate) struct TimelineAssembler {
    session: SessionId,
    provider: ProviderId,
    batching: Batching,
    /// Whether finished blocks come again as snapshots. Without them a block's stop is all that ends it.
    has_snapshots: bool,
    turn: Option<TurnId>,
    ordinal: u32,
    message: Option<OpenMessage>,
    tools: ToolBook,
    /// Where older agents say which messages they took in: before the first snapshot of a turn, or after a tool's result.
    may_take_in: bool,
    emitted: Vec<UpsertObject>,
}

impl TimelineAssembler {
    pub(crate) fn new(session: SessionId, provider: ProviderId) -> Self {
        Self {
            session,
            provider,
            batching: Batching { gradient: BatchGradient::default(), pace: Pace::PROVIDER },
            has_snapshots: true,
            turn: None,
            ordinal: 0,
            message: None,
            tools: ToolBook::default(),
            may_take_in: false,
            emitted: Vec::new(),
        }
    }

    pub(crate) fn expect_no_snapshots(&mut self) {
        self.has_snapshots = false;
    }

    pub(crate) fn begin_turn(&mut self, turn: TurnId) {
        self.turn = Some(turn);
        self.ordinal = 0;
        self.message = None;
        self.may_take_in = true;
    }

    pub(crate) fn may_take_in(&self) -> bool {
        self.may_take_in
    }

    /// Takes what was emitted since, oldest first.
    pub(crate) fn take_emitted(&mut self) -> impl Iterator<Item = UpsertObject> + use<> {
        std::mem::take(&mut self.emitted).into_iter()
    }

    pub(crate) fn has_emitted(&self) -> bool {
        !self.emitted.is_empty()
    }

    pub(crate) fn poll_timeout(&self) -> Option<Moment> {
        self.message.as_ref().and_then(OpenMessage::deadline)
    }

    pub(crate) fn handle_timeout(&mut self, now: Now) {
        if self.poll_timeout().is_none_or(|deadline| deadline > now.moment) {
            return;
        }
        let (message, _, mut emit) = self.parts(now);
        message.iter_mut().for_each(|message| message.handle_timeout(&mut emit));
    }

    /// The item and turn of a tool call, if it is known.
    pub(crate) fn locate_tool(&self, call_id: &str) -> Option<(TurnId, ItemId)> {
        self.tools.get(call_id).map(|tool| (tool.turn_id.clone(), tool.item_id.clone()))
    }

    /// The open message, the tools, and what making upserts takes: apart, so that each may be worked on.
    fn parts(&mut self, now: Now) -> (&mut Option<OpenMessage>, &mut ToolBook, Emit<'_>) {
        let emit = Emit {
            session: &self.session,
            provider: &self.provider,
            batching: &self.batching,
            emitted: &mut self.emitted,
            now,
        };
        (&mut self.message, &mut self.tools, emit)
    }
}

/// What making upserts takes.
pub(crate) struct Emit<'a> {
    session: &'a SessionId,
    provider: &'a ProviderId,
    batching: &'a Batching,
    emitted: &'a mut Vec<UpsertObject>,
    now: Now,
}

/// Where an item stands and which state of it is told.
pub(crate) struct Place<'a> {
    pub(crate) turn: &'a TurnId,
    pub(crate) item: &'a ItemId,
    pub(crate) parent: Option<&'a ItemId>,
}

impl Emit<'_> {
    fn push(
        &mut self,
        place: &Place<'_>,
        status: ItemStatus,
        source: contract::Timestamp,
        body: UpsertBody,
    ) {
        let upsert = UpsertObject {
            source_timestamp: source,
            emitted_at: self.now.wall,
            status,
            parent_item_id: place.parent.cloned(),
            ..UpsertObject::new(place.turn.clone(), self.session.clone(), place.item.clone(), body)
        };
        self.emitted.push(upsert);
    }

    fn push_error(
        &mut self,
        place: &Place<'_>,
        source: contract::Timestamp,
        body: UpsertBody,
        failure: &Failure<'_>,
    ) {
        self.push(place, ItemStatus::Error, source, body);
        if let Some(upsert) = self.emitted.last_mut() {
            upsert.error_code = Some(failure.code.clone());
            upsert.error_message = Some(failure.message.to_owned());
        }
    }
}

/// Why an item ends badly.
#[derive(Clone, Debug)]
pub(crate) struct Failure<'a> {
    pub(crate) code: ErrorCode,
    pub(crate) message: &'a str,
}
