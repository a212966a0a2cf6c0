//! Sessions: providers that talk to agents, one actor per session, fan-out to connections, and the service that
//! the edge calls.

mod actor;
mod agent_states;
mod caps;
mod core;
mod environment;
mod error;
mod fanout;
mod glance;
mod metrics;
mod project_dir;
mod project_files;
pub mod provider;
mod recorder;
mod secrets;
mod service;
mod title;
mod watched_journal;

pub use actor::Pending;
pub use caps::Caps;
pub use core::Autonomous;
pub use environment::{Clock, Environment, IdSource, RandomIds, SystemClock};
pub use error::ServiceError;
pub use fanout::{
    Asker, Encodings, Growth, History, Hub, News, Outbox, OutboxEntry, Plan, Problem, Publication,
    Resync, Subscriber,
};
pub use metrics::{CountedConnection, Metrics};
pub use project_dir::AllowedRoots;
pub use recorder::Recorder;
pub use secrets::Secrets;
pub use service::{SessionService, SessionServiceParts};
