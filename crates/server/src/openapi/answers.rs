//! Answers that say what they are.

use axum::Json;
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, NoContent, Response};
use schemars::JsonSchema;
use serde::Serialize;

use super::described::{Answers, Refuses};
use super::description::Description;
use crate::error::ApiError;

/// 201: it is there now.
pub(crate) struct Created<T>(pub(crate) T);

/// 202: it will be done.
pub(crate) struct Accepted<T>(pub(crate) T);

/// An answer that sets our cookie.
pub(crate) struct WithCookie<T>(pub(crate) String, pub(crate) T);

impl<T: Serialize> IntoResponse for Created<T> {
    fn into_response(self) -> Response {
        (StatusCode::CREATED, Json(self.0)).into_response()
    }
}

impl<T: Serialize> IntoResponse for Accepted<T> {
    fn into_response(self) -> Response {
        (StatusCode::ACCEPTED, Json(self.0)).into_response()
    }
}

impl<T: IntoResponse> IntoResponse for WithCookie<T> {
    fn into_response(self) -> Response {
        let cookie: [(HeaderName, String); 1] = [(header::SET_COOKIE, self.0)];
        (cookie, self.1).into_response()
    }
}

impl<T: JsonSchema> Answers for Json<T> {
    fn describe(description: &mut Description<'_>) {
        description.answers_json::<T>(StatusCode::OK);
    }
}

impl<T: JsonSchema> Answers for Created<T> {
    fn describe(description: &mut Description<'_>) {
        description.answers_json::<T>(StatusCode::CREATED);
    }
}

impl<T: JsonSchema> Answers for Accepted<T> {
    fn describe(description: &mut Description<'_>) {
        description.answers_json::<T>(StatusCode::ACCEPTED);
    }
}

impl Answers for NoContent {
    fn describe(description: &mut Description<'_>) {
        description.answers_nothing(StatusCode::NO_CONTENT);
    }
}

impl Answers for &'static str {
    fn describe(description: &mut Description<'_>) {
        description.answers_text("text/plain; charset=utf-8");
    }
}

impl<T: Answers> Answers for WithCookie<T> {
    fn describe(description: &mut Description<'_>) {
        T::describe(description);
        description.sets_cookie();
    }
}

impl Refuses for ApiError {}
