//! The description of all routes, this one among them.

use std::sync::Arc;

use axum::Extension;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde_json::json;

use crate::openapi::{Answers, ApiRoutes, Description, Document, about};

pub(super) fn routes() -> ApiRoutes {
    let summary = about("describeApi", "This description of the API");
    ApiRoutes::of("operating").get("/api/openapi.json", tell, summary)
}

async fn tell(Extension(document): Extension<Arc<Document>>) -> Written {
    Written(document.text())
}

struct Written(Bytes);

impl IntoResponse for Written {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, "application/json")], self.0).into_response()
    }
}

impl Answers for Written {
    fn describe(description: &mut Description<'_>) {
        let schema = json!({
            "type": "object",
            "properties": { "openapi": { "type": "string", "pattern": "^3\\.1\\." } },
            "required": ["openapi", "info", "paths", "components"],
        });
        description.answers(StatusCode::OK, &json!({ "application/json": { "schema": schema } }));
    }
}
