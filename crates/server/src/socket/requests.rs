//! What a connection's messages ask for.

use contract::{
    CliType, ClientFrame, ClientMessage, CreateSessionRequest, Epoch, ErrorCode, ProjectId,
    RequestId, SendRequest, Seq, ServerMessage, SessionId,
};
use session::{Asker, ServiceError};

use super::connection::Connection;
use super::live_socket::Closed;
use crate::audit::{Change, Note, Record};

impl Connection {
    pub(super) async fn handle(&mut self, frame: ClientFrame) -> Result<(), Closed> {
        let ClientFrame { request_id, message } = frame;
        if let ClientMessage::Hello { stream_protocol, capabilities } = &message {
            let wants_glances = capabilities.as_ref().is_some_and(|wants| wants["glances"] == true);
            let selected_family = self.negotiated(stream_protocol.as_ref(), wants_glances);
            return self.tell(request_id, ServerMessage::HelloAck { selected_family }).await;
        }
        // Whoever speaks without a hello gets the default.
        self.negotiated(None, false);
        if matches!(message, ClientMessage::Ping {}) {
            self.tell_all_untold().await?;
        }
        let held = self.coming.hold(ClientFrame { request_id, message }, &self.state.service);
        match held {
            Some(frame) => self.respond(frame).await,
            None => Ok(()),
        }
    }

    /// Does what a message asks for, whose turn it is.
    pub(super) async fn respond(&mut self, frame: ClientFrame) -> Result<(), Closed> {
        let ClientFrame { request_id, message } = frame;
        let change = Change::of_message(&message);
        let mut record = change.map(|change| self.state.audit.begin(&self.caller, change));
        let answer = self.answer(message, request_id.clone(), &mut record).await;
        end(record, answer.as_ref().err());
        match answer {
            Ok(None) => Ok(()),
            Ok(Some(answer)) => self.tell(request_id, answer).await,
            Err(error) => self.tell(request_id, failure(&error)).await,
        }
    }

    /// Does what is asked; what takes long is answered later, in its own time, and takes the record along.
    async fn answer(
        &mut self,
        message: ClientMessage,
        request_id: Option<RequestId>,
        record: &mut Option<Record>,
    ) -> Result<Option<ServerMessage>, ServiceError> {
        self.refuse_while_draining(&message)?;
        let service = self.state.service.clone();
        match message {
            ClientMessage::Hello { .. } => Ok(None),
            ClientMessage::Ping {} => Ok(Some(ServerMessage::Pong {})),
            ClientMessage::ProjectList {} => {
                Ok(Some(ServerMessage::ProjectList { projects: service.projects().await? }))
            }
            ClientMessage::ProjectAdd { path } => {
                // Told to every connection, to this one with the id of its request.
                let asker = self.asker(request_id);
                service.add_project_for(&path, Some(&asker)).await.map(|_| None)
            }
            ClientMessage::SessionList { project_id } => {
                let sessions = service.list(&project_id, false).await?;
                Ok(Some(ServerMessage::SessionList { project_id, sessions }))
            }
            ClientMessage::SessionCreate { project_id, cli_type } => {
                self.create(project_id, cli_type, request_id, record.take());
                Ok(None)
            }
            ClientMessage::SessionOpen { session_id, after, epoch } => {
                // Without the name of its numbering a place means nothing, and the client is told to start over.
                let from = after.map(|seq| (epoch.unwrap_or_else(|| Epoch::from("")), seq));
                let from = self.gateway.place(from);
                self.open_session(session_id, from, request_id);
                Ok(None)
            }
            ClientMessage::SessionClose { session_id } => {
                self.close_session(&session_id).await?;
                Ok(done(request_id.as_ref()))
            }
            ClientMessage::SessionSend { session_id, content, client_message_id, delivery } => {
                let request =
                    SendRequest { content, client_message_id, delivery, attachments: None };
                self.send_message(session_id, request, request_id, record).await.map(|()| None)
            }
            ClientMessage::SessionCancel { session_id } => {
                self.cancel(&session_id, request_id, record).await.map(|()| None)
            }
            ClientMessage::PermissionAnswer { session_id, permission_id, answer } => {
                let by = Some(self.caller.name().to_owned());
                service.answer_as(&session_id, permission_id, answer, by).await?;
                Ok(done(request_id.as_ref()))
            }
            ClientMessage::SessionArchive { session_id } => {
                self.archive(session_id, request_id, record.take());
                Ok(None)
            }
            ClientMessage::ProjectRemove { project_id } => {
                self.remove_project(project_id, request_id, record.take());
                Ok(None)
            }
            ClientMessage::SessionReconnect { cli_type } => {
                self.reconnect(cli_type, request_id, record.take());
                Ok(None)
            }
        }
    }

    /// Success is told by its history.
    fn open_session(
        &mut self,
        session: SessionId,
        from: Option<(Epoch, Seq)>,
        request_id: Option<RequestId>,
    ) {
        let (service, subscriber) = (self.state.service.clone(), self.subscriber.clone());
        let wanted = session.clone();
        self.coming.begin(session, async move {
            let opened = service.subscribe(&wanted, &subscriber, from, request_id.clone()).await;
            Some(Box::new((request_id, failure(&opened.err()?))))
        });
    }

