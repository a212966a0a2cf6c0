//! The web UI, embedded by the build script.

#[cfg(debug_assertions)]
mod content_type;
#[cfg(debug_assertions)]
mod from_disk;

use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::error::ApiError;

struct Asset {
    path: &'static str,
    bytes: &'static [u8],
    content_type: &'static str,
    etag: &'static str,
    /// Its name changes with its content.
    immutable: bool,
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// Serves the page and what belongs to it; anything else is not there.
pub(crate) async fn serve(request: Request) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return ApiError::not_found().into_response();
    }
    let path = if request.uri().path() == "/" { "/index.html" } else { request.uri().path() };
    #[cfg(debug_assertions)]
    if let Some(response) = from_disk::serve(path) {
        return response;
    }
    match ASSETS.iter().find(|asset| asset.path == path) {
        Some(asset) => respond(asset, request.headers().get(header::IF_NONE_MATCH)),
        None => ApiError::not_found().into_response(),
    }
}

fn respond(asset: &'static Asset, known: Option<&HeaderValue>) -> Response {
    let cache = if asset.immutable { "public, max-age=31536000, immutable" } else { "no-cache" };
    let headers = [
        (header::CONTENT_TYPE, asset.content_type),
        (header::ETAG, asset.etag),
        (header::CACHE_CONTROL, cache),
    ];
    if known.is_some_and(|known| known == asset.etag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    (headers, asset.bytes).into_response()
}
