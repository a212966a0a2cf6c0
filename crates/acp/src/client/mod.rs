//! The client's side of one session with one agent, without IO.
//!
//! Lines, times and wishes come in; lines to write, items, turns and requests go out. One session per agent, so whatever
//! the agent says is about it.

mod asks;
mod opening;
mod prompts;
mod retold;
mod settings;
mod turns;
mod unknown;
mod updates;

use std::collections::VecDeque;
use std::fmt;

use contract::{ErrorCode, PermissionId, ProviderId, SessionId, TurnId};
use pipeline::{Moment, Now, surrogates};

use crate::output::{AgentFacts, OddMessages, Output};
use crate::rpc::{self, METHOD_NOT_FOUND, Peer, Received, RequestId, RpcError};
use crate::timeline::Timeline;
use asks::Asks;
pub use opening::{OpenWhat, Opening, Replayed};
use opening::{Stage, StartPlan};
use prompts::Prompts;
pub use prompts::{Image, Patience, Prompt};
use retold::Retold;
pub use settings::Adjustment;
use settings::{Change, Settings};
use turns::Turns;
use unknown::Unknown;

/// What Codex says when a stream of its model broke off and it asks again: the text comes a second time.
const ASKS_AGAIN: &str = "Handled error during turn: Reconnecting...";

/// What a request of ours was about.
#[derive(Debug)]
enum Asked {
    Initialize,
    Authenticate,
    Open,
    List,
    /// A setting that the session begins with.
    Choose(Change),
    Prompt(u64),
    Adjust(u64, Change),
    /// Which words came before a retry.
    Mark(u64),
    Close,
}

pub struct AcpClient {
    session: SessionId,
    provider: ProviderId,
    peer: Peer<Asked>,
    stage: Stage,
    plan: StartPlan,
    agent: AgentFacts,
    /// The agent's own id of the session.
    agent_session: Option<String>,
    settings: Settings,
    timeline: Timeline,
    turns: Turns,
    prompts: Prompts,
    asks: Asks,
    retold: Retold,
    unknown: Unknown,
    fresh_id: Box<dyn FnMut(Fresh) -> String + Send>,
    outputs: VecDeque<Output>,
    odd: OddMessages,
    /// The end of what the agent wrote to standard error.
    aside: String,
}

/// What an id is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fresh {
    /// A turn that nobody asked for, or of an agent's history.
    Turn,
    Permission,
}

/// Who speaks, and in whose name.
#[derive(Clone, Debug)]
pub struct Parties {
    /// Our id of the session.
    pub session: SessionId,
    /// What items and turns name as their source.
    pub provider: ProviderId,
    /// How we introduce ourselves.
    pub client_version: String,
}

impl AcpClient {
    /// With other times than the usual ones.
    #[must_use]
    pub fn with_patience(mut self, patience: Patience) -> Self {
        self.prompts.patience = patience;
        self
    }

    /// The first line to write is there at once.
    pub fn new(
        parties: Parties,
        opening: Opening,
        fresh_id: impl FnMut(Fresh) -> String + Send + 'static,
    ) -> Self {
        let Parties { session, provider, client_version } = parties;
        let mut client = Self {
            timeline: Timeline::new(session.clone(), provider.clone()),
            session,
            provider,
            peer: Peer::default(),
            stage: Stage::Initializing,
            plan: StartPlan::new(opening),
            agent: AgentFacts::default(),
            agent_session: None,
            settings: Settings::default(),
            turns: Turns::default(),
            prompts: Prompts::default(),
            asks: Asks::default(),
            retold: Retold::default(),
            unknown: Unknown::default(),
            fresh_id: Box::new(fresh_id),
            outputs: VecDeque::new(),
            odd: OddMessages::default(),
            aside: String::new(),
        };
        client.introduce(&client_version);
        client
    }

    pub fn handle_line(&mut self, line: &str, now: Now) {
        // Half a character costs neither the text around it nor an answer that somebody waits for.
        let has_some = line.contains("\\ud") || line.contains("\\uD");
        let mended = if has_some { surrogates::mend(line) } else { None };
        match mended {
            Some(mended) => self.take_line(&mended, now),
            None => self.take_line(line, now),
        }
    }

