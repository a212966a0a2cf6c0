//! Permission requests of all sessions.

use axum::extract::State;
use axum::{Extension, Json};
use contract::{PermissionAnswer, PermissionAnswered, PermissionId, PermissionRequest, SessionId};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::audit::{Caller, Note, Notes};
use crate::error::ApiError;
use crate::json_body::JsonBody;
use crate::openapi::{ApiRoutes, Refusal, about, of_agent, of_session};
use crate::state::AppState;
use crate::url_path::UrlPath;
use crate::url_query::UrlQuery;

/// What a list of decisions has without a wish.
const DECISIONS: usize = 100;
const MOST_DECISIONS: usize = 500;

pub(super) fn routes() -> ApiRoutes {
    ApiRoutes::of("permissions")
        .get(
            "/api/permissions",
            list,
            about("listPermissions", "Every permission that waits, the oldest first"),
        )
        .get(
            "/api/decisions",
            decisions,
            about("listDecisions", "What agents asked and is over, the last asked first")
                .refuses(of_session()),
        )
        .post(
            "/api/session/{sessionId}/permission/{permissionId}",
            answer,
            about("answerPermission", "Answers what an agent asks, once")
                .refuses(of_session())
                .refuses(of_agent())
                .refuses([Refusal::PERMISSION_NOT_FOUND, Refusal::PERMISSION_ALREADY_ANSWERED]),
        )
}

async fn list(State(state): State<AppState>) -> Json<Vec<PermissionRequest>> {
    Json(state.service.permissions())
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Wanted {
    /// Only those of this session.
    session_id: Option<SessionId>,
    /// At most so many, and at most 500; 100 without it.
    limit: Option<usize>,
}

async fn decisions(
    State(state): State<AppState>,
    UrlQuery(wanted): UrlQuery<Wanted>,
) -> Result<Json<Vec<PermissionRequest>>, ApiError> {
    let limit = wanted.limit.unwrap_or(DECISIONS).min(MOST_DECISIONS);
    Ok(Json(state.service.decisions(wanted.session_id, limit).await?))
}

async fn answer(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Extension(notes): Extension<Notes>,
    UrlPath((session, permission)): UrlPath<(SessionId, PermissionId)>,
    JsonBody(answer): JsonBody<PermissionAnswer>,
) -> Result<Json<PermissionAnswered>, ApiError> {
    notes.add(Note::Decision(answer.clone()));
    let by = Some(caller.name().to_owned());
    Ok(Json(state.service.answer_as(&session, permission, answer, by).await?))
}
