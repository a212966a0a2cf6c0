//! Lines of a rollout → what a live agent would have said → items and turns.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use contract::{
    ItemId, ItemStatus, MessageOrigin, ModelId, ProviderId, SessionId, Text, Timestamp, TurnEvent,
    TurnEventKind, TurnId, TurnOrigin, TurnStatus, UpsertBody, UpsertObject,
};
use pipeline::{Moment, Now};
use recording::HistoryEvent;
use serde_json::Value;

use super::line::{Event, Item, Line, TurnContext, What};
use super::tools::Calls;
use super::turn::ReadTurn;
use super::usage::Meter;
use super::words;
use crate::timeline::{Closing, Timeline};
use crate::update::{Chunk, Speaker};

pub(super) struct Reader {
    session: SessionId,
    provider: ProviderId,
    pub(super) timeline: Timeline,
    /// Whether messages are read from what clients were told, not from what the model was.
    is_told: bool,
    pub(super) turn: Option<ReadTurn>,
    seen: HashSet<TurnId>,
    /// The turn that the last context was of, until a turn takes its name.
    context_turn: Option<String>,
    model: ModelId,
    pub(super) cwd: String,
    meter: Meter,
    pub(super) calls: Calls,
    pub(super) now: Now,
    events: Vec<HistoryEvent>,
    /// Where each item stands in `events`.
    items: HashMap<ItemId, usize>,
    /// Where each turn of a person begins in `events`.
    prompted: Vec<usize>,
}

impl Reader {
    pub(super) fn new(session: SessionId, provider: ProviderId, is_told: bool) -> Self {
        Self {
            timeline: Timeline::new(session.clone(), provider.clone()),
            session,
            provider,
            is_told,
            turn: None,
            seen: HashSet::new(),
            context_turn: None,
            model: ModelId::from("unknown"),
            cwd: String::new(),
            meter: Meter::default(),
            calls: Calls::default(),
            now: at(Timestamp::default()),
            events: Vec::new(),
            items: HashMap::new(),
            prompted: Vec::new(),
        }
    }

    pub(super) fn read(mut self, lines: Vec<Line>) -> Vec<HistoryEvent> {
        for line in lines {
            // Time never goes back, also where lines do.
            self.now = line.time.filter(|time| *time > self.now.wall).map_or(self.now, at);
            match line.what {
                What::Meta(meta) if self.cwd.is_empty() => {
                    self.cwd = meta.cwd.unwrap_or_default();
                }
                What::Context(context) => self.take_context(context),
                What::Event(event) => self.take_event(event),
                What::Item(item) => self.take_item(item),
                What::Meta(_) | What::Nothing | What::Unknown => {}
            }
            self.collect();
        }
        self.cut_off();
        self.events
    }

    fn take_context(&mut self, context: TurnContext) {
        self.context_turn = context.turn_id;
        if let Some(model) = context.model {
            self.model = ModelId::from(model);
        }
        if let Some(cwd) = context.cwd {
            self.cwd = cwd;
        }
    }

    fn take_event(&mut self, event: Event) {
        match event {
            Event::TaskStarted { turn_id } => {
                self.cut_off();
                let id = self.fresh_turn(turn_id);
                self.open(id, true);
            }
            Event::TaskComplete { turn_id, last_agent_message, error } => {
                if self.is_named(turn_id.as_deref()) {
                    let has_message = last_agent_message.is_some();
                    self.end_turn(|turn| turn.ended(error.as_ref(), has_message));
                }
            }
            Event::TurnAborted { turn_id } => {
                if self.is_named(turn_id.as_deref()) {
                    self.end_turn(ReadTurn::cancelled);
                }
            }
            Event::UserMessage { message, images, local_images } => {
                let images = images.map_or(0, |images| images.len()) + local_images.len();
                self.take_prompt(&words::with_images(message, images));
            }
            Event::AgentMessage { message } => self.say_message(&message),
            Event::AgentReasoning { text } => self.say_thought(&text),
            Event::TokenCount { info } => {
                self.timeline.note_break(self.now);
                if let Some(info) = info {
                    self.meter.note(&info, self.turn.as_mut().map(|turn| &mut turn.cost));
                }
            }
            Event::PatchApplyEnd { call_id, stdout, stderr, success, changes } => {
                let output = if stdout.is_empty() { stderr } else { stdout };
                self.take_patch_end(&call_id, output, success, &changes);
            }
            Event::McpToolCallEnd { call_id, result } => self.calls.note_mcp_end(&call_id, &result),
            Event::ContextCompacted => self.say_message("Context compacted"),
            Event::ExitedReviewMode => self.note_answer(),
            Event::ThreadRolledBack { num_turns } => self.roll_back(num_turns),
            Event::Beside | Event::Unknown => {}
        }
    }

