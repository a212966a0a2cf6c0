//! A recording translated exactly as live, in virtual time.

use std::collections::hash_map::{Entry as MapEntry, HashMap};
use std::collections::{HashSet, VecDeque};

use contract::{
    ErrorCode, ItemId, ItemStatus, MessageOrigin, Notice, OptionId, PermissionId,
    PermissionOutcome, PermissionRequest, SessionId, Text, TurnId, UpsertBody, UpsertObject,
};
use pipeline::Now;
use recording::{
    DISMISSED, Direction, Entry, ProcessEnd, REPLAY_SESSION, Recorded, ReplayEvent, ReplayedStatus,
    ReplayedThing, at, describe_end, millis,
};
use serde::Deserialize;
use serde_json::Value;

use crate::line::Content;
use crate::output::{ControlAnswer, Output};
use crate::runs::RunStatus;
use crate::translator::ClaudeTranslator;

/// As many of an agent's last lines on its standard error as are kept; of these an ending tells what fits.
const LAST_LINES: usize = 2000;

/// Feed it the entries in order; the host's lines stand for sends, answers and interrupts.
#[derive(Debug)]
pub struct Replay {
    translator: ClaudeTranslator,
    /// Turns that messages named, and how many named none.
    seen: HashSet<TurnId>,
    unnamed: u32,
    asks: HashMap<PermissionId, PermissionRequest>,
    /// Requests to take a message back, by their ids.
    take_backs: HashMap<String, TurnId>,
    status: ReplayedStatus,
    /// The last lines of its standard error.
    stderr: VecDeque<String>,
    /// How its process ended, once the recording told.
    process_end: Option<ProcessEnd>,
    /// The host told it to end.
    is_dismissed: bool,
    has_ended: bool,
    has_failed: bool,
    events: Vec<ReplayEvent>,
}

#[derive(Deserialize)]
struct HostLine<'a> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    uuid: Option<String>,
    #[serde(borrow, default)]
    message: Option<HostMessage<'a>>,
    #[serde(default)]
    request_id: String,
    #[serde(default)]
    request: Value,
    #[serde(default)]
    response: Value,
}

#[derive(Deserialize)]
struct HostMessage<'a> {
    #[serde(borrow, default)]
    content: Content<'a>,
}

impl Default for Replay {
    fn default() -> Self {
        let mut count = 0_u32;
        let fresh_turn = move || {
            count += 1;
            TurnId::from(format!("auto-{count}"))
        };
        Self {
            translator: ClaudeTranslator::new(SessionId::from(REPLAY_SESSION), fresh_turn),
            seen: HashSet::new(),
            unnamed: 0,
            asks: HashMap::new(),
            take_backs: HashMap::new(),
            status: ReplayedStatus::idle(),
            stderr: VecDeque::new(),
            process_end: None,
            is_dismissed: false,
            has_ended: false,
            has_failed: false,
            events: Vec::new(),
        }
    }
}

impl Replay {
    pub fn feed(&mut self, entry: &Entry) {
        self.run_to(entry.ms);
        let now = at(entry.ms);
        match (entry.from, &entry.what) {
            (Direction::Agent, Recorded::Line(line)) => self.translator.handle_line(line, now),
            (Direction::Host, Recorded::Line(line)) => self.take_host_line(line, now),
            (Direction::Agent, Recorded::Event(event)) => self.take_event(event, now),
            (Direction::Stderr, Recorded::Line(line)) => self.note_stderr(line),
            (_, Recorded::Event(_)) => {}
        }
        self.collect(entry.ms);
    }

    /// The recording is over, whether or not it says so.
    pub fn finish(&mut self, ms: u64) {
        self.run_to(ms);
        if !self.has_ended {
            self.end(at(ms));
        }
        self.collect(ms);
    }

    fn take_event(&mut self, event: &str, now: Now) {
        if event == "eof" {
            self.end(now);
        } else if let Some(why) = event.strip_prefix("failed ") {
            self.has_failed = true;
            self.status.notice = Some(Notice { kind: "failed".to_owned(), text: why.to_owned() });
        } else if let Some(end) = ProcessEnd::of_event(event) {
            self.process_end = Some(end);
        }
    }

