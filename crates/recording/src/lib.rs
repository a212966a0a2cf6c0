//! What passed between a host and an agent, as a file; and what telling it again gives, whichever agent it was.

mod format;
mod judge;
mod mangle;
mod process_end;
mod readable;
mod replayed;

pub use format::{Direction, Entry, Header, NotARecording, Recorded, Recording};
pub use judge::Judge;
pub use mangle::mangled;
pub use process_end::{DISMISSED, ProcessEnd, describe_end, last_words};
pub use replayed::{
    HistoryEvent, REPLAY_SESSION, ReplayEvent, ReplayedStatus, ReplayedThing, at, millis,
};
