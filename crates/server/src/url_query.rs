//! The query of an address, refused in the form of every other error.

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::error::ApiError;
use crate::openapi::{Asks, Description, Refusal};

pub(crate) struct UrlQuery<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for UrlQuery<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let query = Query::<T>::from_request_parts(parts, state).await;
        query
            .map(|Query(value)| Self(value))
            .map_err(|rejection| ApiError::invalid_request(rejection.body_text()))
    }
}

impl<T: JsonSchema> Asks for UrlQuery<T> {
    fn describe(description: &mut Description<'_>) {
        description.query::<T>();
        description.refuses([Refusal::INVALID_REQUEST]);
    }
}
