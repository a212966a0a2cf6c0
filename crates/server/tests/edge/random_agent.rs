//! An agent that says anything: messages, calls with their output and thoughts, some longer than the stream carries.

use contract::{ErrorCode, ItemStatus, STREAM_LIMIT, SessionId, UpsertBody, UpsertObject};
use proptest::prelude::*;
use testkit::{Sample, TestServer};

/// Two messages, a call and a thought at a time.
const SLOTS: [Kind; 4] = [Kind::Message, Kind::Message, Kind::Call, Kind::Thought];

#[derive(Clone, Copy, Debug)]
enum Kind {
    Message,
    Call,
    Thought,
}

#[derive(Clone, Debug)]
pub(crate) enum Saying {
    /// The text of an item goes on.
    Grow(usize, String),
    Rewrite(usize, String),
    /// The text goes on by a little more than the stream carries.
    Swell(usize),
    /// The arguments of a call are complete and it runs; of another item nothing.
    Run(usize),
    /// An item ends, and another takes its slot.
    End(usize, Ending),
    Turn,
    /// More than the outbox of a client holds that does not read.
    Flood,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Ending {
    Complete,
    CutShort,
    /// The agent will say it anew.
    TakenBack,
}

pub(crate) fn saying() -> impl Strategy<Value = Saying> {
    let (slot, text) = (0..SLOTS.len(), "[a-z \u{e4}\u{20ac}\u{1f600}\n\"]{0,60}");
    let ending = prop_oneof![
        2 => Just(Ending::Complete),
        1 => Just(Ending::CutShort),
        1 => Just(Ending::TakenBack),
    ];
    prop_oneof![
        48 => (slot.clone(), text).prop_map(|(slot, text)| Saying::Grow(slot, text)),
        4 => (slot.clone(), text).prop_map(|(slot, text)| Saying::Rewrite(slot, text)),
        1 => slot.clone().prop_map(Saying::Swell),
        3 => slot.clone().prop_map(Saying::Run),
        10 => (slot, ending).prop_map(|(slot, ending)| Saying::End(slot, ending)),
        4 => Just(Saying::Turn),
        1 => Just(Saying::Flood),
    ]
}

pub(crate) struct Source {
    pub(crate) session: SessionId,
    sample: Sample,
    /// The item of each slot and its text, if it has begun.
    slots: [(usize, Option<String>); SLOTS.len()],
    turns: usize,
    floods: usize,
}

impl Source {
    pub(crate) fn new(session: &SessionId) -> Self {
        let slots = std::array::from_fn(|_| (0, None));
        let sample = Sample::new(session, "turn");
        Self { session: session.clone(), sample, slots, turns: 0, floods: 0 }
    }

    pub(crate) async fn say(&mut self, server: &TestServer, saying: Saying) {
        match saying {
            Saying::Grow(slot, more) => self.grow(server, slot, &more).await,
            Saying::Rewrite(slot, text) => self.put(server, slot, text).await,
            Saying::Swell(slot) => {
                self.grow(server, slot, &"0123456789\u{20ac}\n".repeat(STREAM_LIMIT / 13)).await;
            }
            Saying::Run(slot) => self.run(server, slot).await,
            Saying::End(slot, ending) => self.end(server, slot, ending).await,
            Saying::Turn => self.turn(server).await,
            Saying::Flood => self.flood(server).await,
        }
    }

    fn item(&self, slot: usize, status: ItemStatus, text: &str) -> UpsertObject {
        let id = format!("s{slot}-{}", self.slots[slot].0);
        match SLOTS[slot] {
            Kind::Message => self.sample.message(&id, status, text),
            Kind::Call => self.sample.tool(&id, status, Some(text).filter(|text| !text.is_empty())),
            Kind::Thought => UpsertObject {
                body: UpsertBody::Thinking { content: text.into(), provider_id: "p".into() },
                ..self.sample.message(&id, status, "")
            },
        }
    }

    fn text(&self, slot: usize) -> String {
        self.slots[slot].1.clone().unwrap_or_default()
    }

    async fn put(&mut self, server: &TestServer, slot: usize, text: String) {
        let is_new = self.slots[slot].1.is_none();
        let status = if is_new { ItemStatus::Create } else { ItemStatus::Update };
        server.parts.agent.emit(self.item(slot, status, &text)).await;
        self.slots[slot].1 = Some(text);
    }

    async fn grow(&mut self, server: &TestServer, slot: usize, more: &str) {
        self.put(server, slot, self.text(slot) + more).await;
    }

    /// With no output yet, `complete` says that the call is at work.
    async fn run(&mut self, server: &TestServer, slot: usize) {
        if matches!(SLOTS[slot], Kind::Call) && self.text(slot).is_empty() {
            server.parts.agent.emit(self.item(slot, ItemStatus::Complete, "")).await;
            self.slots[slot].1 = Some(String::new());
        }
    }

    async fn end(&mut self, server: &TestServer, slot: usize, ending: Ending) {
        let text = self.text(slot) + ".";
        let status = match ending {
            Ending::Complete => ItemStatus::Complete,
            Ending::CutShort | Ending::TakenBack => ItemStatus::Error,
        };
        let mut item = self.item(slot, status, &text);
        if matches!(ending, Ending::TakenBack) {
            item.error_code = Some(ErrorCode::SUPERSEDED);
        }
        server.parts.agent.emit(item).await;
        self.slots[slot] = (self.slots[slot].0 + 1, None);
    }

    async fn turn(&mut self, server: &TestServer) {
        let turn = Sample::new(&self.session, &format!("turn-{}", self.turns));
        self.turns += 1;
        server.parts.agent.emit_turn(turn.started()).await;
        server.parts.agent.emit_turn(turn.completed()).await;
    }

    async fn flood(&mut self, server: &TestServer) {
        for n in 0..6 {
            let (id, text) = (format!("flood{}-{n}", self.floods), "x".repeat(190_000));
            let item = self.sample.message(&id, ItemStatus::Complete, &text);
            server.parts.agent.emit(item).await;
        }
        self.floods += 1;
    }
}
