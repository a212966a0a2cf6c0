//! A processor with a hand on its clock, and short words for events.

use contract::{
    EventError, EventPayload, FinalItem, ItemStart, ItemStatus, MessageOrigin, ResponseDone,
    ResponseStatus, StreamEventEnvelope, Timestamp, ToolArguments, ToolCall, TurnEvent,
    TurnEventKind, UpsertBody, UpsertObject,
};
use pipeline::{BatchGradient, DestroyReason, Emission, Moment, Now, Pace, UpsertProcessor};

/// Wall time of the harness' clock at zero.
pub(crate) const START: i64 = 1_000_000;

pub(crate) struct Harness {
    pub(crate) processor: UpsertProcessor,
    pub(crate) emissions: Vec<Emission>,
    pub(crate) turn: &'static str,
    millis: u64,
    events: i64,
}

impl Harness {
    pub(crate) fn new(gradient: &[usize]) -> Self {
        Self::with_pace(gradient, Pace::CANONICAL)
    }

    pub(crate) fn with_pace(gradient: &[usize], pace: Pace) -> Self {
        Self::around(UpsertProcessor::new(BatchGradient::new(gradient), pace))
    }

    pub(crate) fn around(processor: UpsertProcessor) -> Self {
        Self { processor, emissions: Vec::new(), turn: "turn-1", millis: 0, events: 0 }
    }

    /// Sends one event; the n-th event says it happened at n milliseconds.
    pub(crate) fn send(&mut self, payload: EventPayload) -> &mut Self {
        self.events += 1;
        let event = StreamEventEnvelope {
            event_id: format!("event-{}", self.events).into(),
            timestamp: Timestamp::from_millis(self.events),
            turn_id: self.turn.into(),
            session_id: "session-1".into(),
            payload,
        };
        self.processor.process(&event, self.now());
        self.drain()
    }

    pub(crate) fn send_all(
        &mut self,
        payloads: impl IntoIterator<Item = EventPayload>,
    ) -> &mut Self {
        payloads.into_iter().for_each(|payload| {
            self.send(payload);
        });
        self
    }

    pub(crate) fn in_turn(&mut self, turn: &'static str) -> &mut Self {
        self.turn = turn;
        self
    }

    /// Moves the clock on and fires what is due on the way, as a driver would.
    pub(crate) fn wait(&mut self, millis: u64) -> &mut Self {
        let until = self.millis + millis;
        while let Some(deadline) = self.processor.poll_timeout()
            && deadline <= Moment::from_millis(until)
        {
            let wait = deadline.saturating_duration_since(Moment::from_millis(self.millis));
            self.millis += u64::try_from(wait.as_millis()).unwrap();
            self.processor.handle_timeout(self.now());
            assert!(
                self.processor
                    .poll_timeout()
                    .is_none_or(|next| next > Moment::from_millis(self.millis)),
                "no spin"
            );
            self.drain();
        }
        self.millis = until;
        self
    }

    pub(crate) fn destroy(&mut self, reason: Option<(&str, &str)>) -> &mut Self {
        let reason = reason
            .map(|(code, message)| DestroyReason { code: code.into(), message: message.into() });
        self.processor.destroy(reason.as_ref(), self.now());
        self.drain()
    }

    pub(crate) fn now(&self) -> Now {
        let wall = Timestamp::from_millis(START + i64::try_from(self.millis).unwrap());
        Now { moment: Moment::from_millis(self.millis), wall }
    }

    fn drain(&mut self) -> &mut Self {
        while let Some(emission) = self.processor.poll_emission() {
            self.emissions.push(emission);
        }
        self
    }

    pub(crate) fn upserts(&self) -> Vec<&UpsertObject> {
        self.emissions
            .iter()
            .filter_map(|emission| match emission {
                Emission::Upsert(upsert) => Some(upsert),
                Emission::Turn(_) => None,
            })
            .collect()
    }

    pub(crate) fn turns(&self) -> Vec<&TurnEvent> {
        self.emissions
            .iter()
            .filter_map(|emission| match emission {
                Emission::Turn(turn) => Some(turn),
                Emission::Upsert(_) => None,
            })
            .collect()
    }

    /// What came out, one line each: `item status "content"`, `turn-1 started`.
    pub(crate) fn story(&self) -> Vec<String> {
        self.emissions.iter().map(tell).collect()
    }
}

fn tell(emission: &Emission) -> String {
    match emission {
        Emission::Upsert(upsert) => {
            let code = upsert.error_code.as_ref().map_or(String::new(), |code| format!(" {code}"));
            format!("{} {}{code} {}", upsert.item_id, status(upsert.status), content(upsert))
        }
        Emission::Turn(event) => match &event.kind {
            TurnEventKind::TurnStarted { .. } => format!("{} started", event.turn_id),
            TurnEventKind::TurnComplete { status, .. } => {
                format!("{} {status:?}", event.turn_id).to_lowercase()
            }
            TurnEventKind::TurnError { error_code, .. } => {
                format!("{} error {error_code}", event.turn_id)
            }
        },
    }
}

