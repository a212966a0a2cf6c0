//! The pump's core: each line is normalised, routed at one point, and fed to the runs and the timeline.

mod metadata;
mod turns;

use std::collections::VecDeque;
use std::fmt;

use contract::{
    BackgroundTask, CallId, Notice, PermissionId, ProviderId, SessionId, TurnEvent, TurnEventKind,
    TurnId, UpsertObject,
};
use pipeline::{Moment, Now, surrogates};

use crate::event::{Event, Snapshot};
use crate::line::{self, ApiUsage, LineError, Word};
use crate::outcome::WordedFailure;
use crate::output::{OddLines, Output};
use crate::routing::{self, Facts, Route, Rule, TurnState};
use crate::runs::{RunState, RunStatus, RunTracker};
use crate::sdk::SdkBrackets;
use crate::sent::SentMessages;
use crate::tasks::BackgroundTasks;
use crate::timeline::TimelineAssembler;
use crate::turn::OpenTurn;
use crate::usage::UsageMeter;

pub(crate) const PROVIDER_ID: &str = "claude-code";

/// Turns what one agent process says into items, turns and requests.
pub struct ClaudeTranslator {
    pub(crate) sdk: SdkBrackets,
    session: SessionId,
    provider: ProviderId,
    fresh_turn: Box<dyn FnMut() -> TurnId + Send>,
    state: TurnState,
    turn: Option<OpenTurn>,
    sent: SentMessages,
    runs: RunTracker,
    timeline: TimelineAssembler,
    tasks: BackgroundTasks,
    shown_tasks: Vec<BackgroundTask>,
    usage: UsageMeter,
    /// Permissions that wait, by their ids.
    asks: Vec<PermissionId>,
    /// The messages whose turns are to be interrupted as soon as they begin.
    stops: Vec<TurnId>,
    wake: Wake,
    reports_messages: bool,
    has_notice: bool,
    agent_session: String,
    model: String,
    mode: String,
    /// The last plan that was written to a file, for agents that ask for its approval without showing it.
    written_plan: Option<String>,
    odd: OddLines,
    outputs: VecDeque<Output>,
}

/// Whether the agent was told that a task ended, which wakes it.
#[derive(Clone, Copy, Debug, Default)]
struct Wake {
    /// By the line before.
    just_now: bool,
    since_last_turn: bool,
}

/// What a request to stop comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopAction {
    /// Write an interrupt.
    Interrupt,
    /// Another turn runs: take the message back before it begins.
    TakeBack(TurnId),
    /// There is nothing to stop.
    Nothing,
}

impl ClaudeTranslator {
    /// Items and turns are told under this name of the agent.
    #[must_use]
    pub fn told_by(self, provider: ProviderId) -> Self {
        let timeline = TimelineAssembler::new(self.session.clone(), provider.clone());
        Self { timeline, provider, ..self }
    }

    /// `fresh_turn` names turns that nobody asked for.
    pub fn new(session: SessionId, fresh_turn: impl FnMut() -> TurnId + Send + 'static) -> Self {
        let provider = ProviderId::from(PROVIDER_ID);
        Self {
            timeline: TimelineAssembler::new(session.clone(), provider.clone()),
            session,
            provider,
            fresh_turn: Box::new(fresh_turn),
            sdk: SdkBrackets::default(),
            state: TurnState::Idle,
            turn: None,
            sent: SentMessages::default(),
            runs: RunTracker::default(),
            tasks: BackgroundTasks::default(),
            shown_tasks: Vec::new(),
            usage: UsageMeter::default(),
            asks: Vec::new(),
            stops: Vec::new(),
            wake: Wake::default(),
            reports_messages: false,
            has_notice: false,
            agent_session: String::new(),
            model: String::new(),
            mode: String::new(),
            written_plan: None,
            odd: OddLines::default(),
            outputs: VecDeque::new(),
        }
    }

    /// A message was written to the agent, with its turn's id as uuid unless it `is_named` by none.
    pub fn note_sent(&mut self, turn: TurnId, is_named: bool) {
        self.runs.begin(turn.clone(), RunState::AwaitingResponse);
        self.sent.add(turn, is_named);
    }

    pub fn handle_line(&mut self, line: &str, now: Now) {
        match line::parse(line) {
            Ok(Event::Unknown) => {
                self.odd.unknown += 1;
                self.wake.just_now = false;
                self.outputs.push_back(Output::Unknown(line.to_owned()));
            }
            Ok(event) => self.handle(event, now),
            Err(error) => match surrogates::mend(line) {
                Some(mended) => self.handle_line(&mended, now),
                None => {
                    self.count(&error);
                    self.outputs.push_back(Output::Unknown(line.to_owned()));
                }
            },
        }
    }

