//! Who changed what: one line for every change that was asked for with a credential, in a file that is only appended to.
//!
//! A line is written when it is known how it went, before that is answered; one that was given up half-way is written too.

mod file;
mod messages;

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::response::Response;
use contract::{ErrorCode, Timestamp};
use serde::Serialize;

use crate::credentials::Grant;
use crate::serving::Peer;
use file::AuditFile;
pub(crate) use messages::{Note, Notes};

/// What is known of who asks.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    who: Arc<str>,
    from: Arc<str>,
}

impl Caller {
    pub(crate) fn new(grant: &Grant, peer: &Peer) -> Self {
        Self { who: grant.holder().into(), from: peer.place().into() }
    }

    /// What others may know of it: which browser it was is for the log alone.
    pub(crate) fn name(&self) -> &str {
        if self.who.starts_with("browser ") { "browser" } else { &self.who }
    }
}

/// What a change was about.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Change {
    pub(crate) action: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    /// What of it: a permission, a turn that waits, a project or its directory, the name of a token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) subject: Option<String>,
    /// What was answered to a permission.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) decision: Option<String>,
    /// It was to be done with other arguments than were proposed: they stand with the decision, as others can be long and secret.
    #[serde(rename = "changedInput", skip_serializing_if = "std::ops::Not::not")]
    pub(crate) changed_input: bool,
    /// What the agent was to be set to: it may be a mode in which nothing is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<String>,
}

/// The log. Without a data directory there is none.
#[derive(Debug, Default)]
pub struct Audit {
    file: Option<AuditFile>,
}

#[derive(Serialize)]
struct Line<'a> {
    at: Timestamp,
    who: &'a str,
    from: &'a str,
    #[serde(flatten)]
    change: &'a Change,
    outcome: &'a str,
}

impl Audit {
    /// Goes on with the file, which only our user may read. A link, or another user's file, is an error.
    pub fn open(path: &Path) -> std::io::Result<Self> {
        Ok(Self { file: Some(AuditFile::open(path)?) })
    }

    /// The command line did this itself, because no server runs.
    pub fn note_without_server(&self, action: &'static str) {
        let from = format!("process {}", std::process::id());
        let caller = Caller { who: "command line".into(), from: from.into() };
        self.write(&caller, &Change { action: action.into(), ..Change::default() }, "ok");
    }

    pub(crate) fn begin(self: &Arc<Self>, caller: &Caller, change: Change) -> Record {
        let (caller, notes) = (caller.clone(), Notes::default());
        Record { audit: self.clone(), caller, change, notes, is_written: false }
    }

    fn write(&self, caller: &Caller, change: &Change, outcome: &str) {
        let Some(file) = &self.file else { return };
        let line = Line { at: now(), who: &caller.who, from: &caller.from, change, outcome };
        let written =
            serde_json::to_vec(&line).map_err(Into::into).and_then(|line| file.append(line));
        if let Err(error) = written {
            tracing::error!(%error, "a change is not in the audit log");
        }
    }
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// A change under way. It is written once, however it ends.
#[derive(Debug)]
pub(crate) struct Record {
    audit: Arc<Audit>,
    caller: Caller,
    change: Change,
    /// What those who do it have to say of it.
    pub(crate) notes: Notes,
    is_written: bool,
}

impl Record {
    /// It was done, or refused with this code.
    pub(crate) fn end(mut self, refused: Option<&ErrorCode>) {
        self.write(refused.map_or("ok", ErrorCode::as_str));
    }

    /// A request's record ends as its answer says.
    pub(crate) fn end_with(self, response: &Response) {
        match response.extensions().get::<ErrorCode>() {
            Some(code) => self.end(Some(code)),
            None => self.end(None),
        }
    }

    fn write(&mut self, outcome: &str) {
        self.is_written = true;
        self.notes.take().into_iter().for_each(|note| self.change.note(note));
        self.audit.write(&self.caller, &self.change, outcome);
    }
}

/// Whoever asked went away before it was answered; it may have been done all the same.
impl Drop for Record {
    fn drop(&mut self) {
        if !self.is_written {
            self.write("unanswered");
        }
    }
}