fn status(status: ItemStatus) -> &'static str {
    match status {
        ItemStatus::Create => "create",
        ItemStatus::Update => "update",
        ItemStatus::Complete => "complete",
        ItemStatus::Error => "error",
    }
}

fn content(upsert: &UpsertObject) -> String {
    match &upsert.body {
        UpsertBody::Message { content, .. } | UpsertBody::Thinking { content, .. } => {
            format!("{content:?}")
        }
        UpsertBody::ToolCall(ToolCall { tool_name, tool_output, .. }) => match tool_output {
            Some(output) => format!("{tool_name} -> {output:?}"),
            None => tool_name.clone(),
        },
    }
}

pub(crate) fn words(upsert: &UpsertObject) -> usize {
    upsert.content().unwrap().to_string().split_whitespace().count()
}

pub(crate) fn response_start() -> EventPayload {
    EventPayload::ResponseStart { model_id: "model-1".into(), provider_id: "provider-1".into() }
}

pub(crate) fn message(item: &str) -> EventPayload {
    EventPayload::ItemStart {
        item_id: item.into(),
        start: ItemStart::Message { initial_content: None },
    }
}

pub(crate) fn message_with(item: &str, text: &str) -> EventPayload {
    let start = ItemStart::Message { initial_content: Some(text.into()) };
    EventPayload::ItemStart { item_id: item.into(), start }
}

pub(crate) fn reasoning(item: &str) -> EventPayload {
    EventPayload::ItemStart {
        item_id: item.into(),
        start: ItemStart::Reasoning { initial_content: None },
    }
}

pub(crate) fn call(item: &str, call_id: &str) -> EventPayload {
    let start = ItemStart::FunctionCall { name: "Read".into(), call_id: call_id.into() };
    EventPayload::ItemStart { item_id: item.into(), start }
}

pub(crate) fn delta(item: &str, text: &str) -> EventPayload {
    EventPayload::ItemDelta { item_id: item.into(), delta_content: text.into() }
}

/// `count` deltas of one word each.
pub(crate) fn single_words(item: &str, count: usize) -> Vec<EventPayload> {
    (0..count).map(|n| delta(item, &format!("w{n} "))).collect()
}

pub(crate) fn message_done(item: &str, text: &str) -> EventPayload {
    let final_item = FinalItem::Message { content: text.into(), origin: MessageOrigin::Agent };
    EventPayload::ItemDone { item_id: item.into(), final_item }
}

pub(crate) fn reasoning_done(item: &str, text: &str) -> EventPayload {
    let final_item =
        FinalItem::Reasoning { content: text.into(), provider_id: "final-provider".into() };
    EventPayload::ItemDone { item_id: item.into(), final_item }
}

pub(crate) fn call_done(item: &str, call_id: &str, path: &str) -> EventPayload {
    let arguments = serde_json::json!({"path": path}).as_object().unwrap().clone();
    let arguments = ToolArguments::from(arguments);
    let final_item =
        FinalItem::FunctionCall { name: "Read".into(), call_id: call_id.into(), arguments };
    EventPayload::ItemDone { item_id: item.into(), final_item }
}

pub(crate) fn output(item: &str, call_id: &str, text: &str) -> EventPayload {
    let final_item = FinalItem::FunctionCallOutput {
        call_id: call_id.into(),
        output: text.into(),
        is_error: false,
    };
    EventPayload::ItemDone { item_id: item.into(), final_item }
}

pub(crate) fn error(code: &str) -> EventError {
    EventError { code: code.into(), message: format!("{code} happened") }
}

pub(crate) fn item_error(item: &str) -> EventPayload {
    EventPayload::ItemError { item_id: item.into(), error: error("ITEM_BROKE") }
}

pub(crate) fn item_cancelled(item: &str) -> EventPayload {
    EventPayload::ItemCancelled { item_id: item.into(), reason: None }
}

pub(crate) fn done(status: ResponseStatus) -> EventPayload {
    EventPayload::ResponseDone(ResponseDone {
        status,
        finish_reason: None,
        error: None,
        usage: None,
    })
}

pub(crate) fn completed() -> EventPayload {
    done(ResponseStatus::Completed)
}

pub(crate) fn cancelled() -> EventPayload {
    done(ResponseStatus::Cancelled)
}

pub(crate) fn response_error() -> EventPayload {
    EventPayload::ResponseError { error: error("RESPONSE_BROKE") }
}