    fn count(&mut self, error: &LineError) {
        match error {
            LineError::NotJson(_) => self.odd.malformed += 1,
            LineError::Incomplete { .. } | LineError::OddShape { .. } => self.odd.invalid += 1,
        }
        tracing::warn!(%error, "a line of the agent could not be read");
    }

    pub(crate) fn handle(&mut self, event: Event<'_>, now: Now) {
        let (route, rule) = routing::route(&event, &self.facts());
        self.log_route(&event, &route, rule);
        let wakes = matches!(event, Event::TaskNotification { has_output: true, .. });
        let says_nothing = matches!(event, Event::SessionState);
        match (route, event) {
            (Route::Open(owner), Event::Init(init)) => self.open_turn(owner, &init, now),
            (Route::OpenLate(owner), event) => {
                self.open_late(owner, &event);
                self.feed(event, now);
            }
            (Route::Close, Event::Result(result)) => self.take_result(&result, now),
            (Route::MainLoop | Route::Subagent | Route::Tool, event) => self.feed(event, now),
            (Route::Open(_) | Route::Close | Route::Metadata, event) => self.note(event, now),
        }
        if !says_nothing {
            let is_idle = self.state == TurnState::Idle;
            let since_last_turn = is_idle && (wakes || self.wake.since_last_turn);
            self.wake = Wake { just_now: wakes, since_last_turn };
        }
        self.drain_timeline();
    }

