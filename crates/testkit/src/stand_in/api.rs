//! What an API of a model has of its own: how it is asked, and the shapes of its answers.

use std::fmt;

use serde_json::Value;

use super::ids::Ids;
use super::playback::Dialect;
use super::reply::Reply;
use super::request::Request;

pub trait Api: Clone + fmt::Debug + Send + Sync + Sized + 'static {
    /// Who asks, or why. The default is for what is no question to a model.
    type Kind: Copy + fmt::Debug + Default + Send + Sync;
    /// What an answer is made of. The default has nothing in it.
    type Content: Clone + fmt::Debug + Default + Send + Sync;

    const DIALECT: Dialect;
    /// The header in which a response carries the id of its request.
    const REQUEST_ID: &'static str;
    /// Status and name of an error that agents do not answer with another try.
    const REFUSAL: (u16, &'static str);
    /// A stream that nobody can read.
    const GIBBERISH: &'static str;

    fn recognise(request: &Request<Self>) -> Self::Kind;

    /// Whether a script is asked. It is not asked about what agents want to know beside their conversation.
    fn is_for_script(request: &Request<Self>) -> bool;

    /// A harmless answer to what no script is asked.
    fn side_reply(request: &Request<Self>) -> Reply<Self>;

    fn add_text(content: &mut Self::Content, text: &str);

    /// The answer as one body.
    fn whole(reply: &Reply<Self>, model: &str, ids: &Ids) -> Value;

    /// The answer as a stream.
    fn events(reply: &Reply<Self>, model: &str, ids: &Ids) -> Events;

    /// The body of an error.
    fn error(kind: &str, message: &str, request_id: &str) -> Value;
}

/// A stream before waiting and a bad end are woven into it.
#[derive(Clone, Debug)]
pub struct Events {
    /// In order, each with its `type`.
    pub all: Vec<Value>,
    /// What ends the stream if it is to fail on its way.
    pub failure: Value,
}
