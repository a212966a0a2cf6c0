//! What operators watch.

use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use contract::ErrorCode;

use crate::openapi::{Answers, ApiRoutes, Description, about};
use crate::state::AppState;

const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(super) fn routes() -> ApiRoutes {
    let summary = about("metrics", "Figures in the text format of Prometheus");
    ApiRoutes::of("operating").get("/metrics", metrics, summary)
}

struct Figures(String);

impl IntoResponse for Figures {
    fn into_response(self) -> Response {
        ([(CONTENT_TYPE, OPENMETRICS)], self.0).into_response()
    }
}

impl Answers for Figures {
    fn describe(description: &mut Description<'_>) {
        description.answers_text(OPENMETRICS);
    }
}

async fn metrics(State(state): State<AppState>) -> Figures {
    Figures(state.service.metrics_text().await)
}

/// Errors carry their code on their way out.
pub(super) async fn count_errors(
    State(state): State<AppState>,
    request: Request,
    next: Next,
) -> Response {
    let response = next.run(request).await;
    if let Some(code) = response.extensions().get::<ErrorCode>() {
        state.service.metrics().count_error(code);
    }
    response
}
