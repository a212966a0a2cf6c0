//! A recording translated exactly as live, in virtual time.
//!
//! The recording's host numbered its requests in its own way and may have opened several sessions. So every session has a
//! client of its own here, and each answer is renumbered to the request that this client made of the same kind.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use contract::{
    ErrorCode, ItemId, ItemStatus, MessageOrigin, OptionId, PermissionId, PermissionOutcome,
    PermissionRequest, ProviderId, SessionId, Text, TurnEventKind, TurnId, UpsertBody,
    UpsertObject,
};
use pipeline::Now;
use recording::{
    Direction, Entry, REPLAY_SESSION, Recorded, ReplayEvent, ReplayedStatus, ReplayedThing, at,
    millis,
};
use serde_json::{Value, json};

use crate::client::{
    AcpClient, Adjustment, Fresh, OpenWhat, Opening, Parties, Patience, Prompt, Replayed,
};
use crate::output::{OddMessages, Output};
use crate::rpc::RequestId;

/// As many of an agent's last lines on its standard error as an ending tells.
const LAST_WORDS: usize = 20;

/// Feed it the entries in order; the host's lines stand for sends, answers and stops.
#[derive(Debug)]
pub struct Replay {
    provider: ProviderId,
    clients: Vec<Replaying>,
    /// What the agent answered when the host introduced itself, and the host's number of that.
    initialized: Option<String>,
    initialize: Option<Value>,
    turns: u32,
    asked: BTreeMap<PermissionId, PermissionRequest>,
    status: ReplayedStatus,
    last_failed: bool,
    stderr: VecDeque<String>,
    has_ended: bool,
    events: Vec<ReplayEvent>,
}

/// One session of the recording.
#[derive(Debug)]
struct Replaying {
    client: AcpClient,
    session: Option<String>,
    /// The host's requests that the client has not made yet, and the client's that the host has not: by method.
    of_host: Vec<(String, Value)>,
    of_client: Vec<(String, Value)>,
    /// The host's numbers and the client's.
    numbers: Vec<(Value, Value)>,
}

impl Replay {
    pub fn new(cli: &str) -> Self {
        Self {
            provider: ProviderId::from(cli),
            clients: Vec::new(),
            initialized: None,
            initialize: None,
            turns: 0,
            asked: BTreeMap::new(),
            status: ReplayedStatus::idle(),
            last_failed: false,
            stderr: VecDeque::new(),
            has_ended: false,
            events: Vec::new(),
        }
    }

    pub fn feed(&mut self, entry: &Entry) {
        self.run_to(entry.ms);
        let now = at(entry.ms);
        match (entry.from, &entry.what) {
            (Direction::Host, Recorded::Line(line)) => self.take_host_line(line, now),
            (Direction::Agent, Recorded::Line(line)) => self.take_agent_line(line, now),
            (Direction::Stderr, Recorded::Line(line)) => self.take_stderr(line, now),
            (Direction::Agent, Recorded::Event(event)) if event == "eof" => self.end(now),
            (_, Recorded::Event(_)) => {}
        }
        self.collect(entry.ms);
    }

    /// The recording is over, whether or not it says so.
    pub fn finish(&mut self, ms: u64) {
        self.run_to(ms);
        self.end(at(ms));
        self.collect(ms);
    }

    pub fn take_events(&mut self) -> Vec<ReplayEvent> {
        std::mem::take(&mut self.events)
    }

    pub fn odd_messages(&self) -> Vec<OddMessages> {
        self.clients.iter().map(|session| session.client.odd_messages()).collect()
    }

    fn end(&mut self, now: Now) {
        if std::mem::replace(&mut self.has_ended, true) {
            return;
        }
        let words: Vec<_> = self.stderr.iter().map(String::as_str).collect();
        let reason = match words.as_slice() {
            [] => "the agent's output ended".to_owned(),
            words => format!("the agent's output ended: {}", words.join("\n")),
        };
        for session in &mut self.clients {
            session.client.end(ErrorCode::PROCESS_CRASH, &reason, now);
        }
    }

