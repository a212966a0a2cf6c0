//! Lines of a conversation → the events that the agent would have told of it → items and turns.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::mpsc;

use contract::{
    CallId, ErrorCode, ItemId, ItemStatus, MessageOrigin, ProviderId, SessionId, Text, Timestamp,
    TurnId, UpsertBody, UpsertObject,
};
use pipeline::{Moment, Now};
use recording::HistoryEvent;

use super::line::{Kind, Line, MessageHead};
use super::turn::{Ending, ReadTurn};
use super::words::Words;
use crate::event::{Event, Init, Snapshot, UserLine};
use crate::line::{Block, Content, Message, Word};
use crate::outcome::{Outcome, TurnFailure};
use crate::output::Output;
use crate::routing::TurnState;
use crate::translator::ClaudeTranslator;

/// The model that the CLI names for words of its own.
const OWN_MODEL: &str = "<synthetic>";

/// Said by the CLI for the model, to close a turn that a crash left open. Nobody heard it.
const STOPGAP: &str = "No response requested.";

pub(super) struct Reader<'a> {
    session: SessionId,
    translator: ClaudeTranslator,
    /// Names the turns that nobody asked for.
    names: mpsc::Sender<TurnId>,
    subagents: HashMap<CallId, Vec<Line<'a>>>,
    /// Turns that were begun or joined. A line that is told twice begins none.
    seen: HashSet<TurnId>,
    turn: Option<ReadTurn<'a>>,
    /// A command whose answer has not come. Most have none, and are not told then.
    command: Option<(TurnId, String, Now)>,
    model: Word<'a>,
    now: Now,
    events: Vec<HistoryEvent>,
    /// Where each item stands in `events`.
    items: HashMap<ItemId, usize>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(session: SessionId, provider: ProviderId) -> Self {
        let (names, given) = mpsc::channel();
        let fresh_turn = move || given.try_recv().unwrap_or_else(|_| TurnId::from("unknown-turn"));
        Self {
            translator: ClaudeTranslator::new(session.clone(), fresh_turn).told_by(provider),
            session,
            names,
            subagents: HashMap::new(),
            seen: HashSet::new(),
            turn: None,
            command: None,
            model: Word::from("unknown"),
            now: Now { moment: Moment::default(), wall: Timestamp::default() },
            events: Vec::new(),
            items: HashMap::new(),
        }
    }

    pub(super) fn add_subagent(&mut self, call: &CallId, lines: Vec<Line<'a>>) {
        self.subagents.insert(call.clone(), lines);
    }

    pub(super) fn read(mut self, lines: &[&Line<'a>]) -> Vec<HistoryEvent> {
        let models = models(lines);
        for (index, line) in lines.iter().enumerate() {
            if let Some(model) = models.get(index).cloned().flatten() {
                self.model = model;
            }
            match line.kind() {
                Kind::User => self.take_user(line),
                Kind::Assistant => self.take_assistant(line, lines.get(index + 1).copied()),
                Kind::Attachment => self.take_attachment(line),
                Kind::System => self.take_system(line),
                Kind::LastPrompt | Kind::Other => {}
            }
        }
        self.end_turn();
        self.translator.end(ErrorCode::PROCESS_CRASH, "the transcript ends here", self.now);
        self.collect();
        self.events
    }

    fn take_user(&mut self, line: &Line<'a>) {
        let Some(message) = line.message() else { return };
        match Words::of(line, &message.content) {
            Words::Prompt(text) => {
                self.end_turn();
                self.go_to(line);
                let merged = line.merged_send_uuids.as_deref().unwrap_or_default();
                self.begin(merged, &line.uuid, &text);
            }
            Words::WakeUp => {
                self.end_turn();
                self.go_to(line);
                self.begin_unasked(&line.uuid);
            }
            Words::Results => {
                self.go_to(line);
                self.take_results(message.content, line, Word::default());
                if let Some(turn) = &mut self.turn {
                    turn.note_results();
                }
            }
            words @ (Words::Command(_)
            | Words::CommandOutput(_)
            | Words::Interrupted
            | Words::NoAnswer
            | Words::Own) => self.take_words(words, line),
        }
    }

    fn take_system(&mut self, line: &Line<'a>) {
        if line.subtype.as_str() == "local_command" {
            self.take_words(Words::of_text(line.content.as_str().to_owned()), line);
        }
    }

    /// What the CLI says for itself, in a line of the user's or of the system's.
    fn take_words(&mut self, words: Words, line: &Line<'a>) {
        match words {
            Words::Command(text) => {
                self.end_turn();
                self.go_to(line);
                self.command = Some((TurnId::from(line.uuid.as_str()), text, self.now));
            }
            Words::CommandOutput(text) => self.answer_command(&text, line),
            Words::Interrupted => {
                self.go_to(line);
                if let Some(turn) = &mut self.turn {
                    turn.ending = Ending::Interrupted;
                }
            }
            Words::NoAnswer => {
                self.go_to(line);
                if let Some(turn) = &mut self.turn {
                    turn.has_content = true;
                    turn.ending = Ending::Answered { stop_reason: Word::default() };
                }
            }
            Words::Prompt(_) | Words::WakeUp | Words::Results | Words::Own => {}
        }
    }

    fn answer_command(&mut self, text: &str, line: &Line<'a>) {
        if !self.begin_command() {
            return;
        }
        self.go_to(line);
        if !text.is_empty() {
            let block =
                Block { kind: Word::from("text"), text: Word(text.into()), ..Block::default() };
            let message = Message {
                model: Word::from(OWN_MODEL),
                content: Content::Blocks(vec![block]),
                ..Message::default()
            };
            self.tell(Event::Snapshot(snapshot(message)));
        }
        if let Some(turn) = &mut self.turn {
            turn.ending = Ending::Answered { stop_reason: Word::default() };
        }
        self.end_turn();
    }

    /// A message that joined the running turn.
    fn take_attachment(&mut self, line: &Line<'a>) {
        let Some(command) = line.queued_command() else { return };
        let text = command.prompt.to_plain_text();
        let uuid = if command.source_uuid.is_empty() { &line.uuid } else { &command.source_uuid };
        if self.turn.is_none() {
            self.go_to(line);
            return self.begin(&[], uuid, &text);
        }
        let turn = TurnId::from(uuid.as_str());
        if !self.seen.insert(turn.clone()) {
            return;
        }
        self.push_user_item(&turn, &text, line.time().map_or(self.now, at));
        self.translator.note_sent(turn, true);
        self.tell(Event::Requesting(vec![uuid.clone()]));
    }

    fn take_assistant(&mut self, line: &Line<'a>, next: Option<&Line<'a>>) {
        let Some(message) = line.message() else { return };
        let is_own = message.model.as_str() == OWN_MODEL;
        let text = || message.content.to_plain_text();
        if is_own && text() == STOPGAP {
            return;
        }
        self.begin_command();
        self.go_to(line);
        if self.turn.is_none() {
            // Its beginning was lost.
            self.begin_unasked(&line.uuid);
        }
        let head = line.head();
        let failure = line.is_api_error_message.unwrap_or_default();
        let ending = match message.content.blocks().last().map(|block| block.kind.as_str()) {
            _ if failure => Ending::Failed { status: line.api_error_status, text: text() },
            Some("text") => Ending::Answered { stop_reason: head.stop_reason.clone() },
            Some(_) | None => Ending::CutOff,
        };
        if is_own {
            let error = if failure { line.error.clone() } else { Word::default() };
            self.tell(Event::Snapshot(Snapshot { error, ..snapshot(message) }));
        } else {
            let is_aborted = is_aborted(line, &head, next);
            self.take_model_message(line, &head, message, is_aborted);
        }
        if let Some(turn) = &mut self.turn {
            turn.has_content = true;
            turn.ending = ending;
        }
    }

    /// The same events as when it streamed, without the streaming.
    fn take_model_message(
        &mut self,
        line: &Line<'a>,
        head: &MessageHead<'a>,
        message: Message<'a>,
        is_aborted: bool,
    ) {
        let Some(turn) = &mut self.turn else { return };
        let is_new = turn.note_message(head);
        let starts: Vec<(u32, Block<'_>)> = message
            .content
            .blocks()
            .iter()
            .map(|block| (turn.next_index(line.api_block_index), start_of(block)))
            .collect();
        if is_new {
            let (id, model, usage) = (head.id.clone(), head.model.clone(), head.usage);
            self.tell(Event::MessageStart { id, model, usage, messages: Vec::new() });
        }
        let indices: Vec<u32> = starts.iter().map(|(index, _)| *index).collect();
        let calls: VecDeque<CallId> =
            starts.iter().filter_map(|(_, block)| block.id.given().map(CallId::from)).collect();
        for (index, block) in starts {
            self.tell(Event::BlockStart { index, block });
        }
        self.tell(Event::Snapshot(Snapshot { is_aborted, ..snapshot(message) }));
        for index in indices {
            self.tell(Event::BlockStop { index });
        }
        self.take_subagents(calls);
    }

    fn take_results(&mut self, content: Content<'a>, line: &Line<'a>, parent: Word<'a>) {
        let is_known = |call: &str| self.translator.knows_call(call);
        let belongs = content.blocks().iter().any(|block| is_known(&block.tool_use_id));
        let is_open = self.translator.turn_state() != TurnState::Idle;
        if !belongs && !is_open && parent.given().is_none() {
            // Its call is missing, and so is a turn that it could be shown in.
            return;
        }
        let tool_use_result = line.tool_use_result;
        self.tell(Event::User(UserLine { parent, content, tool_use_result }));
    }

    /// What the subagents of these calls did, and theirs. Each is told once.
    fn take_subagents(&mut self, mut calls: VecDeque<CallId>) {
        let now = self.now;
        while let Some(call) = calls.pop_front() {
            let lines = self.subagents.remove(&call).unwrap_or_default();
            for line in &lines {
                let Some(message) = line.message() else { continue };
                self.go_to(line);
                let parent = Word(call.as_str().to_owned().into());
                match line.kind() {
                    Kind::Assistant => {
                        let made = message.content.blocks().iter();
                        calls.extend(made.filter_map(|block| block.id.given().map(CallId::from)));
                        self.tell(Event::Snapshot(Snapshot { parent, ..snapshot(message) }));
                    }
                    Kind::User => self.take_results(message.content, line, parent),
                    Kind::Attachment | Kind::System | Kind::LastPrompt | Kind::Other => {}
                }
            }
        }
        self.now = now;
    }

    /// A turn that a person's message began. One that was merged with later ones gave the turn its name.
    fn begin(&mut self, merged: &[Word<'a>], uuid: &Word<'a>, text: &str) {
        let uuids = merged.iter().chain([uuid]);
        let mut turns: Vec<TurnId> = uuids.map(|uuid| TurnId::from(uuid.as_str())).collect();
        turns.retain(|turn| self.seen.insert(turn.clone()));
        if turns.is_empty() {
            return;
        }
        // Merged messages are kept as one text. Where each was a line, it can be told which was whose.
        let parts: Vec<&str> = text.lines().collect();
        let parts = if parts.len() == turns.len() { parts } else { vec![text] };
        for (turn, part) in turns.iter().zip(parts) {
            self.push_user_item(turn, part, self.now);
        }
        turns.iter().for_each(|turn| self.translator.note_sent(turn.clone(), true));
        self.open(turns.iter().map(|turn| Word(turn.as_str().to_owned().into())).collect());
    }

    /// A turn that nobody asked for.
    fn begin_unasked(&mut self, uuid: &Word<'a>) {
        let turn = TurnId::from(uuid.as_str());
        // The other end lives as long as the translator.
        if self.seen.insert(turn.clone()) && self.names.send(turn).is_ok() {
            self.open(Vec::new());
        }
    }

    /// Begins the turn of the command that waits for its answer.
    fn begin_command(&mut self) -> bool {
        let Some((turn, text, now)) = self.command.take() else { return false };
        self.now = now;
        let uuid = Word(turn.as_str().to_owned().into());
        self.begin(&[], &uuid, &text);
        self.turn.is_some()
    }

    fn open(&mut self, messages: Vec<Word<'_>>) {
        self.turn = Some(ReadTurn::default());
        let model = self.model.clone();
        self.tell(Event::Init(Init { model, messages, reports_messages: true, ..Init::default() }));
    }

    fn end_turn(&mut self) {
        self.command = None;
        let Some(turn) = self.turn.take() else { return };
        match turn.into_result() {
            Some(result) => self.tell(Event::Result(Box::new(result))),
            None => self.translator.close(&Outcome::Failed(cut_off()), None, self.now),
        }
        self.collect();
    }

    fn tell(&mut self, event: Event<'_>) {
        self.translator.handle(event, self.now);
        self.collect();
    }

    fn collect(&mut self) {
        while let Some(output) = self.translator.poll_output() {
            match output {
                Output::Upsert(upsert) => self.push_item(upsert),
                Output::Turn(mut event) => {
                    event.at = Some(self.now.wall);
                    self.events.push(HistoryEvent::Turn(event));
                }
                // All of these are about what is going on.
                Output::Asked(_)
                | Output::Withdrawn(_)
                | Output::BackgroundTasks(_)
                | Output::Notice(_)
                | Output::Answered(_)
                | Output::NeverBegan(_)
                | Output::Reply(_)
                | Output::InterruptAgain
                | Output::AgentSession(_)
                | Output::Mode(_)
                | Output::Model(_)
                | Output::Unknown(_) => {}
            }
        }
    }

    fn push_user_item(&mut self, turn: &TurnId, text: &str, now: Now) {
        let body = UpsertBody::Message { content: Text::from(text), origin: MessageOrigin::User };
        let item = ItemId::from(format!("{turn}:0:0"));
        self.push_item(Box::new(UpsertObject {
            source_timestamp: now.wall,
            emitted_at: now.wall,
            status: ItemStatus::Complete,
            ..UpsertObject::new(turn.clone(), self.session.clone(), item, body)
        }));
    }

    /// Only the last state of an item counts here, and when it began.
    fn push_item(&mut self, mut upsert: Box<UpsertObject>) {
        let known = self.items.get(&upsert.item_id).copied();
        match known.and_then(|index| self.events.get_mut(index)) {
            Some(HistoryEvent::Upsert(before)) => {
                upsert.started_at = before.started_at;
                *before = upsert;
            }
            Some(HistoryEvent::Turn(_)) | None => {
                upsert.started_at = Some(upsert.source_timestamp);
                self.items.insert(upsert.item_id.clone(), self.events.len());
                self.events.push(HistoryEvent::Upsert(upsert));
            }
        }
    }

    fn go_to(&mut self, line: &Line<'_>) {
        if let Some(time) = line.time() {
            self.now = at(time);
        }
    }
}

/// For each line, the model that answers it: the next one that speaks.
fn models<'a>(lines: &[&Line<'a>]) -> Vec<Option<Word<'a>>> {
    let mut next = None;
    let mut models: Vec<_> = lines
        .iter()
        .rev()
        .map(|line| {
            if line.kind() == Kind::Assistant {
                let model = line.head().model;
                if model.given().is_some_and(|model| model != OWN_MODEL) {
                    next = Some(model);
                }
            }
            next.clone()
        })
        .collect();
    models.reverse();
    models
}

