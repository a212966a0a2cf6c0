//! An agent that is started to be asked one thing, and is ended when it has answered.

use std::collections::HashMap;
use std::time::Duration;

use acp::{AcpClient, ListedSession, OpenWhat, Opening, Output, Refusal, RefusalKind};
use contract::{ItemId, SessionId, UpsertObject};
use recording::HistoryEvent;

use super::AcpProvider;
use super::transport::{AcpConnection, ConnectRequest, Word};
use crate::provider::transcript_files::{LONGEST, too_long};
use crate::provider::{ProviderError, ProviderErrorCode};

/// How long an agent has for its answer, its start included.
const DEADLINE: Duration = Duration::from_secs(60);

/// What an agent told.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) listed: Vec<ListedSession>,
    /// A session's history, every item where it began and in its last state. When it was is not told.
    pub(super) events: Vec<HistoryEvent>,
    items: HashMap<ItemId, usize>,
}

impl AcpProvider {
    /// Starts an agent for the question and ends it, also if nobody waits for the answer any more.
    pub(super) async fn ask(
        &self,
        session: &SessionId,
        cwd: &str,
        what: OpenWhat,
    ) -> Result<Told, ProviderError> {
        let _one_at_a_time = self.asking.acquire().await.map_err(failed)?;
        let request = ConnectRequest { session_id: session.clone(), cwd: cwd.to_owned() };
        let answer = async {
            let mut connection = self.transport.connect(request).await.map_err(failed)?;
            let opening = Opening {
                cwd: cwd.to_owned(),
                session: what,
                choices: Vec::new(),
                variables: connection.variables.clone(),
            };
            let parties = self.parties(session.clone());
            let client = AcpClient::new(parties, opening, self.fresh_ids());
            let told = self.listen(client, &mut connection).await;
            connection.control.close().await;
            told
        };
        tokio::time::timeout(DEADLINE, answer).await.unwrap_or_else(|_| {
            let message = "the agent did not answer in time";
            Err(ProviderError::new(ProviderErrorCode::ProcessCrash, message))
        })
    }

    async fn listen(
        &self,
        mut client: AcpClient,
        connection: &mut AcpConnection,
    ) -> Result<Told, ProviderError> {
        let mut told = Told::default();
        let mut room = LONGEST;
        loop {
            let now = self.environment.now();
            while let Some(output) = client.poll_output() {
                match output {
                    Output::Write(line) => connection.input.try_send(line).map_err(failed)?,
                    Output::Listed(listed) => return Ok(Told { listed, ..told }),
                    Output::Ready(_) => return Ok(told),
                    Output::Refused(refusal) => return Err(refused(refusal)),
                    Output::Upsert(upsert) => told.put(upsert),
                    Output::Turn(mut event) => {
                        event.at = Some(now.wall);
                        told.events.push(HistoryEvent::Turn(event));
                    }
                    // All of these are about a session that goes on.
                    Output::NeverBegan(_)
                    | Output::Asked(_)
                    | Output::Withdrawn(_)
                    | Output::Plan(_)
                    | Output::Notice(_)
                    | Output::Options(_)
                    | Output::Introduced(_)
                    | Output::Adjusted(..)
                    | Output::Closed
                    | Output::Unknown(_) => {}
                }
            }
            match connection.output.next().await {
                Some(Word::Line(line)) => {
                    let length = u64::try_from(line.len()).unwrap_or(u64::MAX);
                    room = room.checked_sub(length).ok_or_else(too_long)?;
                    client.handle_line(&line, now);
                }
                Some(Word::Aside(text)) => client.handle_stderr(&text, now),
                None => {
                    // It exits, or has only closed its output: then it is of no use and is ended.
                    connection.control.close().await;
                    let reason = connection.control.ended().await;
                    return Err(ProviderError::new(ProviderErrorCode::ProcessCrash, reason));
                }
            }
        }
    }
}

impl Told {
    fn put(&mut self, mut upsert: Box<UpsertObject>) {
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
}

fn refused(refusal: Refusal) -> ProviderError {
    let code = match refusal.kind {
        RefusalKind::UnknownSession => ProviderErrorCode::SessionNotFound,
        RefusalKind::CannotResume => ProviderErrorCode::NotSupported,
        RefusalKind::NotLoggedIn | RefusalKind::Other => ProviderErrorCode::SessionCreateFailed,
    };
    ProviderError::new(code, refusal.message)
}

fn failed(error: impl std::error::Error + Send + Sync + 'static) -> ProviderError {
    let message = format!("the agent could not be asked: {error}");
    ProviderError::new(ProviderErrorCode::SessionCreateFailed, message).caused_by(error)
}
