//! From the first line to an open session.

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    AgentCapabilities, ClientCapabilities, Implementation, InitializeRequest, Meta,
};
use pipeline::Now;
use serde::Deserialize;
use serde_json::{Value, json};

use super::settings::Adjustment;
use super::updates::ToldMessage;
use super::{AcpClient, Asked};
use crate::bounds::{TITLE, WORDS, shorten};
use crate::output::{AgentFacts, ListedSession, Output, Ready, Refusal, RefusalKind};
use crate::rpc::RpcError;

const AUTHENTICATION_REQUIRED: i64 = -32000;
const RESOURCE_NOT_FOUND: i64 = -32002;
/// Pages of a list that are read. Agents give 25 and more sessions a page.
const PAGES: u32 = 20;

/// What a client is made for.
#[derive(Clone, Debug)]
pub struct Opening {
    pub cwd: String,
    pub session: OpenWhat,
    /// Settings that the session begins with.
    pub choices: Vec<Adjustment>,
    /// Names of the variables that the agent's environment holds: some agents log in by one.
    pub variables: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenWhat {
    New,
    /// In the place of an earlier one of which the agent keeps nothing.
    Anew,
    /// Goes on with a session of the agent's.
    Existing {
        agent_session: String,
        replayed: Replayed,
    },
    /// Opens nothing: what the agent says of itself is all that is wanted.
    Nothing,
    /// Opens nothing and lists the agent's sessions of the directory.
    List,
}

/// What becomes of the history that an agent tells when it loads a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// It is told as items and turns.
    Told,
    /// It is known already.
    Discarded,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Initializing,
    /// The session is being opened; with what is told meanwhile.
    Opening(Replayed),
    /// So many settings wait for answers.
    Choosing(usize),
    Ready,
    Over,
}

/// How the session is opened, and what was learned on the way.
#[derive(Debug)]
pub(super) struct StartPlan {
    opening: Opening,
    auth_methods: Vec<AuthMethod>,
    has_authenticated: bool,
    listed: Vec<ListedSession>,
    pages: u32,
    /// The user's message in a history, until what follows it is told.
    pub(super) told_message: Option<ToldMessage>,
}

#[derive(Clone, Debug, Deserialize)]
struct AuthMethod {
    id: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    vars: Vec<AuthVariable>,
}

#[derive(Clone, Debug, Deserialize)]
struct AuthVariable {
    name: String,
}

/// Each part is read apart: one that is odd is as good as none.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Initialized {
    protocol_version: Value,
    agent_capabilities: Value,
    agent_info: Value,
    auth_methods: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Opened {
    #[serde(default)]
    session_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    #[serde(default)]
    sessions: Value,
    #[serde(default)]
    next_cursor: Option<String>,
}

impl StartPlan {
    pub(super) fn new(opening: Opening) -> Self {
        Self {
            opening,
            auth_methods: Vec::new(),
            has_authenticated: false,
            listed: Vec::new(),
            pages: 0,
            told_message: None,
        }
    }

    /// Whether an earlier session is gone on with.
    pub(super) fn goes_on(&self) -> bool {
        matches!(self.opening.session, OpenWhat::Existing { .. })
    }

    /// Whether the choices were made for an earlier agent: the one of today may offer other settings.
    fn inherits(&self) -> bool {
        self.goes_on() || self.opening.session == OpenWhat::Anew
    }

    /// A way to log in that needs nobody: by a variable that is set.
    fn silent_login(&self) -> Option<&AuthMethod> {
        let is_set = |variable: &AuthVariable| self.opening.variables.contains(&variable.name);
        let is_silent =
            |method: &&AuthMethod| !method.vars.is_empty() && method.vars.iter().all(is_set);
        self.auth_methods.iter().find(is_silent)
    }

    fn how_to_log_in(&self) -> String {
        let ways = self.auth_methods.iter().map(|method| {
            let text = method.description.as_deref().unwrap_or_default();
            if text.is_empty() { method.name.clone() } else { format!("{} ({text})", method.name) }
        });
        shorten(&ways.collect::<Vec<_>>().join("; "), WORDS)
    }
}

