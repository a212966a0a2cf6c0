//! A handler that panics is a bug of ours: whoever asked is told so as of any other failure, and nobody else notices.

use std::panic::AssertUnwindSafe;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use futures_util::FutureExt as _;

use crate::error::ApiError;

/// What the panic said is for the log, which the panic hook has told already without secrets.
pub(crate) async fn answer(request: Request, next: Next) -> Response {
    match AssertUnwindSafe(next.run(request)).catch_unwind().await {
        Ok(response) => response,
        Err(_) => ApiError::internal(&Panicked).into(),
    }
}

#[derive(Debug, thiserror::Error)]
#[error("a handler panicked")]
struct Panicked;