    /// Keeps every deadline that lies before `ms`, at its own time.
    fn run_to(&mut self, ms: u64) {
        loop {
            let deadlines = self.clients.iter().filter_map(|session| session.client.poll_timeout());
            let Some(due) = deadlines.min().map(millis).filter(|due| *due <= ms) else { return };
            for session in &mut self.clients {
                session.client.handle_timeout(at(due));
            }
            self.collect(due);
        }
    }

    fn take_stderr(&mut self, line: &str, now: Now) {
        self.stderr.push_back(line.to_owned());
        if self.stderr.len() > LAST_WORDS {
            self.stderr.pop_front();
        }
        for session in &mut self.clients {
            session.client.handle_stderr(line, now);
        }
    }

    fn take_host_line(&mut self, line: &str, now: Now) {
        // The host may have written nonsense; that is what some recordings are about.
        let Ok(line) = serde_json::from_str::<Value>(line) else { return };
        let id = line.get("id").cloned().unwrap_or_default();
        let params = line.get("params").cloned().unwrap_or_default();
        match line.get("method").and_then(Value::as_str) {
            Some("initialize") => self.initialize = Some(id),
            Some(method @ ("session/new" | "session/load" | "session/resume")) => {
                self.open(method, id, &params, now);
            }
            Some(method) => self.act(method, id, &params, now),
            None => self.take_answer(&id, &line, now),
        }
    }

