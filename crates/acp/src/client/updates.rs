//! What the agent says, live or as history.

use agent_client_protocol_schema::v1::{
    CompactionStatus, MessageId, PlanEntryPriority, PlanEntryStatus, ToolCallStatus,
    ToolCallUpdate, UsageUpdate,
};
use contract::{Notice, PlanEntry, TurnEventKind, TurnOrigin, TurnStatus};
use pipeline::Now;
use serde_json::Value;

use super::AcpClient;
use super::opening::{Replayed, Stage};
use crate::bounds::{STEPS, WORDS, shorten};
use crate::codex_output::CodexOutput;
use crate::output::Output;
use crate::update::{Chunk, Notification, Speaker, Update};

/// A message of the user's in a history, until what follows it is told.
#[derive(Debug)]
pub(super) struct ToldMessage {
    text: String,
    id: Option<MessageId>,
}

impl ToldMessage {
    fn new(chunk: &Chunk<'_>) -> Self {
        Self { text: chunk.text.to_string(), id: chunk.message.clone() }
    }

    /// Whether a chunk is a part of it. Where the agent names no messages nobody can tell.
    fn takes(&self, chunk: &Chunk<'_>) -> bool {
        match (&self.id, &chunk.message) {
            (Some(mine), Some(its)) => mine == its,
            (None, _) | (_, None) => true,
        }
    }

    fn push(&mut self, chunk: &Chunk<'_>) {
        // It may be another message: then its words must not run into these.
        if chunk.message.is_none() {
            self.text.push('\n');
        }
        self.text.push_str(&chunk.text);
    }
}

