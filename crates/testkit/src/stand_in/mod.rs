//! What standing in for a model is, whichever API it is asked by: a server on loopback, requests that are recorded, a
//! script that replies, gates, and streams that wait or break as told. [`Api`] is what an API adds to it.

mod api;
mod gate;
mod ids;
mod pace;
mod pieces;
mod playback;
mod recording;
mod reply;
mod request;
mod response;
mod server;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use self::api::{Api, Events};
pub use self::gate::Gate;
pub use self::ids::Ids;
pub(crate) use self::pace::Ending;
pub(crate) use self::pieces::{in_pieces, in_words};
pub use self::playback::Dialect;
pub use self::reply::Reply;
pub(crate) use self::reply::Usage;
pub use self::request::Request;
pub(crate) use self::request::{list, text_of};
pub use self::server::StandIn;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
