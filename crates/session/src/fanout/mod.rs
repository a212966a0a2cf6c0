//! From one session to many connections: each connection has an outbox, and a slow one costs only itself.

mod encodings;
mod hub;
mod long_items;
mod news;
mod outbox;
mod publication;
mod subscriber;

pub use encodings::{Encodings, Growth};
pub use hub::Hub;
pub(crate) use hub::publish_to;
pub(crate) use long_items::LongItems;
pub use news::{Asker, News};
pub use outbox::{Outbox, OutboxEntry, Resync};
pub use publication::{History, Plan, Problem, Publication};
pub use subscriber::Subscriber;