impl AcpClient {
    pub(super) fn introduce(&mut self, version: &str) {
        let mut meta = Meta::new();
        // Otherwise a command's output comes only at its end, and sometimes not even then.
        meta.insert("terminal_output".to_owned(), Value::Bool(true));
        let request = InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(ClientCapabilities::new().meta(meta))
            .client_info(Implementation::new("liminal-builder", version).title("Liminal Builder"));
        self.request(Asked::Initialize, "initialize", &request);
    }

    pub(super) fn handle_initialized(&mut self, result: Result<&str, RpcError>) {
        let told = match result {
            Ok(json) => serde_json::from_str::<Initialized>(json),
            Err(error) => {
                return self.refused(RefusalKind::Other, "the agent did not start", error);
            }
        };
        let Ok(told) = told else {
            return self.fail(RefusalKind::Other, "the agent's first answer could not be read");
        };
        if told.protocol_version != json!(1) {
            let message = format!(
                "the agent speaks version {} of the protocol, not 1",
                told.protocol_version
            );
            return self.fail(RefusalKind::Other, &message);
        }
        let methods = told.auth_methods.as_array().into_iter().flatten();
        self.plan.auth_methods =
            methods.filter_map(|method| AuthMethod::deserialize(method).ok()).collect();
        self.agent = facts(told);
        self.open();
    }

    fn open(&mut self) {
        let cwd = self.plan.opening.cwd.clone();
        match self.plan.opening.session.clone() {
            OpenWhat::New | OpenWhat::Anew => {
                self.stage = Stage::Opening(Replayed::Discarded);
                let params = json!({ "cwd": cwd, "mcpServers": [] });
                self.request(Asked::Open, "session/new", &params);
            }
            OpenWhat::Existing { agent_session, replayed } => {
                self.open_existing(&agent_session, &cwd, replayed);
            }
            OpenWhat::Nothing => {
                self.outputs.push_back(Output::Introduced(self.agent.clone()));
            }
            OpenWhat::List if self.agent.list => self.list(None),
            OpenWhat::List => self.outputs.push_back(Output::Listed(Vec::new())),
        }
    }

    fn open_existing(&mut self, agent_session: &str, cwd: &str, replayed: Replayed) {
        let method = match replayed {
            Replayed::Discarded if self.agent.resume => "session/resume",
            Replayed::Told | Replayed::Discarded if self.agent.load => "session/load",
            Replayed::Told | Replayed::Discarded => {
                let message = "this agent cannot go on with an earlier session";
                return self.fail(RefusalKind::CannotResume, message);
            }
        };
        self.stage = Stage::Opening(replayed);
        self.agent_session = Some(agent_session.to_owned());
        let params = json!({ "sessionId": agent_session, "cwd": cwd, "mcpServers": [] });
        self.request(Asked::Open, method, &params);
    }

    pub(super) fn handle_opened(&mut self, result: Result<&str, RpcError>, now: Now) {
        let json = match result {
            Ok(json) => json,
            Err(error) if error.code == AUTHENTICATION_REQUIRED => return self.log_in(error),
            Err(error) if error.code == RESOURCE_NOT_FOUND => {
                return self.refused(
                    RefusalKind::UnknownSession,
                    "the agent keeps no such session",
                    error,
                );
            }
            Err(error) => {
                return self.refused(RefusalKind::Other, "the agent opened no session", error);
            }
        };
        let opened = serde_json::from_str::<Opened>(json).ok().and_then(|opened| opened.session_id);
        self.agent_session = opened.or(self.agent_session.take());
        if self.agent_session.is_none() {
            return self.fail(RefusalKind::Other, "the agent opened a session without an id");
        }
        self.end_replay(now);
        self.settings.take_from(json);
        self.choose();
    }

    /// Sets what the session is to begin with.
    fn choose(&mut self) {
        let choices = std::mem::take(&mut self.plan.opening.choices);
        let mut asked = 0;
        for choice in choices {
            match self.settings.change(&choice) {
                Ok(change) => asked += usize::from(self.ask_for(change, Asked::Choose)),
                Err(message) if self.plan.inherits() => tracing::debug!(message, "not set again"),
                Err(message) => return self.fail(RefusalKind::Other, &message),
            }
        }
        self.stage = Stage::Choosing(asked);
        self.be_ready_if_chosen();
    }

