//! Sessions: from creating to killing one.

use std::time::Duration;

use axum::extract::State;
use axum::{Extension, Json};
use contract::{
    CancelRequest, Cancelled, CreateSessionRequest, HistoryPage, ImportSessionRequest, ItemId,
    Killed, ProjectId, SendRequest, Seq, SessionCreated, SessionId, SessionLoaded, SessionSent,
    SessionStatus, Sessions, UpsertObject, WaitResult,
};
use schemars::JsonSchema;
use serde::Deserialize;
use store::{HistoryQuery, PageLimit};

use crate::audit::{Note, Notes};
use crate::error::ApiError;
use crate::json_body::{BODY_LIMIT, JsonBody, OptionalJsonBody};
use crate::openapi::{
    Accepted, ApiRoutes, Created, Refusal, about, of_agent, of_journal, of_session,
};
use crate::state::AppState;
use crate::url_path::UrlPath;
use crate::url_query::UrlQuery;

/// Items of a history page, unless fewer are asked for.
const PAGE: usize = 500;
/// Their text, near enough.
const PAGE_BYTES: usize = 4 << 20;
/// How long `wait` waits, unless told otherwise, and at most.
const WAIT: Duration = Duration::from_secs(30);
const LONGEST_WAIT: Duration = Duration::from_secs(600);

pub(super) fn routes() -> ApiRoutes {
    about_all(ApiRoutes::of("sessions")).merge(about_one(ApiRoutes::of("sessions")))
}

fn about_all(routes: ApiRoutes) -> ApiRoutes {
    routes
        .post(
            "/api/session/create",
            create,
            about("createSession", "Makes a session and answers once its agent is ready")
                .refuses(of_journal())
                .refuses(of_agent())
                .refuses([Refusal::INVALID_PROJECT_DIR]),
        )
        .post(
            "/api/session/import",
            import,
            about("importSession", "Makes a session of one that an agent keeps, with its history")
                .refuses(of_session())
                .refuses(of_agent())
                .refuses([Refusal::PROJECT_NOT_FOUND, Refusal::INVALID_PROJECT_DIR]),
        )
        .get(
            "/api/session/list",
            list,
            about("listSessions", "The sessions of a project, the last active first")
                .refuses(of_journal())
                .refuses([Refusal::PROJECT_ID_REQUIRED]),
        )
}

fn about_one(routes: ApiRoutes) -> ApiRoutes {
    let here = |id, summary| about(id, summary).refuses(of_session());
    let by_agent = |id, summary| here(id, summary).refuses(of_agent());
    routes
        .post(
            "/api/session/{sessionId}/load",
            load,
            by_agent("loadSession", "Starts the session's agent, if none runs")
                .refuses([Refusal::INVALID_PROJECT_DIR]),
        )
        .get(
            "/api/session/{sessionId}/status",
            status,
            here("sessionStatus", "What a session does now"),
        )
        .post(
            "/api/session/{sessionId}/send",
            send,
            by_agent("sendMessage", "Sends a message; answered once it is in the journal")
                .refuses([Refusal::TOO_MANY_REQUESTS, Refusal::INVALID_PROJECT_DIR]),
        )
        .post(
            "/api/session/{sessionId}/cancel",
            cancel,
            by_agent("cancelTurn", "Stops the turn that runs, and answers once it has ended")
                .refuses([Refusal::INTERRUPT_FAILED]),
        )
        .post(
            "/api/session/{sessionId}/kill",
            kill,
            by_agent("killSession", "Ends the agent and all it started"),
        )
        .get(
            "/api/session/{sessionId}/history",
            history,
            here("sessionHistory", "A page of items and the turn events that belong to them"),
        )
        .get(
            "/api/session/{sessionId}/item/{itemId}",
            item,
            here("sessionItem", "One item, whole").refuses([Refusal::ITEM_NOT_FOUND]),
        )
        .get(
            "/api/session/{sessionId}/wait",
            wait,
            here("waitForSession", "Answers as soon as the session is not running"),
        )
}

async fn create(
    State(state): State<AppState>,
    Extension(notes): Extension<Notes>,
    JsonBody(request): JsonBody<CreateSessionRequest>,
) -> Result<Created<SessionCreated>, ApiError> {
    request.mode_id.iter().for_each(|mode| notes.add(Note::Mode(mode.clone())));
    Ok(created(state.service.create(request).await?, &notes))
}

async fn import(
    State(state): State<AppState>,
    Extension(notes): Extension<Notes>,
    JsonBody(request): JsonBody<ImportSessionRequest>,
) -> Result<Created<SessionCreated>, ApiError> {
    Ok(created(state.service.import(request).await?, &notes))
}

