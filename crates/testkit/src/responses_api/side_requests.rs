//! Harmless answers to what is no turn.

use serde_json::json;

use super::reply::ResponsesReply;
use super::request::{ResponsesRequest, ResponsesRequestKind};

pub(super) fn reply_to(request: &ResponsesRequest) -> ResponsesReply {
    match request.kind {
        ResponsesRequestKind::Compaction => ResponsesReply::text("What was said, in short."),
        ResponsesRequestKind::Side => ResponsesReply::text("Fine"),
        // The public API lists `data`, the one behind Codex `models`.
        ResponsesRequestKind::Models => {
            ResponsesReply::json(json!({"object": "list", "data": [], "models": []}))
        }
        ResponsesRequestKind::Turn | ResponsesRequestKind::Other => {
            ResponsesReply::status(404, "not_found_error").error_message(&request.path)
        }
    }
}