    fn take_line(&mut self, line: &str, now: Now) {
        match self.peer.receive(line) {
            Received::Answer { to, result } => self.handle_answer(to, result, now),
            Received::Notification { method, params } => match &*method {
                "session/update" => self.handle_update(params, now),
                "$/cancel_request" => self.handle_withdrawal(params),
                _ => self.note_unknown(line),
            },
            Received::Request { id, method, params } => match &*method {
                "session/request_permission" => self.handle_permission(id, params, now),
                _ => self.refuse(&id, &method),
            },
            Received::Unasked => self.odd.unasked += 1,
            Received::Malformed => {
                self.odd.malformed += 1;
                self.outputs.push_back(Output::Unknown(line.to_owned()));
            }
        }
        self.pass_on_items();
    }

    fn handle_answer(&mut self, to: Asked, result: Result<&str, RpcError>, now: Now) {
        match to {
            Asked::Initialize => self.handle_initialized(result),
            Asked::Authenticate => self.handle_authenticated(result),
            Asked::Open => self.handle_opened(result, now),
            Asked::List => self.handle_listed(result),
            Asked::Choose(change) => self.handle_chosen(&change, result),
            Asked::Prompt(attempt) => self.handle_prompt_answer(attempt, result, now),
            Asked::Adjust(token, change) => self.handle_adjusted(token, &change, result),
            Asked::Mark(number) => self.handle_mark(number, now),
            Asked::Close => self.outputs.push_back(Output::Closed),
        }
    }

    /// Words on standard error, in any pieces. Codex tells only there that it asks its model again.
    pub fn handle_stderr(&mut self, text: &str, now: Now) {
        self.aside.push_str(text);
        if let Some((_, rest)) = self.aside.rsplit_once(ASKS_AGAIN) {
            self.aside = rest.to_owned();
            self.mark_retry(now);
        }
        // Only what may be the beginning of these words is of any more interest.
        let old = self.aside.len().saturating_sub(ASKS_AGAIN.len());
        self.aside.drain(..self.aside.floor_char_boundary(old));
    }

    pub fn poll_timeout(&self) -> Option<Moment> {
        let deadlines = [
            self.timeline.poll_timeout(),
            self.prompts.deadline(),
            self.silence_deadline(),
            self.retold.deadline(),
        ];
        deadlines.into_iter().flatten().min()
    }

    pub fn handle_timeout(&mut self, now: Now) {
        self.timeline.handle_timeout(now);
        self.pass_on_items();
        self.watch_retry(now);
        self.end_idle_turn(now);
        self.watch_prompt(now);
        self.send_next(now);
    }

    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    pub fn odd_messages(&self) -> OddMessages {
        self.odd
    }

    /// Whether no turn is open and none waits.
    pub fn is_idle(&self) -> bool {
        self.prompts.is_idle() && self.turns.current().is_none()
    }

    /// Asks the agent to let go of the session, where it knows how to.
    pub fn close(&mut self) {
        let session = self.agent_session.clone();
        match session.filter(|_| self.agent.close) {
            Some(session) => {
                let params = serde_json::json!({ "sessionId": session });
                if !self.request(Asked::Close, "session/close", &params) {
                    self.outputs.push_back(Output::Closed);
                }
            }
            None => self.outputs.push_back(Output::Closed),
        }
    }

    /// The agent is gone. What has begun ends; what has not never will here.
    pub fn end(&mut self, code: ErrorCode, message: &str, now: Now) {
        self.stage = Stage::Over;
        self.asks.forget_all();
        self.end_open_turn_badly(code, message, now);
        self.prompts.clear();
        self.outputs.push_back(Output::Notice(None));
    }

    fn request(&mut self, asked: Asked, method: &str, params: &impl serde::Serialize) -> bool {
        let line = self.peer.request(asked, method, params);
        let is_asked = line.is_ok();
        self.outputs.extend(line.ok().map(Output::Write));
        is_asked
    }

    fn write(&mut self, line: String) {
        self.outputs.push_back(Output::Write(line));
    }

    /// We offer no files, terminals or forms, so nothing else can be asked of us.
    fn refuse(&mut self, id: &RequestId, method: &str) {
        self.odd.unknown += 1;
        let message = format!("{method} is not offered");
        self.write(rpc::refusal(id, METHOD_NOT_FOUND, &message));
    }

    fn fresh_turn(&mut self) -> TurnId {
        TurnId::from((self.fresh_id)(Fresh::Turn))
    }

    fn fresh_permission(&mut self) -> PermissionId {
        PermissionId::from((self.fresh_id)(Fresh::Permission))
    }

    fn pass_on_items(&mut self) {
        let items = self.timeline.take_emitted();
        self.outputs.extend(items.into_iter().map(|item| Output::Upsert(Box::new(item))));
    }
}

impl fmt::Debug for AcpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AcpClient")
            .field("session", &self.session)
            .field("stage", &self.stage)
            .finish_non_exhaustive()
    }
}
