//! What a session's agent can be set to.

use axum::extract::State;
use axum::{Extension, Json};
use contract::{ModeRequest, ModelRequest, SessionId, SessionOptions, TaskId, TaskStopped};

use crate::audit::{Note, Notes};
use crate::error::ApiError;
use crate::json_body::JsonBody;
use crate::openapi::{ApiRoutes, Refusal, about, of_agent, of_session};
use crate::state::AppState;
use crate::url_path::UrlPath;

pub(super) fn routes() -> ApiRoutes {
    ApiRoutes::of("sessions")
        .get(
            "/api/session/{sessionId}/options",
            options,
            about("sessionOptions", "What the running agent can be set to, and is set to")
                .refuses(of_session()),
        )
        .post(
            "/api/session/{sessionId}/mode",
            set_mode,
            about("setMode", "Sets the agent to one of its modes")
                .refuses(of_session())
                .refuses(of_agent()),
        )
        .post(
            "/api/session/{sessionId}/model",
            set_model,
            about("setModel", "Sets the agent to one of its models")
                .refuses(of_session())
                .refuses(of_agent()),
        )
        .post(
            "/api/session/{sessionId}/task/{taskId}/stop",
            stop_task,
            about("stopTask", "Ends one piece of background work, and nothing else")
                .refuses(of_session())
                .refuses(of_agent())
                .refuses([Refusal::NOT_FOUND]),
        )
}

async fn options(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
) -> Result<Json<SessionOptions>, ApiError> {
    Ok(Json(state.service.options(&session).await?))
}

async fn set_mode(
    State(state): State<AppState>,
    Extension(notes): Extension<Notes>,
    UrlPath(session): UrlPath<SessionId>,
    JsonBody(request): JsonBody<ModeRequest>,
) -> Result<Json<SessionOptions>, ApiError> {
    notes.add(Note::Mode(request.mode_id.clone()));
    state.service.set_mode(&session, request.mode_id).await?;
    Ok(Json(state.service.options(&session).await?))
}

async fn set_model(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
    JsonBody(request): JsonBody<ModelRequest>,
) -> Result<Json<SessionOptions>, ApiError> {
    state.service.set_model(&session, request.model_id).await?;
    Ok(Json(state.service.options(&session).await?))
}

async fn stop_task(
    State(state): State<AppState>,
    UrlPath((session, task)): UrlPath<(SessionId, TaskId)>,
) -> Result<Json<TaskStopped>, ApiError> {
    Ok(Json(state.service.stop_task(&session, task).await?))
}
