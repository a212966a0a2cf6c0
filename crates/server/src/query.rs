//! The query of an address, refused in the form of every other error.

use axum::extract::Query;
use axum::extract::rejection::QueryRejection;

use crate::error::ApiError;

pub(crate) fn read_query<T>(query: Result<Query<T>, QueryRejection>) -> Result<T, ApiError> {
    query
        .map(|Query(query)| query)
        .map_err(|rejection| ApiError::invalid_request(rejection.body_text()))
}
