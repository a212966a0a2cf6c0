//! Why requests are refused: a status and the codes that come with it.

use axum::http::StatusCode;
use contract::ErrorCode;

#[derive(Clone, Debug)]
pub(crate) struct Refusal(pub(crate) StatusCode, pub(crate) ErrorCode);

macro_rules! refusals {
    ($($status:ident: $($code:ident)*;)*) => {
        impl Refusal {
            $($(pub(crate) const $code: Self = Self(StatusCode::$status, ErrorCode::$code);)*)*
        }
    };
}

refusals! {
    BAD_REQUEST: INVALID_REQUEST INVALID_PROJECT_DIR INVALID_PATH PROJECT_ID_REQUIRED UNSUPPORTED_CLI_TYPE NOT_SUPPORTED
        INVALID_STREAM_EVENT;
    UNAUTHORIZED: UNAUTHORIZED;
    FORBIDDEN: FORBIDDEN_HOST FORBIDDEN_ORIGIN FORBIDDEN_PEER MODE_FORBIDDEN;
    NOT_FOUND: NOT_FOUND SESSION_NOT_FOUND PROJECT_NOT_FOUND ITEM_NOT_FOUND TURN_NOT_FOUND PERMISSION_NOT_FOUND;
    CONFLICT: DUPLICATE_PROJECT TURN_ALREADY_STARTED PERMISSION_ALREADY_ANSWERED;
    PAYLOAD_TOO_LARGE: PAYLOAD_TOO_LARGE;
    TOO_MANY_REQUESTS: TOO_MANY_REQUESTS;
    INTERNAL_SERVER_ERROR: INTERNAL_ERROR;
    BAD_GATEWAY: PROCESS_CRASH PROTOCOL_ERROR INTERRUPT_FAILED SESSION_CREATE_FAILED;
    SERVICE_UNAVAILABLE: STORE_UNAVAILABLE SHUTTING_DOWN;
}

/// Of everything that reads or writes the journal.
pub(crate) fn of_journal() -> [Refusal; 2] {
    [Refusal::STORE_UNAVAILABLE, Refusal::SHUTTING_DOWN]
}

/// Of everything that is asked of one session.
pub(crate) fn of_session() -> [Refusal; 3] {
    [Refusal::SESSION_NOT_FOUND, Refusal::STORE_UNAVAILABLE, Refusal::SHUTTING_DOWN]
}

/// Of everything that needs the session's agent.
pub(crate) fn of_agent() -> [Refusal; 7] {
    [
        Refusal::UNSUPPORTED_CLI_TYPE,
        Refusal::NOT_SUPPORTED,
        Refusal::PROCESS_CRASH,
        Refusal::PROTOCOL_ERROR,
        Refusal::SESSION_CREATE_FAILED,
        Refusal::TOO_MANY_REQUESTS,
        Refusal::MODE_FORBIDDEN,
    ]
}