    async fn close_session(&mut self, session: &SessionId) -> Result<(), ServiceError> {
        self.state.service.unsubscribe(session, &self.subscriber).await?;
        self.gateway.forget(session);
        self.told.forget(session);
        Ok(())
    }

    async fn send_message(
        &mut self,
        session_id: SessionId,
        request: SendRequest,
        request_id: Option<RequestId>,
        record: &mut Option<Record>,
    ) -> Result<(), ServiceError> {
        let client_message_id = request.client_message_id.clone();
        let pending = self.state.service.send(&session_id, request).await?;
        let record = record.take();
        self.pending.push(Box::pin(async move {
            let sent = pending.answer().await;
            end(record, sent.as_ref().err());
            let answer = match sent {
                Ok(sent) => ServerMessage::Sent {
                    session_id,
                    turn_id: sent.turn_id,
                    client_message_id,
                    state: sent.state,
                },
                Err(error) => failure(&error),
            };
            Some(Box::new((request_id, answer)))
        }));
        Ok(())
    }

    /// Answered when the turn has ended.
    async fn cancel(
        &mut self,
        session_id: &SessionId,
        request_id: Option<RequestId>,
        record: &mut Option<Record>,
    ) -> Result<(), ServiceError> {
        let pending = self.state.service.cancel(session_id, None).await?;
        let record = record.take();
        self.pending.push(Box::pin(async move {
            let cancelled = pending.answer().await;
            end(record, cancelled.as_ref().err());
            let answer = match cancelled {
                Ok(_) => done(request_id.as_ref())?,
                Err(error) => failure(&error),
            };
            Some(Box::new((request_id, answer)))
        }));
        Ok(())
    }

    /// Success is told to every connection as `session:archived`, to this one with the id of its request.
    fn archive(
        &mut self,
        session_id: SessionId,
        request_id: Option<RequestId>,
        record: Option<Record>,
    ) {
        let asker = self.asker(request_id.clone());
        let service = self.state.service.clone();
        self.pending.push(Box::pin(async move {
            let error = service.archive(&session_id, Some(asker)).await.err();
            end(record, error.as_ref());
            Some(Box::new((request_id, failure(&error?))))
        }));
    }

    /// Success is told to every connection as `project:removed`, to this one with the id of its request.
    fn remove_project(
        &mut self,
        project_id: ProjectId,
        request_id: Option<RequestId>,
        record: Option<Record>,
    ) {
        let asker = self.asker(request_id.clone());
        let service = self.state.service.clone();
        self.pending.push(Box::pin(async move {
            let error = service.remove_project(&project_id, Some(&asker)).await.err();
            end(record, error.as_ref());
            Some(Box::new((request_id, failure(&error?))))
        }));
    }

    /// Answered when it is known whether the agent can be run.
    fn reconnect(
        &mut self,
        cli_type: CliType,
        request_id: Option<RequestId>,
        record: Option<Record>,
    ) {
        let service = self.state.service.clone();
        self.pending.push(Box::pin(async move {
            let status = service.reconnect(&cli_type).await;
            end(record, status.as_ref().err());
            let answer = match status {
                Ok(status) => ServerMessage::AgentStatus { cli_type, status },
                Err(error) => failure(&error),
            };
            Some(Box::new((request_id, answer)))
        }));
    }

    fn asker(&self, request_id: Option<RequestId>) -> Asker {
        Asker { connection: self.subscriber.clone(), request_id }
    }

    /// Success is told to every connection as `session:created`, to this one with the id of its request.
    fn create(
        &mut self,
        project_id: ProjectId,
        cli_type: CliType,
        request_id: Option<RequestId>,
        record: Option<Record>,
    ) {
        let (service, asker) = (self.state.service.clone(), self.subscriber.clone());
        self.pending.push(Box::pin(async move {
            let created = async {
                let project_dir = service.project(&project_id).await?.path;
                let request = CreateSessionRequest {
                    cli_type,
                    project_dir,
                    title: None,
                    model_id: None,
                    mode_id: None,
                    provider_options: None,
                };
                service.create_for(request, &asker, request_id.as_ref()).await
            };
            let created = created.await;
            if let (Ok(created), Some(record)) = (&created, &record) {
                record.notes.add(Note::Session(created.session_id.clone()));
            }
            end(record, created.as_ref().err());
            Some(Box::new((request_id, failure(&created.err()?))))
        }));
    }
}

fn end(record: Option<Record>, error: Option<&ServiceError>) {
    if let Some(record) = record {
        record.end(error.map(ServiceError::code).as_ref());
    }
}

/// The answer to a request whose success nothing else tells; whoever gave it no id expects none.
fn done(request_id: Option<&RequestId>) -> Option<ServerMessage> {
    request_id.map(|_| ServerMessage::Done {})
}

fn failure(error: &ServiceError) -> ServerMessage {
    let code: ErrorCode = error.code();
    let (message, project_id) = (error.to_string(), error.duplicate());
    ServerMessage::Error { code: Some(code), message, detail: None, project_id }
}