fn created(session: SessionCreated, notes: &Notes) -> Created<SessionCreated> {
    notes.add(Note::Session(session.session_id.clone()));
    Created(session)
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ListQuery {
    #[schemars(required)]
    project_id: Option<ProjectId>,
    /// Dead and archived ones too.
    state: Option<States>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum States {
    All,
}

async fn list(
    State(state): State<AppState>,
    UrlQuery(query): UrlQuery<ListQuery>,
) -> Result<Json<Sessions>, ApiError> {
    let project = query
        .project_id
        .filter(|id| !id.as_str().is_empty())
        .ok_or_else(ApiError::project_id_required)?;
    let all = matches!(query.state, Some(States::All));
    Ok(Json(Sessions { sessions: state.service.list(&project, all).await? }))
}

async fn load(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
) -> Result<Json<SessionLoaded>, ApiError> {
    Ok(Json(state.service.load(&session).await?))
}

async fn status(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
) -> Result<Json<SessionStatus>, ApiError> {
    let status = state.service.status(&session).await?;
    Ok(Json((*status).clone()))
}

/// The attachments of one message, as files. In a request they are base64, which is a third longer.
const ATTACHMENTS_LIMIT: usize = 20 << 20;
/// As many files go with one message.
const ATTACHMENTS: usize = 32;
const SEND_LIMIT: usize = BODY_LIMIT + ATTACHMENTS_LIMIT / 3 * 4 + 4096;

/// What is said has the bound of every body; only files may be longer.
fn check_size(request: &SendRequest) -> Result<(), ApiError> {
    if request.attachments.as_ref().is_some_and(|files| files.len() > ATTACHMENTS) {
        let message = format!("attachments: must not be more than {ATTACHMENTS}");
        return Err(ApiError::too_large(message));
    }
    if request.content.len() > BODY_LIMIT {
        return Err(ApiError::too_large(format!("content: must not exceed {BODY_LIMIT} bytes")));
    }
    let files = request.attachments.iter().flatten();
    let bytes: usize = files.map(|file| decoded_length(&file.data)).sum();
    if bytes > ATTACHMENTS_LIMIT {
        let message = format!("attachments: must not exceed {ATTACHMENTS_LIMIT} bytes together");
        return Err(ApiError::too_large(message));
    }
    Ok(())
}

/// Of base64.
fn decoded_length(data: &str) -> usize {
    data.trim_end_matches('=').len() / 4 * 3 + data.trim_end_matches('=').len() % 4 * 3 / 4
}

async fn send(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
    JsonBody(request): JsonBody<SendRequest, SEND_LIMIT>,
) -> Result<Accepted<SessionSent>, ApiError> {
    check_size(&request)?;
    let sent = state.service.send(&session, request).await?.answer().await?;
    Ok(Accepted(sent))
}

async fn cancel(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
    OptionalJsonBody(request): OptionalJsonBody<CancelRequest>,
) -> Result<Json<Cancelled>, ApiError> {
    Ok(Json(state.service.cancel(&session, request.turn_id).await?.answer().await?))
}

async fn kill(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
) -> Result<Json<Killed>, ApiError> {
    Ok(Json(state.service.kill(&session).await?))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HistoryParameters {
    /// What changed after this `seq`; not with `before`.
    after: Option<u64>,
    /// What stands before this `position`; not with `after`.
    before: Option<u64>,
    /// Items of the page, at most.
    #[schemars(range(min = 1, max = PAGE))]
    limit: Option<u16>,
}

async fn history(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
    UrlQuery(query): UrlQuery<HistoryParameters>,
) -> Result<Json<HistoryPage>, ApiError> {
    let entries = query.limit.map_or(PAGE, usize::from);
    if !(1..=PAGE).contains(&entries) {
        return Err(ApiError::invalid_request(format!("limit: must lie between 1 and {PAGE}")));
    }
    let limit = PageLimit { entries, bytes: PAGE_BYTES };
    let wanted = match (query.after, query.before) {
        (None, None) => HistoryQuery::Newest { limit },
        (None, Some(position)) => HistoryQuery::Before { position: Seq(position), limit },
        (Some(seq), None) => HistoryQuery::After { seq: Seq(seq), limit },
        (Some(_), Some(_)) => return Err(ApiError::invalid_request("give either after or before")),
    };
    Ok(Json(state.service.history(&session, wanted).await?.shortened()))
}

async fn item(
    State(state): State<AppState>,
    UrlPath((session, item)): UrlPath<(SessionId, ItemId)>,
) -> Result<Json<UpsertObject>, ApiError> {
    let item = state.service.item(&session, &item).await?;
    Ok(Json((*item).clone()))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WaitParameters {
    /// How long to wait; longer than ten minutes is ten minutes.
    #[schemars(extend("default" = 30_000))]
    timeout_ms: Option<u64>,
}

async fn wait(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
    UrlQuery(query): UrlQuery<WaitParameters>,
) -> Result<Json<WaitResult>, ApiError> {
    let timeout = query.timeout_ms.map_or(WAIT, Duration::from_millis).min(LONGEST_WAIT);
    Ok(Json(state.service.wait(&session, timeout).await?))
}
