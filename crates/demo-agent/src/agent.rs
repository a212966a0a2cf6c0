//! The agent's side of the protocol, on the official implementation.
//!
//! Its handlers run one at a time and none waits for anything: what takes time is a task of the connection and ends with
//! it, so that no turn outlives its client.

mod prompt_text;
mod session_list;

use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, CancelNotification, CloseSessionRequest, CloseSessionResponse, ContentChunk,
    Implementation, InitializeRequest, InitializeResponse, ListSessionsRequest, LoadSessionRequest,
    LoadSessionResponse, NewSessionRequest, NewSessionResponse, PromptRequest, PromptResponse,
    ResumeSessionRequest, ResumeSessionResponse, SessionCapabilities, SessionCloseCapabilities,
    SessionId, SessionListCapabilities, SessionNotification, SessionResumeCapabilities,
    SessionUpdate, SetSessionModeRequest, SetSessionModeResponse,
};
use agent_client_protocol::v1::{self, schema};
use agent_client_protocol::{
    Agent, Client, Error, RequestCancellation, on_receive_notification, on_receive_request,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

use crate::commands;
use crate::intent::understand;
use crate::mode::Mode;
use crate::project::Project;
use crate::session::{Session, Sessions};
use crate::session_files::{Record, SessionFiles};
use crate::settings::Settings;
use crate::story;
use crate::turn::{Ending, Turn, Updates, forgetful};
use crate::wire::{self, Credit};

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("the demo agent cannot keep its sessions in {path}")]
    Home { path: PathBuf, source: io::Error },
    #[error("the demo agent lost its client")]
    Connection(#[source] Error),
    #[error("the demo agent crashed because a prompt asked it to")]
    Crashed,
}

/// Serves one client on standard input and output until it leaves.
pub async fn run(settings: Settings) -> Result<(), RunError> {
    serve(settings, tokio::io::stdin(), tokio::io::stdout()).await
}

/// Serves one client on any two streams until the input ends.
pub async fn serve(
    settings: Settings,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), RunError> {
    let files = SessionFiles::open(&settings.home)
        .map_err(|source| RunError::Home { path: settings.home.clone(), source })?;
    let (crash, mut crashed) = watch::channel(false);
    let credit = Credit::full();
    let demo = Arc::new(Demo {
        files,
        sessions: Sessions::default(),
        pace: settings.pace,
        credit: credit.clone(),
        crash,
    });
    let connection = connected(Arc::clone(&demo), wire::transport(input, output, credit));
    tokio::select! {
        biased;
        _ = crashed.wait_for(|crashed| *crashed) => Err(RunError::Crashed),
        ended = connection => ended.map_err(RunError::Connection),
    }
}

#[derive(Debug)]
struct Demo {
    files: SessionFiles,
    sessions: Sessions,
    pace: Duration,
    credit: Credit,
    crash: watch::Sender<bool>,
}

type Connection = v1::ConnectionTo<Client>;