    fn end(&mut self, now: Now) {
        self.has_ended = true;
        let words: Vec<_> = self.stderr.iter().map(String::as_str).collect();
        let (code, reason) = match self.is_dismissed {
            true => (ErrorCode::INTERRUPTED, DISMISSED.to_owned()),
            false => (
                ErrorCode::PROCESS_CRASH,
                describe_end(crate::NAME, self.process_end, &words.join("\n")),
            ),
        };
        self.translator.end(code, &reason, now);
    }

    fn note_stderr(&mut self, line: &str) {
        self.stderr.push_back(line.to_owned());
        if self.stderr.len() > LAST_LINES {
            self.stderr.pop_front();
        }
    }

    pub fn take_events(&mut self) -> Vec<ReplayEvent> {
        std::mem::take(&mut self.events)
    }

    pub fn translator(&self) -> &ClaudeTranslator {
        &self.translator
    }

    /// Keeps every deadline that lies before `ms`, at its own time.
    fn run_to(&mut self, ms: u64) {
        while let Some(deadline) = self.translator.poll_timeout() {
            let due = millis(deadline);
            if due > ms {
                return;
            }
            self.translator.handle_timeout(at(due));
            self.collect(due);
        }
    }

    fn take_host_line(&mut self, line: &str, now: Now) {
        // The host may have written nonsense; that is what some recordings are about.
        let Ok(line) = serde_json::from_str::<HostLine<'_>>(line) else { return };
        match line.kind.as_str() {
            "user" => self.take_message(&line, now),
            "control_response" => self.take_answer(&line.response, now),
            "control_request" => match line.request.get("subtype").and_then(Value::as_str) {
                Some("interrupt") => drop(self.translator.stop(None)),
                Some("end_session") => self.is_dismissed = true,
                Some("cancel_async_message") => {
                    let uuid = line.request.get("message_uuid").and_then(Value::as_str);
                    let turn = TurnId::from(uuid.unwrap_or_default());
                    self.take_backs.insert(line.request_id, turn);
                }
                Some(_) | None => {}
            },
            _ => {}
        }
    }

    fn take_message(&mut self, line: &HostLine<'_>, now: Now) {
        let Some(message) = &line.message else { return };
        let turn = match &line.uuid {
            Some(uuid) => TurnId::from(uuid.as_str()),
            None => {
                self.unnamed += 1;
                TurnId::from(format!("turn-{}", self.unnamed))
            }
        };
        self.push(now, ReplayedThing::Upsert(Box::new(user_item(&turn, &message.content, now))));
        // The agent swallows a message that it has seen, and one that is gone takes none.
        if self.seen.insert(turn.clone()) && !self.has_ended {
            self.translator.note_sent(turn, line.uuid.is_some());
        }
    }

    fn take_answer(&mut self, response: &Value, now: Now) {
        let Some(id) = response.get("request_id").and_then(Value::as_str) else { return };
        let id = PermissionId::from(id);
        let MapEntry::Occupied(waiting) = self.asks.entry(id.clone()) else { return };
        let body = response.get("response");
        let text = |name| body.and_then(|body| body.get(name));
        let interrupts = text("interrupt").and_then(Value::as_bool).unwrap_or_default();
        let outcome =
            if interrupts { PermissionOutcome::Cancelled } else { PermissionOutcome::Selected };
        let option = match (text("behavior").and_then(Value::as_str), text("updatedPermissions")) {
            (Some("allow"), Some(_)) => "allow_always",
            (Some("allow"), None) => "allow",
            (Some(_) | None, _) => "deny",
        };
        let request = PermissionRequest {
            resolved_at: Some(now.wall),
            outcome: Some(outcome),
            option_id: (!interrupts).then(|| OptionId::from(option)),
            ..waiting.remove()
        };
        self.translator.note_answered(&id);
        self.push(now, ReplayedThing::Permission(Box::new(request)));
    }

