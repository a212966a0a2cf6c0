//! The description of the HTTP API, in the form of OpenAPI 3.1.
//!
//! It is made from the routes themselves: what a handler takes and gives is read from its types, and the rest (a name,
//! a sentence, why it may refuse) stands beside it. `ApiRoutes` is the only way to add a route, so there is none that
//! is not described. It is put together when somebody first asks for it.

mod answers;
mod asks;
mod described;
mod description;
mod document;
mod errors;
mod members;
mod refusals;
mod routes;
mod schemas;

pub(crate) use answers::{Accepted, Created, WithCookie};
pub(crate) use asks::PathPart;
pub(crate) use described::{Answers, Asks, Refuses};
pub(crate) use description::{Description, lines_of};
pub(crate) use document::Document;
pub(crate) use refusals::{Refusal, of_agent, of_journal, of_session};
pub(crate) use routes::{ApiRoutes, about};
