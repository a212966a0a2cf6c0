//! Parameters in a path, refused like everything else when they cannot be read.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::error::ApiError;
use crate::openapi::{Asks, Description, PathPart, Refusal};

pub(crate) struct UrlPath<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for UrlPath<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let path = Path::<T>::from_request_parts(parts, state).await;
        path.map(|Path(value)| Self(value))
            .map_err(|rejection| ApiError::invalid_request(rejection.body_text()))
    }
}

impl<T: PathPart> Asks for UrlPath<T> {
    fn describe(description: &mut Description<'_>) {
        T::describe(description);
        description.refuses([Refusal::INVALID_REQUEST]);
    }
}
