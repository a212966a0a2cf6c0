//! What a request or a message of a WebSocket changes, as the audit log tells it. What was said is not in it.

use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{MatchedPath, Request};
use axum::http::Method;
use contract::{ClientMessage, ModeId, PermissionAnswer, SessionId};

use super::Change;

/// Longer names are cut: they are somebody else's words.
const LONGEST: usize = 256;

/// What a handler knows better than its path.
#[derive(Debug)]
pub(crate) enum Note {
    /// The session that there is now.
    Session(SessionId),
    /// What of it.
    Subject(String),
    Decision(PermissionAnswer),
    /// The mode that the agent is to be in.
    Mode(ModeId),
}

/// Where a handler puts its notes, before it does what is asked: they are in the line however that ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes(Arc<Mutex<Vec<Note>>>);

impl Notes {
    pub(crate) fn add(&self, note: Note) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(note);
    }

    pub(super) fn take(&self) -> Vec<Note> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Change {
    fn new(action: &'static str) -> Self {
        Self { action: action.into(), ..Self::default() }
    }

    fn of_session(action: &'static str, session: &SessionId) -> Self {
        Self { session: Some(cut(session.as_str())), ..Self::new(action) }
    }

    fn about(self, subject: &str) -> Self {
        Self { subject: Some(cut(subject)), ..self }
    }

    fn decided(self, answer: &PermissionAnswer) -> Self {
        let changed_input = answer.updated_input.is_some();
        Self { decision: Some(decision(answer)), changed_input, ..self }
    }

    /// None if it only reads.
    pub(crate) fn of_request(request: &Request) -> Option<Self> {
        if matches!(*request.method(), Method::GET | Method::HEAD) {
            return None;
        }
        let path = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
        let mut named = names(path, request.uri().path());
        let session = path.starts_with("/api/session/{").then(|| named.next()).flatten();
        let subject = named.next();
        let action = format!("{} {path}", request.method()).into();
        Some(Self { action, session, subject, ..Self::default() })
    }

    /// None if it only reads.
    pub(crate) fn of_message(message: &ClientMessage) -> Option<Self> {
        match message {
            ClientMessage::Hello { .. }
            | ClientMessage::ProjectList {}
            | ClientMessage::SessionOpen { .. }
            | ClientMessage::SessionClose { .. }
            | ClientMessage::SessionList { .. }
            | ClientMessage::Ping {} => None,
            ClientMessage::ProjectAdd { path } => Some(Self::new("project:add").about(path)),
            ClientMessage::ProjectRemove { project_id } => {
                Some(Self::new("project:remove").about(project_id.as_str()))
            }
            ClientMessage::SessionCreate { project_id, .. } => {
                Some(Self::new("session:create").about(project_id.as_str()))
            }
            ClientMessage::SessionSend { session_id, .. } => {
                Some(Self::of_session("session:send", session_id))
            }
            ClientMessage::SessionCancel { session_id } => {
                Some(Self::of_session("session:cancel", session_id))
            }
            ClientMessage::SessionArchive { session_id } => {
                Some(Self::of_session("session:archive", session_id))
            }
            ClientMessage::SessionReconnect { cli_type } => {
                Some(Self::new("session:reconnect").about(cli_type.as_str()))
            }
            ClientMessage::PermissionAnswer { session_id, permission_id, answer } => {
                let change = Self::of_session("permission:answer", session_id);
                Some(change.about(permission_id.as_str()).decided(answer))
            }
        }
    }

    pub(crate) fn note(&mut self, note: Note) {
        match note {
            Note::Session(session) => self.session = Some(cut(session.as_str())),
            Note::Subject(subject) => self.subject = Some(cut(&subject)),
            Note::Decision(answer) => *self = std::mem::take(self).decided(&answer),
            Note::Mode(mode) => self.mode = Some(cut(mode.as_str())),
        }
    }
}

fn decision(answer: &PermissionAnswer) -> String {
    answer.option_id.as_ref().map_or_else(|| "cancel".to_owned(), |option| cut(option.as_str()))
}

/// What stands in a path where its pattern has a name.
fn names<'a>(pattern: &'a str, path: &'a str) -> impl Iterator<Item = String> + use<'a> {
    let pairs = pattern.split('/').zip(path.split('/'));
    pairs.filter(|(pattern, _)| pattern.starts_with('{')).map(|(_, name)| cut(name))
}

fn cut(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}