    fn take_item(&mut self, item: Item) {
        match item {
            Item::Message { role, content } if !self.is_told => {
                let text = words::text_of(&content);
                match role.as_str() {
                    "user" if !words::is_injected(&text) => self.take_prompt(&text),
                    "assistant" => self.say_message(&text),
                    _ => {}
                }
            }
            Item::Reasoning { summary } if !self.is_told => {
                let parts = summary.as_array().into_iter().flatten();
                for text in parts.filter_map(|part| part.get("text").and_then(Value::as_str)) {
                    self.say_thought(text);
                }
            }
            Item::FunctionCall { name, arguments, call_id } => {
                self.take_call(&name, &arguments, &call_id);
            }
            Item::CustomToolCall { name, input, call_id } => {
                self.take_call(&name, &input, &call_id);
            }
            Item::LocalShellCall { call_id, action } => self.take_call("shell", &action, &call_id),
            Item::FunctionCallOutput { call_id, output } => {
                self.take_output(&call_id, &words::text_of(&output));
            }
            Item::WebSearchCall { id, action } => self.take_search(id, &action),
            Item::Message { .. } | Item::Reasoning { .. } | Item::Beside | Item::Unknown => {}
        }
    }

    /// A person's message: it begins a turn, or joins the one that runs.
    fn take_prompt(&mut self, text: &str) {
        if self.turn.as_ref().is_some_and(|turn| !turn.is_told && turn.has_prompt) {
            self.cut_off();
        }
        if self.turn.is_none() {
            self.open_untold();
        }
        self.timeline.end_text(self.now);
        self.collect();
        let Some(turn) = &mut self.turn else { return };
        if !std::mem::replace(&mut turn.has_prompt, true) {
            let id = turn.id.clone();
            if turn.started.is_none() {
                self.prompted.push(self.events.len());
            }
            self.push_user_item(&id, text);
            self.announce();
            return;
        }
        let host = turn.id.clone();
        let joined = self.fresh_turn(Some(format!("{host}-joined")));
        if let Some(turn) = &mut self.turn {
            turn.has_answer = false;
            turn.joined.push(joined.clone());
        }
        self.push_user_item(&joined, text);
        self.push_started(joined, TurnOrigin::User, Some(host));
    }

    fn say_message(&mut self, text: &str) {
        self.begin_work();
        self.timeline.end_text(self.now);
        self.timeline.say(Speaker::Agent, &chunk(text), self.now);
        self.timeline.end_text(self.now);
        self.note_answer();
    }

    /// Parts of a thought that follow each other are one.
    fn say_thought(&mut self, text: &str) {
        self.begin_work();
        self.timeline.say(Speaker::Thought, &chunk("\n\n"), self.now);
        self.timeline.say(Speaker::Thought, &chunk(text), self.now);
    }

    fn note_answer(&mut self) {
        if let Some(turn) = &mut self.turn {
            turn.has_answer = true;
        }
    }

    /// The agent works: on the open turn, or else on one whose beginning is not told.
    pub(super) fn begin_work(&mut self) {
        if self.turn.is_none() {
            self.open_untold();
        }
        self.announce();
    }

    fn open_untold(&mut self) {
        let told = self.context_turn.take();
        let id = self.fresh_turn(told.filter(|id| !self.seen.contains(&TurnId::from(id.as_str()))));
        self.open(id, false);
    }

    fn open(&mut self, id: TurnId, is_told: bool) {
        self.timeline.begin_turn(id.clone());
        self.turn = Some(ReadTurn::new(id, is_told));
    }

    /// Codex's own name of a turn, if it has one that no other turn has; else the next of ours.
    fn fresh_turn(&mut self, told: Option<String>) -> TurnId {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let told = told.filter(|id| (1..=128).contains(&id.len()) && id.chars().all(is_name));
        let mut id = told.unwrap_or_else(|| format!("{}-{}", self.session, self.seen.len() + 1));
        while !self.seen.insert(TurnId::from(id.as_str())) {
            id = format!("{id}-{}", self.seen.len() + 1);
        }
        TurnId::from(id)
    }

    fn is_named(&self, turn: Option<&str>) -> bool {
        self.turn.as_ref().is_some_and(|open| open.is_named(turn))
    }