    fn withdraw(&mut self, id: &PermissionId, outcome: PermissionOutcome, ms: u64) {
        let Some(request) = self.asks.remove(id) else { return };
        let now = at(ms);
        let request =
            PermissionRequest { resolved_at: Some(now.wall), outcome: Some(outcome), ..request };
        self.push(now, ReplayedThing::Permission(Box::new(request)));
    }

    fn collect(&mut self, ms: u64) {
        while let Some(output) = self.translator.poll_output() {
            self.take_output(output, ms);
        }
        let activity = match self.translator.status() {
            _ if self.has_failed => "error",
            RunStatus::Running => "running",
            RunStatus::Permission => "permission",
            RunStatus::Error => "error",
            RunStatus::Idle => "idle",
        };
        if activity != self.status.activity {
            self.status.activity = activity;
            self.tell_status(ms);
        }
    }

    fn take_output(&mut self, output: Output, ms: u64) {
        let now = at(ms);
        match output {
            Output::Upsert(upsert) => self.push(now, ReplayedThing::Upsert(upsert)),
            Output::Turn(event) => {
                if event.kind.is_terminal() {
                    self.end_asks_of(&event.turn_id, ms);
                }
                self.push(now, ReplayedThing::Turn(event));
            }
            Output::Asked(ask) => {
                self.asks.insert(ask.request.permission_id.clone(), ask.request.clone());
                self.push(now, ReplayedThing::Permission(Box::new(ask.request)));
            }
            Output::Withdrawn(id) => self.withdraw(&id, PermissionOutcome::Withdrawn, ms),
            Output::BackgroundTasks(tasks) => {
                self.status.background_tasks = tasks;
                self.tell_status(ms);
            }
            Output::Notice(notice) => {
                self.status.notice = notice;
                self.tell_status(ms);
            }
            Output::Answered(answer) => self.take_control_answer(&answer),
            Output::Unknown(line) => {
                let value = serde_json::from_str(&line).unwrap_or(Value::String(line));
                self.push(now, ReplayedThing::Unknown(value));
            }
            // The recording's host has its own mind; the rest is for a live one.
            Output::NeverBegan(_)
            | Output::Reply(_)
            | Output::InterruptAgain
            | Output::AgentSession(_)
            | Output::Mode(_)
            | Output::Model(_) => {}
        }
    }

    fn end_asks_of(&mut self, turn: &TurnId, ms: u64) {
        let of_turn = |request: &&PermissionRequest| request.turn_id.as_ref() == Some(turn);
        let mut ids: Vec<_> = self
            .asks
            .values()
            .filter(of_turn)
            .map(|request| request.permission_id.clone())
            .collect();
        ids.sort();
        for id in ids {
            self.translator.note_answered(&id);
            self.withdraw(&id, PermissionOutcome::TurnEnded, ms);
        }
    }

    fn take_control_answer(&mut self, answer: &ControlAnswer) {
        let Some(turn) = self.take_backs.remove(&answer.request_id) else { return };
        let Ok(Some(body)) = &answer.result else { return };
        let body: Value = serde_json::from_str(body).unwrap_or_default();
        if body.get("cancelled").and_then(Value::as_bool) == Some(true) {
            self.translator.take_back(&turn);
        }
    }

    fn tell_status(&mut self, ms: u64) {
        let status = self.status.clone();
        self.push(at(ms), ReplayedThing::Status(status));
    }

    fn push(&mut self, now: Now, what: ReplayedThing) {
        self.events.push(ReplayEvent { ms: millis(now.moment), what });
    }
}

fn user_item(turn: &TurnId, content: &Content<'_>, now: Now) -> UpsertObject {
    let body = UpsertBody::Message {
        content: Text::from(content.to_plain_text()),
        origin: MessageOrigin::User,
    };
    let item = ItemId::from(format!("{turn}:0:0"));
    UpsertObject {
        source_timestamp: now.wall,
        emitted_at: now.wall,
        status: ItemStatus::Complete,
        ..UpsertObject::new(turn.clone(), SessionId::from(REPLAY_SESSION), item, body)
    }
}
