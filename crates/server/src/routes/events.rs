//! Canonical envelopes by HTTP: one JSON object a line, taken as they arrive.

use std::convert::Infallible;

use axum::body::Body;
use axum::extract::{FromRequest, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use contract::{ErrorCode, EventsAccepted, EventsRejected, Issue, SessionId, StreamEventEnvelope};
use futures_util::StreamExt;
use session::ServiceError;

use super::lines::{LONGEST_LINE, Line, Lines, TooLong};
use crate::error::ApiError;
use crate::openapi::{ApiRoutes, Asks, Description, Refusal, Refuses, about, of_agent, of_session};
use crate::state::AppState;
use crate::url_path::UrlPath;

pub(super) fn routes() -> ApiRoutes {
    ApiRoutes::of("events").post(
        "/api/session/{sessionId}/events",
        take_events,
        about("sendEvents", "Takes envelopes, and answers once what they caused is committed")
            .refuses(of_session())
            .refuses(of_agent())
            .refuses([Refusal::PAYLOAD_TOO_LARGE]),
    )
}

/// One JSON object a line, as they arrive.
struct Envelopes(Body);

impl<S: Send + Sync> FromRequest<S> for Envelopes {
    type Rejection = Infallible;

    async fn from_request(request: Request, _: &S) -> Result<Self, Infallible> {
        Ok(Self(request.into_body()))
    }
}

impl Asks for Envelopes {
    fn describe(description: &mut Description<'_>) {
        description.takes_lines::<StreamEventEnvelope>("Envelopes of this session, one a line.");
    }
}

/// A bad line is told with its number; those before it stay taken.
enum Refused {
    Request(ApiError),
    Line(EventsRejected),
}

impl From<ServiceError> for Refused {
    fn from(error: ServiceError) -> Self {
        Self::Request(error.into())
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        match self {
            Self::Request(error) => error.into_response(),
            Self::Line(rejected) => {
                let code = Extension(rejected.code.clone());
                (StatusCode::BAD_REQUEST, code, Json(rejected)).into_response()
            }
        }
    }
}

impl Refuses for Refused {
    fn describe(description: &mut Description<'_>) {
        description.refuses_with::<EventsRejected>(Refusal::INVALID_STREAM_EVENT);
    }
}

/// Lines are taken as they come; a bad one ends the request, and those before it stay taken.
async fn take_events(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
    Envelopes(body): Envelopes,
) -> Result<Json<EventsAccepted>, Refused> {
    state.service.check_ingestion(&session).await?;
    let mut intake = Intake { state, session, lines: Lines::default(), accepted: 0, ignored: 0 };
    let refusal = intake.take_body(body).await?;
    if intake.accepted > 0 {
        // What is accepted is in the journal, also text that would have waited for more of it.
        intake.state.service.end_ingestion(&intake.session).await?;
    }
    let ignored = Some(intake.ignored).filter(|ignored| *ignored > 0);
    match refusal {
        Some(rejected) => Err(Refused::Line(rejected)),
        None => Ok(Json(EventsAccepted { accepted: intake.accepted, ignored })),
    }
}

struct Intake {
    state: AppState,
    session: SessionId,
    lines: Lines,
    accepted: u64,
    ignored: u64,
}

impl Intake {
    /// Takes everything; returns the answer if something is bad.
    async fn take_body(&mut self, body: Body) -> Result<Option<EventsRejected>, ServiceError> {
        let mut chunks = body.into_data_stream();
        let idle = self.state.limits.events_idle;
        loop {
            let Ok(next) = tokio::time::timeout(idle, chunks.next()).await else {
                let issue = format!("nothing came for {} seconds", idle.as_secs());
                return Ok(Some(self.refuse(0, &Issue::new("", issue))));
            };
            let Some(chunk) = next else { break };
            // A body that breaks off leaves the turn open for the next one.
            let Ok(chunk) = chunk else {
                return Ok(Some(self.refuse(0, &Issue::new("", "the body broke off"))));
            };
            self.lines.push(&chunk);
            if let Some(refusal) = self.take_lines().await? {
                return Ok(Some(refusal));
            }
        }
        self.take_rest().await
    }

    /// Takes the whole lines that are there; returns the answer if one is bad.
    async fn take_lines(&mut self) -> Result<Option<EventsRejected>, ServiceError> {
        let mut batch = Vec::new();
        loop {
            let refusal = match self.lines.next_line() {
                Ok(None) => {
                    self.ingest(batch).await?;
                    return Ok(None);
                }
                Ok(Some(line)) => match self.read(&line) {
                    Ok(envelope) => {
                        batch.extend(envelope);
                        continue;
                    }
                    Err(issue) => (line.number, issue),
                },
                Err(TooLong { number }) => (
                    number,
                    Issue::new("", format!("the line is longer than {LONGEST_LINE} bytes")),
                ),
            };
            self.ingest(batch).await?;
            return Ok(Some(self.refuse(refusal.0, &refusal.1)));
        }
    }

    async fn take_rest(&mut self) -> Result<Option<EventsRejected>, ServiceError> {
        let Some(line) = self.lines.last_line() else { return Ok(None) };
        match self.read(&line) {
            Ok(envelope) => {
                self.ingest(envelope.into_iter().collect()).await?;
                Ok(None)
            }
            Err(issue) => Ok(Some(self.refuse(line.number, &issue))),
        }
    }

    /// Blank lines are nothing.
    fn read(&self, line: &Line) -> Result<Option<StreamEventEnvelope>, Issue> {
        if line.is_blank() {
            return Ok(None);
        }
        let envelope = StreamEventEnvelope::from_json(&line.bytes)?;
        if envelope.session_id != self.session {
            return Err(Issue::new("sessionId", format!("must be {}", self.session)));
        }
        Ok(Some(envelope))
    }

    async fn ingest(&mut self, batch: Vec<StreamEventEnvelope>) -> Result<(), ServiceError> {
        if batch.is_empty() {
            return Ok(());
        }
        let count = batch.len() as u64;
        self.ignored += self.state.service.ingest(&self.session, batch).await?;
        self.accepted += count;
        Ok(())
    }

    fn refuse(&self, line: u64, issue: &Issue) -> EventsRejected {
        EventsRejected {
            code: ErrorCode::INVALID_STREAM_EVENT,
            message: format!("line {line}: {issue}"),
            line,
            path: issue.path.clone(),
            accepted: self.accepted,
        }
    }
}