    fn open(&mut self, method: &str, id: Value, params: &Value, now: Now) {
        let text = |name| params.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let session = match method {
            "session/new" => OpenWhat::New,
            _ => OpenWhat::Existing { agent_session: text("sessionId"), replayed: Replayed::Told },
        };
        let opening =
            Opening { cwd: text("cwd"), session, choices: Vec::new(), variables: Vec::new() };
        let number = self.clients.len();
        let mut counts = (0, 0);
        let fresh = move |kind| {
            let (name, count) = match kind {
                Fresh::Turn => ("auto", &mut counts.0),
                Fresh::Permission => ("permission", &mut counts.1),
            };
            *count += 1;
            if number == 0 { format!("{name}-{count}") } else { format!("{name}-{number}-{count}") }
        };
        let parties = Parties {
            session: SessionId::from(REPLAY_SESSION),
            provider: self.provider.clone(),
            client_version: String::new(),
        };
        // The recording's host was as patient as it was.
        let never = Duration::MAX;
        let patience =
            Patience { quiet_after_error: Duration::ZERO, sign_of_life: never, let_go: never };
        let mut client = AcpClient::new(parties, opening, fresh).with_patience(patience);
        // Some hosts open a session without a word before.
        let plain = json!({ "protocolVersion": 1, "agentCapabilities": { "loadSession": true } });
        let hello = self.initialized.clone().unwrap_or_else(|| plain.to_string());
        client.handle_line(&format!(r#"{{"id":0,"result":{hello}}}"#), now);
        // What the client calls it need not be what the host called it: loaded or resumed, it is opened.
        let mut replaying = Replaying {
            client,
            session: params.get("sessionId").and_then(Value::as_str).map(str::to_owned),
            of_host: vec![("open".to_owned(), id)],
            of_client: Vec::new(),
            numbers: Vec::new(),
        };
        replaying.note_requests(&mut Vec::new());
        self.clients.push(replaying);
    }

    fn act(&mut self, method: &str, id: Value, params: &Value, now: Now) {
        let text = |name| params.get(name).and_then(Value::as_str).unwrap_or_default();
        let agent_session = text("sessionId").to_owned();
        let turn = TurnId::from(format!("turn-{}", self.turns + 1));
        let known = self.clients.iter_mut().rev();
        let found = known.into_iter().find(|it| it.session.as_deref() == Some(&*agent_session));
        let Some(session) = found else { return };
        if !id.is_null() {
            session.of_host.push((method.to_owned(), id));
        }
        let client = &mut session.client;
        match method {
            "session/prompt" => {
                self.turns += 1;
                let prompt = prompt_text(params);
                client.send(turn.clone(), Prompt { text: prompt.clone(), images: Vec::new() }, now);
                self.push(now, ReplayedThing::Upsert(Box::new(user_item(&turn, &prompt, now))));
            }
            "session/cancel" => client.stop(None, now),
            "session/close" => client.close(),
            "session/set_mode" => client.adjust(0, &Adjustment::Mode(text("modeId").into())),
            "session/set_config_option" if text("configId") == "model" => {
                client.adjust(0, &Adjustment::Model(text("value").into()));
            }
            _ => {}
        }
    }

    fn take_answer(&mut self, id: &Value, line: &Value, now: Now) {
        let id = RequestId::from_json(&id.to_string());
        let mut sessions = self.clients.iter_mut();
        let found = sessions.find_map(|it| it.client.permission_of(&id).map(|ask| (it, ask)));
        let Some((session, permission)) = found else { return };
        let outcome = line.pointer("/result/outcome");
        let option = outcome.and_then(|outcome| outcome.get("optionId")).and_then(Value::as_str);
        let option = option.map(OptionId::from);
        session.client.answer(&permission, option.as_ref());
        let outcome = match &option {
            Some(_) => PermissionOutcome::Selected,
            None => PermissionOutcome::Cancelled,
        };
        self.resolve(&permission, outcome, option, now);
    }

    fn resolve(
        &mut self,
        permission: &PermissionId,
        outcome: PermissionOutcome,
        option_id: Option<OptionId>,
        now: Now,
    ) {
        let Some(request) = self.asked.remove(permission) else { return };
        let request = PermissionRequest {
            resolved_at: Some(now.wall),
            outcome: Some(outcome),
            option_id,
            ..request
        };
        self.push(now, ReplayedThing::Permission(Box::new(request)));
    }

    fn take_agent_line(&mut self, line: &str, now: Now) {
        let Ok(mut value) = serde_json::from_str::<Value>(line) else {
            let first = self.clients.iter_mut().take(1);
            return first.for_each(|session| session.client.handle_line(line, now));
        };
        let id = value.get("id").cloned();
        if value.get("method").is_none() && id.is_some() && id == self.initialize {
            self.initialized = value.get("result").map(ToString::to_string);
            return;
        }
        if value.get("method").is_none()
            && let Some(id) = id
        {
            let mut sessions = self.clients.iter_mut();
            let found = sessions.find_map(|it| it.number_of(&id).map(|number| (it, number)));
            if let Some((session, number)) = found {
                session.learn_session(&value);
                if let Some(members) = value.as_object_mut() {
                    members.insert("id".to_owned(), number);
                }
                session.client.handle_line(&value.to_string(), now);
            }
            return;
        }
        let named = value.pointer("/params/sessionId").and_then(Value::as_str);
        let is_named = |it: &Replaying| named.is_some() && it.session.as_deref() == named;
        // A session may be spoken of before its opening is answered.
        let index = self.clients.iter().position(is_named);
        let index = index.or_else(|| self.clients.iter().rposition(|it| it.session.is_none()));
        if let Some(session) = index.and_then(|index| self.clients.get_mut(index)) {
            session.client.handle_line(line, now);
        }
    }

    fn collect(&mut self, ms: u64) {
        let mut outputs = Vec::new();
        for session in &mut self.clients {
            session.note_requests(&mut outputs);
        }
        for output in outputs {
            self.take_output(output, ms);
        }
        let is_idle = self.clients.iter().all(|session| session.client.is_idle());
        let activity = match (self.asked.is_empty(), is_idle, self.last_failed) {
            (false, _, _) => "permission",
            (true, false, _) => "running",
            (true, true, true) => "error",
            (true, true, false) => "idle",
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
                self.last_failed = matches!(event.kind, TurnEventKind::TurnError { .. });
                if event.kind.is_terminal() {
                    self.end_asks_of(&event.turn_id, now);
                }
                self.push(now, ReplayedThing::Turn(event));
            }
            Output::Asked(request) => {
                self.asked.insert(request.permission_id.clone(), (*request).clone());
                self.push(now, ReplayedThing::Permission(request));
            }
            Output::Withdrawn(id) => self.resolve(&id, PermissionOutcome::Withdrawn, None, now),
            Output::Plan(entries) => {
                self.status.plan = Some(entries);
                self.tell_status(ms);
            }
            Output::Notice(notice) if notice != self.status.notice => {
                self.status.notice = notice;
                self.tell_status(ms);
            }
            Output::Unknown(line) => {
                let value = serde_json::from_str(&line).unwrap_or(Value::String(line));
                self.push(now, ReplayedThing::Unknown(value));
            }
            // The recording's host has its own mind; the rest is for a live one.
            Output::Notice(_)
            | Output::Write(_)
            | Output::Introduced(_)
            | Output::Ready(_)
            | Output::Refused(_)
            | Output::NeverBegan(_)
            | Output::Options(_)
            | Output::Adjusted(..)
            | Output::Listed(_)
            | Output::Closed => {}
        }
    }

    fn end_asks_of(&mut self, turn: &TurnId, now: Now) {
        let of_turn = |request: &&PermissionRequest| request.turn_id.as_ref() == Some(turn);
        let asks = self.asked.values().filter(of_turn);
        let asks: Vec<_> = asks.map(|request| request.permission_id.clone()).collect();
        for id in asks {
            self.resolve(&id, PermissionOutcome::TurnEnded, None, now);
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

impl Replaying {
    /// Takes what the client has to say, and pairs its requests with the host's.
    fn note_requests(&mut self, outputs: &mut Vec<Output>) {
        while let Some(output) = self.client.poll_output() {
            if let Output::Write(line) = &output {
                self.note_request(line);
            }
            outputs.push(output);
        }
        let of_client = std::mem::take(&mut self.of_client);
        for (method, number) in of_client {
            match self.of_host.iter().position(|(known, _)| *known == method) {
                Some(index) => {
                    let (_, of_host) = self.of_host.remove(index);
                    self.numbers.push((of_host, number));
                }
                None => self.of_client.push((method, number)),
            }
        }
    }

    fn note_request(&mut self, line: &str) {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        let method = line.get("method").and_then(Value::as_str);
        let (Some(method), Some(id)) = (method, line.get("id")) else { return };
        let method = match method {
            "initialize" => return,
            "session/new" | "session/load" | "session/resume" => "open",
            other => other,
        };
        self.of_client.push((method.to_owned(), id.clone()));
    }

    /// The client's number of the request that the host numbered so.
    fn number_of(&mut self, of_host: &Value) -> Option<Value> {
        let index = self.numbers.iter().position(|(host, _)| host == of_host)?;
        Some(self.numbers.remove(index).1)
    }

    fn learn_session(&mut self, answer: &Value) {
        let told = answer.pointer("/result/sessionId").and_then(Value::as_str);
        if let (None, Some(session)) = (&self.session, told) {
            self.session = Some(session.to_owned());
        }
    }
}

fn prompt_text(params: &Value) -> String {
    let blocks = params.get("prompt").and_then(Value::as_array).into_iter().flatten();
    let texts = blocks.filter_map(|block| block.get("text")?.as_str());
    texts.collect::<Vec<_>>().join("\n")
}

fn user_item(turn: &TurnId, text: &str, now: Now) -> UpsertObject {
    let body = UpsertBody::Message { content: Text::from(text), origin: MessageOrigin::User };
    UpsertObject {
        source_timestamp: now.wall,
        emitted_at: now.wall,
        status: ItemStatus::Complete,
        ..UpsertObject::new(
            turn.clone(),
            SessionId::from(REPLAY_SESSION),
            ItemId::of_user_message(turn),
            body,
        )
    }
}