impl AcpClient {
    pub(super) fn handle_update(&mut self, params: &str, now: Now) {
        let Ok(told) = serde_json::from_str::<Notification<'_>>(params) else {
            return self.note_unknown(params);
        };
        if self.agent_session.as_ref().is_some_and(|session| *session != told.session_id) {
            self.odd.foreign += 1;
            return;
        }
        let update = Update::parse(told.update);
        match (&self.stage, update) {
            (Stage::Over, _) => {}
            (_, Update::Unknown) => self.keep_unknown(told.update, now),
            // What the session has cost before is known to nobody else.
            (Stage::Opening(Replayed::Discarded), Update::Usage(usage)) => self.note_usage(usage),
            (Stage::Opening(Replayed::Discarded), update) if update.is_work() => {}
            (Stage::Opening(Replayed::Told), Update::Text(Speaker::User, chunk)) => {
                self.turn_to_next_message(&chunk, now);
            }
            (Stage::Opening(Replayed::Told), mut update) if update.is_work() => {
                self.mend_told(&mut update);
                self.open_told_turn(now);
                self.apply(update, now);
            }
            (_, update) => self.apply(update, now),
        }
    }

    /// Codex tells every call of a history as completed, with what its model was told of the result.
    fn mend_told(&self, update: &mut Update<'_>) {
        if !self.is_codex() {
            return;
        }
        let output = match update {
            Update::ToolCall(call) => call.raw_output.as_mut(),
            Update::ToolChange(change) => change.fields.raw_output.as_mut(),
            _ => None,
        };
        let Some(Value::String(text)) = output else { return };
        let read = CodexOutput::read(text);
        *text = read.text;
        match update {
            Update::ToolCall(call) if read.end.is_failure() => call.status = ToolCallStatus::Failed,
            Update::ToolChange(change) if read.end.is_failure() => {
                change.fields.status = Some(ToolCallStatus::Failed);
            }
            _ => {}
        }
    }

    fn is_codex(&self) -> bool {
        let name = self.agent.name.as_deref().unwrap_or_default();
        name.to_ascii_lowercase().contains("codex")
    }

    fn apply(&mut self, update: Update<'_>, now: Now) {
        match update {
            // The prompt as the agent repeats it: it is there already.
            Update::Text(Speaker::User, _) => self.note_work(now),
            Update::Text(speaker, chunk) => {
                self.retold.note_words();
                self.begin_work(now);
                self.timeline.say(speaker, &chunk, now);
            }
            Update::ToolCall(call) => {
                self.begin_work(now);
                self.timeline.begin_tool(*call, now);
            }
            Update::ToolChange(update) => self.update_tool(&update, now),
            Update::Plan(plan) => {
                self.note_work(now);
                self.timeline.note_break(now);
                self.pass_on_items();
                self.outputs.push_back(Output::Plan(plan_entries(&plan.entries)));
            }
            Update::Usage(usage) => {
                self.note_work(now);
                self.timeline.note_break(now);
                self.note_usage(usage);
            }
            Update::Commands(told) => {
                self.settings.set_commands(told.available_commands);
                self.tell_options_when_ready();
            }
            Update::Mode(told) => {
                self.settings.set_mode(&told.current_mode_id.0);
                self.tell_options_when_ready();
            }
            Update::Config(told) => {
                self.settings.set_config(told.config_options);
                self.tell_options_when_ready();
            }
            Update::Notice(told) => {
                let text = match told.description {
                    Some(description) => format!("{}: {description}", told.title),
                    None => told.title,
                };
                let notice = Notice { kind: "agent".to_owned(), text: shorten(&text, WORDS) };
                self.outputs.push_back(Output::Notice(Some(notice)));
            }
            Update::Compaction(told) => {
                self.note_work(now);
                let text = "the conversation is being summarised".to_owned();
                let is_at_it = told.status == CompactionStatus::InProgress;
                let notice = is_at_it.then(|| Notice { kind: "compacting".to_owned(), text });
                self.outputs.push_back(Output::Notice(notice));
            }
            Update::Info | Update::Unknown => {}
        }
    }

    fn note_usage(&mut self, usage: UsageUpdate) {
        let dollars = usage.cost.filter(|cost| cost.currency == "USD");
        self.turns.note_usage(usage.used, usage.size, dollars.map(|cost| cost.amount));
    }

    /// A call that outlived its turn reports without opening another one.
    fn update_tool(&mut self, update: &ToolCallUpdate, now: Now) {
        // Nor does it show that the agent works on the turn that is open.
        if !self.timeline.is_late(&update.tool_call_id.0) {
            self.begin_work(now);
        }
        self.timeline.update_tool(update, now);
    }

    fn tell_options_when_ready(&mut self) {
        if self.stage == Stage::Ready {
            self.tell_options();
        }
    }

    /// In a history a turn begins with each message of the user.
    fn turn_to_next_message(&mut self, chunk: &Chunk<'_>, now: Now) {
        // Codex names no messages, and tells each in one piece.
        let is_whole = chunk.message.is_none() && self.is_codex();
        match &mut self.plan.told_message {
            Some(message) if !is_whole && message.takes(chunk) => message.push(chunk),
            Some(_) | None => {
                self.end_replay(now);
                self.plan.told_message = Some(ToldMessage::new(chunk));
            }
        }
    }

    fn open_told_turn(&mut self, now: Now) {
        let message = self.plan.told_message.take();
        if message.is_none() && self.turns.current().is_some() {
            return;
        }
        let turn = self.fresh_turn();
        if let Some(message) = message {
            self.tell_user_message(&turn, &message.text, now);
        }
        self.open_turn(turn, TurnOrigin::User, now);
        self.note_work(now);
    }

    fn end_told_turn(&mut self, now: Now) {
        if self.turns.current().is_some() {
            let status = TurnStatus::Completed;
            self.end_open_turn(TurnEventKind::TurnComplete { status, usage: None }, now);
        }
    }

    /// What was told so far is over, also a message that nothing followed.
    pub(super) fn end_replay(&mut self, now: Now) {
        if self.plan.told_message.is_some() {
            self.open_told_turn(now);
        }
        self.end_told_turn(now);
    }
}

fn plan_entries(told: &[agent_client_protocol_schema::v1::PlanEntry]) -> Vec<PlanEntry> {
    let mut entries: Vec<_> = told.iter().take(STEPS).map(plan_entry).collect();
    let left = told.len() - entries.len();
    if left > 0 {
        let (content, status) = (format!("… and {left} more"), "pending".to_owned());
        entries.push(PlanEntry { content, status, priority: None });
    }
    entries
}

fn plan_entry(entry: &agent_client_protocol_schema::v1::PlanEntry) -> PlanEntry {
    let status = match entry.status {
        PlanEntryStatus::InProgress => "in_progress",
        PlanEntryStatus::Completed => "completed",
        _ => "pending",
    };
    let priority = match entry.priority {
        PlanEntryPriority::High => "high",
        PlanEntryPriority::Low => "low",
        _ => "medium",
    };
    PlanEntry {
        content: shorten(&entry.content, WORDS),
        status: status.to_owned(),
        priority: Some(priority.to_owned()),
    }
}