    pub(super) fn handle_chosen(&mut self, change: &super::Change, result: Result<&str, RpcError>) {
        match result {
            Ok(json) => self.settings.apply(change, json),
            Err(error) if self.plan.inherits() => tracing::debug!(?error, "not set again"),
            Err(error) => {
                return self.refused(RefusalKind::Other, "the agent refused a setting", error);
            }
        }
        if let Stage::Choosing(left) = &mut self.stage {
            *left = left.saturating_sub(1);
        }
        self.be_ready_if_chosen();
    }

    fn be_ready_if_chosen(&mut self) {
        if self.stage != Stage::Choosing(0) {
            return;
        }
        self.stage = Stage::Ready;
        let ready = Ready {
            agent_session: self.agent_session.clone().unwrap_or_default(),
            agent: self.agent.clone(),
            options: self.settings.options(),
        };
        self.outputs.push_back(Output::Ready(Box::new(ready)));
    }

    fn log_in(&mut self, error: RpcError) {
        let method = self.plan.silent_login().map(|method| method.id.clone());
        match method.filter(|_| !self.plan.has_authenticated) {
            Some(method) => {
                self.plan.has_authenticated = true;
                self.request(Asked::Authenticate, "authenticate", &json!({ "methodId": method }));
            }
            None => {
                let ways = self.plan.how_to_log_in();
                let message = format!("the agent is not logged in. Ways to log in: {ways}");
                self.outputs.push_back(Output::Refused(Refusal {
                    kind: RefusalKind::NotLoggedIn,
                    message,
                    cause: Some(error),
                }));
            }
        }
    }

    pub(super) fn handle_authenticated(&mut self, result: Result<&str, RpcError>) {
        match result {
            Ok(_) => self.open(),
            Err(error) => {
                self.refused(RefusalKind::NotLoggedIn, "the agent could not log in", error);
            }
        }
    }

    fn list(&mut self, cursor: Option<&str>) {
        let mut params = json!({ "cwd": self.plan.opening.cwd });
        if let (Some(cursor), Some(members)) = (cursor, params.as_object_mut()) {
            members.insert("cursor".to_owned(), json!(cursor));
        }
        self.request(Asked::List, "session/list", &params);
    }

    pub(super) fn handle_listed(&mut self, result: Result<&str, RpcError>) {
        let page = match result {
            Ok(json) => serde_json::from_str::<Listed>(json).ok(),
            Err(error) => {
                return self.refused(RefusalKind::Other, "the agent lists no sessions", error);
            }
        };
        let Some(page) = page else {
            return self.fail(RefusalKind::Other, "the agent's list could not be read");
        };
        let sessions = page.sessions.as_array().into_iter().flatten();
        let sessions = sessions.filter_map(|session| ListedSession::deserialize(session).ok());
        self.plan.listed.extend(sessions.map(|session| {
            let title = session.title.map(|title| shorten(&title, TITLE));
            ListedSession { title, ..session }
        }));
        self.plan.pages += 1;
        match page.next_cursor.filter(|_| self.plan.pages < PAGES) {
            Some(cursor) => self.list(Some(&cursor)),
            None => {
                let listed = std::mem::take(&mut self.plan.listed);
                self.outputs.push_back(Output::Listed(listed));
            }
        }
    }

    fn refused(&mut self, kind: RefusalKind, what: &str, cause: RpcError) {
        let kind =
            if cause.code == AUTHENTICATION_REQUIRED { RefusalKind::NotLoggedIn } else { kind };
        let message = format!("{what}: {}", crate::failure::words(&cause));
        self.outputs.push_back(Output::Refused(Refusal { kind, message, cause: Some(cause) }));
    }

    fn fail(&mut self, kind: RefusalKind, message: &str) {
        let message = message.to_owned();
        self.outputs.push_back(Output::Refused(Refusal { kind, message, cause: None }));
    }
}

fn facts(told: Initialized) -> AgentFacts {
    let can: AgentCapabilities =
        serde_json::from_value(told.agent_capabilities).unwrap_or_default();
    let info = |name: &str| Some(shorten(told.agent_info.get(name)?.as_str()?, TITLE));
    AgentFacts {
        name: info("title").or_else(|| info("name")),
        version: info("version"),
        images: can.prompt_capabilities.image,
        load: can.load_session,
        resume: can.session_capabilities.resume.is_some(),
        close: can.session_capabilities.close.is_some(),
        list: can.session_capabilities.list.is_some(),
    }
}
