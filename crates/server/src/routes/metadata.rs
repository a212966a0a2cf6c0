//! What sessions are called, and which are put away.

use axum::Json;
use axum::extract::State;
use contract::{SessionId, SessionListItem, TitleRequest};

use crate::error::ApiError;
use crate::json_body::JsonBody;
use crate::openapi::{ApiRoutes, about, of_session};
use crate::state::AppState;
use crate::url_path::UrlPath;

pub(super) fn routes() -> ApiRoutes {
    ApiRoutes::of("sessions")
        .post(
            "/api/session/{sessionId}/title",
            rename,
            about("renameSession", "Gives a session a title").refuses(of_session()),
        )
        .post(
            "/api/session/{sessionId}/archive",
            archive,
            about("archiveSession", "Hides a session and ends its agent; nothing is deleted")
                .refuses(of_session()),
        )
        .post(
            "/api/session/{sessionId}/unarchive",
            unarchive,
            about("unarchiveSession", "Shows a session in the default list again")
                .refuses(of_session()),
        )
}

async fn rename(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
    JsonBody(request): JsonBody<TitleRequest>,
) -> Result<Json<SessionListItem>, ApiError> {
    Ok(Json(state.service.rename(&session, &request.title).await?))
}

async fn archive(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
) -> Result<Json<SessionListItem>, ApiError> {
    Ok(Json(state.service.archive(&session, None).await?))
}

async fn unarchive(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
) -> Result<Json<SessionListItem>, ApiError> {
    Ok(Json(state.service.unarchive(&session).await?))
}
