//! Sessions: from creating to killing one.

use std::time::Duration;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use contract::{
    CancelRequest, Cancelled, CreateSessionRequest, HistoryPage, ImportSessionRequest, ItemId,
    Killed, ProjectId, SendRequest, Seq, SessionCreated, SessionId, SessionLoaded, SessionSent,
    SessionStatus, Sessions, UpsertObject, WaitResult,
};
use serde::Deserialize;
use store::{HistoryQuery, PageLimit};

use crate::audit::Note;
use crate::error::ApiError;
use crate::json_body::{BODY_LIMIT, JsonBody, OptionalJsonBody};
use crate::query::read_query;
use crate::state::AppState;
use crate::url_path::UrlPath;

/// Items of a history page, unless fewer are asked for.
const PAGE: usize = 500;
/// Their text, near enough.
const PAGE_BYTES: usize = 4 << 20;
/// How long `wait` waits, unless told otherwise, and at most.
const WAIT: Duration = Duration::from_secs(30);
const LONGEST_WAIT: Duration = Duration::from_secs(600);

pub(super) fn router() -> Router<AppState> {
    Router::new()
        .route("/api/session/create", post(create))
        .route("/api/session/import", post(import))
        .route("/api/session/list", get(list))
        .route("/api/session/{session}/load", post(load))
        .route("/api/session/{session}/status", get(status))
        .route("/api/session/{session}/send", post(send))
        .route("/api/session/{session}/cancel", post(cancel))
        .route("/api/session/{session}/kill", post(kill))
        .route("/api/session/{session}/history", get(history))
        .route("/api/session/{session}/item/{item}", get(item))
        .route("/api/session/{session}/wait", get(wait))
}

async fn create(
    State(state): State<AppState>,
    JsonBody(request): JsonBody<CreateSessionRequest>,
) -> Result<Created, ApiError> {
    Ok(created(state.service.create(request).await?))
}

async fn import(
    State(state): State<AppState>,
    JsonBody(request): JsonBody<ImportSessionRequest>,
) -> Result<Created, ApiError> {
    Ok(created(state.service.import(request).await?))
}

type Created = (StatusCode, Extension<Note>, Json<SessionCreated>);

fn created(session: SessionCreated) -> Created {
    let note = Note::Session(session.session_id.clone());
    (StatusCode::CREATED, Extension(note), Json(session))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ListQuery {
    project_id: Option<ProjectId>,
    state: Option<String>,
}

async fn list(
    State(state): State<AppState>,
    query: Result<Query<ListQuery>, QueryRejection>,
) -> Result<Json<Sessions>, ApiError> {
    let query = read_query(query)?;
    let project = query
        .project_id
        .filter(|id| !id.as_str().is_empty())
        .ok_or_else(ApiError::project_id_required)?;
    let all = match query.state.as_deref() {
        None => false,
        Some("all") => true,
        Some(other) => {
            return Err(ApiError::invalid_request(format!("state: {other} is not one of: all")));
        }
    };
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
const SEND_LIMIT: usize = BODY_LIMIT + ATTACHMENTS_LIMIT / 3 * 4 + 4096;

/// What is said has the bound of every body; only files may be longer.
fn check_size(request: &SendRequest) -> Result<(), ApiError> {
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
) -> Result<(StatusCode, Json<SessionSent>), ApiError> {
    check_size(&request)?;
    let sent = state.service.send(&session, request).await?.answer().await?;
    Ok((StatusCode::ACCEPTED, Json(sent)))
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HistoryParameters {
    after: Option<u64>,
    before: Option<u64>,
    limit: Option<usize>,
}

async fn history(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
    query: Result<Query<HistoryParameters>, QueryRejection>,
) -> Result<Json<HistoryPage>, ApiError> {
    let query = read_query(query)?;
    let entries = query.limit.unwrap_or(PAGE);
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

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WaitParameters {
    timeout_ms: Option<u64>,
}

async fn wait(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
    query: Result<Query<WaitParameters>, QueryRejection>,
) -> Result<Json<WaitResult>, ApiError> {
    let timeout =
        read_query(query)?.timeout_ms.map_or(WAIT, Duration::from_millis).min(LONGEST_WAIT);
    Ok(Json(state.service.wait(&session, timeout).await?))
}