/// Newer transcripts mark what was cut off by an interrupt; in older ones it has no reason to stop but the line that
/// follows.
fn is_aborted(line: &Line<'_>, head: &MessageHead<'_>, next: Option<&Line<'_>>) -> bool {
    let is_followed_by_interrupt = || {
        let next = next.filter(|next| next.kind() == Kind::User);
        let words = next.and_then(|next| Some(Words::of(next, &next.message()?.content)));
        words == Some(Words::Interrupted)
    };
    line.is_aborted_mid_stream.unwrap_or_default()
        || (head.stop_reason.given().is_none() && is_followed_by_interrupt())
}

/// What the beginning of a block tells of it.
fn start_of<'a>(block: &Block<'a>) -> Block<'a> {
    Block {
        kind: block.kind.clone(),
        id: block.id.clone(),
        name: block.name.clone(),
        ..Block::default()
    }
}

fn snapshot(message: Message<'_>) -> Snapshot<'_> {
    Snapshot { parent: Word::default(), message, error: Word::default(), is_aborted: false }
}

fn cut_off() -> TurnFailure {
    TurnFailure {
        code: ErrorCode::PROCESS_CRASH,
        message: "the transcript ends before the turn does".to_owned(),
        class: None,
    }
}

fn at(wall: Timestamp) -> Now {
    let ms = u64::try_from(wall.as_millis()).unwrap_or_default();
    Now { moment: Moment::from_millis(ms), wall }
}