    fn facts(&self) -> Facts<'_> {
        Facts {
            state: self.state,
            sent: &self.sent,
            follows_notification: self.wake.just_now,
            was_notified: self.wake.since_last_turn,
            reports_messages: self.reports_messages,
        }
    }

    fn log_route(&self, event: &Event<'_>, route: &Route, rule: Rule) {
        let turn = self.turn.as_ref().map_or("none", |turn| turn.id.as_str());
        let route = match route {
            Route::Open(_) => "open",
            Route::OpenLate(_) => "open_late",
            Route::Close => "close",
            Route::MainLoop => "main_loop",
            Route::Subagent => "subagent",
            Route::Tool => "tool",
            Route::Metadata => "metadata",
        };
        tracing::debug!(event = event.name(), route, ?rule, turn, "event is routed");
    }

    /// Content, of the main loop or beside it.
    fn feed(&mut self, event: Event<'_>, now: Now) {
        match event {
            Event::BlockDelta { index, delta } => self.timeline.grow_block(index, &delta, now),
            Event::BlockStart { index, block } => self.timeline.start_block(index, &block, now),
            Event::BlockStop { index } => self.timeline.stop_block(index, now),
            Event::MessageStart { id, usage, messages, .. } => {
                self.start_message(&id, usage, &messages, now);
            }
            Event::MessageDelta { stop_reason } => {
                // The last message, by the look of it; another may still follow.
                if stop_reason.given().is_some_and(|reason| reason != "tool_use") {
                    self.set_run(RunState::Finalizing);
                }
            }
            Event::MessageStop { abandoned_from } => {
                self.timeline.stop_message(abandoned_from, now);
            }
            Event::Snapshot(snapshot) => self.take_snapshot(&snapshot, now),
            Event::User(line) => {
                let answered = self.timeline.take_results(&line.content, line.tool_use_result, now);
                self.note_answered_calls(&answered);
            }
            Event::Result(result) => self.take_result(&result, now),
            Event::Init(_)
            | Event::Requesting(_)
            | Event::Compacting
            | Event::ModeChanged(_)
            | Event::StatusCleared
            | Event::Replay(_)
            | Event::Lifecycle { .. }
            | Event::TaskStarted(_)
            | Event::TaskEnded { .. }
            | Event::TaskNotification { .. }
            | Event::BackgroundTasks(_)
            | Event::Retry(_)
            | Event::Refused
            | Event::Asked { .. }
            | Event::AskWithdrawn(_)
            | Event::Answered(_)
            | Event::Quiet
            | Event::SessionState
            | Event::Unknown => self.note(event, now),
        }
    }

    fn start_message(
        &mut self,
        id: &str,
        usage: Option<ApiUsage>,
        messages: &[Word<'_>],
        now: Now,
    ) {
        self.clear_notice();
        self.usage.note_call(usage);
        self.join(messages);
        self.set_run(RunState::Streaming);
        if let Some(turn) = &mut self.turn {
            turn.had_message = true;
        }
        self.timeline.start_message(id, now);
    }

    fn take_snapshot(&mut self, snapshot: &Snapshot<'_>, now: Now) {
        let message = &snapshot.message;
        if let Some(parent) = snapshot.parent.given() {
            return self.timeline.take_child_message(parent, message, now);
        }
        self.remember_plan(message);
        let is_own_words = message.model.as_str() == "<synthetic>";
        if is_own_words && snapshot.error.given().is_some() {
            if let Some(turn) = &mut self.turn {
                turn.failure = Some(WordedFailure {
                    class: snapshot.error.given().map(str::to_owned),
                    text: message.content.to_plain_text(),
                });
            }
            return;
        }
        self.set_run(RunState::Streaming);
        if let Some(turn) = &mut self.turn {
            turn.had_message = true;
        }
        self.timeline.take_snapshot(message, snapshot.is_aborted, now);
    }

    fn note_answered_calls(&mut self, answered: &[CallId]) {
        answered.iter().for_each(|call| self.tasks.note_result(call.as_str()));
        self.show_tasks();
    }

    fn set_run(&mut self, state: RunState) {
        let Some(turn) = &self.turn else { return };
        if !turn.is_stopping || state != RunState::Streaming {
            self.runs.set(&turn.id, state);
        }
    }

    /// The open turn is being interrupted.
    fn note_stopping(&mut self) {
        if let Some(turn) = &mut self.turn {
            turn.is_stopping = true;
        }
        self.set_run(RunState::Finalizing);
    }

    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    pub fn poll_timeout(&self) -> Option<Moment> {
        self.timeline.poll_timeout()
    }

    /// Shows text that has waited long enough.
    pub fn handle_timeout(&mut self, now: Now) {
        self.timeline.handle_timeout(now);
        self.drain_timeline();
    }

    /// Whether a message was sent whose turn has not begun.
    pub fn has_waiting(&self) -> bool {
        self.sent.head().is_some()
    }

    pub(crate) fn knows_call(&self, call_id: &str) -> bool {
        self.timeline.locate_tool(call_id).is_some()
    }

    /// Messages that were sent and wait while another turn runs.
    pub fn waiting_behind_a_turn(&self) -> Vec<TurnId> {
        if self.turn.is_some() { self.sent.turns().cloned().collect() } else { Vec::new() }
    }

    /// The input is one in which a block's stop is all that ends it.
    pub(crate) fn expect_no_snapshots(&mut self) {
        self.timeline.expect_no_snapshots();
    }

    pub fn turn_state(&self) -> TurnState {
        self.state
    }

    pub fn status(&self) -> RunStatus {
        self.runs.status(!self.asks.is_empty())
    }

    pub fn odd_lines(&self) -> OddLines {
        self.odd
    }

    /// A permission was answered.
    pub fn note_answered(&mut self, id: &PermissionId) {
        self.asks.retain(|ask| ask != id);
    }

    /// Moves what the timeline made to the outputs. A turn that was not announced is, before its first item.
    fn drain_timeline(&mut self) {
        if !self.timeline.has_emitted() {
            return;
        }
        for upsert in self.timeline.take_emitted() {
            self.announce_for(&upsert);
            self.outputs.push_back(Output::Upsert(Box::new(upsert)));
        }
    }

    fn announce_for(&mut self, upsert: &UpsertObject) {
        if self.turn.as_ref().is_some_and(|turn| turn.id == upsert.turn_id) {
            self.announce();
        }
    }

    pub(crate) fn tell(&mut self, turn_id: TurnId, kind: TurnEventKind) {
        let event =
            TurnEvent { turn_id, session_id: self.session.clone(), seq: None, at: None, kind };
        self.outputs.push_back(Output::Turn(Box::new(event)));
    }

    fn show_notice(&mut self, kind: &str, text: String) {
        self.has_notice = true;
        let notice = Notice { kind: kind.to_owned(), text };
        self.outputs.push_back(Output::Notice(Some(notice)));
    }

    fn clear_notice(&mut self) {
        if std::mem::take(&mut self.has_notice) {
            self.outputs.push_back(Output::Notice(None));
        }
    }

    fn show_tasks(&mut self) {
        let tasks = self.tasks.shown();
        if tasks != self.shown_tasks {
            self.shown_tasks.clone_from(&tasks);
            self.outputs.push_back(Output::BackgroundTasks(tasks));
        }
    }
}

impl fmt::Debug for ClaudeTranslator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClaudeTranslator")
            .field("session", &self.session)
            .field("state", &self.state)
            .field("runs", &self.runs)
            .finish_non_exhaustive()
    }
}