    /// Tells the open turn's start, with whatever comes first in it.
    fn announce(&mut self) {
        let started = self.events.len();
        let Some(turn) = self.turn.as_mut().filter(|turn| turn.started.is_none()) else { return };
        turn.started = Some(started);
        let id = turn.id.clone();
        self.push_started(id, TurnOrigin::Autonomous, None);
    }

    fn push_started(&mut self, turn: TurnId, origin: TurnOrigin, joined: Option<TurnId>) {
        let kind = TurnEventKind::TurnStarted {
            model_id: self.model.clone(),
            provider_id: self.provider.clone(),
            origin: Some(origin),
            joined_turn_id: joined,
        };
        self.push_turn(turn, kind);
    }

    fn cut_off(&mut self) {
        self.end_turn(ReadTurn::cut_off);
    }

    fn end_turn(&mut self, kind: impl FnOnce(&ReadTurn) -> TurnEventKind) {
        let Some(turn) = &self.turn else { return };
        let kind = kind(turn);
        let is_cancelled =
            matches!(kind, TurnEventKind::TurnComplete { status: TurnStatus::Cancelled, .. });
        self.report_aborted(is_cancelled);
        self.timeline.end_turn(Closing::of(&kind), self.now);
        self.collect();
        let Some(turn) = self.turn.take() else { return };
        // Nothing was said in it, not even by a person.
        let Some(started) = turn.started else { return };
        if turn.has_prompt
            && let Some(HistoryEvent::Turn(event)) = self.events.get_mut(started)
            && let TurnEventKind::TurnStarted { origin, .. } = &mut event.kind
        {
            *origin = Some(TurnOrigin::User);
        }
        let of_joined = match &kind {
            TurnEventKind::TurnComplete { status, .. } => {
                TurnEventKind::TurnComplete { status: *status, usage: None }
            }
            other => other.clone(),
        };
        self.push_turn(turn.id, kind);
        for joined in turn.joined {
            self.push_turn(joined, of_joined.clone());
        }
    }

    /// The person went back before their last messages: what followed them is not of the conversation any more.
    fn roll_back(&mut self, turns: usize) {
        self.cut_off();
        let kept = self.prompted.len().saturating_sub(turns);
        let Some(end) = self.prompted.get(kept).copied() else { return };
        self.prompted.truncate(kept);
        self.events.truncate(end);
        self.items.retain(|_, index| *index < end);
    }

    fn push_turn(&mut self, turn_id: TurnId, kind: TurnEventKind) {
        let (session_id, at) = (self.session.clone(), Some(self.now.wall));
        let event = TurnEvent { turn_id, session_id, seq: None, at, kind };
        self.events.push(HistoryEvent::Turn(Box::new(event)));
    }

    fn push_user_item(&mut self, turn: &TurnId, text: &str) {
        let body = UpsertBody::Message { content: Text::from(text), origin: MessageOrigin::User };
        let item = ItemId::of_user_message(turn);
        self.push_item(UpsertObject {
            source_timestamp: self.now.wall,
            emitted_at: self.now.wall,
            status: ItemStatus::Complete,
            ..UpsertObject::new(turn.clone(), self.session.clone(), item, body)
        });
    }

    fn collect(&mut self) {
        for upsert in self.timeline.take_emitted() {
            self.push_item(upsert);
        }
    }

    /// Only the last state of an item counts here, and when it began. One that failed stays so.
    fn push_item(&mut self, mut upsert: UpsertObject) {
        let known = self.items.get(&upsert.item_id).copied();
        match known.and_then(|index| self.events.get_mut(index)) {
            Some(HistoryEvent::Upsert(before)) => {
                if before.status != ItemStatus::Error {
                    upsert.started_at = before.started_at;
                    **before = upsert;
                }
            }
            Some(HistoryEvent::Turn(_)) | None => {
                let turn = &upsert.turn_id;
                let is_open = |open: &ReadTurn| open.id == *turn || open.joined.contains(turn);
                // A command that outlived a turn which was taken back reports to nobody.
                if self.turn.as_ref().is_some_and(is_open) {
                    upsert.started_at = Some(upsert.source_timestamp);
                    self.items.insert(upsert.item_id.clone(), self.events.len());
                    self.events.push(HistoryEvent::Upsert(Box::new(upsert)));
                }
            }
        }
    }
}

fn chunk(text: &str) -> Chunk<'_> {
    Chunk { text: Cow::Borrowed(text), message: None }
}

fn at(wall: Timestamp) -> Now {
    let ms = u64::try_from(wall.as_millis()).unwrap_or_default();
    Now { moment: Moment::from_millis(ms), wall }
}
