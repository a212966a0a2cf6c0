//! JSON bodies: of the right type, not too large, and saying what is wrong with them.

use axum::extract::{FromRequest, Request};
use axum::http::header;
use bytes::Bytes;
use http_body_util::{BodyExt, Collected, LengthLimitError, Limited};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

use crate::error::ApiError;
use crate::openapi::{Asks, Description, Refusal};

/// The largest body of a request; envelopes are streamed and not bound by it.
pub(crate) const BODY_LIMIT: usize = 1 << 20;

/// A body that must be there.
pub(crate) struct JsonBody<T, const LIMIT: usize = BODY_LIMIT>(pub(crate) T);

/// A body that may be left out.
pub(crate) struct OptionalJsonBody<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned, const LIMIT: usize> FromRequest<S>
    for JsonBody<T, LIMIT>
{
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        // Forms and beacons of foreign pages cannot send this type without being asked about it first.
        if !is_json(&request) {
            return Err(ApiError::invalid_request("the body must be application/json"));
        }
        let bytes = read(request, LIMIT).await?;
        parse(&bytes).map(Self)
    }
}

impl<S: Send + Sync, T: DeserializeOwned + Default> FromRequest<S> for OptionalJsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let is_json = is_json(&request);
        let bytes = read(request, BODY_LIMIT).await?;
        if bytes.is_empty() {
            return Ok(Self(T::default()));
        }
        if !is_json {
            return Err(ApiError::invalid_request("the body must be application/json"));
        }
        parse(&bytes).map(Self)
    }
}

impl<T: JsonSchema, const LIMIT: usize> Asks for JsonBody<T, LIMIT> {
    fn describe(description: &mut Description<'_>) {
        description.takes_json::<T>(true);
        description.refuses([Refusal::INVALID_REQUEST, Refusal::PAYLOAD_TOO_LARGE]);
    }
}

impl<T: JsonSchema> Asks for OptionalJsonBody<T> {
    fn describe(description: &mut Description<'_>) {
        description.takes_json::<T>(false);
        description.refuses([Refusal::INVALID_REQUEST, Refusal::PAYLOAD_TOO_LARGE]);
    }
}

fn is_json(request: &Request) -> bool {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let essence = kind.and_then(|kind| kind.split(';').next()).map(str::trim);
    essence.is_some_and(|essence| essence.eq_ignore_ascii_case("application/json"))
}

async fn read(request: Request, limit: usize) -> Result<Bytes, ApiError> {
    let body = Limited::new(request.into_body(), limit).collect().await;
    body.map(Collected::to_bytes).map_err(|error| {
        if error.is::<LengthLimitError>() {
            ApiError::too_large(format!("the body must not exceed {limit} bytes"))
        } else {
            ApiError::invalid_request("the body broke off")
        }
    })
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    // It would be read as the fields of an object in their order.
    if bytes.trim_ascii_start().starts_with(b"[") {
        return Err(ApiError::invalid_request("the body must be a JSON object, not a list"));
    }
    serde_json::from_slice(bytes).map_err(|error| ApiError::invalid_request(in_words(&error)))
}

/// What is wrong with the whole is told apart from what is wrong with a part of it.
fn in_words(error: &serde_json::Error) -> String {
    match error.classify() {
        Category::Data => error.to_string(),
        Category::Syntax | Category::Eof | Category::Io => format!("the body is not JSON: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn what_is_no_json_is_told_as_such_with_the_place() {
        for (body, words) in [
            ("nonsense", "the body is not JSON: expected ident at line 1 column 2"),
            ("", "the body is not JSON: EOF while parsing a value at line 1 column 0"),
            ("{\"a\":1", "the body is not JSON: EOF while parsing an object at line 1 column 6"),
        ] {
            let error = serde_json::from_str::<Value>(body).unwrap_err();
            assert_eq!(in_words(&error), words, "{body}");
        }
        let error = serde_json::from_str::<contract::AddProjectRequest>("{}").unwrap_err();
        assert_eq!(in_words(&error), "missing field `path` at line 1 column 2");
    }
}