async fn connected(
    demo: Arc<Demo>,
    transport: impl agent_client_protocol::ConnectTo<Agent> + 'static,
) -> Result<(), Error> {
    let [for_new, for_load, for_resume, for_list, for_close, for_mode, for_prompt, for_cancel] =
        std::array::from_fn(|_| Arc::clone(&demo));
    Agent
        .v1()
        .name("demo-agent")
        .on_receive_request(
            async move |_: InitializeRequest, responder, _| responder.respond(introduction()),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request, responder, client| {
                for_new.new_session(&request, responder, &client)
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request, responder, client| for_load.load(request, responder, &client),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request, responder, client| for_resume.resume(request, responder, &client),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request, responder, client| for_list.list(request, responder, &client),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: CloseSessionRequest, responder, _| {
                responder.respond_with_result(for_close.close(&request))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: SetSessionModeRequest, responder, _| {
                responder.respond_with_result(for_mode.set_mode(&request))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request, responder, client| for_prompt.prompt(request, responder, &client),
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |request: CancelNotification, _| {
                for_cancel.cancel(&request.session_id);
                Ok(())
            },
            on_receive_notification!(),
        )
        .connect_to(transport)
        .await
}

fn introduction() -> InitializeResponse {
    let sessions = SessionCapabilities::new()
        .list(SessionListCapabilities::new())
        .resume(SessionResumeCapabilities::new())
        .close(SessionCloseCapabilities::new());
    let capabilities = AgentCapabilities::new().load_session(true).session_capabilities(sessions);
    let this = Implementation::new("liminal-demo-agent", env!("CARGO_PKG_VERSION"));
    InitializeResponse::new(ProtocolVersion::V1)
        .agent_capabilities(capabilities)
        .agent_info(this.title("Demo agent".to_owned()))
}

impl Demo {
    fn new_session(
        self: &Arc<Self>,
        request: &NewSessionRequest,
        responder: v1::Responder<NewSessionResponse>,
        client: &Connection,
    ) -> Result<(), Error> {
        let project = project_at(&request.cwd)?;
        let (id, file) = self.files.create(&request.cwd).map_err(forgetful)?;
        let session = Session::new(id.clone(), project, file, &[]);
        self.open(Arc::clone(&session))?;
        responder.respond(NewSessionResponse::new(id.clone()).modes(session.mode().state()))?;
        self.announce_commands(id, client)
    }

    fn load(
        self: &Arc<Self>,
        request: LoadSessionRequest,
        responder: v1::Responder<LoadSessionResponse>,
        client: &Connection,
    ) -> Result<(), Error> {
        let (demo, updates) = (Arc::clone(self), self.updates(client));
        client.clone().spawn(async move {
            let id = request.session_id;
            let (session, history) = match demo.remembered(id.clone(), request.cwd).await {
                Ok(found) => found,
                Err(error) => return responder.respond_with_error(error),
            };
            for record in history {
                if let Record::Update(update) = record {
                    updates.send(SessionNotification::new(id.clone(), *update)).await?;
                }
            }
            if let Err(error) = demo.open(Arc::clone(&session)) {
                return responder.respond_with_error(error);
            }
            responder.respond(LoadSessionResponse::new().modes(session.mode().state()))?;
            updates.send(SessionNotification::new(id, commands::announcement())).await
        })
    }

    fn resume(
        self: &Arc<Self>,
        request: ResumeSessionRequest,
        responder: v1::Responder<ResumeSessionResponse>,
        client: &Connection,
    ) -> Result<(), Error> {
        let (demo, updates) = (Arc::clone(self), self.updates(client));
        client.clone().spawn(async move {
            let id = request.session_id;
            let found = demo.remembered(id.clone(), request.cwd).await;
            let opened = found.and_then(|(session, _)| {
                demo.open(Arc::clone(&session))?;
                Ok(session)
            });
            let session = match opened {
                Ok(session) => session,
                Err(error) => return responder.respond_with_error(error),
            };
            responder.respond(ResumeSessionResponse::new().modes(session.mode().state()))?;
            updates.send(SessionNotification::new(id, commands::announcement())).await
        })
    }

    /// A session from its file. It is not open yet, so no turn can run in it.
    async fn remembered(
        self: &Arc<Self>,
        id: SessionId,
        cwd: PathBuf,
    ) -> Result<(Arc<Session>, Vec<Record>), Error> {
        // Otherwise the history would be told while it grows.
        if self.sessions.find(&id).is_some_and(|open| open.is_busy()) {
            return Err(busy(&id));
        }
        let demo = Arc::clone(self);
        let job = move || {
            let project = project_at(&cwd)?;
            let found = demo.files.load(&id).map_err(forgetful)?;
            let (file, history) = found.ok_or_else(|| unknown(&id))?;
            Ok((Session::new(id, project, file, &history), history))
        };
        tokio::task::spawn_blocking(job).await.map_err(Error::into_internal_error)?
    }

    fn list(
        self: &Arc<Self>,
        request: ListSessionsRequest,
        responder: v1::Responder<schema::ListSessionsResponse>,
        client: &Connection,
    ) -> Result<(), Error> {
        let demo = Arc::clone(self);
        client.spawn(async move {
            let page = tokio::task::spawn_blocking(move || {
                let found = demo.files.list().map_err(forgetful)?;
                session_list::page(found, &request)
            });
            let page = page.await.map_err(Error::into_internal_error);
            responder.respond_with_result(page.and_then(|page| page))
        })
    }

    fn close(&self, request: &CloseSessionRequest) -> Result<CloseSessionResponse, Error> {
        let id = &request.session_id;
        let session = self.sessions.remove(id).ok_or_else(|| unknown(id))?;
        session.cancel();
        Ok(CloseSessionResponse::new())
    }

    fn set_mode(&self, request: &SetSessionModeRequest) -> Result<SetSessionModeResponse, Error> {
        let session = self.find(&request.session_id)?;
        let mode = Mode::named(&request.mode_id)
            .ok_or_else(|| invalid(format!("there is no mode {}", request.mode_id.0)))?;
        session.set_mode(mode).map_err(forgetful)?;
        Ok(SetSessionModeResponse::new())
    }

    fn prompt(
        self: &Arc<Self>,
        request: PromptRequest,
        responder: v1::Responder<PromptResponse>,
        client: &Connection,
    ) -> Result<(), Error> {
        let session = self.find(&request.session_id)?;
        let running = session.begin().map_err(|_| busy(&request.session_id))?;
        let text = prompt_text::of(&request.prompt);
        session.entitle(&story::title(&text)).map_err(forgetful)?;
        for block in request.prompt {
            let update = SessionUpdate::UserMessageChunk(ContentChunk::new(block));
            session.remember(&Record::Update(Box::new(update))).map_err(forgetful)?;
        }
        let turn = Turn::new(running, self.updates(client), self.pace);
        let demo = Arc::clone(self);
        client.spawn(async move {
            let withdrawn = responder.cancellation();
            let ending = tokio::select! {
                ending = turn.run(understand(&text)) => ending,
                never = cancel_when(withdrawn, &session) => match never {},
            };
            match ending {
                Ending::Stopped(reason) => responder.respond(PromptResponse::new(reason)),
                Ending::Failed(error) => responder.respond_with_error(error),
                Ending::Crashed => {
                    demo.crash.send_replace(true);
                    // The process ends before anybody could answer.
                    std::future::pending().await
                }
            }
        })
    }

    fn cancel(&self, id: &SessionId) {
        if let Some(session) = self.sessions.find(id) {
            session.cancel();
        }
    }

    fn open(&self, session: Arc<Session>) -> Result<(), Error> {
        let id = session.id.clone();
        self.sessions.insert(session).map_err(|_| busy(&id))
    }

    fn find(&self, id: &SessionId) -> Result<Arc<Session>, Error> {
        self.sessions.find(id).ok_or_else(|| unknown(id))
    }

    fn updates(&self, client: &Connection) -> Updates {
        Updates { client: client.clone(), credit: self.credit.clone() }
    }

    fn announce_commands(&self, id: SessionId, client: &Connection) -> Result<(), Error> {
        let updates = self.updates(client);
        let announcement = SessionNotification::new(id, commands::announcement());
        client.spawn(async move { updates.send(announcement).await })
    }
}

/// A request that is withdrawn cancels its turn, which then ends as after any cancel.
async fn cancel_when(withdrawn: RequestCancellation, session: &Session) -> Infallible {
    withdrawn.cancelled().await;
    session.cancel();
    std::future::pending().await
}

fn project_at(cwd: &Path) -> Result<Project, Error> {
    if !cwd.is_absolute() {
        return Err(invalid(format!("{} is not an absolute path", cwd.display())));
    }
    Project::open(cwd).map_err(|error| invalid(format!("{}: {error}", cwd.display())))
}

fn invalid(why: String) -> Error {
    Error::new(-32602, why)
}

fn busy(id: &SessionId) -> Error {
    Error::new(-32600, format!("a prompt is already running in session {}", id.0))
}

fn unknown(id: &SessionId) -> Error {
    let mut error = Error::from(schema::Error::session_not_found(id.clone()));
    error.message = format!("there is no open session {}", id.0);
    error
}
