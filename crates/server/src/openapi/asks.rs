//! Extractors that read nothing which a caller could send, and the parts of a path.

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use schemars::JsonSchema;

use super::described::Asks;
use super::description::Description;

impl<T> Asks for State<T> {
    fn describe(_: &mut Description<'_>) {}
}

impl<T> Asks for Extension<T> {
    fn describe(_: &mut Description<'_>) {}
}

/// What a handler reads of these is the guard's, and described with it.
impl Asks for HeaderMap {
    fn describe(_: &mut Description<'_>) {}
}

/// The parameters of a path, in its order.
pub(crate) trait PathPart {
    fn describe(description: &mut Description<'_>);
}

macro_rules! path_parts {
    ($($part:ident),*) => {$(
        impl PathPart for contract::$part {
            fn describe(description: &mut Description<'_>) {
                description.path_part::<Self>();
            }
        }
    )*};
}

path_parts!(ItemId, PermissionId, ProjectId, SessionId, TaskId, TurnId);

impl<A: JsonSchema, B: JsonSchema> PathPart for (A, B) {
    fn describe(description: &mut Description<'_>) {
        description.path_part::<A>();
        description.path_part::<B>();
    }
}
